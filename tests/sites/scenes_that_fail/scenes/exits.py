import sys


def compute():
    sys.exit(0)

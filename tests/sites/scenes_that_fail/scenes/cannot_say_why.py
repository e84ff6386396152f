import sys


class Mute(Exception):
    def __str__(self):
        raise ValueError("no")


class Text(str):
    def __str__(self):
        return self


class Odd(Exception):
    def __str__(self):
        return Text("an odd text")


def compute(odd=False):
    if odd:
        raise Odd
    raise Mute

# -*- coding: latin-1 -*-
from scenes.latin_helper import y


def compute():
    return {"x": y + "é"}

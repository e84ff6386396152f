# coding: latin-1
y = "é"

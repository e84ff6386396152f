"""Figures: a spec and the values of a scene become an SVG and a data table for each panel, and one PNG of the whole.

A figure is read (spec and values to charts), laid out (places in CSS pixels) and drawn, in this order. Each kind of
panel is one file. matplotlib is imported only when something is drawn.
"""

"""The characters that stand for a value and for a formula or code in a text that is checked for typed numbers."""

VALUE, HOLE = "\x0e", "\x0f"

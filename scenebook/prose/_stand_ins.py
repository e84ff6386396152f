"""The characters that replace a value, a formula or code (`HOLE`), and a note's mark, in the check for typed numbers."""

VALUE, HOLE, NOTE = "\x0e", "\x0f", "\x10"

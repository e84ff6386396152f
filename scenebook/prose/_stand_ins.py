"""The characters that replace a value (`VALUE`), and a formula or code (`HOLE`), in the check for typed numbers."""

VALUE, HOLE = "\x0e", "\x0f"

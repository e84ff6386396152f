"""What replaces a value, a formula or code (`HOLE`), and a note's mark, where typed numbers are sought."""

VALUE, HOLE, NOTE = "\x0e", "\x0f", "\x10"

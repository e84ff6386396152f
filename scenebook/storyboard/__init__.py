"""storyboard.yaml and page files become frozen models, or a list of every mistake in all of them, each with its line.

YAML is read into a tree of texts that know their places. The shape of the tree is checked first, then the rules that
go beyond its shape. Nothing is guessed: what is written is what is meant.
"""

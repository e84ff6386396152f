"""Turns storyboard.yaml and page files into frozen models, or reports every mistake in all of them, with its line.

YAML is read into a tree whose texts know their lines. The models check the shape of the tree, and rules check what the
models cannot express. Nothing is guessed: a text is exactly what its author wrote.
"""

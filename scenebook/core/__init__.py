"""The data types that all packages share: texts with their source lines, problems, numbers, values and digests.

These are plain data and pure functions. Nothing here depends on YAML, HTML or matplotlib, and only `digests` reads
files. So any package can import this one, and importing it is fast.
"""

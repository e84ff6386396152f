"""Keeps the results of build steps and reuses a result while all of its inputs are unchanged.

The inputs of a result are those that the step declares (parameters, versions) and those that it was observed to read.
Both are compared by content, never by date. The cache can be deleted at any time: missing results are made again.
"""

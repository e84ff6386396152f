"""Results that are kept, and found again while everything they were made from is the same.

A result is made from what its maker declares (parameters, versions) and from what it was seen to read. Both are
compared by content, never by date. Nothing in the cache has to survive: what is missing or damaged is made again.
"""

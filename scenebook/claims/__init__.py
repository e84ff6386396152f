"""Claims are expressions over computed values. The build evaluates each one: it must hold, and it must be able to fail.

The language is small: comparisons, arithmetic and a few functions. When a claim holds, the build evaluates it again
with other values. A claim that holds for all of them says nothing, so the build refuses it.
"""

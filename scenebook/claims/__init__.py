"""Claims are expressions over values that the build evaluates. Each must hold, and must be able to fail.

The language is small: comparisons, arithmetic and a few functions. After a claim held, it is evaluated again with other
values. If it holds for all of them, it says nothing, and the build refuses it.
"""

"""The values of scenes that repeat their run: what a text says of all runs, and which digits another seed would change.

The module that decides is imported late, because few pages have such values.
"""

from typing import Any

from scenebook.core.value_reference import ValueReference
from scenebook.prose.scope import FAILED, Scope


def of_runs(reference: ValueReference, scope: Scope) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """A number that says how runs vary, at each setting that a text follows, and how the text shows it.

    It is a single one if it is the same at all settings. Raises `LookupError` or `ValueError`, with a message for the
    author, if there is no such number or its format does not fit.
    """
    from scenebook.core import spread

    if scope.all_values(reference)[0] is FAILED:
        return (FAILED,), (FAILED,)
    samples = scope.samples(reference)
    if not samples:
        message = f"'{reference.scene}' does not repeat its run; give it `repeat`, or leave out .{reference.stat}"
        raise LookupError(message)
    name, form = f"{reference.scene}.{reference.element}", (reference.format, reference.rounding)
    values = tuple(spread.stat(sample, reference.stat, name) for sample in samples)
    written = tuple(spread.written(sample, reference.stat, *form, name) for sample in samples)
    same = len(set(zip(values, written, strict=True))) == 1
    return (values[:1], written[:1]) if same else (values, written)


def unearned(reference: ValueReference, scope: Scope) -> str:
    """What is wrong with a value that a text shows with digits that another seed would change; empty if nothing is."""
    repeats = scope.repeats.get(reference.scene)
    if repeats is None or repeats.as_written or reference.stat:
        return ""
    from scenebook.core import spread

    name = f"{reference.scene}.{reference.element}"
    faults = (spread.fault(runs, reference.format, reference.rounding, name) for runs in scope.samples(reference))
    return next(filter(None, faults), "")

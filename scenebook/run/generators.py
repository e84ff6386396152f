"""Whether a module draws numbers from a generator that it seeds, so that another seed would give others."""

import ast

SEEDED = {"default_rng", "RandomState", "Random", "seed", "SeedSequence", "manual_seed", "PRNGKey"}
"""What makes or seeds a generator, in numpy, Python's own library and others."""


def line_of_generator(text: str) -> int:
    """Return the first line that makes or seeds a generator; 0 if there is none. The text has no syntax error."""
    calls = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
    return min((call.lineno for call in calls if _called(call.func) in SEEDED), default=0)


def _called(function: ast.expr) -> str:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""

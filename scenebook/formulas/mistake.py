"""A mistake in a formula, as an exception that knows its place."""


class FormulaError(ValueError):
    """A mistake in a formula: what is wrong, and the index of the character where it is."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(f"{at}: {message}")
        self.at, self.message = at, message

"""Exceptions raised by this package."""


class DotvarsError(Exception):
    """Base class of all errors of this package."""


class ParseError(DotvarsError):
    """A line that is not in the format described in the README."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class NameError_(DotvarsError):
    """A name that cannot be used for an entry."""

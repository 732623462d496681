"""Statements of a source."""

import ast
from collections.abc import Iterator

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def statements(source: str) -> Iterator[ast.AST]:
    """Yield all statements, also those within others. Most of a source are expressions, which hold
    none: to walk through them takes most of the time.
    """
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        for name in _BLOCKS:
            waiting += getattr(node, name, ())
        yield node

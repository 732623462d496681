"""Text of functions of the engine that an exported file carries, with all that they need.

What reads a picture, a sound or a cell of a table stands once, in the engine; an exported file has
the very same functions, so that it gives the same numbers without the program.
"""

import ast
import builtins
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engine.export.source_parts import SourceParts

_ENGINE = "engine."
_REMARK = re.compile(r"\s+# (noqa|pyright: |type: ).*$|^ *@override\n", re.MULTILINE)
_BUILTINS = frozenset((*dir(builtins), "override"))


class _Definition(NamedTuple):
    """A definition of a module: its text, and where in it (line from 0, column) names stand."""

    text: str
    names: tuple[tuple[int, int, str], ...]


class _Module(NamedTuple):
    """The definitions of a module by name, in order; what it imports, as module and name (empty:
    the module itself).
    """

    definitions: dict[str, _Definition]
    imports: dict[str, tuple[str, str]]


class Library:
    """Definitions of the engine that go into an exported file, each once, under names that mean
    nothing else there.
    """

    def __init__(self, source: SourceParts) -> None:
        self._source = source
        self._bound: dict[tuple[str, str], str] = {}
        self._texts: list[str] = []

    def name(self, module: str, name: str) -> str:
        """Return what a definition of a module of the engine is called in the file; it is written
        with all that it needs where it is not there yet.
        """
        found = _module(module)
        if name not in found.definitions:
            target, inner = found.imports[name]
            if target.startswith(_ENGINE):
                return self.name(target, inner)
            return self._source.imported(target, inner, name)
        key = (module, name)
        if key not in self._bound:
            self._bound[key] = self._source.new_name(name)
            self._write(module, name)
        return self._bound[key]

    def imported(self, module: str, name: str, wanted: str = "") -> str:
        """Return what a name of a library is called in the file, ``wanted`` if that is free; it is
        imported there.
        """
        return self._source.imported(module, name, wanted)

    def text(self) -> str:
        """Return all definitions, those that others need first."""
        return "".join(f"\n\n{text}\n" for text in self._texts)

    def _write(self, module: str, name: str) -> None:
        found = _module(module)
        definition = found.definitions[name]
        bound = {
            each: self.name(module, each)
            for each in dict.fromkeys(each for _, _, each in definition.names)
            if each in found.definitions or each in found.imports
        }
        lines = definition.text.split("\n")
        for line, column, each in sorted(definition.names, reverse=True):
            if bound.get(each, each) != each:
                before, after = lines[line][:column], lines[line][column + len(each) :]
                lines[line] = before + bound[each] + after
        self._texts.append(_REMARK.sub("", "\n".join(lines)))


@cache
def _module(name: str) -> _Module:
    text = inspect.getsource(importlib.import_module(name))
    lines = text.splitlines()
    definitions: dict[str, _Definition] = {}
    imports: dict[str, tuple[str, str]] = {}
    for part in ast.parse(text).body:
        if isinstance(part, ast.Import):
            imports |= {
                each.asname or each.name.partition(".")[0]: (each.name, "") for each in part.names
            }
        elif isinstance(part, ast.ImportFrom) and part.module:
            module = part.module
            imports |= {each.asname or each.name: (module, each.name) for each in part.names}
        else:
            for defined in _defined(part):
                definitions[defined] = _definition(part, lines)
    return _Module(definitions, imports)


def _defined(part: ast.stmt) -> Iterator[str]:
    if isinstance(part, ast.FunctionDef | ast.ClassDef):
        yield part.name
    elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
        yield part.target.id
    elif isinstance(part, ast.Assign):
        for target in part.targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def _definition(part: ast.stmt, lines: list[str]) -> _Definition:
    decorators = part.decorator_list if isinstance(part, ast.FunctionDef | ast.ClassDef) else []
    first = min([part.lineno, *(each.lineno for each in decorators)])
    text = "\n".join(lines[first - 1 : part.end_lineno])
    names = [
        (each.lineno - first, _column(lines[each.lineno - 1], each.col_offset), each.id)
        for each in ast.walk(part)
        if isinstance(each, ast.Name) and each.id not in _BUILTINS
    ]
    if isinstance(part, ast.FunctionDef | ast.ClassDef):
        at = lines[part.lineno - 1].index(part.name)
        names.append((part.lineno - first, at, part.name))
    return _Definition(text, tuple(names))


def _column(line: str, offset: int) -> int:
    """Return a column in letters from one in bytes."""
    return len(line.encode()[:offset].decode())

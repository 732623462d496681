"""Several files of own code as one text: imports at the top, each once; the rest as it stands.

What the files define and import must not clash, because the model is written into one file. Only
the syntax is looked at.
"""

import ast
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from engine.catalog.code.file import parsed
from engine.diagnostics import Diagnostic


class CodeLine(NamedTuple):
    """A line of the merged text and where it stands: a file and its line (from 1)."""

    text: str
    file: str = ""
    line: int = 0


class Merged(NamedTuple):
    """``imports`` are whole statements by the name that they bind and what it then means;
    ``defined`` are the names that the files define, with the file. ``future`` are the names of
    ``from __future__ import …``.
    """

    lines: tuple[CodeLine, ...]
    imports: dict[str, "Import"]
    defined: dict[str, str]
    future: tuple[str, ...]
    problems: tuple[Diagnostic, ...]


class Import(NamedTuple):
    """One imported name: the module, the name in it (empty: the module itself), what it is called
    here, and the file that imports it.
    """

    module: str
    name: str
    alias: str
    file: str = ""

    @property
    def bound(self) -> str:
        """The name that it has here."""
        return self.alias or self.name or self.module.partition(".")[0]

    @property
    def meaning(self) -> str:
        """What that name stands for."""
        if self.name:
            return f"{self.module}.{self.name}"
        return self.module if self.alias else self.module.partition(".")[0]


def merge_files(code: Mapping[str, str], files: tuple[str, ...]) -> Merged:
    """Return the files as one, in that order. Files that cannot be read are left out."""
    return _merged(tuple((file, code[file]) for file in files), frozenset(code))


def import_lines(imports: list[Import]) -> list[str]:
    """Return import statements, those of the standard library first, sorted as usual."""
    groups: list[list[str]] = []
    for is_standard in (True, False):
        chosen = [item for item in imports if _is_standard(item) == is_standard]
        plain = {_plain(item) for item in chosen if not item.name}
        taken: dict[str, set[str]] = {}
        for item in chosen:
            if item.name:
                renamed = f"{item.name} as {item.alias}" if item.alias else item.name
                taken.setdefault(item.module, set()).add(renamed)
        names = {
            module: ", ".join(sorted(found, key=_import_order)) for module, found in taken.items()
        }
        lines = [*sorted(plain), *(f"from {m} import {names[m]}" for m in sorted(names))]
        if lines:
            groups.append(lines)
    return [line for index, lines in enumerate(groups) for line in ([""] * bool(index) + lines)]


def _import_order(name: str) -> tuple[int, str]:
    """Sort constants before classes and those before functions, as ``ruff`` does."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def _plain(item: Import) -> str:
    return f"import {item.module} as {item.alias}" if item.alias else f"import {item.module}"


def _is_standard(item: Import) -> bool:
    return item.module.partition(".")[0] in sys.stdlib_module_names


@lru_cache(maxsize=64)
def _merged(texts: tuple[tuple[str, str], ...], known: frozenset[str]) -> Merged:
    merger = _Merger({file.removesuffix(".py") for file in known})
    for file, text in texts:
        try:
            tree = parsed(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # told by itself (U001)
        merger.add(file, text, tree)
    return merger.merged()


class _Merger:
    def __init__(self, stems: set[str]) -> None:
        self._stems = stems
        self._lines: list[CodeLine] = []
        self._imports: dict[str, Import] = {}
        self._defined: dict[str, str] = {}
        self._future: dict[str, None] = {}
        self._problems: list[Diagnostic] = []

    def merged(self) -> Merged:
        """Return what was added."""
        for name, item in self._imports.items():
            if name in self._defined:
                self._clash("U005", name, self._defined[name], item.file)
        return Merged(
            tuple(self._lines),
            self._imports,
            self._defined,
            tuple(self._future),
            tuple(self._problems),
        )

    def add(self, file: str, text: str, tree: ast.Module) -> None:
        """Add a file: its imports to the others, its other lines behind them."""
        lines = dict(enumerate(text.removeprefix("\ufeff").splitlines(), 1))
        kept: list[ast.stmt] = []
        for part in tree.body:
            instead = self._instead(file, part, tree.body[0])
            if instead is None:
                self._define(file, part)
                kept.append(part)
                continue
            first, last = part.lineno, part.end_lineno or part.lineno
            for number in range(first, last + 1):
                lines.pop(number, None)
            lines.update(enumerate(instead[: last - first + 1], first))
        for part in kept:  # what stood in one line with an import
            if part.lineno not in lines:
                lines[part.lineno] = ast.unparse(part).partition("\n")[0]
        written = _without_gaps([CodeLine(line, file, n) for n, line in sorted(lines.items())])
        if written:
            self._lines += [CodeLine(""), CodeLine("")] if self._lines else []
            self._lines += written

    def _instead(self, file: str, part: ast.stmt, first: ast.stmt) -> list[str] | None:
        """Return what is written in the place of a statement; None where it stays."""
        match part:
            case ast.Import():
                for name in part.names:
                    self._import(file, Import(name.name, "", name.asname or "", file), part)
                return []
            case ast.ImportFrom():
                return self._taken(file, part)
            case ast.Expr(value=ast.Constant(value=str() as doc)) if part is first:
                return [f"# {line}".rstrip() for line in doc.strip().splitlines()]
            case _:
                return [] if isinstance(part, ast.If) and _is_main(part) else None

    def _taken(self, file: str, part: ast.ImportFrom) -> list[str]:
        if part.module == "__future__":
            self._future |= dict.fromkeys(name.name for name in part.names)
        elif self._is_own(part):
            renamed = [name for name in part.names if name.asname not in (None, name.name)]
            return [f"{name.asname} = {name.name}" for name in renamed]
        else:
            module = "." * part.level + (part.module or "")
            for name in part.names:
                self._import(file, Import(module, name.name, name.asname or "", file), part)
        return []

    def _is_own(self, part: ast.ImportFrom) -> bool:
        return part.level <= 1 and (part.module or "") in self._stems

    def _import(self, file: str, item: Import, part: ast.stmt) -> None:
        if item.module in self._stems and not item.name:
            params: dict[str, str | int | float] = {
                "file": file,
                "module": item.module,
                "line": part.lineno,
            }
            self._problems.append(Diagnostic(code="U026", params=params))
            return
        known = self._imports.get(item.bound)
        if known is not None and known.meaning != item.meaning and item.name != "*":
            self._clash("U006", item.bound, file, known.file)
            return
        key = item.bound if known is None or known == item else f"{item.bound}:{item.module}"
        if item.name == "*":
            key = f"*:{item.module}"
        if known is None or (not item.name and not item.alias) or item.name == "*":
            self._imports.setdefault(key, item)  # ``import a.b`` loads more than ``import a``

    def _define(self, file: str, part: ast.stmt) -> None:
        for name in _defined(part):
            other = self._defined.setdefault(name, file)
            if other != file:
                self._clash("U005", name, file, other)

    def _clash(self, code: str, symbol: str, file: str, other: str) -> None:
        params: dict[str, str | int | float] = {"symbol": symbol, "file": file, "other": other}
        self._problems.append(Diagnostic(code=code, params=params))


def _defined(part: ast.stmt) -> list[str]:
    match part:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            found = (node for target in targets for node in ast.walk(target))
            return [node.id for node in found if isinstance(node, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _is_main(part: ast.If) -> bool:
    """Return whether a statement is for running the file as a program."""
    return ast.unparse(part.test).replace('"', "'") == "__name__ == '__main__'"


def _without_gaps(lines: list[CodeLine]) -> list[CodeLine]:
    """Return lines without empty ones at both ends, and with two in a row at most."""
    found: list[CodeLine] = []
    for line in lines:
        is_empty = not line.text.strip()
        if is_empty and (not found or all(not kept.text.strip() for kept in found[-2:])):
            continue
        found.append(line)
    while found and not found[-1].text.strip():
        found.pop()
    return found

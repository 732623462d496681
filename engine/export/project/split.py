"""One file of training code in the modules of a package, each with what it needs of the others."""

import ast
import symtable
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

MODULES = ("reading", "model", "training", "data")
"""The modules of the package; one imports of those before it only."""

_ABOUT: Mapping[str, str] = {
    "reading": "Reads a raw sample as the run did, and prepares it for the model.",
    "model": "The model.",
    "data": "The samples of the run, divided as there, and their batches.",
    "training": "The model with its loss, metric and optimizer, and its weights.",
}
_ROOTS: Mapping[str, tuple[str, ...]] = {
    "reading": ("read_sample", "read_values", "scale", "prepare", "encode", "decode", "CLASSES"),
    "data": ("RunSamples", "RunBatches", "RunView"),
    "training": ("TrainableModel", "load_model", "load_teacher", "WEIGHTS", "RANGES"),
}
_LONGEST = 100


class _Import(NamedTuple):
    """An import statement of one name, and what it is called there."""

    module: str
    name: str
    bound: str


@dataclass(frozen=True)
class _Part:
    """A statement with the comments above it: its text, the names that it defines and uses."""

    text: str
    defined: frozenset[str]
    used: frozenset[str]


class SplitCode:
    """The modules of a file of training code. ``names`` are what its functions are called, and
    ``model`` the class of the model; ``dropped`` are definitions that are left out.
    """

    def __init__(
        self, text: str, names: Mapping[str, str], model: str, dropped: Iterable[str]
    ) -> None:
        tree = ast.parse(text)
        self._imports = list(_imports(tree.body))
        self._future = [
            ast.unparse(each)
            for each in tree.body
            if isinstance(each, ast.ImportFrom) and each.module == "__future__"
        ]
        gone = set(dropped)
        self._parts = [part for part in _parts(tree, text) if not part.defined & gone]
        known = frozenset[str]().union(*(part.defined for part in self._parts))
        self._needs = [part.used & known for part in self._parts]
        self._places = self._placed(_roots(names, model))
        self._homes = {
            name: place
            for part, place in zip(self._parts, self._places, strict=True)
            for name in part.defined
        }

    def has(self, name: str) -> bool:
        """Return whether something of that name is defined."""
        return name in self._homes

    def module_of(self, name: str) -> str:
        """Return the module that defines a name."""
        return MODULES[self._homes[name]]

    def imports_of(self, names: Sequence[str]) -> str:
        """Return the statements that import names into another module of the package."""
        homes: dict[int, list[str]] = {}
        for name in sorted(set(names)):
            homes.setdefault(self._homes[name], []).append(name)
        lines = {f".{MODULES[home]}": homes[home] for home in homes}
        return "\n".join(_from(module, lines[module]) for module in sorted(lines))

    def import_text(self, *more: str) -> str:
        """Return the import statements of all modules for one file, with further modules,
        and what is named within one.
        """
        used = frozenset[str]().union(*(part.used for part in self._parts))
        own = [each for each in self._imports if each.bound in used]
        for each in more:
            module, _, name = each.rpartition(".")
            own.append(_Import(module, name, name) if module else _Import(name, "", name))
        return "\n".join([*self._future, _import_lines(own)])

    def definition_texts(self) -> dict[str, str]:
        """Return what the modules define, in an order in which one file can hold it."""
        return {
            name: _body(
                part for part, own in zip(self._parts, self._places, strict=True) if own == place
            )
            for place, name in enumerate(MODULES)
            if place in self._places
        }

    def needs(self) -> tuple[str, ...]:
        """Return the packages that have to be installed, by the names they are imported by."""
        roots = dict.fromkeys(each.module.partition(".")[0] for each in self._imports)
        return tuple(root for root in roots if root not in sys.stdlib_module_names)

    def texts(self) -> dict[str, str]:
        """Return the modules that hold something, by name."""
        return {
            name: self._text(place) for place, name in enumerate(MODULES) if place in self._places
        }

    def _text(self, place: int) -> str:
        mine = [at for at, own in enumerate(self._places) if own == place]
        used = frozenset[str]().union(*(self._parts[at].used for at in mine))
        taken = frozenset[str]().union(*(self._needs[at] for at in mine))
        siblings = [name for name in taken if self._homes[name] != place]
        imports = [each for each in self._imports if each.bound in used]
        head = [
            f'"""{_ABOUT[MODULES[place]]}"""\n',
            *(f"{each}\n" for each in self._future),
            f"{_import_lines(imports)}\n" if imports else "",
            f"{self.imports_of(siblings)}\n" if siblings else "",
        ]
        return "\n".join(filter(None, head)) + _body([self._parts[at] for at in mine])

    def _placed(self, roots: Mapping[str, int]) -> list[int]:
        """Return the module of each part: that of what it is; what helps others, the first one
        that needs it, so that none imports of one after it.
        """
        last = len(MODULES)
        places = [
            min((roots[name] for name in part.defined if name in roots), default=last)
            for part in self._parts
        ]
        users: dict[str, list[int]] = {}
        for part in range(len(self._parts)):
            for name in self._needs[part]:
                users.setdefault(name, []).append(part)
        has_moved = True
        while has_moved:
            has_moved = False
            for at, part in enumerate(self._parts):
                others = [places[user] for name in part.defined for user in users.get(name, ())]
                others += [
                    places[other]
                    for other, each in enumerate(self._parts)
                    if part.defined & each.defined
                ]
                wanted = min([places[at], *others])
                has_moved = has_moved or wanted != places[at]
                places[at] = wanted
        return [0 if place == last else place for place in places]


def _roots(names: Mapping[str, str], model: str) -> dict[str, int]:
    found = {names[name]: MODULES.index(module) for module, own in _ROOTS.items() for name in own}
    return {**found, model: MODULES.index("model")}


def _imports(body: Iterable[ast.stmt]) -> Iterator[_Import]:
    for each in body:
        if isinstance(each, ast.Import):
            for alias in each.names:
                own = alias.asname or alias.name.partition(".")[0]
                yield _Import(alias.name, "", alias.asname or own)
        elif isinstance(each, ast.ImportFrom) and each.module and each.module != "__future__":
            for alias in each.names:
                yield _Import(each.module, alias.name, alias.asname or alias.name)


def _parts(tree: ast.Module, text: str) -> Iterator[_Part]:
    """Yield the statements besides imports, the docstring and what a script does when it is run."""
    lines = text.split("\n")
    end = 0
    for number, each in enumerate(tree.body):
        decorators = getattr(each, "decorator_list", [])
        first = min(each.lineno, *(one.lineno for one in decorators), each.lineno)
        above = list(takewhile(lambda line: line.startswith("#"), reversed(lines[end : first - 1])))
        end = each.end_lineno or each.lineno
        is_docstring = number == 0 and isinstance(each, ast.Expr)
        if is_docstring or isinstance(each, ast.Import | ast.ImportFrom) or _is_main(each):
            continue
        written = "\n".join(lines[first - 1 - len(above) : end])
        used = _used(symtable.symtable(written, "", "exec"))
        yield _Part(written, frozenset(_defined([each])), frozenset(used))


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)


def _used(table: symtable.SymbolTable, *, is_module: bool = True) -> Iterator[str]:
    """Yield the names of a module that a part of it looks up, in any function too."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_module or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _used(inner, is_module=False)


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements bind in a module."""
    for each in body:
        if isinstance(each, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield each.name
            continue
        for field in ("targets", "target", "items"):
            bound = getattr(each, field, [])
            for one in bound if isinstance(bound, list) else [bound]:
                yield from (
                    name.id
                    for name in ast.walk(one)
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                )
        for field in ("body", "orelse", "finalbody"):
            yield from _defined(getattr(each, field, []))
        for handler in getattr(each, "handlers", []):
            yield from _defined(handler.body)


def _body(parts: Iterable[_Part]) -> str:
    """Return statements with two empty lines around each definition, one between others."""
    text, was_definition = "", False
    for part in parts:
        is_definition = part.text.lstrip("#").startswith(("def ", "class ", "@", "async "))
        text += "\n\n" if is_definition or was_definition else "\n"
        text += f"{part.text}\n"
        was_definition = is_definition
    return text


def _import_lines(imports: Sequence[_Import]) -> str:
    """Return import statements: those of Python's library first, then the others."""
    groups: list[str] = []
    for is_library in (True, False):
        mine = [
            each
            for each in imports
            if (each.module.partition(".")[0] in sys.stdlib_module_names) is is_library
        ]
        if mine:
            groups.append(_group_lines(mine))
    return "\n\n".join(groups)


def _group_lines(imports: Iterable[_Import]) -> str:
    whole = sorted(
        {
            f"import {each.module}"
            + ("" if each.bound == each.module.partition(".")[0] else f" as {each.bound}")
            for each in imports
            if not each.name
        }
    )
    named: dict[str, list[str]] = {}
    for each in imports:
        if each.name:
            own = each.name if each.bound == each.name else f"{each.name} as {each.bound}"
            named.setdefault(each.module, []).append(own)
    return "\n".join([*whole, *(_from(module, named[module]) for module in sorted(named))])


def _from(module: str, names: Iterable[str]) -> str:
    """Return an import statement of sorted names, over several lines where it is long."""
    found = sorted(set(names))
    line = f"from {module} import {', '.join(found)}"
    if len(line) <= _LONGEST:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in found) + ")"

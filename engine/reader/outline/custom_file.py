"""File of custom code that holds the pieces of a model's text that are nodes of their own.

A piece of the text and a function of the file belong together where they say the same; nothing
else is remembered of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from engine.diagnostics import DiagnosticError
from engine.graph.code import (
    CODE_PREFIX,
    PARTS_FILE,
    TEXT_FILES,
    Symbol,
    code_key,
    code_nodes,
    code_symbol,
    file_of,
)
from engine.graph.model import Graph
from engine.graph.naming import free_name
from engine.reader.interpreter.statement import given_by
from engine.reader.interpreter.value import Level, Made, Part
from engine.reader.text.rename import code_of, imported_names, read_names

Definition = cst.FunctionDef | cst.ClassDef
_HEAD = '"""Pieces of the model that no layer stands for; each is a node of the canvas."""\n'


class Parts(NamedTuple):
    """The parts of a text by the names that they have."""

    by_name: Mapping[str, Part]


def name_parts(level: Level, graph: Graph, taken: Iterable[str], *, is_leading: bool) -> Parts:
    """Give the nodes of a text that are made from parts their types.

    ``taken`` are the names that the text has for other things. A part that the file of a graph
    holds already has its name there; where the text leads, others may take the place of a function
    that no other node needs. Raises :class:`DiagnosticError` for a file that cannot be read.
    """
    outlined = [made for made in _all_made(level) if made.part is not None]
    if not outlined:
        return Parts({})
    functions = _functions(graph)
    by_code = {_unnamed(one): name for name, one in functions.items()}
    names: dict[str, str] = {}
    by_name: dict[str, Part] = {}
    codes = {made: _unnamed(made.part.definition) for made in outlined if made.part is not None}
    kept = {by_code[code] for code in codes.values() if code in by_code}
    free = _replaceable(graph, kept) if is_leading else set[str]()
    used = {*taken, *_other_names(graph), *(set(functions) - free)}
    for made, code in codes.items():
        assert made.part is not None
        name = by_code.get(code) or names.get(code) or free_name(_wanted(made.part), used)
        used.add(name)
        names[code] = name
        by_name[name] = made.part
        made.type = code_key(PARTS_FILE, name)
    return Parts(by_name)


def with_parts(previous: Graph, after: Graph, parts: Parts) -> dict[str, str]:
    """Return the code of a graph with the parts of its text, without those that are not needed."""
    functions = _functions(previous)
    gone = {symbol.name for symbol in _part_symbols(previous)} - {
        symbol.name for symbol in _part_symbols(after)
    }
    gone -= set(parts.by_name)
    new = {
        name: part
        for name, part in parts.by_name.items()
        if name not in functions or _unnamed(functions[name]) != _unnamed(part.definition)
    }
    if not new and not gone & set(functions):
        return after.code
    module = cst.parse_module(previous.code.get(PARTS_FILE, _HEAD))
    body = [_replaced(one, new) for one in module.body if _name(one) not in gone]
    there = set(functions) - gone
    for name, part in new.items():
        if name not in there:
            body.append(_written(name, part, [cst.EmptyLine(indent=False)] * 2))
    code = {name: text for name, text in after.code.items() if name != PARTS_FILE}
    if not any(_name(one) for one in body):
        return code
    lines = {one for part in new.values() for one in part.imports}
    body = _with_imports(body, [cst.parse_statement(line) for line in sorted(lines)])
    return {**code, PARTS_FILE: module.with_changes(body=body).code}


def with_class(text: cst.Module, name: str, code: Mapping[str, str]) -> dict[str, str] | None:
    """Return code with a class of a text as a layer of its own, with what the class reads of the
    text; nothing where it is one already.
    """
    defined = {one for file in code if file not in TEXT_FILES for one in file_of(code, file).lines}
    if name in defined:
        return None
    given = {bound: one for one in text.body for bound in _given(one)}
    waiting = [name]
    for each in waiting:
        used = read_names(given[each]) & set(given) - set(waiting) - defined
        waiting += sorted(used)
    needed = [one for one in text.body if not _given(one).isdisjoint(waiting)]
    module = cst.parse_module(code.get(PARTS_FILE, _HEAD))
    body = _with_imports(list(module.body), [one for one in needed if imported_names(one)])
    body += [one for one in needed if not imported_names(one)]
    return {**code, PARTS_FILE: module.with_changes(body=body).code}


def without_typed_classes(text: cst.Module, code: Mapping[str, str]) -> dict[str, str]:
    """Return code as it was before the last class of a text became a layer as a whole: it may be
    one that nodes can show now. Other code is returned as it is.
    """
    typed = [one.name.value for one in text.body if isinstance(one, cst.ClassDef)]
    if PARTS_FILE not in code or not typed or typed[-1] not in file_of(code, PARTS_FILE).lines:
        return dict(code)
    module = cst.parse_module(code[PARTS_FILE])
    names = {*typed, *(_name(one) for one in text.body)}
    body = [one for one in module.body if not _name(one) or _name(one) not in names]
    files = {name: one for name, one in code.items() if name != PARTS_FILE}
    if not any(_name(one) for one in body):
        return files
    return {**files, PARTS_FILE: module.with_changes(body=body).code}


def _given(statement: cst.BaseStatement) -> set[str]:
    """Return the names that a statement of a text gives a meaning."""
    names = {one.value for one in given_by(statement) if isinstance(one, cst.Name)}
    return {*imported_names(statement), *names, *filter(None, [_name(statement)])}


def _with_imports(
    body: Sequence[cst.BaseStatement], imports: Sequence[cst.BaseStatement]
) -> list[cst.BaseStatement]:
    """Return the statements of a file with those imports behind its own that it lacks."""
    bound = {name for one in body for name in imported_names(one)}
    new = [one for one in imports if not imported_names(one) <= bound]
    position = 1 + max((n for n, one in enumerate(body) if imported_names(one)), default=_doc(body))
    new = [one.with_changes(leading_lines=()) for one in new]
    if new and position == 1:
        new[0] = new[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return [*body[:position], *new, *body[position:]]


def with_typed(text: cst.Module, code: Mapping[str, str]) -> dict[str, str]:
    """Return code with the functions of the file as the text has them, where it holds them."""
    typed = {_name(one): one for one in text.body if isinstance(one, Definition)}
    if PARTS_FILE not in code or not typed:
        return dict(code)
    module = cst.parse_module(code[PARTS_FILE])
    body = list(module.body)
    for position, one in enumerate(body):
        mine = typed.get(_name(one))
        if isinstance(one, Definition) and mine is not None and code_of(mine) != code_of(one):
            body[position] = mine.with_changes(leading_lines=one.leading_lines)
    if all(one is other for one, other in zip(body, module.body, strict=True)):
        return dict(code)
    return {**code, PARTS_FILE: module.with_changes(body=body).code}


def _all_made(level: Level) -> list[Made]:
    collected: list[Made] = []
    held = (made for branches in level.dicts.values() for made in branches.values())
    for made in (*level.nodes, *level.idle, *held):
        collected.append(made)
        for inner in made.inside:
            collected += _all_made(inner)
    return collected


def _functions(graph: Graph) -> dict[str, Definition]:
    problem = file_of(graph.code, PARTS_FILE).problem
    if problem is not None:
        raise DiagnosticError(problem)
    module = cst.parse_module(graph.code.get(PARTS_FILE, ""))
    return {one.name.value: one for one in module.body if isinstance(one, Definition)}


def _wanted(part: Part) -> str:
    if isinstance(part.definition, cst.FunctionDef):
        return f"compute_{part.word}"
    return "Compute" + "".join(one[:1].upper() + one[1:] for one in part.word.split("_"))


def _other_names(graph: Graph) -> set[str]:
    files = [name for name in graph.code if name not in (*TEXT_FILES, PARTS_FILE)]
    return {*graph.blocks}.union(*(file_of(graph.code, name).lines for name in files))


def _part_symbols(graph: Graph) -> list[Symbol]:
    symbols = (code_symbol(node.type) for _, node in code_nodes(graph))
    return [symbol for symbol in symbols if symbol is not None and symbol.file == PARTS_FILE]


def _replaceable(graph: Graph, kept: set[str]) -> set[str]:
    """Return functions whose nodes all stand for pieces of the text that are there no more."""
    prefix = f"{CODE_PREFIX}{PARTS_FILE.removesuffix('.py')}."
    nodes = [node for _, node in code_nodes(graph) if node.type.startswith(prefix)]
    held = {node.type.removeprefix(prefix) for node in nodes if node.bypassed}
    return {node.type.removeprefix(prefix) for node in nodes} - held - kept


def _unnamed(definition: Definition) -> str:
    return code_of(definition.with_changes(name=cst.Name("part"), leading_lines=()))


def _written(name: str, part: Part, lines: Iterable[cst.EmptyLine]) -> Definition:
    return part.definition.with_changes(name=cst.Name(name), leading_lines=tuple(lines))


def _replaced(statement: cst.BaseStatement, new: Mapping[str, Part]) -> cst.BaseStatement:
    part = new.get(_name(statement))
    if part is None or not isinstance(statement, Definition):
        return statement
    return _written(statement.name.value, part, statement.leading_lines)


def _name(statement: cst.CSTNode) -> str:
    return statement.name.value if isinstance(statement, Definition) else ""


def _doc(body: Sequence[cst.BaseStatement]) -> int:
    """Return the place of the docstring, or the place before the first statement."""
    first = body[0] if body else None
    is_line = isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr)
    return 0 if is_line else -1

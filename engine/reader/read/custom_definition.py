"""Definitions of custom code in a model's text, where their files are written out, too."""

from collections.abc import Mapping
from typing import Protocol

import libcst as cst

from engine.catalog.code.merge import Merged, merge_files
from engine.catalog.code.target import written_target
from engine.catalog.spec import Entry
from engine.custom import standalone
from engine.diagnostics import DiagnosticError
from engine.graph.code import (
    PARTS_FILE,
    TEXT_FILES,
    code_entries,
    code_symbol,
    file_of,
)
from engine.graph.model import Graph
from engine.graph.node_state.recomputation import written_code
from engine.reader.text.rename import code_of, read_names

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
Definition = cst.ClassDef | cst.FunctionDef


def custom_names(code: dict[str, str]) -> dict[str, Entry]:
    """Return what the files of a project offer by the name that it has in a text."""
    return {written_target(entry.target).partition(".")[0]: entry for entry in code_entries(code)}


def is_part(entry: Entry) -> bool:
    """Return whether an entry is a piece of a text, not what the user wrote for any text."""
    symbol = code_symbol(entry.key)
    return symbol is not None and symbol.file == PARTS_FILE


def without_custom_imports(module: cst.Module, code: dict[str, str]) -> str:
    """Return a text without ``from layers import Centered`` of files of the project: what they
    define stands in the text itself.
    """
    homes = {name: entry.key.split(".")[1] for name, entry in custom_names(code).items()}
    kept = [one for one in module.body if not _imports_own(one, homes)]
    return module.with_changes(body=kept).code


def _imports_own(statement: cst.CSTNode, homes: Mapping[str, str]) -> bool:
    match statement:
        case cst.SimpleStatementLine(
            body=[cst.ImportFrom(module=cst.Name(value=home), names=[*names])]
        ):
            return all(one.asname is None and homes.get(code_of(one.name)) == home for one in names)
        case _:
            return False


def custom_files(module: cst.Module, graph: Graph) -> Merged:
    """Return the files that a text needs; parts of it are there as they were typed."""
    code, files = written_code(graph)
    if PARTS_FILE in files and not _named_parts(module, graph):
        files = tuple(file for file in files if file != PARTS_FILE)
    return merge_files(code, files)


def custom_statements(module: cst.Module, graph: Graph) -> list[Statement]:
    """Return what the files that a model needs bring into its text, without imports."""
    lines = standalone.body(custom_files(module, graph))
    parsed = cst.parse_module("\n".join(line.text for line in lines) + "\n")
    unnamed = set(file_of(graph.code, PARTS_FILE).lines) - _named_parts(module, graph)
    return [
        one
        for one in parsed.body
        if not isinstance(one, Definition) or one.name.value not in unnamed
    ]


def _named_parts(module: cst.Module, graph: Graph) -> set[str]:
    """Return the functions among the parts that a text calls by their names."""
    defined = set(file_of(graph.code, PARTS_FILE).lines)
    if not defined:
        return defined
    read = set[str]().union(*(read_names(one) for one in module.body))
    used = defined & read
    more = cst.parse_module(graph.code[PARTS_FILE]).body if used else ()
    bodies = {one.name.value: one for one in more if isinstance(one, Definition)}
    waiting = list(used)
    for name in waiting:
        inner = (read_names(bodies[name].body) & defined) - used
        used |= inner
        waiting += inner
    return used


class _Read(Protocol):
    module: cst.Module

    def line_of(self, node: cst.CSTNode) -> int: ...


def require_unchanged(reading: _Read, graph: Graph) -> None:
    """Raise :class:`DiagnosticError` where a text changes a definition that is of a file."""
    files = {name: text for name, text in graph.code.items() if name not in TEXT_FILES}
    names = custom_names(files)
    there = {one.name.value: one for one in reading.module.body if isinstance(one, Definition)}
    for statement in custom_statements(reading.module, graph):
        mine = there.get(statement.name.value) if isinstance(statement, Definition) else None
        if mine is None or code_of(mine) == code_of(statement):
            continue
        entry = names.get(mine.name.value)
        symbol = None if entry is None else code_symbol(entry.key)
        raise DiagnosticError.of(
            "T032",
            name=mine.name.value,
            file=symbol.file if symbol is not None else "",
            line=reading.line_of(mine),
        )


def with_custom_code(module: cst.Module, graph: Graph) -> cst.Module:
    """Return a text with the definitions that its model needs as their files have them now."""
    wanted = custom_statements(module, graph)
    if not wanted:
        return module
    names = {one.name.value: one for one in wanted if isinstance(one, Definition)}
    body = list(module.body)
    for position, statement in enumerate(body):
        new = names.pop(statement.name.value, None) if isinstance(statement, Definition) else None
        if new is not None and code_of(new) != code_of(statement):
            assert isinstance(statement, Definition)
            body[position] = new.with_changes(leading_lines=statement.leading_lines)
    there = {code_of(one) for one in body}
    missing = [
        one
        for one in wanted
        if (one.name.value in names if isinstance(one, Definition) else code_of(one) not in there)
    ]
    first = next((n for n, one in enumerate(body) if isinstance(one, Definition)), len(body))
    if missing and first and not missing[0].leading_lines:
        gap = [cst.EmptyLine(indent=False)] * 2
        missing[0] = missing[0].with_changes(leading_lines=gap)
    body[first:first] = missing
    return module if body == list(module.body) else module.with_changes(body=body)

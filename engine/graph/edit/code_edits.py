"""Edits of custom code; each can be undone like any other edit."""

import keyword
import re
import sys
from collections.abc import Iterator, Mapping
from typing import assert_never

import msgspec
from msgspec.structs import replace

from engine.catalog.code.file import MAXIMUM_BYTES
from engine.diagnostics import Diagnostic
from engine.graph.code import (
    SUFFIX,
    TEXT_FILES,
    code_key,
    code_nodes,
    code_symbol,
    code_types,
    file_of,
)
from engine.graph.error import GraphError
from engine.graph.model import Block, Graph, Node

MAXIMUM_FILES = 200
_LONGEST = 60
_TAKEN = frozenset({"torch", "torchvision", "numpy", "engine", "studio", "widgets", "resources"})
"""Names that a file would hide from those who import them."""


class SetCode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give a file of code (``layers.py``) a text; a file that is not there is made.

    Typing merges into one entry of the history where the caller gives a merge key for it.
    """

    file: str
    text: str


class RenameCode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give a file of code another name; nodes made from it and files that import it follow."""

    file: str
    new_file: str


class RemoveCode(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Take a file of code away; refused while a node or another file needs it."""

    file: str


CodeEdit = SetCode | RenameCode | RemoveCode


def apply_code_edit(edit: CodeEdit, graph: Graph) -> Graph:
    """Return the graph after an edit. Raises :class:`GraphError`."""
    match edit:
        case SetCode():
            return _set(edit, graph)
        case RenameCode():
            return _rename(edit, graph)
        case RemoveCode():
            _require(edit.file, graph)
            _refuse_use(edit.file, graph)
            code = {name: text for name, text in graph.code.items() if name != edit.file}
            return replace(graph, code=code)
        case _:
            assert_never(edit)


def file_name_problem(file: str) -> Diagnostic | None:
    """Return why a name cannot be that of a file of code: it is imported by it."""
    stem = file.removesuffix(SUFFIX)
    is_word = stem.isidentifier() and stem.isascii() and not stem.startswith("_")
    is_taken = stem in _TAKEN or stem in sys.stdlib_module_names or keyword.iskeyword(stem)
    if not file.endswith(SUFFIX) or not is_word or is_taken or len(stem) > _LONGEST:
        return Diagnostic(code="U007", field="file", params={"file": file[:_LONGEST]})
    return None


def text_problem(file: str, text: str) -> Diagnostic | None:
    """Return why a text cannot be that of a file: too long, or not to be written as UTF-8."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        return Diagnostic(code="U021", params={"file": file}, detail=str(error))
    if size > MAXIMUM_BYTES:
        params: dict[str, str | int | float] = {"file": file, "limit": MAXIMUM_BYTES >> 10}
        return Diagnostic(code="U018", params=params)
    if "\0" in text:
        return Diagnostic(code="U021", params={"file": file})
    return None


def merged_code(graph: Graph, code: Mapping[str, str]) -> tuple[Graph, dict[str, str]]:
    """Return the graph with files of another one, and their names here by their names there.

    A file that is here with the same text is used; another one of that name gets the next free
    name, in all that comes with it.
    """
    names: dict[str, str] = {}
    after = dict(graph.code)
    for file, text in code.items():
        if file in TEXT_FILES:  # the text of the other model: what comes is written into this one
            continue
        stem, number = file.removesuffix(SUFFIX), 2
        name = file
        while name in after and after[name] != text:
            name = f"{stem}{number}{SUFFIX}"
            number += 1
        names[file] = name
        after.setdefault(name, text)
    moved = {old: new for old, new in names.items() if old != new}
    for old, new in moved.items():
        for file in names.values():
            if file not in graph.code:
                after[file] = _reimported(after[file], old, new)
    return replace(graph, code=after), names


def with_code_types(nodes: dict[str, Node], names: Mapping[str, str]) -> dict[str, Node]:
    """Return nodes whose files of code have other names."""
    if all(old == new for old, new in names.items()):
        return nodes
    return {node_id: _with_type(node, names) for node_id, node in nodes.items()}


def blocks_with_code(blocks: dict[str, Block], names: Mapping[str, str]) -> dict[str, Block]:
    """Return blocks whose nodes are made from files with other names."""
    if all(old == new for old, new in names.items()):
        return blocks
    return {
        name: replace(block, nodes=with_code_types(block.nodes, names))
        for name, block in blocks.items()
    }


def _with_type(node: Node, names: Mapping[str, str]) -> Node:
    if not code_types(node):
        return node
    initials = {
        weight: replace(initial, type=_moved(initial.type, names))
        for weight, initial in node.init.items()
    }
    return replace(node, type=_moved(node.type, names), init=initials)


def _moved(key: str, names: Mapping[str, str]) -> str:
    symbol = code_symbol(key)
    new = names.get(symbol.file) if symbol is not None else None
    return key if symbol is None or new is None else code_key(new, symbol.name)


def _set(edit: SetCode, graph: Graph) -> Graph:
    problem = text_problem(edit.file, edit.text)
    if edit.file not in graph.code:
        problem = file_name_problem(edit.file) or _taken(edit.file, graph) or problem
        if problem is None and len(graph.code) >= MAXIMUM_FILES:
            problem = Diagnostic(code="U019", params={"limit": MAXIMUM_FILES})
    if problem is not None:
        raise GraphError(problem)
    return replace(graph, code={**graph.code, edit.file: edit.text})


def _rename(edit: RenameCode, graph: Graph) -> Graph:
    _require(edit.file, graph)
    if edit.file == edit.new_file:
        return graph
    problem = file_name_problem(edit.new_file)
    problem = problem or _taken(edit.new_file, graph, besides=edit.file)
    if problem is not None:
        raise GraphError(problem)
    names = {edit.file: edit.new_file}
    return replace(
        graph,
        nodes=with_code_types(graph.nodes, names),
        blocks=blocks_with_code(graph.blocks, names),
        code={
            names.get(file, file): _reimported(text, edit.file, edit.new_file)
            for file, text in graph.code.items()
        },
    )


def _reimported(text: str, old: str, new: str) -> str:
    """Return a text whose ``from old import …`` takes it from the file with the new name."""
    stem = re.escape(old.removesuffix(SUFFIX))
    pattern = rf"^([ \t]*from[ \t]+\.?){stem}(?=[ \t]+import\b)"
    return re.sub(pattern, rf"\g<1>{new.removesuffix(SUFFIX)}", text, flags=re.MULTILINE)


def _taken(file: str, graph: Graph, besides: str = "") -> Diagnostic | None:
    """Return the finding that there is a file of that name; capitals make no difference on disk."""
    others = {name.casefold() for name in (*graph.code, *TEXT_FILES) if name != besides}
    return Diagnostic(code="U008", params={"file": file}) if file.casefold() in others else None


def _require(file: str, graph: Graph) -> None:
    if file not in graph.code:
        raise GraphError.of("U010", file=file[:_LONGEST])


def _refuse_use(file: str, graph: Graph) -> None:
    users = [node.name for node in _made_from(file, graph)]
    stem = file.removesuffix(SUFFIX)
    users += [name for name in graph.code if name != file and _imports(graph, name, stem)]
    if users:
        shown = ", ".join(users[:5]) + (", …" if len(users) > 5 else "")
        raise GraphError.of("U009", file=file, users=shown)


def _imports(graph: Graph, file: str, stem: str) -> bool:
    return stem in file_of(graph.code, file).imports


def _made_from(file: str, graph: Graph) -> Iterator[Node]:
    for _, node in code_nodes(graph):
        symbols = [code_symbol(key) for key in code_types(node)]
        if any(symbol is not None and symbol.file == file for symbol in symbols):
            yield node

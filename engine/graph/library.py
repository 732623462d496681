"""Library of the user's blocks, for all projects: a folder with one JSON file a block.

A file is a document of a graph without nodes: the block under its name, the blocks that it needs,
and the files of own code that they are made from. That code is text here: it runs only in a project
whose code is trusted. Each file is written whole or not at all; one that cannot be read is told and
left as it is.
"""

from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Entry
from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import (
    UNDECODABLE,
    FileWriteError,
    atomic_write,
    describe_os_error,
    read_file,
    remove_file,
)
from engine.graph.block import PREFIX, block_entry, used_blocks
from engine.graph.code import code_nodes, code_symbol, code_types, used_files
from engine.graph.codec import from_document, to_document
from engine.graph.edit.block_edits import PutBlocks, RenameBlock, apply_block_edit, merged_blocks
from engine.graph.edit.code_edits import SetCode, blocks_with_code, merged_code
from engine.graph.edit.switch import NEW_SWITCH, new_switch
from engine.graph.error import GraphError
from engine.graph.model import Block, Graph, Node
from engine.graph.naming import block_name_problem, free_name

LIBRARY_PREFIX = "library."
LIBRARY_CATEGORY = "My blocks"
MAX_BYTES = 32 << 20
MAX_FILES = 2000

Library = dict[str, Graph]
"""By name of a block in the library a graph without nodes: all blocks that it needs, itself among
them, and their code.
"""


class Contents(NamedTuple):
    """What the folder holds, and what in it cannot be read."""

    blocks: Library
    problems: tuple[Diagnostic, ...]


class BlockLibrary:
    """The folder of a library; it need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> Contents:
        """Return all blocks, by name."""
        library: Library = {}
        problems: list[Diagnostic] = []
        for path in sorted(self.folder.glob("*.json"))[:MAX_FILES]:
            try:
                library[path.stem] = _read(path)
            except DiagnosticError as error:
                detail = "; ".join(str(p.params) for p in error.problems)
                params: dict[str, str | int | float] = {"file": path.name}
                problems.append(
                    Diagnostic(code="G072", severity=Severity.WARNING, params=params, detail=detail)
                )
        return Contents(library, tuple(problems))

    def save(self, name: str, graph: Graph) -> None:
        """Write a block of a graph with the blocks and the code that it needs, in the place of one
        of that name.

        Raises :class:`GraphError` when a block whose name differs by capitals alone is there, or
        when code that it is made from is missing (U033), and :class:`engine.files.FileWriteError`.
        """
        for other in self._names():
            if other != name and other.casefold() == name.casefold():
                raise GraphError.of("G051", field="name", name=other)
        needed = _needed(name, graph)
        _refuse_missing_code(name, needed)
        plain = replace(needed, blocks=_plain(needed.blocks))
        document: dict[str, Any] = {"block": name, **to_document(plain)}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileWriteError(describe_os_error(error, self.folder, "write")) from error
        content = msgspec.json.format(msgspec.json.encode(document), indent=1)
        atomic_write(self._path(name), content)

    def remove(self, name: str) -> None:
        """Delete a block. Raises :class:`engine.files.FileWriteError`."""
        remove_file(self._path(name))

    def rename(self, name: str, new_name: str, graph: Graph) -> None:
        """Give a block another name. Raises :class:`GraphError` for one that is no class name or is
        taken, and :class:`engine.files.FileWriteError`.
        """
        taken = {other.casefold() for other in self._names() if other != name}
        if new_name.casefold() in taken:
            raise GraphError.of("G051", field="name", name=new_name)
        edit = RenameBlock(name=name, new_name=new_name)
        renamed = apply_block_edit(edit, graph)
        if name.casefold() == new_name.casefold():
            self.remove(name)
            self.save(new_name, renamed)
            return
        self.save(new_name, renamed)
        self.remove(name)

    def _names(self) -> list[str]:
        return [path.stem for path in self.folder.glob("*.json")]

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


def library_entries(library: Library, graph: Graph) -> tuple[Entry, ...]:
    """Return what a library offers; not what the graph has already."""
    return tuple(
        replace(
            block_entry(name, held.blocks[name]),
            key=LIBRARY_PREFIX + name,
            category=LIBRARY_CATEGORY,
        )
        for name, held in library.items()
        if name not in graph.blocks or replace(graph.blocks[name], kept=False) != held.blocks[name]
    )


def brought(
    graph: Graph, library: Library, key: str
) -> tuple[str, tuple[PutBlocks | SetCode, ...]]:
    """Return the type of node that a key stands for, and the edits that it needs before.

    A block of the library comes with all it needs, code too; what is in the graph already, under
    this or the next free name, is used. A new switch is a new block each time.
    """
    if key == NEW_SWITCH:
        name = free_name("Switch", graph.blocks)
        return PREFIX + name, (PutBlocks(blocks={name: new_switch()}),)
    name = key.removeprefix(LIBRARY_PREFIX)
    if not key.startswith(LIBRARY_PREFIX) or name not in library:
        return key, ()
    held = library[name]
    coded, files = merged_code(graph, held.code)
    merged, names = merged_blocks(coded, blocks_with_code(held.blocks, files))
    new = {key: block for key, block in merged.blocks.items() if key not in graph.blocks}
    edits: list[PutBlocks | SetCode] = [
        SetCode(file=file, text=text)
        for file, text in merged.code.items()
        if file not in graph.code
    ]
    if new:
        edits.append(PutBlocks(blocks=new))
    return PREFIX + names[name], tuple(edits)


def _read(path: Path) -> Graph:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DiagnosticError.of("G043")
        document = decode_json(read_file(path), object)
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "read")) from error
    except UNDECODABLE as error:
        raise DiagnosticError.of("G043", detail=str(error)) from error
    graph = from_document(document)
    problem = block_name_problem(path.stem)
    if problem is not None or path.stem not in graph.blocks:
        raise DiagnosticError(problem or Diagnostic(code="G064", params={"name": path.stem}))
    needed = _needed(path.stem, graph)
    apply_block_edit(PutBlocks(blocks=needed.blocks), Graph())  # refuses blocks inside themselves
    _refuse_missing_code(path.stem, needed)
    return needed


def _needed(name: str, graph: Graph) -> Graph:
    """Return a graph without nodes: a block, those that it needs, and their code."""
    names = used_blocks(graph.blocks, (_use(name),))
    needed = Graph(blocks={key: graph.blocks[key] for key in names}, code=graph.code)
    return replace(needed, code={file: graph.code[file] for file in used_files(needed)})


def _refuse_missing_code(name: str, graph: Graph) -> None:
    """Raise :class:`GraphError` for blocks that are made from code that is not there."""
    for _, node in code_nodes(graph):
        symbols = map(code_symbol, code_types(node))
        if any(symbol is not None and symbol.file not in graph.code for symbol in symbols):
            raise GraphError.of("U033", block=name, name=node.name)


def _plain(blocks: dict[str, Block]) -> dict[str, Block]:
    return {name: replace(block, kept=False) for name, block in blocks.items()}


def _use(name: str) -> Node:
    return Node(id=name, type=PREFIX + name, name=name)

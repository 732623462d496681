"""The user's own blocks, for all projects: a folder with one JSON file a block.

A file is a document of a graph without nodes: the block under its name and the blocks that it
needs. Each is written whole or not at all; one that cannot be read is told and left as it is.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Entry
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import FileWriteError, atomic_write, describe_os_error
from engine.graph.block import PREFIX, block_entry, used_blocks
from engine.graph.block_edits import PutBlocks, RenameBlock, apply_block_edit, merged_blocks
from engine.graph.code import code_nodes
from engine.graph.codec import from_document, to_document
from engine.graph.error import GraphError
from engine.graph.model import Block, Graph, Node
from engine.graph.naming import block_name_problem, free_name
from engine.graph.switch import NEW_SWITCH, new_switch

LIBRARY_PREFIX = "library."
LIBRARY_CATEGORY = "My blocks"
MAX_BYTES = 32 << 20
MAX_FILES = 2000

Library = dict[str, dict[str, Block]]
"""By name of a block in the library all blocks that it needs, itself among them."""


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
        found: Library = {}
        problems: list[Diagnostic] = []
        for path in sorted(self.folder.glob("*.json"))[:MAX_FILES]:
            try:
                found[path.stem] = _read(path)
            except DiagnosticError as error:
                detail = "; ".join(str(p.params) for p in error.problems)
                params: dict[str, str | int | float] = {"file": path.name}
                problems.append(
                    Diagnostic(code="G072", severity=Severity.WARNING, params=params, detail=detail)
                )
        return Contents(found, tuple(problems))

    def save(self, name: str, blocks: Mapping[str, Block]) -> None:
        """Write a block with those that it needs, in the place of one of that name.

        Raises :class:`GraphError` when a block whose name differs by capitals alone is there, or
        when it is made from own code (U033), and :class:`engine.files.FileWriteError`.
        """
        for other in self._names():
            if other != name and other.casefold() == name.casefold():
                raise GraphError(Diagnostic(code="G051", field="name", params={"name": other}))
        needed = {key: blocks[key] for key in used_blocks(dict(blocks), (_use(name),))}
        _refuse_code(name, needed)
        document: dict[str, Any] = {"block": name, **to_document(Graph(blocks=_plain(needed)))}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileWriteError(describe_os_error(error, self.folder)) from error
        content = msgspec.json.format(msgspec.json.encode(document), indent=1)
        atomic_write(self._path(name), content)

    def remove(self, name: str) -> None:
        """Delete a block. Raises :class:`engine.files.FileWriteError`."""
        path = self._path(name)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise FileWriteError(describe_os_error(error, path)) from error

    def rename(self, name: str, new_name: str, blocks: Mapping[str, Block]) -> None:
        """Give a block another name. Raises :class:`GraphError` for one that is no class name or is
        taken, and :class:`engine.files.FileWriteError`.
        """
        taken = {other.casefold() for other in self._names() if other != name}
        if new_name.casefold() in taken:
            raise GraphError(Diagnostic(code="G051", field="name", params={"name": new_name}))
        edit = RenameBlock(name=name, new_name=new_name)
        renamed = apply_block_edit(edit, Graph(blocks=dict(blocks))).blocks
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
            block_entry(name, blocks[name]),
            key=LIBRARY_PREFIX + name,
            category=LIBRARY_CATEGORY,
        )
        for name, blocks in library.items()
        if name not in graph.blocks or replace(graph.blocks[name], kept=False) != blocks[name]
    )


def brought(graph: Graph, library: Library, key: str) -> tuple[str, tuple[PutBlocks, ...]]:
    """Return the type of node that a key stands for, and the edits that it needs before.

    A block of the library comes with all it needs; one that is in the graph already, under this or
    the next free name, is used. A new switch is a new block each time.
    """
    if key == NEW_SWITCH:
        name = free_name("Switch", graph.blocks)
        return PREFIX + name, (PutBlocks(blocks={name: new_switch()}),)
    name = key.removeprefix(LIBRARY_PREFIX)
    if not key.startswith(LIBRARY_PREFIX) or name not in library:
        return key, ()
    merged, names = merged_blocks(graph, library[name])
    new = {key: block for key, block in merged.blocks.items() if key not in graph.blocks}
    return PREFIX + names[name], (PutBlocks(blocks=new),) if new else ()


def _read(path: Path) -> dict[str, Block]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DiagnosticError(Diagnostic(code="G043"))
        document = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path)) from error
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise DiagnosticError(Diagnostic(code="G043", detail=str(error))) from error
    blocks = from_document(document).blocks
    problem = block_name_problem(path.stem)
    if problem is not None or path.stem not in blocks:
        raise DiagnosticError(problem or Diagnostic(code="G064", params={"name": path.stem}))
    needed = {name: blocks[name] for name in used_blocks(blocks, (_use(path.stem),))}
    apply_block_edit(PutBlocks(blocks=needed), Graph())  # refuses blocks inside themselves
    return needed


def _refuse_code(name: str, blocks: Mapping[str, Block]) -> None:
    """Raise :class:`GraphError` for blocks that are not whole without the code of their project."""
    for _, node in code_nodes(Graph(blocks=dict(blocks))):
        params: dict[str, str | int | float] = {"block": name, "name": node.name}
        raise GraphError(Diagnostic(code="U033", params=params))


def _plain(blocks: dict[str, Block]) -> dict[str, Block]:
    return {name: replace(block, kept=False) for name, block in blocks.items()}


def _use(name: str) -> Node:
    return Node(id=name, type=PREFIX + name, name=name)

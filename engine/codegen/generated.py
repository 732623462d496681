"""Generated source of a graph: a class for the model and one for each of its blocks.

``engine.model.source`` is the module to ask: it knows of texts that the user wrote, too.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from engine.catalog.code.merge import CodeLine
from engine.catalog.spec import Value
from engine.codegen.class_writer import ClassWriter
from engine.codegen.inferred import Resolved, Sizes, copies
from engine.codegen.inline import is_inline
from engine.codegen.parts import Parts
from engine.custom import standalone
from engine.diagnostics import Diagnostic
from engine.graph.block import SEPARATOR, body, used_blocks
from engine.graph.expand import expand, is_first_copy
from engine.graph.memory import Memory
from engine.graph.model import Graph, Node
from engine.graph.naming import free_name, name_problem
from engine.graph.node_state.bypass import active
from engine.graph.node_state.mute import muted_of
from engine.syntax.format import Line

T = TypeVar("T")
_STATES = 8  # an edit before a block gives it other sizes, and undo gives back the first ones


class Written:
    """What was written of the blocks of a graph, in this analysis or in one before it.

    The class of a block follows from the block, those inside it and the user's code, the numbers
    for its "auto" sizes, the arguments of the classes inside and which of those can be written.
    """

    def __init__(self, graph: Graph, sizes: Sizes) -> None:
        self._graph = graph
        self._sizes = sizes
        self._inside: dict[str, list[str]] = {}

    def parts(self, name: str, complete: set[str], look: Callable[[], Parts]) -> Parts:
        """Return which nodes of a block can be written."""
        return self._recall(_parts, name, complete, look)

    def lines(self, name: str, complete: set[str], write: Callable[[], list[Line]]) -> list[Line]:
        """Return the class of a block."""
        return self._recall(_lines, name, complete, write)

    def _recall(
        self,
        memory: Memory[dict[Hashable, T]],
        name: str,
        complete: set[str],
        work_out: Callable[[], T],
    ) -> T:
        blocks = self._graph.blocks
        inside = self._inside.get(name)
        if inside is None:
            inside = self._inside[name] = used_blocks(blocks, blocks[name].nodes.values())
        made_of = (blocks[name], *(blocks[inner] for inner in inside), self._graph.code)
        known = memory.recall(made_of, dict[Hashable, T])
        arguments = tuple(tuple(self._sizes.slots.get(each, {}).items()) for each in inside)
        key = (
            name,
            self._sizes.first_use(name),
            self._sizes.written(name),
            tuple(inside),
            arguments,
            frozenset(complete.intersection(inside)),
        )
        if key not in known:
            if len(known) >= _STATES:
                known.clear()
            known[key] = work_out()
        return known[key]


_parts = Memory[dict[Hashable, Parts]](300)
_lines = Memory[dict[Hashable, list[Line]]](300)


LevelWriter = TypeVar("LevelWriter", bound=ClassWriter)


class Tie(NamedTuple):
    """A weight that is another module's: by their names (``head.weight``) in the class of a block,
    in that of the model where ``block`` is empty.
    """

    block: str
    target: str
    source: str


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """Source and the path of the node of each of its lines (counted from 1).

    ``code_lines`` tells of lines that are of the user's own code the file and its line there.
    ``nodes`` are the paths of the nodes in it; ``is_complete`` tells whether they are all that lead
    to an output. ``source`` is empty when nothing can be written. ``ties`` are weights that the
    user's text takes from other modules; ``problems`` tell why that text cannot be read.
    """

    source: str = ""
    lines: dict[int, str] = {}
    code_lines: dict[int, tuple[str, int]] = {}
    nodes: frozenset[str] = frozenset()
    is_complete: bool = False
    ties: tuple[Tie, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


def generated_source(graph: Graph, resolved: Resolved, class_name: str = "Model") -> Generated:
    """Return the largest part of a graph that can be written as a class; never raises."""
    writer = _Source(graph, resolved)
    return writer.generated(class_name if name_problem(class_name) is None else "Model")


def level_writers(
    graph: Graph,
    resolved: Resolved,
    writer_class: Callable[[Parts, Sizes, str, str], LevelWriter],
    class_name: str = "Model",
) -> dict[str, LevelWriter]:
    """Return what writes each class: the blocks' by their names, the model's by the empty name."""
    return _Source(graph, resolved).writers(writer_class, class_name)


class _Source:
    """Writes the classes of the blocks, those inside first, and the class of the model."""

    def __init__(self, graph: Graph, resolved: Resolved) -> None:
        graph = active(graph)
        flat = expand(graph)
        self._graph = graph
        self._owners = flat.owners
        self._sizes = Sizes(graph, flat, resolved)
        self._written = Written(graph, self._sizes)
        self._parts: dict[str, Parts] = {}
        self._complete: set[str] = set()
        for name in used_blocks(graph.blocks, graph.nodes.values()):
            look = partial(self._block_parts, name)
            inside = self._written.parts(name, self._complete, look)
            self._parts[name] = inside
            if inside.is_complete and name not in self._sizes.open:
                self._complete.add(name)
        self._model = self._parts_of("", graph)
        self._custom = standalone.merged_code(graph)

    def _block_parts(self, name: str) -> Parts:
        return self._parts_of(name, body(self._graph, self._graph.blocks[name]))

    def _parts_of(self, name: str, level: Graph) -> Parts:
        resolved = {node.id: self._values(name, node) for node in level.nodes.values()}
        return Parts(level, resolved, self._complete, is_block=bool(name))

    def _values(self, name: str, node: Node) -> dict[str, Value]:
        """Return the sizes of a node that are known for all its copies, as the first has them."""
        if node.shares:
            return self._sizes.values(name, node.shares, node)
        first, *others = [self._sizes.values(name, path, node) for path in copies("", node)]
        return {key: value for key, value in first.items() if all(key in each for each in others)}

    def generated(self, class_name: str) -> Generated:
        """Return the source of everything that can be written."""
        if not self._model.written:
            return Generated()
        classes = [
            self._written.lines(name, self._complete, partial(self._write, name))
            for name in self._written_blocks()
        ]
        class_name = free_name(class_name, {*self._custom.defined, *self._custom.imports})
        classes.append(ClassWriter(self._model, self._sizes, class_name, "").lines())
        texts = [line.text for lines in classes for line in lines]
        imports = [Line(text) for text in standalone.head(self._custom, texts)]
        written: list[Line | CodeLine] = [*imports, *standalone.body(self._custom)]
        for lines in classes:
            written += [Line(""), Line(""), *lines]
        return Generated(
            source="\n".join(line.text for line in written) + "\n",
            lines={
                number: muted_of(line.owner)
                for number, line in enumerate(written, 1)
                if isinstance(line, Line) and line.owner
            },
            code_lines=standalone.source_lines(written),
            nodes=self._paths(),
            is_complete=self._model.is_complete,
        )

    def writers(
        self, writer_class: Callable[[Parts, Sizes, str, str], LevelWriter], class_name: str
    ) -> dict[str, LevelWriter]:
        """Return what writes each class."""
        found = {
            name: writer_class(self._parts[name], self._sizes, name, name)
            for name in self._written_blocks()
        }
        found[""] = writer_class(self._model, self._sizes, class_name, "")
        return found

    def _write(self, name: str) -> list[Line]:
        return ClassWriter(self._parts[name], self._sizes, name, name).lines()

    def _written_blocks(self) -> list[str]:
        nodes = [self._graph.nodes[node_id] for node_id in self._model.written]
        return [
            name
            for name in used_blocks(self._graph.blocks, nodes)
            if not is_inline(self._graph, self._graph.blocks[name])
        ]

    def _paths(self) -> frozenset[str]:
        found = set(self._model.written)
        for path, name in self._owners.items():
            if is_first_copy(path) and path in found and name in self._complete:
                inside = self._parts[name].written
                found.update(f"{path}{SEPARATOR}{node_id}" for node_id in inside)
        return frozenset(found)

"""Scope: the inside of one call of a module while it is put together: nodes, edges and ports."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from torch import fx, nn

from engine.catalog.spec import Value
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, PREFIX
from engine.graph.model import Block, BlockStyle, Edge, Graph, Node
from engine.graph.naming import free_name

Source = tuple[fx.Node, tuple[int | str, ...]]
"""What is on a wire: an operation and the place in what it gives."""

Port = tuple[str, str]
Place = tuple[int, tuple[int | str, ...]]
"""A value inside a call: which operation of it, and the place in what that gives."""


@dataclass(kw_only=True)
class Item:
    """A node to be: an operation (``origin``) or a use of the block that a scope becomes.

    ``outputs`` are the ports of own code by what they give of the result. ``id`` is the name
    without the dots that those of layers in a list have.
    """

    base: str
    is_fixed: bool
    origin: fx.Node | None = None
    scope: "Scope | None" = None
    path: str = ""
    type: str = ""
    params: dict[str, Value] = field(default_factory=dict[str, Value])
    wires: dict[str, Source] = field(default_factory=dict[str, Source])
    outputs: dict[tuple[int | str, ...], str] = field(
        default_factory=dict[tuple[int | str, ...], str]
    )
    shares: "Item | None" = None
    name: str = ""
    id: str = ""


class Scope:
    """One call of a module. ``path`` is the name of the module in the model, empty for the model.

    Values that come from outside get an input when they are first asked for; those that are used
    outside get an output. ``places`` numbers the operations inside, at any depth.
    """

    def __init__(self, module: nn.Module, path: str, above: "Scope | None") -> None:
        self.module = module
        self.path = path
        self.above = above
        self.items: list[Item] = []
        self.scopes: dict[str, Scope] = {}
        self.use: Item | None = None
        self.first: dict[str, Item] = {}
        self.edges: list[Edge] = []
        self.places: dict[fx.Node, int] = {}
        self._taken: set[str] = set()
        self._defined: frozenset[str] = frozenset()
        self._inputs: dict[Source, Node] = {}
        self._outputs: dict[Source, Node] = {}

    def add(self, item: Item) -> None:
        """Add an item; a module that is called again shares the weights of its first call."""
        self.items.append(item)
        if item.path:
            item.shares = self.first.get(item.path)
            self.first.setdefault(item.path, item)

    def choose_names(self, defined: Iterable[str]) -> None:
        """Give every item its name: first those that keys of weights begin with. Others are not
        called like what is ``defined`` as own code: in the text variables cannot be.
        """
        self._defined = frozenset(defined)
        ordered = sorted(self.items, key=lambda item: not item.is_fixed or item.shares is not None)
        for item in ordered:
            item.name = self._free(item.base, is_fixed=item.is_fixed)
        for item in self.items:
            is_good = "." not in item.name
            item.id = item.name if is_good else self._free(item.name.replace(".", "_"))

    def lineage(self) -> "Iterator[Scope]":
        """Yield the scope and those around it, up to the model."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.above

    def input(self, source: Source) -> Port:
        """Return the input that lets a value in."""
        if source not in self._inputs:
            name = self._free("x")
            self._inputs[source] = Node(id=name, type=BLOCK_INPUT, name=name)
        return self._inputs[source].id, "output"

    def output(self, source: Source, inside: Port) -> str:
        """Return the output that lets a value out."""
        if source not in self._outputs:
            name = self._free("output")
            self._outputs[source] = Node(id=name, type=BLOCK_OUTPUT, name=name)
            self.wire(inside, (name, "input"))
        return self._outputs[source].id

    def demanded(self) -> list[Place]:
        """Return which values inside have an output, by their place."""
        return [(self.places[node], path) for node, path in self._outputs]

    def source_at(self, occurrence: Place) -> Source:
        """Return the value at a place."""
        return next(
            node for node, number in self.places.items() if number == occurrence[0]
        ), occurrence[1]

    def forget_wires(self) -> None:
        """Take back all wires and ports."""
        self.edges, self._inputs, self._outputs = [], {}, {}
        self._taken = {name for item in self.items for name in (item.name, item.id)}

    def inputs(self) -> dict[Source, str]:
        """Return the inputs by the value that each lets in."""
        return {source: node.id for source, node in self._inputs.items()}

    def wire(self, source: Port, target: Port) -> None:
        """Add a wire."""
        edge = Edge(
            source=source[0], source_port=source[1], target=target[0], target_port=target[1]
        )
        self.edges.append(edge)

    def body(self, blocks: dict[str, Block], code: dict[str, str]) -> Graph:
        """Return the inside as a graph: the inputs, the nodes in their order, the outputs."""
        is_chain = isinstance(self.module, nn.Sequential | nn.ModuleList | nn.ModuleDict)
        style = BlockStyle.SEQUENTIAL if is_chain else BlockStyle.CLASS
        nodes = [*self._inputs.values(), *map(_node, self.items), *self._outputs.values()]
        return Graph(
            nodes={node.id: node for node in nodes},
            edges=tuple(sorted(self.edges)),
            blocks=blocks,
            style=style,
            code=code,
        )

    def _free(self, base: str, *, is_fixed: bool = False) -> str:
        name = free_name(base, self._taken if is_fixed else self._taken | self._defined)
        self._taken.add(name)
        return name


def _node(item: Item) -> Node:
    return Node(
        id=item.id,
        type=item.type,
        name=item.name,
        params={} if item.shares is not None else item.params,
        shares=item.shares.id if item.shares is not None else "",
    )


def use_type(name: str) -> str:
    """Return the type of the uses of a block."""
    return PREFIX + name

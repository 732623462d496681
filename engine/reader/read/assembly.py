"""Assembly of a graph from a text, with the ids, positions and parameters of the previous graph."""

from collections.abc import Mapping
from typing import NamedTuple

import libcst as cst
from msgspec.structs import replace

from engine.catalog.registry import catalog
from engine.catalog.spec import Value
from engine.diagnostics import DiagnosticError
from engine.graph.block import (
    BLOCK_INPUT,
    BLOCK_OUTPUT,
    PREFIX,
    SEPARATOR,
    block_name,
    block_of,
    body,
    used_blocks,
)
from engine.graph.edit.switch import switch_of, with_branches
from engine.graph.expand import copy_mark
from engine.graph.model import Block, BlockStyle, Edge, Graph, Node
from engine.graph.naming import block_name_problem, default_name, free_name
from engine.graph.node_state.bypass import active
from engine.graph.query import INPUT, OUTPUT
from engine.reader.interpreter.value import Level, Made, Ref, UnreadError
from engine.reader.outline.custom_file import name_parts
from engine.reader.read.decoration import Decorations
from engine.reader.read.inferred import Resolved, node_params
from engine.reader.read.matching import Matching
from engine.reader.read.model_reader import Reading


class Chosen(NamedTuple):
    """The use of a switch, and its block as the text has it."""

    use: Node
    block: Block

    def inputs(self, made: Made) -> dict[str, str]:
        """Return the input of the use for each input of what was called."""
        starts = [node.id for node in self.block.nodes.values() if node.type == BLOCK_INPUT]
        ports = [one.attribute for one in made.inside[0].inputs] if made.inside else [*made.wires]
        return dict(zip(ports, starts, strict=False))

    def output(self) -> str:
        """Return the output of the use."""
        return next(n.id for n in self.block.nodes.values() if n.type == BLOCK_OUTPUT)


class MatchedLevel:
    """A level of the text in its place: the block that it is (empty: the model), the path of its
    first use with a separator behind, and the ids of its nodes. ``known`` is the block of the graph
    that it is compared with, which may be called otherwise.
    """

    def __init__(self, level: Level, known: str, prefix: str) -> None:
        self.level = level
        self.known = known
        self.block = known
        self.prefix = prefix
        self.ids: dict[Made, str] = {}
        self.outputs: list[str] = []
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.names: set[str] = set()
        every = (*level.nodes, *level.idle)
        self.said = {name for made in every if (name := _said_name(made))}
        self.taken: set[str] = set()
        self.decorations = Decorations(level.definition)

    def put(self, made: Made, node: Node) -> None:
        """Take in a node."""
        self.names.add(node.name)
        self.taken.add(node.id)
        self.ids[made] = node.id
        self.nodes[node.id] = node


class Assembly:
    """Puts the nodes of a text together.

    ``graph`` is what stands on the canvas, ``resolved`` the numbers that stand for "auto" there.
    ``result`` is the new graph without what the text does not hold; ``levels`` are the levels;
    ``switches`` the blocks of which the text calls a branch. A text that leads may call others.
    ``parts`` are the pieces of the text that are nodes of own code.
    """

    def __init__(
        self, reading: Reading, graph: Graph, resolved: Resolved, *, is_leading: bool
    ) -> None:
        level = reading.level
        self._graph = active(graph)
        self.parts = name_parts(level, graph, reading.names, is_leading=is_leading)
        self._is_leading = is_leading
        self.switches: dict[str, Block] = {}
        self._chosen: dict[Made, Chosen] = {}
        self._resolved = resolved
        self._blocks: dict[str, Block] = {}
        self._inner: dict[Made, MatchedLevel] = {}
        self.levels: list[MatchedLevel] = []
        matched = self._matched(level, self._graph, "", "")
        self.result = Graph(
            nodes=matched.nodes, edges=tuple(matched.edges), blocks=self._blocks, code=graph.code
        )

    def _matched(self, level: Level, hint: Graph, block: str, prefix: str) -> MatchedLevel:
        matched = MatchedLevel(level, block, prefix)
        self.levels.append(matched)
        matching = Matching(level, hint)
        matched.taken = set(hint.nodes)
        ends = (BLOCK_INPUT, BLOCK_OUTPUT) if prefix else (INPUT, OUTPUT)
        for made in level.inputs:
            self._add_end(matched, made, ends[0], hint.nodes.get(matching.ids.get(made, "")))
        for made in [*level.nodes, *level.idle]:
            self._add_node(matched, made, matching, hint)
        for ref, output_id in zip(level.outputs, matching.outputs, strict=True):
            made = Made(type="", params={}, attribute="output")
            self._add_end(matched, made, ends[1], hint.nodes.get(output_id or ""))
            matched.outputs.append(matched.ids[made])
            source, port = self.end_of(matched, ref)
            matched.edges.append(_edge(source, port, matched.ids[made], "input"))
        return matched

    def _add_end(self, matched: MatchedLevel, made: Made, kind: str, old: Node | None) -> None:
        wanted = made.attribute
        if old is not None:
            is_shown = kind not in (OUTPUT, BLOCK_OUTPUT) and matched.level.source
            wanted = made.attribute if is_shown else old.name
            node = replace(old, name=free_name(wanted, matched.names))
        else:
            entry = catalog().node(kind)
            params = entry.initial_params() if entry is not None else {}
            node_id = free_name(wanted, matched.taken)
            node = Node(id=node_id, type=kind, name=free_name(wanted, matched.names), params=params)
        matched.put(made, node)

    def _add_node(self, matched: MatchedLevel, made: Made, matching: Matching, hint: Graph) -> None:
        old = hint.nodes.get(matching.ids.get(made, ""))
        switch = self._switch(matched, made, hint)
        if switch is not None and switch.use.id not in matched.nodes:
            self._add_switch(matched, made, switch)
            return
        others = matched.names if _said_name(made) else matched.names | matched.said
        name = free_name(_name(made, old), others)
        node_id = old.id if old is not None else free_name(name.replace(".", "_"), matched.taken)
        kind, inner = made.type, None
        if made.inside:
            inner = self._block(made, old, f"{matched.prefix}{node_id}")
            kind = PREFIX + inner.block
            self._inner[made] = inner
        elif old is not None and {made.type, old.type} == {"Buffer", "Constant"}:
            kind = old.type
        owner = ""
        if made.shares is not None:
            owner = matched.ids.get(made.shares) or matching.ids[made.shares]
        paths = [
            f"{matched.prefix}{node_id}{copy_mark(copy)}"
            for copy in range(max(len(made.copies), 1))
        ]
        params: dict[str, Value] = {}
        if owner:
            params = old.params if old is not None else {}
        elif not made.inside:
            params = node_params(made, kind, old, [self._resolved.get(p, {}) for p in paths])
        node = old if old is not None else Node(id=node_id, type=kind, name=name)
        node = replace(
            node, type=kind, name=name, params=params, repeat=made.repeat, tied=made.tied,
            shares=owner, bypassed=False, recompute=made.recompute,
        )  # fmt: skip
        if matched.level.definition is not None and made.attribute and not owner:
            blocks = {**self._graph.blocks, **self._blocks}
            level = replace(hint, nodes={**hint.nodes, node_id: node}, blocks=blocks)
            node = matched.decorations.applied(level, node, made.attribute)
        matched.put(made, node)
        for port, ref in made.wires.items():
            source, source_port = self.end_of(matched, ref)
            target_port = port if inner is None else _input_port(inner, port)
            matched.edges.append(_edge(source, source_port, node_id, target_port))

    def _switch(self, matched: MatchedLevel, made: Made, hint: Graph) -> Chosen | None:
        """Return the switch that a layer of the text is a branch of: the text says all branches."""
        name, _, key = made.attribute.partition(".")
        said = matched.level.dicts.get(name, {})
        calls = [one for one in matched.level.nodes if one.attribute.partition(".")[0] == name]
        if key not in said or len(calls) != 1:
            return None
        use = next((node for node in hint.nodes.values() if node.name == name), None)
        old = None if use is None else block_of(hint, use)
        chosen = None if old is None else switch_of(hint, old)
        if use is None or chosen is None:
            use, old = None, None
        use_id = free_name(name, matched.taken) if use is None else use.id
        old_branches = {} if chosen is None else {node.name: node for node in chosen.branches}
        path = f"{matched.prefix}{use_id}{SEPARATOR}"
        branches = {
            one: self._branch(branch, one, old_branches.get(one), path)
            for one, branch in said.items()
        }
        blocks = {**self._graph.blocks, **self._blocks}
        level = Graph(
            nodes={node.id: node for node in branches.values()},
            blocks=blocks,
            code=self._graph.code,
        )
        block = with_branches(level, old, [*branches.values()], branches[key])
        is_known = old is not None and block.nodes == old.nodes  # maybe with another active branch
        if switch_of(level, block) is None or not (is_known or self._is_leading):
            return None
        if use is None:
            kind = PREFIX + free_name(_class_name(name), blocks)
            use = Node(id=use_id, type=kind, name=name)
        return Chosen(use, block)

    def _branch(self, made: Made, name: str, old: Node | None, path: str) -> Node:
        """Return a branch of a switch of the text; ``path`` leads to it."""
        node = old if old is not None else Node(id=name, type="", name=name)
        if made.inside:
            return replace(node, type=PREFIX + self._block(made, old, f"{path}{node.id}").block)
        sizes = self._resolved.get(f"{path}{node.id}", {})
        return replace(node, type=made.type, params=node_params(made, made.type, old, [sizes]))

    def _add_switch(self, matched: MatchedLevel, made: Made, switch: Chosen) -> None:
        matched.put(made, switch.use)
        self._chosen[made] = switch
        name = block_name(switch.use)
        needed = used_blocks(self._graph.blocks, switch.block.nodes.values())
        self._blocks = {each: self._graph.blocks[each] for each in needed} | self._blocks
        self._blocks[name] = self.switches[name] = switch.block
        ports = switch.inputs(made)
        for port, ref in made.wires.items():
            source, source_port = self.end_of(matched, ref)
            matched.edges.append(_edge(source, source_port, switch.use.id, ports.get(port, port)))

    def chooses_as(self, made: Made, goal: Graph) -> bool:
        """Return whether a call takes the branch that a graph takes; true for all other calls."""
        chosen = self._chosen.get(made)
        return chosen is None or goal.blocks.get(block_name(chosen.use)) == chosen.block

    def end_of(self, matched: MatchedLevel, ref: Ref) -> tuple[str, str]:
        """Return the id and the port that a tensor comes from."""
        if ref.made in self._chosen:
            return matched.ids[ref.made], self._chosen[ref.made].output()
        inner = self._inner.get(ref.made)
        port = ref.port if inner is None else inner.outputs[int(ref.port)]
        return matched.ids[ref.made], port

    def _block(self, made: Made, old: Node | None, path: str) -> MatchedLevel:
        """Put what is inside a block together, and give it its name."""
        name = block_name(old) if old is not None else ""
        block = self._graph.blocks.get(name)
        hint = body(self._graph, block) if block is not None else Graph(blocks=self._graph.blocks)
        inner: MatchedLevel | None = None
        for copy, level in enumerate(made.inside):
            prefix = f"{path}{copy_mark(copy)}{SEPARATOR}"
            matched = self._matched(level, hint, name, prefix)
            if inner is not None and (matched.nodes, matched.edges) != (inner.nodes, inner.edges):
                raise UnreadError(made.syntax or cst.Pass(), "T031")
            inner = inner or matched
        assert inner is not None
        style = BlockStyle.CLASS if inner.level.source else BlockStyle.SEQUENTIAL
        new = Block(nodes=inner.nodes, edges=tuple(inner.edges), style=style)
        if block is not None:
            new = replace(new, note=block.note, kept=block.kept)
        inner.block = self._named(made, inner.level.source, name, new)
        return inner

    def _named(self, made: Made, source: str, name: str, block: Block) -> str:
        """Return the name of a block: that of its class, or the one that it has already."""
        wanted = source or name or _class_name(made.attribute)
        is_variant = name.startswith(source) and name[len(source) :].isdigit()
        if source and is_variant and name in self._graph.blocks:
            wanted = name
        while wanted in self._blocks and not _is_same(self._blocks[wanted], block):
            wanted = free_name(wanted, {*self._blocks, wanted})
        self._blocks[wanted] = block
        return wanted


def assembled(
    reading: Reading, graph: Graph, resolved: Resolved, *, is_leading: bool = False
) -> Assembly:
    """Put a text that was read together. Raises :class:`DiagnosticError`, as reading does."""
    try:
        return Assembly(reading, graph, resolved, is_leading=is_leading)
    except UnreadError as error:
        raise DiagnosticError(reading.diagnostic(error)) from error


def _is_same(one: Block, other: Block) -> bool:
    return (
        one.nodes == other.nodes and set(one.edges) == set(other.edges) and one.style == other.style
    )


def _input_port(inner: MatchedLevel, name: str) -> str:
    made = next(one for one in inner.level.inputs if one.attribute == name)
    return inner.ids[made]


def _said_name(made: Made) -> str:
    """Return the name that the text gives a node; nothing where it gives none."""
    return made.attribute if made.attribute and made.shares is None else made.variable


def _name(made: Made, old: Node | None) -> str:
    if name := _said_name(made):
        return name
    if old is not None:
        return old.name
    if made.part is not None:
        return made.part.word
    return made.attribute or default_name(made.type.rpartition(".")[2])


def _class_name(attribute: str) -> str:
    word = attribute.partition(".")[0]
    name = "".join(part[:1].upper() + part[1:] for part in word.split("_"))
    return name if block_name_problem(name) is None else f"{name}Block"


def _edge(source: str, source_port: str, target: str, target_port: str) -> Edge:
    return Edge(source=source, source_port=source_port, target=target, target_port=target_port)


def unused(graph: Graph, nodes: Mapping[str, Node]) -> set[str]:
    """Return the blocks of a graph that none of these nodes needs."""
    return set(graph.blocks) - set(used_blocks(graph.blocks, nodes.values()))

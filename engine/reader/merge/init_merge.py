"""Merge of ``__init__`` with a changed graph: the statements of changed attributes are written
anew.
"""

from collections.abc import Container, Iterator, Sequence

import libcst as cst

from engine.catalog.spec import AUTO
from engine.graph.block import SEPARATOR, block_name, block_of
from engine.graph.model import Block, Graph, Node
from engine.reader.interpreter.statement import given_by
from engine.reader.interpreter.value import Given, Made
from engine.reader.merge.forward_merge import UnmergedError
from engine.reader.merge.weight_tying import is_past
from engine.reader.read.assembly import Assembly, MatchedLevel
from engine.reader.read.decoration import decorations
from engine.reader.text.rename import code_of, like, registered_name
from engine.reader.text.statement_writer import StatementWriter, statements


class InitMerge:
    """Changes the ``__init__`` of one class. ``unmade`` are nodes that ``forward`` says whole."""

    def __init__(
        self,
        assembly: Assembly,
        matched: MatchedLevel,
        goal: Graph,
        writer: StatementWriter,
        unmade: set[str],
    ) -> None:
        self._assembly = assembly
        self._matched = matched
        self._levels = assembly.levels
        self._switches = assembly.switches
        self._goal = goal
        self._writer = writer
        self._unmade = unmade
        self._made = {
            made.attribute: matched.ids[made]
            for made in (*matched.level.nodes, *matched.level.idle)
            if made.attribute and made.shares is None
        }

    def body(self, body: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """Return the statements. Raises :class:`UnmergedError`."""
        groups = self._writer.groups()
        wanted = {top: ids for top, ids in groups.items() if not self._unmade.issuperset(ids)}
        modules = self._groups()
        out: list[cst.BaseStatement] = []
        positions: dict[str, int] = {}
        for statement in self._taken_apart(body, modules, wanted):
            if is_past(statement, self._assembly, self._matched, self._goal):
                continue
            tops = [top for top in attributes_of(statement) if top in modules]
            gone, changed = self._differing(tops, modules, wanted)
            if (gone or changed) and len(tops) != 1:
                raise UnmergedError
            if gone:
                continue
            if changed:
                if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
                    raise UnmergedError
                out += like([self._writer.construction(changed[0])], statement)
            else:
                out.append(statement)
            positions |= dict.fromkeys(tops, len(out))
        if any(top in wanted and top not in positions for top in modules):
            raise UnmergedError
        self._insert(out, [top for top in wanted if top not in modules], list(wanted), positions)
        return self._decorated(out)

    def _differing(
        self, tops: Sequence[str], modules: dict[str, list[str]], wanted: Container[str]
    ) -> tuple[list[str], list[str]]:
        """Return which attributes are there no more, and which are made in another way."""
        gone = [top for top in tops if top not in wanted and not self._is_idle(modules[top])]
        return gone, [top for top in tops if top in wanted and not self._is_same(top, modules)]

    def _taken_apart(
        self,
        body: Sequence[cst.BaseStatement],
        modules: dict[str, list[str]],
        wanted: Container[str],
    ) -> Iterator[cst.BaseStatement]:
        """Yield the statements; one a layer where one that makes several has to change."""
        for statement in body:
            tops = [top for top in attributes_of(statement) if top in modules]
            is_one = len(tops) < 2 or not any(self._differing(tops, modules, wanted))
            yield from [statement] if is_one else apart(statement)

    def _groups(self) -> dict[str, list[str]]:
        modules: dict[str, list[str]] = {}
        for attribute, node_id in self._made.items():
            modules.setdefault(attribute.partition(".")[0], []).append(node_id)
        return modules

    def _is_idle(self, ids: Sequence[str]) -> bool:
        """Return whether layers are on the canvas though nothing leads from them to an output."""
        return all(node_id in self._goal.nodes for node_id in ids)

    def _is_same(self, top: str, modules: dict[str, list[str]]) -> bool:
        ids = self._writer.groups()[top]
        if set(ids) != set(modules[top]):
            return False
        pairs = [(self._matched.nodes[i], self._goal.nodes[i]) for i in ids]
        if any(one.name != other.name for one, other in pairs):
            return False
        return all(self._is_made_alike(one, other) for one, other in pairs)

    def _is_made_alike(self, one: Node, other: Node) -> bool:
        if (one.repeat, one.tied) != (other.repeat, other.tied):
            return False
        block = block_of(self._goal, other)
        if block is None:
            return one.type == other.type and one.params == other.params
        return self._is_filled_alike(one, other)

    def _is_filled_alike(self, one: Node, other: Node) -> bool:
        """Return whether what stands inside a block needs no other statement here."""
        if block_name(other) in self._switches:
            return self._has_same_branches(one, other)
        for matched in self._levels:
            if not matched.prefix.startswith(f"{self._matched.prefix}{one.id}"):
                continue
            if matched.prefix.count(SEPARATOR) != self._matched.prefix.count(SEPARATOR) + 1:
                continue
            block = block_of(self._goal, other)
            assert block is not None
            if matched.known != other.type.partition(".")[2]:
                return False
            return self._holds(matched, block)
        return False

    def _has_same_branches(self, one: Node, other: Node) -> bool:
        """Return whether all branches of a switch are made alike, whichever is called."""
        nodes = self._goal.blocks[block_name(other)].nodes
        if self._switches[block_name(other)].nodes != nodes:
            return False
        levels = {matched.prefix: matched for matched in self._levels}
        for node in nodes.values():
            block = block_of(self._goal, node)
            path = SEPARATOR.join((f"{self._matched.prefix}{one.id}", node.id, ""))
            if block is not None and (path not in levels or not self._holds(levels[path], block)):
                return False
        return True

    def _holds(self, matched: MatchedLevel, block: Block) -> bool:
        if not matched.level.source:
            return is_same_chain(matched, self._levels, self._goal, block.nodes, block.edges)
        return not _has_other_arguments(matched, block.nodes)

    def _insert(
        self,
        out: list[cst.BaseStatement],
        new: Sequence[str],
        order: Sequence[str],
        positions: dict[str, int],
    ) -> None:
        """Put new statements behind those that generated code has before them."""
        for top in new:
            earlier = [positions[one] for one in order[: order.index(top)] if one in positions]
            position = max(earlier) if earlier else _start(out)
            out.insert(position, self._writer.construction(top))
            positions.update({one: n + 1 for one, n in positions.items() if n > position})
            positions[top] = position + 1

    def _decorated(self, out: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """Return statements with how weights begin and what is frozen as the graph has it."""
        wanted = statements(list(self._writer.decorations()))
        unsaid = set(self._goal.nodes) - self._writer.node_ids()  # it leads to no output
        held = {
            node_id: name
            for name, node_id in self._made.items()
            if node_id in self._matched.nodes and node_id not in unsaid
        }
        old = decorations(self._goal, self._matched.nodes, held)
        new = {code_of(one) for one in wanted}
        kept = [one for one in out if code_of(one) not in old - new]
        there = {code_of(one) for one in kept}
        return [*kept, *(one for one in wanted if code_of(one) not in there)]


def _start(out: Sequence[cst.BaseStatement]) -> int:
    """Return the place behind ``super().__init__()``."""
    for number, statement in enumerate(out):
        if "super(" in code_of(statement):
            return number + 1
    return 0


def attributes_of(statement: cst.BaseStatement) -> list[str]:
    """Return the attributes of ``self`` that a statement gives a value."""
    attributes = [
        one.attr.value
        for one in given_by(statement)
        if isinstance(one, cst.Attribute)
        and isinstance(one.value, cst.Name)
        and one.value.value == "self"
    ]
    if isinstance(statement, cst.SimpleStatementLine):
        for one in statement.body:
            held = _registered(one)
            attributes += [str(held.evaluated_value)] if held is not None else []
    return list(dict.fromkeys(attributes))


def apart(statement: cst.BaseStatement) -> list[cst.BaseStatement]:
    """Return ``self.a, self.b = nn.ReLU(), nn.Tanh()`` as one statement a name; others as they
    are.
    """
    line = statement if isinstance(statement, cst.SimpleStatementLine) else None
    match None if line is None or len(line.body) != 1 else line.body[0]:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Tuple(elements=names)) as target],
            value=cst.Tuple(elements=values),
        ) if len(names) == len(values) and all(isinstance(one, cst.Element) for one in values):
            made: list[cst.BaseStatement] = []
            for name, held in zip(names, values, strict=True):
                single = cst.Assign([target.with_changes(target=name.value)], value=held.value)
                made.append(cst.SimpleStatementLine([single]))
            return like(made, statement)
        case _:
            return [statement]


def _registered(statement: cst.BaseSmallStatement) -> cst.SimpleString | None:
    call = statement.value if isinstance(statement, cst.Expr) else None
    return registered_name(call) if isinstance(call, cst.Call) else None


def is_same_chain(  # noqa: PLR0911 - one case a difference
    matched: MatchedLevel,
    levels: Sequence[MatchedLevel],
    goal: Graph,
    nodes: dict[str, Node],
    edges: Sequence[object],
) -> bool:
    """Return whether an ``nn.Sequential`` of the text holds what a block holds, all the way in."""
    if set(matched.nodes) != set(nodes) or set(matched.edges) != set(edges):
        return False
    for node_id, node in matched.nodes.items():
        other = nodes[node_id]
        if (node.name, node.repeat, node.tied) != (other.name, other.repeat, other.tied):
            return False
        block = block_of(goal, other)
        if block is None:
            if (node.type, node.params) != (other.type, other.params):
                return False
            continue
        inner = [one for one in levels if one.prefix == f"{matched.prefix}{node_id}{SEPARATOR}"]
        if not inner or inner[0].known != other.type.partition(".")[2]:
            return False
        if inner[0].level.source:
            if _has_other_arguments(inner[0], block.nodes):
                return False
        elif not is_same_chain(inner[0], levels, goal, block.nodes, block.edges):
            return False
    return True


def _has_other_arguments(matched: MatchedLevel, nodes: dict[str, Node]) -> bool:
    """Return whether a class has to be made with other sizes than it is."""
    return any(
        isinstance(value, Given) and _is_auto(matched, made, name, nodes)
        for made in matched.level.nodes
        for name, value in made.params.items()
    )


def _is_auto(matched: MatchedLevel, made: Made, name: str, nodes: dict[str, Node]) -> bool:
    now = nodes.get(matched.ids[made])
    mine = matched.nodes[matched.ids[made]].params.get(name, AUTO)
    return now is not None and now.params.get(name, AUTO) == AUTO != mine

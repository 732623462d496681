"""Merge of ``forward`` with a changed graph: statements of the text stay as far as they hold."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from engine.catalog.registry import catalog
from engine.graph.block import type_entry
from engine.graph.model import Graph, Node
from engine.graph.naming import free_name
from engine.reader.interpreter.value import Record, Ref, has_tensor
from engine.reader.read.assembly import Assembly, MatchedLevel
from engine.reader.text.rename import like, read_names, with_reads
from engine.reader.text.statement_writer import Port, StatementWriter

_MOST_TRIES = 500
_HELD = ("Parameter", "Buffer")  # tensors are made in ``__init__``


class UnmergedError(Exception):
    """A change that the text cannot take up statement by statement."""


class _MissingError(Exception):
    def __init__(self, port: Port) -> None:
        super().__init__(port)
        self.port = port


@dataclass(eq=False)
class _Item:
    """A statement: of the text (``record``), or to be written for a node."""

    ids: list[str]
    record: Record | None = None
    node: str = ""
    position: tuple[int, int, int] = (0, 0, 0)
    reads: dict[str, Port] = field(default_factory=dict[str, Port])
    gives: dict[str, Port | None] = field(default_factory=dict[str, Port | None])
    targets: dict[Port, str] = field(default_factory=dict[Port, str])
    leads: bool = False
    needs: set[str] = field(default_factory=set[str])


class ForwardMerge:
    """Weaves the statements of one class."""

    def __init__(
        self, assembly: Assembly, matched: MatchedLevel, goal: Graph, writer: StatementWriter
    ) -> None:
        self._assembly = assembly
        self._matched = matched
        self._goal = goal
        self._writer = writer
        self._forced: set[int] = set()
        self._aliases: set[Port] = set()
        self._records = matched.level.records
        self._orphans: dict[int, list[cst.EmptyLine]] = {}
        self._names = _all_names(matched)
        self.kept_parts: set[str] = set()  # nodes of own code that stand in the text as typed
        written = writer.node_ids()
        self._silent = {i for i in goal.nodes if i not in written}  # what leads to no output
        self._now: dict[str, dict[str, Port]] = {}
        for edge in goal.edges:
            if edge.target in self._silent:
                source = edge.source, edge.source_port
                self._now.setdefault(edge.target, {})[edge.target_port] = source
        self._was: dict[str, dict[str, Port]] = {}
        for edge in matched.edges:
            self._was.setdefault(edge.target, {})[edge.target_port] = (
                edge.source,
                edge.source_port,
            )

    def body(self) -> list[cst.BaseStatement]:
        """Return the statements, up to the one that returns. Raises :class:`UnmergedError`."""
        last = self._records[-1].statement
        is_return = isinstance(last, cst.SimpleStatementLine) and isinstance(
            last.body[-1], cst.Return
        )
        if not is_return:
            raise UnmergedError
        for _ in range(_MOST_TRIES):
            items = self._ordered(self._items())
            try:
                return self._replay(items)
            except _MissingError as missing:
                self._provide(missing.port, items)
        raise UnmergedError

    def _wires(self, node_id: str) -> dict[str, Port]:
        if node_id in self._silent:
            return self._now.get(node_id, {})
        return self._writer.wires(node_id)

    def _provide(self, port: Port, items: Sequence[_Item]) -> None:
        """Have a tensor be in a variable of its own when it is needed later."""
        if port in self._aliases:
            raise UnmergedError
        for item in items:
            if port[0] in item.ids and item.record is not None:
                if port not in item.gives.values():
                    self._forced.add(self._records.index(item.record))
                    return
                break
        self._aliases.add(port)

    def _items(self) -> list[_Item]:
        items: list[_Item] = []
        self._orphans.clear()
        order = {node_id: number for number, node_id in enumerate(self._writer.written())}
        seen: set[str] = set()
        for number, record in enumerate(self._records):
            ids = [self._matched.ids[made] for made in record.nodes if made.type not in _HELD]
            alive = [node_id for node_id in ids if node_id in order or node_id in self._silent]
            seen.update(alive)
            kept = self._kept(record, ids, alive) if number not in self._forced else None
            if kept is not None:
                kept.position = (number, 0, 0)
                items.append(kept)
                continue
            targets = self._targets(record)
            if not any(node_id in order for node_id in alive):
                self._orphans[number] = _comments(record.statement)
            alive = sorted((i for i in alive if i in order), key=order.__getitem__)
            for index, node_id in enumerate(alive):
                item = _Item([node_id], record, node_id, (number, 0, index), leads=index == 0)
                item.targets = {p: name for p, name in targets.items() if p[0] == node_id}
                items.append(item)
        positions = {node_id: item.position for item in items for node_id in item.ids}
        for node_id, rank in order.items():
            if node_id not in seen:
                earlier = [positions[s] for s, _ in self._wires(node_id).values() if s in positions]
                number_before = max(earlier)[0] if earlier else -1
                positions[node_id] = (number_before, 1, rank)
                items.append(_Item([node_id], None, node_id, positions[node_id]))
        return items

    def _targets(self, record: Record) -> dict[Port, str]:
        targets: dict[Port, str] = {}
        for name, value in record.after.items():
            if record.before.get(name) is not value and isinstance(value, Ref):
                targets[self._port(value)] = name
        return targets

    def _port(self, ref: Ref) -> Port:
        return self._assembly.end_of(self._matched, ref)

    def _kept(self, record: Record, ids: list[str], alive: list[str]) -> _Item | None:
        """Return a statement that still says what the graph holds, with what it has to read now."""
        if record is self._records[-1]:
            return self._kept_return(record, ids, alive)
        given = {n for n, v in record.after.items() if record.before.get(n, _NONE) is not v}
        moved = self._moved(ids) if set(ids) == set(alive) else None
        if moved is None or (ids and not self._are_same(record)):
            return None
        reads = self._reads(record, moved)
        if reads is None or any(port[0] not in self._goal.nodes for port in reads.values()):
            return None
        item = _Item(ids, record, reads=reads)
        for name in given:
            value = record.after[name]
            port = self._port(value) if isinstance(value, Ref) else None
            item.gives[name] = moved.get(port, port) if port and port[0] not in ids else port
        return item

    def _kept_return(self, record: Record, ids: list[str], alive: list[str]) -> _Item | None:
        if not ids:
            return _Item([], record)
        moved = self._moved(ids) if set(ids) == set(alive) else None
        results = [self._port(ref) for ref in self._matched.level.outputs]
        if moved is None or results != self._writer.results():
            return None
        if not self._are_same(record):
            return None
        reads = self._reads(record, moved)
        return None if reads is None else _Item(ids, record, reads=reads)

    def _moved(self, ids: Sequence[str]) -> dict[Port, Port] | None:
        """Return by what arrived at a statement what arrives now; nothing where that is not so
        simple.
        """
        moved: dict[Port, Port] = {}
        for node_id in ids:
            was, now = self._was.get(node_id, {}), self._wires(node_id)
            if was.keys() != now.keys():
                return None
            for port, source in was.items():
                if moved.setdefault(source, now[port]) != now[port]:
                    return None
        changed = {old: new for old, new in moved.items() if old != new}
        return None if any(old[0] in ids for old in changed) else changed

    def _reads(self, record: Record, moved: Mapping[Port, Port]) -> dict[str, Port] | None:
        reads: dict[str, Port] = {}
        for name in read_names(record.statement):
            value = record.before.get(name)
            if isinstance(value, Ref):
                port = self._port(value)
                reads[name] = moved.get(port, port)
            elif value is not None and has_tensor(value) and moved:
                return None
        sources = set(reads.values())
        return None if any(new not in sources for new in moved.values()) else reads

    def _are_same(self, record: Record) -> bool:
        ids = [self._matched.ids[made] for made in record.nodes]
        parts = [self._matched.ids[made] for made in record.nodes if made.part is not None]
        if any(not self._is_same_part(node_id) for node_id in parts):
            return False
        if not all(self._assembly.chooses_as(made, self._goal) for made in record.nodes):
            return False
        return all(
            is_same_call(self._matched.nodes[i], self._goal.nodes[i], self._goal) for i in ids
        )

    def _is_same_part(self, node_id: str) -> bool:
        one, other = self._matched.nodes[node_id], self._goal.nodes[node_id]
        return (one.type, one.params) == (other.type, other.params)

    def _ordered(self, items: list[_Item]) -> list[_Item]:
        """Return statements so that what one needs comes before it, otherwise as they stand."""
        giver = {node_id: item for item in items for node_id in item.ids}
        waiting: dict[_Item, int] = {}
        followers: dict[_Item, list[_Item]] = {}
        for item in items:
            sources = {s for i in item.ids for s, _ in self._wires(i).values()}
            sources |= {port[0] for port in item.reads.values()}
            if item.record is self._records[-1] and not item.node:
                sources |= {port[0] for port in self._writer.results()}
            waiting_for = {giver[s] for s in sources if s in giver} - {item}
            waiting[item] = len(waiting_for)
            for one in waiting_for:
                followers.setdefault(one, []).append(item)
        ready = [
            (item.position, number, item) for number, item in enumerate(items) if not waiting[item]
        ]
        heapq.heapify(ready)
        ordered: list[_Item] = []
        while ready:
            *_, item = heapq.heappop(ready)
            ordered.append(item)
            for one in followers.get(item, []):
                waiting[one] -= 1
                if not waiting[one]:
                    heapq.heappush(ready, (one.position, items.index(one), one))
        if len(ordered) != len(items):
            raise UnmergedError
        return ordered

    def _replay(self, items: Sequence[_Item]) -> list[cst.BaseStatement]:
        env: dict[str, Port] = {name: (i, "output") for i, name in self._writer.arguments()}
        out: list[cst.BaseStatement] = []
        for port in [port for port in env.values() if port in self._aliases]:
            out += self._alias(port, env)
        self.kept_parts = {i for item in items if not item.node for i in self._parts(item)}
        for item in items:
            if item.node:
                out += self._with_orphans(item.position[0], self._written(item, env))
            elif item.record is not None and item.record is not self._records[-1]:
                out += self._with_orphans(item.position[0], [self._read(item, env)])
            for port in [(i, p) for i, p in self._aliases if i in item.ids]:
                out += self._alias(port, env)
        return [*out, *self._with_orphans(len(self._records), [self._returned(items, env)])]

    def _parts(self, item: _Item) -> list[str]:
        nodes = item.record.nodes if item.record is not None else []
        return [self._matched.ids[made] for made in nodes if made.part is not None]

    def _with_orphans(
        self, position: int, statements: list[cst.BaseStatement]
    ) -> list[cst.BaseStatement]:
        """Return statements with the comments of those before them that are gone."""
        numbers = [number for number in self._orphans if number < position]
        lines = [line for number in numbers for line in self._orphans.pop(number)]
        first = statements[0]
        if lines and isinstance(first, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            leading = [*lines, *first.leading_lines]
            statements = [first.with_changes(leading_lines=leading), *statements[1:]]
        return statements

    def _alias(self, port: Port, env: dict[str, Port]) -> list[cst.BaseStatement]:
        variable = self._variable(port, env)
        base = self._writer.variables().get(port, "kept")
        name = free_name(base, self._names | set(env))
        env[name] = port
        return [cst.parse_statement(f"{name} = {variable}\n")] if name != variable else []

    def _variable(self, port: Port, env: Mapping[str, Port]) -> str:
        node = self._goal.nodes.get(port[0])
        if node is not None and _is_held(node) and port in self._writer.variables():
            return self._writer.variables()[port]
        names = [name for name, one in env.items() if one == port]
        if not names:
            raise _MissingError(port)
        return names[-1]

    def _read(self, item: _Item, env: dict[str, Port]) -> cst.BaseStatement:
        """Return a statement of the text, with other variables where those hold what it reads."""
        assert item.record is not None
        names: dict[str, str] = {}
        for name, port in item.reads.items():
            if env.get(name) != port:
                names[name] = self._variable(port, env)
        statement = item.record.statement
        if names and not _can_read_others(statement, names):
            self._forced.add(self._records.index(item.record))
            raise _MissingError((item.ids[0] if item.ids else "", "?"))
        for name, port in item.gives.items():
            env.pop(name, None)
            if port is not None:
                env[name] = port
        return with_reads(statement, names)

    def _written(self, item: _Item, env: dict[str, Port]) -> list[cst.BaseStatement]:
        names = {p: self._variable(p, env) for p in self._wires(item.node).values()}
        given: dict[Port, str] = {}
        for port, name in self._writer.variables().items():
            if port[0] == item.node:
                wanted = item.targets.get(port)
                given[port] = wanted or free_name(name, self._names | set(env))
        new = self._writer.calling(item.node, names, given)
        for port, name in given.items():
            env.pop(name, None)
            env[name] = port
        old = item.record.statement if item.record is not None and item.leads else None
        return new if old is None else like(new, old)

    def _returned(self, items: Sequence[_Item], env: Mapping[str, Port]) -> cst.BaseStatement:
        """Return the statement that returns: that of the text if it still returns the same.

        ``return self.head(x)`` computes a node and stays if that node does. ``return x, mask``
        stays if both names hold what the graph returns. Otherwise ``return`` is written anew with
        the comments of the old one, unless that one is split up (``head = self.head(x)`` before
        ``return head``): then they stand at the statement before.
        """
        last = self._records[-1]
        kept = [item for item in items if item.record is last and not item.node]
        if kept and kept[0].ids:
            return self._read(kept[0], dict(env))
        results = self._writer.results()
        variables = [self._variable(port, env) for port in results]
        names = _returned_names(last.statement)
        if names is not None and [env.get(name) for name in names] == results:
            return last.statement
        new = self._writer.returning(variables)
        is_split = any(item.record is last and item.node for item in items)
        return new if is_split else like([new], last.statement)[0]


_NONE = object()


def is_same_call(one: Node, other: Node, goal: Graph) -> bool:
    """Return whether two nodes are called alike; layers are made elsewhere."""
    entry = type_entry(goal, other.type)
    mine = (one.repeat, one.tied, one.shares, one.recompute)
    if mine != (other.repeat, other.tied, other.shares, other.recompute):
        return False
    if entry is None or entry.group.value in ("layer", "block"):
        calls = {spec.name for spec in entry.params if spec.call} if entry is not None else set()
        return all(one.params.get(name) == other.params.get(name) for name in calls)
    return one.type == other.type and one.params == other.params


def _comments(statement: cst.BaseStatement) -> list[cst.EmptyLine]:
    if not isinstance(statement, cst.SimpleStatementLine | cst.BaseCompoundStatement):
        return []
    return [line for line in statement.leading_lines if line.comment is not None]


def _is_held(node: Node) -> bool:
    entry = catalog().node(node.type)
    return entry is not None and entry.group.value == "tensor"


def _can_read_others(statement: cst.BaseStatement, names: Mapping[str, str]) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    return all(
        not isinstance(one, cst.AugAssign)
        or not (isinstance(one.target, cst.Name) and one.target.value in names)
        for one in statement.body
    )


def _returned_names(statement: cst.BaseStatement) -> list[str] | None:
    assert isinstance(statement, cst.SimpleStatementLine)
    one = statement.body[-1]
    value: Any = one.value if isinstance(one, cst.Return) else None
    parts = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]
    names = [part.value for part in parts if isinstance(part, cst.Name)]
    return names if len(names) == len(parts) and len(statement.body) == 1 else None


def _all_names(matched: MatchedLevel) -> set[str]:
    names: set[str] = set()
    for record in matched.level.records:
        names |= set(record.after) | set(record.before)
    return names

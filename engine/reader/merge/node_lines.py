"""Which node each line of a model's text is of."""

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from engine.graph.node_state.mute import muted_of
from engine.reader.interpreter.value import Level
from engine.reader.merge.init_merge import attributes_of
from engine.reader.merge.merge import Merged
from engine.reader.read.assembly import Seat


def node_lines(merged: Merged) -> dict[int, str]:
    """Return the path of the node of each line, counted from 1; a class shows its first use."""
    positions = MetadataWrapper(merged.reading.module, unsafe_skip_copy=True).resolve(
        PositionProvider
    )
    found: dict[int, str] = {}
    seen: set[str] = set()
    for seat in merged.assembly.seats:
        definition = seat.level.definition
        if definition is None or seat.level.source in seen:
            continue
        seen.add(seat.level.source)
        spans = [*_made(seat, definition), *_called(seat)]
        for node, path in [*spans, *_inside(seat, merged.assembly.seats)]:
            place = positions.get(node)
            if place is not None:
                lines = range(place.start.line, place.end.line + 1)
                found |= dict.fromkeys(lines, muted_of(path))
    return found


def _made(seat: Seat, definition: cst.ClassDef) -> list[tuple[cst.CSTNode, str]]:
    owners = {
        made.attribute.partition(".")[0]: f"{seat.prefix}{node_id}"
        for made, node_id in seat.ids.items()
        if made.attribute and made.shares is None and node_id not in seat.outputs
    }
    found: list[tuple[cst.CSTNode, str]] = []
    for function in definition.body.body:
        if isinstance(function, cst.FunctionDef) and function.name.value == "__init__":
            for statement in function.body.body:
                if isinstance(statement, cst.BaseStatement):
                    names = [name for name in attributes_of(statement) if name in owners]
                    found += [(statement, owners[names[0]])] if names else []
    return found


def _called(seat: Seat) -> list[tuple[cst.CSTNode, str]]:
    found: list[tuple[cst.CSTNode, str]] = [
        (record.statement, f"{seat.prefix}{seat.ids[record.nodes[-1]]}")
        for record in seat.level.records
        if record.nodes
    ]
    last = seat.level.records[-1]
    if not last.nodes and len(seat.outputs) == 1:
        found.append((last.statement, f"{seat.prefix}{seat.outputs[0]}"))
    return found


def _inside(seat: Seat, seats: list[Seat]) -> list[tuple[cst.CSTNode, str]]:
    """Return the layers that stand on lines of their own: in lists, and in ``nn.Sequential``."""
    found: list[tuple[cst.CSTNode, str]] = []
    for made, node_id in seat.ids.items():
        if made.at is not None and "." in made.attribute:
            found.append((made.at, f"{seat.prefix}{node_id}"))
    levels: set[Level] = set()
    for inner in seats:
        is_within = inner.prefix.startswith(seat.prefix) and inner.prefix != seat.prefix
        if not is_within or inner.level.source or inner.level in levels:
            continue
        levels.add(inner.level)
        found += [
            (made.at, f"{inner.prefix}{node_id}")
            for made, node_id in inner.ids.items()
            if made.at is not None and not made.inside
        ]
    return found

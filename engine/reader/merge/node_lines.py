"""Lines of a model's text by node."""

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from engine.graph.node_state.mute import muted_of
from engine.reader.interpreter.value import Level
from engine.reader.merge.init_merge import attributes_of
from engine.reader.merge.merge import Merged
from engine.reader.read.assembly import MatchedLevel


def node_lines(merged: Merged) -> dict[int, str]:
    """Return the path of the node of each line, counted from 1; a class shows its first use."""
    positions = MetadataWrapper(merged.reading.module, unsafe_skip_copy=True).resolve(
        PositionProvider
    )
    found: dict[int, str] = {}
    seen: set[str] = set()
    for matched in merged.assembly.levels:
        definition = matched.level.definition
        if definition is None or matched.level.source in seen:
            continue
        seen.add(matched.level.source)
        spans = [*_made(matched, definition), *_called(matched)]
        for node, path in [*spans, *_inside(matched, merged.assembly.levels)]:
            place = positions.get(node)
            if place is not None:
                lines = range(place.start.line, place.end.line + 1)
                found |= dict.fromkeys(lines, muted_of(path))
    return found


def _made(matched: MatchedLevel, definition: cst.ClassDef) -> list[tuple[cst.CSTNode, str]]:
    owners = {
        made.attribute.partition(".")[0]: f"{matched.prefix}{node_id}"
        for made, node_id in matched.ids.items()
        if made.attribute and made.shares is None and node_id not in matched.outputs
    }
    found: list[tuple[cst.CSTNode, str]] = []
    for function in definition.body.body:
        if isinstance(function, cst.FunctionDef) and function.name.value == "__init__":
            for statement in function.body.body:
                if isinstance(statement, cst.BaseStatement):
                    names = [name for name in attributes_of(statement) if name in owners]
                    found += [(statement, owners[names[0]])] if names else []
    return found


def _called(matched: MatchedLevel) -> list[tuple[cst.CSTNode, str]]:
    found: list[tuple[cst.CSTNode, str]] = [
        (record.statement, f"{matched.prefix}{matched.ids[record.nodes[-1]]}")
        for record in matched.level.records
        if record.nodes
    ]
    last = matched.level.records[-1]
    if not last.nodes and len(matched.outputs) == 1:
        found.append((last.statement, f"{matched.prefix}{matched.outputs[0]}"))
    return found


def _inside(matched: MatchedLevel, levels: list[MatchedLevel]) -> list[tuple[cst.CSTNode, str]]:
    """Return the layers that stand on lines of their own: in lists, and in ``nn.Sequential``."""
    found: list[tuple[cst.CSTNode, str]] = []
    for made, node_id in matched.ids.items():
        if made.at is not None and "." in made.attribute:
            found.append((made.at, f"{matched.prefix}{node_id}"))
    seen: set[Level] = set()
    for inner in levels:
        is_within = inner.prefix.startswith(matched.prefix) and inner.prefix != matched.prefix
        if not is_within or inner.level.source or inner.level in seen:
            continue
        seen.add(inner.level)
        found += [
            (made.at, f"{inner.prefix}{node_id}")
            for made, node_id in inner.ids.items()
            if made.at is not None and not made.inside
        ]
    return found

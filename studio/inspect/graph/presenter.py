"""An autograd graph as something to look at: by blocks, by layers, or Function by Function."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

from engine.graph.block import SEPARATOR, entry_of, node_at, place_name
from engine.graph.layout.layered import arrange
from engine.graph.model import Edge, Graph, Node
from engine.runs.record.autograd_graph import (
    AutogradGraph,
    AutogradNode,
    CutPart,
    TensorMeta,
    saved_size,
)
from studio.i18n import filled, translate
from studio.view.autograd_cut import Cut, find_cut
from studio.view.wording import short_count_text
from widgets.canvas.view_model import CanvasView, NodeView, PortView, WireView
from widgets.tables.format import size_text

LOSS = "loss"
"""The group of the Functions that no node of the canvas made: those of the loss."""

_PORT = "gradient"
_CUT = "cut:"
_PART = "part:"
_ATEN = "aten::"
_SUFFIX = re.compile(r"Backward\d*$")
_MANY = 400  # nodes of the picture: above it is one long row


class Zoom(StrEnum):
    """How much of the graph is shown as one."""

    BLOCKS = "blocks"
    LAYERS = "layers"
    FUNCTIONS = "functions"


@dataclass(frozen=True, kw_only=True)
class AutogradView:
    """The picture, and by each of its nodes the Functions that it stands for."""

    canvas: CanvasView = field(default_factory=CanvasView)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)


def group_of(place: str, zoom: Zoom) -> str:
    """Return what a Function with a place on the canvas is shown in."""
    if not place:
        return LOSS
    return place.partition(SEPARATOR)[0] if zoom is Zoom.BLOCKS else place


def present_autograd(
    captured: AutogradGraph,
    model: Graph,
    zoom: Zoom,
    opened: Collection[str] = (),
    room: tuple[float, float] | None = None,
) -> AutogradView:
    """Return the graph with the loss at the left and the parameters at the right. ``opened`` are
    groups that show their Functions; ``room`` is what can be seen at a readable zoom.
    """
    paths = node_paths(captured)
    shown = _shown(paths, zoom, opened)
    cut = find_cut(model, paths.values(), captured.unreached)
    members: dict[str, list[AutogradNode]] = {}
    for node in captured.nodes:
        members.setdefault(shown[node.id], []).append(node)
    flows = _flows(captured, shown)
    edges = {ends: flow[0] for ends, flow in flows.items()}
    edges |= _cut_edges(captured, cut, paths, shown)
    parts = [(_part_key(captured, n, cut), part) for n, part in enumerate(captured.cuts)]
    for key, part in parts:
        edges |= _part_edges(key, part, shown, edges)
    cards = {key: part for key, part in parts if key.startswith(_PART)}
    keys = (*members, *(_CUT + key for key in cut.nodes), *cards)
    positions = _positions(keys, tuple(edges), room if len(keys) < _MANY else None)
    wired = {end for pair in edges for end in pair}
    is_over = bool(captured.calls)  # the step's own backward pass freed what is freed
    nodes = [
        _marked(_node(key, inside, model, positions[key], is_wired=key in wired), inside, is_over)
        for key, inside in members.items()
    ]
    nodes += [_cut_node(key, model, positions[_CUT + key]) for key in cut.nodes]
    nodes += [_part_node(key, part, model, positions[key]) for key, part in cards.items()]
    wires = tuple(
        WireView(
            source=source,
            source_port=_PORT,
            target=target,
            target_port=_PORT,
            label=label,
            detail=flows[source, target][1] if (source, target) in flows else "",
            severity="hint" if label == _cut_text() else None,
        )
        for (source, target), label in edges.items()
    )
    functions = {key: tuple(node.id for node in inside) for key, inside in members.items()}
    return AutogradView(canvas=CanvasView(nodes=tuple(nodes), wires=wires), members=functions)


def present_summary(captured: AutogradGraph) -> str:
    """Return the size of a graph in a line, and whether its backward pass has freed it."""
    text = translate(
        "Autograd",
        "{functions} {functions|Function|Functions}, {edges} {edges|edge|edges}, {saved} saved",
    )
    summary = filled(
        text,
        functions=f"{len(captured.nodes):,}",
        edges=f"{len(captured.edges):,}",
        saved=size_text(saved_size(captured.nodes)),
    )
    if captured.is_freed:
        summary += translate("Autograd", ", freed by backward")
    return summary


def find_nodes(view: AutogradView, captured: AutogradGraph, model: Graph, text: str) -> list[str]:
    """Return the nodes of the picture that a text is in: in what they show, or in Function,
    operator, parameter, module or node of the canvas of what they stand for.
    """
    wanted = text.strip().casefold()
    texts = {
        node.id: "\n".join(
            (node.name, node.operator, node.parameter, node.layer, place_name(model, node.place))
        ).casefold()
        for node in captured.nodes
    }
    by_node: dict[str, str] = {}
    for node in view.canvas.nodes:
        members = view.members.get(node.id, ())
        shown = node.title if members else f"{node.title} {node.subtitle}"
        by_node[node.id] = "\n".join([shown.casefold(), *(texts[each] for each in members)])
    return [key for key, each in by_node.items() if wanted and wanted in each]


def place_of_cut(key: str, captured: AutogradGraph) -> str:
    """Return the node of the canvas that a node beyond a cut is, or that a cut is in; empty for any
    other.
    """
    if part := part_of_cut(key, captured):
        return part.place
    return key.removeprefix(_CUT) if key.startswith(_CUT) else ""


def part_of_cut(key: str, captured: AutogradGraph) -> CutPart | None:
    """Return the line that takes values out of the graph that a node of the picture is."""
    return captured.cuts[int(key.removeprefix(_PART))] if key.startswith(_PART) else None


def node_paths(captured: AutogradGraph) -> dict[str, str]:
    """Return the node path of every Function; a leaf has that of the Function that reads it."""
    paths = {node.id: node.place for node in captured.nodes}
    for source, target, _ in captured.edges:
        if not paths[target]:
            paths[target] = paths[source]
    return paths


def _shown(paths: Mapping[str, str], zoom: Zoom, opened: Collection[str]) -> dict[str, str]:
    """Return by Function the node of the picture that stands for it."""
    shown: dict[str, str] = {}
    for function, path in paths.items():
        group = group_of(path, zoom)
        is_alone = zoom is Zoom.FUNCTIONS or group in opened
        shown[function] = f"f{function}" if is_alone else group
    return shown


def _flows(
    captured: AutogradGraph, shown: dict[str, str]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the edges between what is shown: the number of the output that the first gradient on
    it is of, where there are several, with its shape; and the dtype with all these numbers.
    """
    outputs = {node.id: node.outputs for node in captured.nodes}
    gradients: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for source, target, number in captured.edges:
        ends = shown[source], shown[target]
        if ends[0] != ends[1] and ends[::-1] not in gradients:
            gradients.setdefault(ends, []).append((target, number))
    return {ends: _flow(outputs[passed[0][0]], passed) for ends, passed in gradients.items()}


def _flow(metas: tuple[TensorMeta, ...], passed: list[tuple[str, int]]) -> tuple[str, str]:
    target, number = passed[0]
    numbers = ", ".join(str(each) for each in sorted({n for key, n in passed if key == target}))
    text = translate("Autograd", "output {numbers} of forward").format(numbers=numbers)
    if number >= len(metas):
        return "", text
    shape = _shape(metas[number])
    return f"{number}: {shape}" if len(metas) > 1 else shape, f"{metas[number].dtype}, {text}"


def _cut_edges(
    captured: AutogradGraph, cut: Cut, paths: Mapping[str, str], shown: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """Return the edges that are not there, from the Function that reads first what has no gradient
    at each node before, to the one made last at each node behind.
    """
    made = sorted((n for n in captured.nodes if n.sequence >= 0), key=lambda n: n.sequence)
    first: dict[str, AutogradNode] = {}
    last = {paths[node.id].partition(SEPARATOR)[0]: node for node in made}
    for node in sorted(made, key=lambda n: not n.constants):
        first.setdefault(paths[node.id].partition(SEPARATOR)[0], node)
    cut_edges = {
        (shown[first[source].id], _CUT + target): _cut_text()
        for source, target in cut.edges
        if source in first
    }
    cut_edges |= {
        (_CUT + source, shown[last[target].id]): _cut_text()
        for source, target in cut.back
        if target in last
    }
    return cut_edges | {(_CUT + source, _CUT + target): "" for source, target in cut.inner}


def _cut_text() -> str:
    return translate("Autograd", "✂ no gradient")


def _part_key(captured: AutogradGraph, number: int, cut: Cut) -> str:
    """Return the node of the picture that a line that takes values out of the graph is: that of the
    canvas beyond a cut, or one of its own.
    """
    outer = captured.cuts[number].place.partition(SEPARATOR)[0]
    return _CUT + outer if outer in cut.nodes else f"{_PART}{number}"


def _part_edges(
    key: str, part: CutPart, shown: Mapping[str, str], edges: Mapping[tuple[str, str], str]
) -> dict[tuple[str, str], str]:
    """Return the edges around a line that takes values out of the graph, as gradients would flow:
    from who reads what it gave, and on to where that came from.
    """
    pairs = [(shown[each], key) for each in part.readers]
    pairs += [(key, shown[each]) for each in part.sources]
    added: dict[tuple[str, str], str] = {}
    for pair in pairs:
        if not {pair, pair[::-1]} & (edges.keys() | added.keys()):
            added[pair] = _cut_text()
    return added


@lru_cache(maxsize=8)  # steps that follow one another mostly build the same graph
def _positions(
    keys: tuple[str, ...],
    edges: tuple[tuple[str, str], ...],
    room: tuple[float, float] | None,
) -> Mapping[str, tuple[float, float]]:
    nodes = {key: Node(id=key, type="function", name=key) for key in keys}
    wires = tuple(
        Edge(source=source, source_port=_PORT, target=target, target_port=_PORT)
        for source, target in edges
    )
    return arrange(Graph(nodes=nodes, edges=wires), {}, room)


def _node(
    key: str,
    inside: list[AutogradNode],
    model: Graph,
    position: tuple[float, float],
    *,
    is_wired: bool,
) -> NodeView:
    port = (PortView(name=_PORT, is_connected=is_wired, is_required=False),)
    first = inside[0]
    is_function = key == f"f{first.id}"
    saved = saved_size(inside)
    count = translate("Autograd", "{count} Functions").format(count=len(inside))
    outer, _, title = place_name(model, key).rpartition(SEPARATOR)
    title = translate("Autograd", "Loss") if key == LOSS else title
    subtitle = first.name if len(inside) == 1 else count
    subtitle = f"{outer} · {subtitle}" if outer else subtitle
    if is_function:
        operator = first.operator.removeprefix(_ATEN)
        title = first.parameter or operator or _SUFFIX.sub("", first.name)
    place = first.place if is_function or key == LOSS else key
    is_frozen = _is_frozen(model, place)
    return NodeView(
        id=key,
        title=title,
        subtitle=subtitle,
        category="Parameter" if first.parameter else _category(model, place),
        x=position[0],
        y=position[1],
        inputs=port,
        outputs=port,
        badge=size_text(saved) if saved else "",
        badge_detail=translate("Autograd", "Saved for backward: {size}").format(
            size=size_text(saved)
        ),
        summary=_summary(inside),
        is_block=not is_function and len(inside) > 1,
        is_frozen=is_frozen,
        color="gray" if is_frozen else "",
    )


def _marked(view: NodeView, inside: list[AutogradNode], is_over: bool) -> NodeView:
    """Return a node with a mark where a backward pass fails, or would now."""
    if any(node.is_changed for node in inside):
        text = translate(
            "Autograd",
            "A tensor was modified in place after it was saved, so the backward pass fails here.",
        )
        return replace(view, severity="error", problem=text)
    if not is_over and any(node.is_freed for node in inside):
        text = translate(
            "Autograd",
            "A backward pass has freed the saved tensors. Another one fails here unless "
            "the first used retain_graph=True.",
        )
        return replace(view, severity="warning", problem=text)
    return view


def _is_frozen(model: Graph, place: str) -> bool:
    """Return whether a node of the canvas, or a block around it, is frozen."""
    parts = place.split(SEPARATOR) if place else []
    nodes = [node_at(model, SEPARATOR.join(parts[: n + 1])) for n in range(len(parts))]
    return any(each is not None and each[1].frozen for each in nodes)


def _cut_node(key: str, model: Graph, position: tuple[float, float]) -> NodeView:
    """Return a node of the canvas that no gradient reaches."""
    node = model.nodes[key]
    view = _gray_node(_CUT + key, node.name, _category(model, key), position)
    return replace(
        view,
        subtitle=translate("Autograd", "{type}: no gradient").format(type=node.type),
        summary=translate(
            "Autograd",
            "Autograd does not track this part of the forward pass because it is frozen, "
            "detached or under no_grad. Nothing is saved and no gradient is computed.",
        ),
        is_frozen=node.frozen,
    )


def _part_node(key: str, part: CutPart, model: Graph, position: tuple[float, float]) -> NodeView:
    """Return a line of the code that takes values out of the graph."""
    view = _gray_node(key, part.kind, _category(model, part.place), position)
    return replace(
        view,
        subtitle=line_text(part.file, part.line),
        summary=translate(
            "Autograd",
            "Values leave the graph here. Results computed from them pass no gradient back "
            "to their source.",
        ),
    )


def line_text(file: str, line: int) -> str:
    """Return a line of the source of the model, or of a file of own code; empty for none."""
    if file:
        return f"{file}:{line}"
    return translate("Autograd", "line {line}").format(line=line) if line else ""


def _gray_node(key: str, title: str, category: str, position: tuple[float, float]) -> NodeView:
    """Return what no gradient goes through, wired at both sides."""
    port = (PortView(name=_PORT, is_connected=True, is_required=False),)
    x, y = position
    return NodeView(
        id=key, title=title, category=category, x=x, y=y, inputs=port, outputs=port, color="gray"
    )


def _category(model: Graph, place: str) -> str:
    """Return the category of a node of the canvas, which chooses its colour."""
    located = node_at(model, place) if place else None
    entry = None if located is None else entry_of(*located)
    return "" if entry is None else entry.category


def _summary(inside: list[AutogradNode]) -> str:
    """Return the Functions of a group for the tooltip, each kind once."""
    counts: dict[str, int] = {}
    for node in inside:
        counts[node.name] = counts.get(node.name, 0) + 1
    return "\n".join(
        name if count == 1 else f"{name} ×{short_count_text(count)}"
        for name, count in counts.items()
    )


def _shape(meta: TensorMeta) -> str:
    return "×".join(map(str, meta.shape)) or translate("Autograd", "scalar")

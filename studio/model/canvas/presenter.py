"""The graph as the canvas shows it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from engine.catalog.spec import Entry, EntryGroup, PortSpec
from engine.catalog.text import category_label, entry_label, entry_summary
from engine.diagnostics import Diagnostic, Severity, sentence
from engine.graph.analysis import Analysis, NodeReport, TensorType
from engine.graph.block import block_of, entry_of
from engine.graph.edit.switch import switch_of
from engine.graph.index import index_of
from engine.graph.model import Annotation, AnnotationKind, Edge, Graph, Node
from engine.graph.query import OUTPUT, input_ports, output_ports
from studio.model.canvas.cut import CutPresenter, is_frozen
from studio.view.wording import shape_text, short_count_text, tensor_text, value_text
from widgets.canvas.view_model import BoxView, CanvasView, NodeView, PortView, SearchEntry, WireView

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.HINT: 2}
_SUBTITLE_LENGTH = 34
_SPARE = 1_000
_MOST_SKIPPED = 100  # one behind the other


class CanvasPresenter:
    """Makes views of graphs. What is as it was the last time is not made again: nodes and wires
    keep their very views, and an unchanged graph the whole one.
    """

    def __init__(self) -> None:
        self._language = ""
        self._known: dict[str, _Shown] = {}
        self._view = CanvasView()
        self._last = _Last(Graph(), Analysis())
        self._cuts = CutPresenter()

    def present(
        self,
        graph: Graph,
        analysis: Analysis,
        problems: Sequence[Diagnostic],
        language: str,
        fixes: Mapping[str, str] = MappingProxyType({}),
    ) -> CanvasView:
        """Return nodes with ports, sizes and problems, and wires with shapes; wires in the order
        of the nodes where they end. ``fixes`` are words for what mends a node.
        """
        if language != self._language:
            self._language, self._known = language, {}
            self._last = _Last(Graph(), Analysis())
        shown = self._shown(graph, analysis, _worst_by_node(problems), fixes)
        known = self._known
        if len(known) > 2 * len(shown) + _SPARE:  # what was deleted may come back by undo
            self._known = {node_id: known[node_id] for node_id in graph.nodes}
        wires = tuple(chain.from_iterable([each.wires for each in shown]))
        view = CanvasView(
            nodes=tuple([each.node for each in shown]),
            wires=self._cuts.present(wires, graph, analysis),
            boxes=tuple(_box(annotation) for annotation in graph.annotations.values()),
            ties=tuple((node.shares, node.id) for node in graph.nodes.values() if node.shares),
        )
        if view != self._view:
            self._view = view
        return self._view

    def _shown(
        self,
        graph: Graph,
        analysis: Analysis,
        worst: Mapping[str, Diagnostic],
        fixes: Mapping[str, str],
    ) -> "list[_Shown]":
        index, known = index_of(graph), self._known
        before = self._last.nodes_like(graph, analysis)
        found: list[_Shown] = []
        for node in graph.nodes.values():
            incoming = index.by_target.get(node.id, ())
            outgoing = index.by_source.get(node.id, ())
            problem, fix = worst.get(node.id), fixes.get(node.id, "")
            if before.get(node.id) is node and not node.shares:
                shown = known[node.id]
                if shown.seen.is_beside(incoming, outgoing, problem, fix):
                    found.append(shown)
                    continue
            seen = _Seen(
                node=node,
                incoming=incoming,
                outgoing=outgoing,
                arriving=tuple([_tensor(graph, analysis, edge) for edge in incoming]),
                report=analysis.nodes.get(node.id),
                problem=problem,
                fix=fix,
                entry=entry_of(graph, node),
                owner=graph.nodes.get(node.shares),
                branch=_active_branch(graph, node),
            )
            shown = known.get(node.id)
            if shown is None or shown.seen != seen:
                shown = known[node.id] = _show(graph, seen, self._language)
            found.append(shown)
        self._last = _Last(graph, analysis)
        return found


def _box(annotation: Annotation) -> BoxView:
    return BoxView(
        id=annotation.id,
        is_frame=annotation.kind is AnnotationKind.FRAME,
        text=annotation.text,
        x=annotation.position[0],
        y=annotation.position[1],
        width=annotation.size[0],
        height=annotation.size[1],
        color=annotation.color,
    )


class _Seen(NamedTuple):
    """All that the view of a node and of the wires to it is made from."""

    node: Node
    incoming: tuple[Edge, ...]
    outgoing: tuple[Edge, ...]
    arriving: tuple[TensorType | None, ...]
    report: NodeReport | None
    problem: Diagnostic | None
    fix: str
    entry: Entry | None
    owner: Node | None  # whose weights it uses
    branch: str  # of a switch: the one that computes

    def is_beside(
        self,
        incoming: tuple[Edge, ...],
        outgoing: tuple[Edge, ...],
        problem: Diagnostic | None,
        fix: str,
    ) -> bool:
        """Return whether wires, problem and fix are those that were seen."""
        return (
            self.incoming == incoming
            and self.outgoing == outgoing
            and self.problem == problem
            and self.fix == fix
        )


class _Last(NamedTuple):
    """What was presented the last time."""

    graph: Graph
    analysis: Analysis

    def nodes_like(self, graph: Graph, analysis: Analysis) -> Mapping[str, Node]:
        """Return the nodes whose shapes and ports are as they were; none where any may differ."""
        is_like = (
            self.analysis.nodes == analysis.nodes
            and self.graph.blocks is graph.blocks
            and self.graph.code is graph.code
        )
        return self.graph.nodes if is_like else {}


class _Shown(NamedTuple):
    seen: _Seen
    node: NodeView
    wires: tuple[WireView, ...]


def _active_branch(graph: Graph, node: Node) -> str:
    block = block_of(graph, node)
    switch = None if block is None else switch_of(graph, block)
    return "" if switch is None else switch.active.name


def _tensor(graph: Graph, analysis: Analysis, edge: Edge) -> TensorType | None:
    """Return what a wire carries; behind nodes that are skipped it is what arrives at them."""
    for _ in range(_MOST_SKIPPED):
        source = graph.nodes.get(edge.source)
        if source is None or not source.bypassed:
            report = analysis.nodes.get(edge.source)
            return None if report is None else report.outputs.get(edge.source_port)
        entry = entry_of(graph, source)
        ports = [port.name for port in entry.inputs[:1]] if entry is not None else []
        before = (e for e in index_of(graph).by_target.get(source.id, ()) if e.target_port in ports)
        arriving = next(before, None)
        if arriving is None:
            return None
        edge = arriving
    return None


def _show(graph: Graph, seen: _Seen, language: str) -> _Shown:
    node, report, problem = seen.node, seen.report, seen.problem
    entry = seen.entry
    subtitle = _subtitle(seen, entry, language)
    if node.type == OUTPUT and (arriving := next(filter(None, seen.arriving), None)):
        subtitle = f"{subtitle}  {shape_text(arriving)}"
    view = NodeView(
        id=node.id,
        title=node.name,
        subtitle=subtitle,
        category=entry.category if entry else "",
        x=node.position[0],
        y=node.position[1],
        inputs=_inputs(input_ports(graph, node), seen),
        outputs=_outputs(output_ports(graph, node), seen),
        severity=problem.severity.value if problem else None,
        problem=f"{sentence(problem, language)}\n{seen.fix}".strip() if problem else "",
        summary=entry_summary(entry, language) if entry else "",
        badge=short_count_text(report.parameters) if report and report.parameters else "",
        is_pinned=node.pinned,
        is_bypassed=node.bypassed,
        is_muted=node.muted,
        is_frozen=is_frozen(node, seen.owner, report),
        is_recomputed=node.recompute,
        is_block=entry is not None and entry.group is EntryGroup.BLOCK,
        color=node.color,
        is_collapsed=node.collapsed,
    )
    return _Shown(seen, view, tuple(_wires(seen)))


def present_search(entries: Sequence[Entry], language: str) -> tuple[SearchEntry, ...]:
    """Return all that the search on the canvas offers."""
    return tuple(
        SearchEntry(
            key=entry.key,
            label=entry_label(entry, language),
            category=entry.category,
            category_title=category_label(entry.category, language),
            summary=entry_summary(entry, language),
            aliases=(entry.key, entry.label, *entry.aliases),
            has_inputs=bool(entry.inputs),
            has_outputs=bool(entry.outputs),
        )
        for entry in entries
    )


def _worst_by_node(problems: Iterable[Diagnostic]) -> dict[str, Diagnostic]:
    worst: dict[str, Diagnostic] = {}
    for problem in problems:
        if problem.node is None:
            continue
        known = worst.get(problem.node)
        if known is None or _RANK[problem.severity] < _RANK[known.severity]:
            worst[problem.node] = problem
    return worst


def _subtitle(seen: _Seen, entry: Entry | None, language: str) -> str:
    node = seen.node
    if entry is None:
        return f"? {node.type}"
    label = entry_label(entry, language)
    if node.repeat > 1:
        label = f"{label} ×{node.repeat}"
    if seen.branch:
        label = f"{label} → {seen.branch}"
    if node.shares:
        label = f"{label} = {seen.owner.name if seen.owner else '?'}"
    parts: list[str] = []
    for param in entry.params:
        if param.name not in node.params:
            continue
        text = value_text(node.params[param.name])
        if text and text != "auto":
            is_plain = param.name in entry.positional or param.kind in ("shape", "ints")
            is_size = (param.minimum or 0) >= -1  # else the numbers of axes
            shown = text.replace(", ", "×") if is_size else text
            parts.append(shown if is_plain else f"{param.name}={text}")
    joined = f"{label}  {' · '.join(parts)}" if parts else label
    return joined if len(joined) <= _SUBTITLE_LENGTH else f"{joined[: _SUBTITLE_LENGTH - 1]}…"


def _inputs(ports: tuple[PortSpec, ...], seen: _Seen) -> tuple[PortView, ...]:
    arriving = {
        edge.target_port: tensor for edge, tensor in zip(seen.incoming, seen.arriving, strict=True)
    }
    views = []
    for port in ports:
        tensor = arriving.get(port.name)
        views.append(
            PortView(
                name=port.name,
                label=(port.label or port.name) if len(ports) > 1 else "",
                detail=tensor_text(tensor) if tensor else port.help,
                is_connected=port.name in arriving,
                is_required=port.required,
            )
        )
    return tuple(views)


def _outputs(ports: tuple[PortSpec, ...], seen: _Seen) -> tuple[PortView, ...]:
    wired = {edge.source_port for edge in seen.outgoing}
    types = seen.report.outputs if seen.report else {}
    views = []
    for port in ports:
        tensor = types.get(port.name)
        views.append(
            PortView(
                name=port.name,
                label=(port.label or port.name) if len(ports) > 1 else "",
                detail=tensor_text(tensor) if tensor else port.help,
                is_connected=port.name in wired,
            )
        )
    return tuple(views)


def _wires(seen: _Seen) -> Iterable[WireView]:
    is_error = seen.problem is not None and seen.problem.severity is Severity.ERROR
    for edge, tensor in zip(seen.incoming, seen.arriving, strict=True):
        yield WireView(
            source=edge.source,
            source_port=edge.source_port,
            target=edge.target,
            target_port=edge.target_port,
            label=shape_text(tensor) if tensor else "",
            detail=tensor.dtype if tensor else "",
            severity="error" if is_error else None,
        )

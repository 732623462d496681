"""The graph as the canvas shows it."""

from collections.abc import Iterable, Sequence

from engine.catalog.registry import Catalog
from engine.catalog.spec import Entry, PortSpec
from engine.catalog.text import category_label, entry_label, entry_summary
from engine.diagnostics import Diagnostic, Severity, sentence
from engine.graph.analysis import Analysis, TensorType
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import OUTPUT, entry_of, input_ports, output_ports
from studio.presenters.wording import shape_text, short_count_text, tensor_text, value_text
from widgets.canvas.view_model import CanvasView, NodeView, PortView, SearchEntry, WireView

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.HINT: 2}
_SUBTITLE_LENGTH = 34


def present_canvas(
    graph: Graph, analysis: Analysis, problems: Sequence[Diagnostic], language: str
) -> CanvasView:
    """Return nodes with ports, sizes and problems, and wires with shapes."""
    worst = _worst_by_node(problems)
    targets = {(edge.target, edge.target_port): edge for edge in graph.edges}
    sources = {(edge.source, edge.source_port) for edge in graph.edges}
    types = {
        (node_id, port): tensor
        for node_id, report in analysis.nodes.items()
        for port, tensor in report.outputs.items()
    }
    nodes = []
    for node in graph.nodes.values():
        report = analysis.nodes.get(node.id)
        problem = worst.get(node.id)
        entry = entry_of(node)
        inputs = _inputs(node, input_ports(graph, node), targets, types)
        subtitle = _subtitle(node, entry, language)
        if node.type == OUTPUT and (arriving := _arriving(node, targets, types)):
            subtitle = f"{subtitle}  {arriving}"
        nodes.append(
            NodeView(
                id=node.id,
                title=node.name,
                subtitle=subtitle,
                category=entry.category if entry else "",
                x=node.position[0],
                y=node.position[1],
                inputs=inputs,
                outputs=_outputs(node, output_ports(graph, node), sources, types),
                severity=problem.severity.value if problem else None,
                problem=sentence(problem, language) if problem else "",
                summary=entry_summary(entry, language) if entry else "",
                badge=short_count_text(report.parameters) if report and report.parameters else "",
            )
        )
    return CanvasView(nodes=tuple(nodes), wires=tuple(_wires(graph.edges, types, worst)))


def present_search(catalog: Catalog, language: str) -> tuple[SearchEntry, ...]:
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
        for entry in catalog.nodes()
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


def _subtitle(node: Node, entry: Entry | None, language: str) -> str:
    if entry is None:
        return f"? {node.type}"
    label = entry_label(entry, language)
    parts: list[str] = []
    for param in entry.params:
        if param.name not in node.params:
            continue
        text = value_text(node.params[param.name])
        if text and text != "auto":
            is_plain = param.name in entry.positional or param.kind in ("shape", "ints")
            parts.append(text.replace(", ", "×") if is_plain else f"{param.name}={text}")
    joined = f"{label}  {' · '.join(parts)}" if parts else label
    return joined if len(joined) <= _SUBTITLE_LENGTH else f"{joined[: _SUBTITLE_LENGTH - 1]}…"


def _arriving(
    node: Node,
    targets: dict[tuple[str, str], Edge],
    types: dict[tuple[str, str], TensorType],
) -> str:
    """Return the shape that the model gives out at an Output; empty while unknown."""
    edge = targets.get((node.id, "input"))
    tensor = types.get((edge.source, edge.source_port)) if edge else None
    return shape_text(tensor) if tensor else ""


def _inputs(
    node: Node,
    ports: tuple[PortSpec, ...],
    targets: dict[tuple[str, str], Edge],
    types: dict[tuple[str, str], TensorType],
) -> tuple[PortView, ...]:
    views = []
    for port in ports:
        edge = targets.get((node.id, port.name))
        tensor = types.get((edge.source, edge.source_port)) if edge else None
        views.append(
            PortView(
                name=port.name,
                label=port.name if len(ports) > 1 else "",
                detail=tensor_text(tensor) if tensor else port.help,
                is_connected=edge is not None,
                is_required=port.required,
            )
        )
    return tuple(views)


def _outputs(
    node: Node,
    ports: tuple[PortSpec, ...],
    sources: set[tuple[str, str]],
    types: dict[tuple[str, str], TensorType],
) -> tuple[PortView, ...]:
    views = []
    for port in ports:
        tensor = types.get((node.id, port.name))
        views.append(
            PortView(
                name=port.name,
                label=port.name if len(ports) > 1 else "",
                detail=tensor_text(tensor) if tensor else port.help,
                is_connected=(node.id, port.name) in sources,
            )
        )
    return tuple(views)


def _wires(
    edges: Iterable[Edge],
    types: dict[tuple[str, str], TensorType],
    worst: dict[str, Diagnostic],
) -> Iterable[WireView]:
    for edge in edges:
        tensor = types.get((edge.source, edge.source_port))
        problem = worst.get(edge.target)
        is_error = problem is not None and problem.severity is Severity.ERROR
        yield WireView(
            source=edge.source,
            source_port=edge.source_port,
            target=edge.target,
            target_port=edge.target_port,
            label=shape_text(tensor) if tensor else "",
            detail=tensor.dtype if tensor else "",
            severity="error" if is_error else None,
        )

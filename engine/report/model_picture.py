"""Picture of a model as SVG: its nodes where they lie on the canvas, and the wires between them."""

from collections.abc import Iterator, Mapping

from engine.catalog.registry import catalog
from engine.catalog.text import entry_label
from engine.graph.layout.layered import Position, Size, arrange
from engine.graph.model import Graph, Node
from engine.report.chart import svg, text_at
from engine.report.wording import html

_SIZE: Size = (168.0, 52.0)
_ROOM: Size = (980.0, 1400.0)  # of a page
_MARGIN = 44.0  # wires to the next row go round
_MOST_LETTERS = 24
_MOST_NODES = 400
_BLOCK = "block."


def draw_model(graph: Graph, language: str) -> str:
    """Return the picture of a model; nothing where it has no nodes, or far too many to see any."""
    if not graph.nodes or len(graph.nodes) > _MOST_NODES:
        return ""
    sizes = dict.fromkeys(graph.nodes, _SIZE)
    free = Graph(
        nodes={key: _unpinned(node) for key, node in graph.nodes.items()}, edges=graph.edges
    )
    places = arrange(free, sizes, _ROOM)
    left = min(x for x, _ in places.values()) - _MARGIN
    top = min(y for _, y in places.values()) - _MARGIN
    places = {key: (x - left, y - top) for key, (x, y) in places.items()}
    width = max(x for x, _ in places.values()) + _SIZE[0] + _MARGIN
    height = max(y for _, y in places.values()) + _SIZE[1] + _MARGIN
    parts = [*_wires(graph, places)]
    for key, node in graph.nodes.items():
        parts += _card(node, places[key], language)
    return svg(width, height, parts)


def _unpinned(node: Node) -> Node:
    return Node(id=node.id, type=node.type, name=node.name)


def _wires(graph: Graph, places: Mapping[str, Position]) -> Iterator[str]:
    for edge in graph.edges:
        if edge.source not in places or edge.target not in places:
            continue
        x1, y1 = places[edge.source][0] + _SIZE[0], places[edge.source][1] + _SIZE[1] / 2
        x2, y2 = places[edge.target][0], places[edge.target][1] + _SIZE[1] / 2
        reach = max(abs(x2 - x1) / 2, 24.0)
        yield (
            f'<path d="M {x1:.1f} {y1:.1f} C {x1 + reach:.1f} {y1:.1f} {x2 - reach:.1f} {y2:.1f} '
            f'{x2:.1f} {y2:.1f}" fill="none" stroke="#8a96a3" stroke-width="1.4"/>'
        )


def _card(node: Node, place: Position, language: str) -> Iterator[str]:
    x, y = place
    entry = catalog().node(node.type)
    kind = node.type.removeprefix(_BLOCK) if entry is None else entry_label(entry, language)
    is_port = node.type in ("Input", "Output")
    stroke = "#0b756d" if is_port else "#b4bdc8"
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{_SIZE[0]:.0f}" height="{_SIZE[1]:.0f}" rx="6" '
        f'fill="#ffffff" stroke="{stroke}"><title>{html(_settings(node))}</title></rect>'
    )
    times = f" × {node.repeat}" if node.repeat > 1 else ""
    yield text_at(x + 10, y + 21, _short(node.name + times))
    yield text_at(x + 10, y + 39, _short(kind), color="#55606d")


def _settings(node: Node) -> str:
    told = ", ".join(f"{name}={value}" for name, value in node.params.items())
    return f"{node.name}: {node.type}({told})"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"

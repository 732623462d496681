"""Positions for the nodes of a graph: layers from left to right, few crossings, no overlaps.

Layers by longest path; long wires get a place in every layer they cross; the order in a layer by
barycentres, swept to and fro (Sugiyama, Tagawa and Toda 1981); heights by isotonic regression
towards the neighbours' mean. What is too long for the room goes on in another row (``fold.py``).
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import fsum

from engine.graph.model import Graph
from engine.graph.query import order

_PER_WIRE = 0.4  # cost of a wire more over a break; an empty row would cost 1
_LAST_ROW = 0.25  # the last row may be short


@dataclass(frozen=True, kw_only=True, slots=True)
class Strip:
    """The layers in one row: width, top and bottom of each, and the wires that pass after each.

    All in scene units. ``passing`` has an entry for each layer; the last one is not used.
    """

    widths: Sequence[float]
    tops: Sequence[float]
    bottoms: Sequence[float]
    passing: Sequence[int]
    gap_x: float
    gap_y: float

    def width(self, start: int, end: int) -> float:
        """Return how wide the layers from ``start`` to before ``end`` are side by side."""
        return sum(self.widths[start:end]) + self.gap_x * (end - start - 1)

    def scale(self, breaks: Sequence[int], room: tuple[float, float]) -> float:
        """Return the zoom at which rows that begin at ``breaks`` fit into a room."""
        rows = list(pairwise((*breaks, len(self.widths))))
        width = max(self.width(start, end) for start, end in rows)
        height = sum(max(self.bottoms[a:b]) - min(self.tops[a:b]) for a, b in rows)
        height += self.gap_y * (len(rows) - 1)
        return min(room[0] / max(width, 1.0), room[1] / max(height, 1.0))


def fold(strip: Strip, room: tuple[float, float]) -> list[int]:
    """Return with which layers a row begins (the first is 0): as few rows as fit into the room,
    or those that come nearest to its form.
    """
    count = len(strip.widths)
    total = strip.width(0, count)
    height = max(strip.bottoms) - min(strip.tops) + strip.gap_y
    ideal = (total * room[1] / (room[0] * height)) ** 0.5
    best, best_scale = [0], strip.scale([0], room)
    for rows in range(max(2, int(ideal * 0.6)), count + 1):
        if best_scale >= 1.0 or rows > 2.0 * ideal + 4:
            break
        most = -(-count // rows)
        limit = most * (max(strip.widths) + strip.gap_x) - strip.gap_x
        breaks = _break_rows(strip, limit)
        scale = strip.scale(breaks, room)
        if scale > best_scale:
            best, best_scale = breaks, scale
    return best


def _break_rows(strip: Strip, limit: float) -> list[int]:
    """Return the cheapest beginnings of rows that are no wider than ``limit``."""
    count = len(strip.widths)
    costs = [0.0] * (count + 1)
    nexts = [count] * (count + 1)
    for start in range(count - 1, -1, -1):
        costs[start] = float("inf")
        width = -strip.gap_x
        for end in range(start + 1, count + 1):
            width += strip.widths[end - 1] + strip.gap_x
            if width > limit and end > start + 1:
                break
            cost = (max(limit - width, 0.0) / limit) ** 2
            if end == count:
                cost *= _LAST_ROW
            else:
                cost += costs[end] + _PER_WIRE * max(strip.passing[end - 1] - 1, 0)
            if cost <= costs[start]:
                costs[start], nexts[start] = cost, end
    breaks = [0]
    while nexts[breaks[-1]] < count:
        breaks.append(nexts[breaks[-1]])
    return breaks


Size = tuple[float, float]
Position = tuple[float, float]

GAP_X = 100.0
GAP_Y = 32.0
GAP_ROW = 48.0  # between rows: the wires to the next row run back there
DEFAULT_SIZE: Size = (160.0, 60.0)
PORT_LEVEL = 24.0  # where a node's wires arrive, below its top edge; nodes are in line by it

_FEW = 4_000
_SWEEPS = 24
_PATIENCE = 4  # sweeps without fewer crossings
_HEIGHT_SWEEPS = 6
_MAX_BENDS = 6_000  # places of long wires; above it they are drawn over
_MAX_PASSING = 100  # wires beside one layer: with a place for each the cards stand screens apart


def arrange(
    graph: Graph,
    sizes: Mapping[str, Size],
    room: Size | None = None,
) -> dict[str, Position]:
    """Return new positions (top left corners) for all nodes that are not pinned.

    ``sizes`` are widths and heights in scene units. The arrangement is laid around the pinned
    nodes, or where the graph was. ``room`` is the width and height that can be seen at a readable
    zoom: what is longer is broken into rows; without it all is one row.
    """
    if not graph.nodes:
        return {}
    rows = _Rows(graph)
    rows.untangle()
    levels = _levels(rows, sizes)
    strip = _strip(rows, levels, sizes)
    breaks = [0] if room is None else fold(strip, room)
    corners = _corners(strip, breaks)
    placed: dict[str, Position] = {}
    for node_id in graph.nodes:
        x, shift = corners[rows.layer[node_id]]
        placed[node_id] = (x, levels[node_id] - _above(sizes, node_id) + shift)
    return _around_pinned(graph, placed, sizes)


def _strip(rows: "_Rows", levels: Mapping[str, float], sizes: Mapping[str, Size]) -> Strip:
    return Strip(
        widths=[max(_size(sizes, item)[0] for item in layer) for layer in rows.layers],
        tops=[min(levels[i] - _above(sizes, i) for i in layer) for layer in rows.layers],
        bottoms=[max(levels[i] + _below(sizes, i) for i in layer) for layer in rows.layers],
        passing=rows.passing,
        gap_x=GAP_X,
        gap_y=GAP_ROW,
    )


def _corners(strip: Strip, breaks: list[int]) -> list[Position]:
    """Return for each layer its left edge, and how far down it goes with its row."""
    corners: list[Position] = []
    below: float | None = None
    for start, end in pairwise((*breaks, len(strip.widths))):
        top, bottom = min(strip.tops[start:end]), max(strip.bottoms[start:end])
        shift = 0.0 if below is None else below + strip.gap_y - top
        below = bottom + shift
        x = 0.0
        for width in strip.widths[start:end]:
            corners.append((x, shift))
            x += width + strip.gap_x
    return corners


class _Rows:
    """The layers, each a list of node ids and of bends of long wires, and their neighbours."""

    def __init__(self, graph: Graph) -> None:
        self.layer = _layering(graph)
        self.layers: list[list[str]] = [[] for _ in range(max(self.layer.values()) + 1)]
        for node_id in _placing_order(graph):
            self.layers[self.layer[node_id]].append(node_id)
        self.left: defaultdict[str, list[str]] = defaultdict(list)
        self.right: defaultdict[str, list[str]] = defaultdict(list)
        pairs = dict.fromkeys(
            (edge.source, edge.target)
            for edge in graph.edges
            if edge.source in graph.nodes and edge.target in graph.nodes
        )
        forward = [(s, t) for s, t in pairs if self.layer[s] < self.layer[t]]
        bends = sum(self.layer[t] - self.layer[s] - 1 for s, t in forward)
        begun = [0] * (len(self.layers) + 1)
        for source, target in forward:
            begun[self.layer[source]] += 1
            begun[self.layer[target]] -= 1
        self.passing = list(accumulate(begun))[:-1]  # wires from each layer or before it to after
        has_bends = bends <= _MAX_BENDS and max(self.passing) <= _MAX_PASSING
        for source, target in forward:
            self._join(source, target, has_bends=has_bends)

    def _join(self, source: str, target: str, *, has_bends: bool) -> None:
        previous = source
        if has_bends:
            for layer in range(self.layer[source] + 1, self.layer[target]):
                bend = f"{source} {target} {layer}"  # no node id has a space
                self.layers[layer].append(bend)
                self.right[previous].append(bend)
                self.left[bend].append(previous)
                previous = bend
        self.right[previous].append(target)
        self.left[target].append(previous)

    def untangle(self) -> None:
        """Order the layers so that few wires cross."""
        best, fewest = [list(layer) for layer in self.layers], self._crossings()
        found_at = 0
        for sweep in range(_SWEEPS):
            if fewest == 0 or sweep > found_at + _PATIENCE:
                break
            is_forward = sweep % 2 == 0
            indices = (
                range(1, len(self.layers)) if is_forward else range(len(self.layers) - 2, -1, -1)
            )
            for index in indices:
                neighbours = self.left if is_forward else self.right
                self._sort(index, index - 1 if is_forward else index + 1, neighbours)
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [list(layer) for layer in self.layers], crossings
                found_at = sweep
        self.layers = best

    def _sort(self, index: int, other: int, neighbours: Mapping[str, list[str]]) -> None:
        places = {item: number for number, item in enumerate(self.layers[other])}
        current = {item: float(number) for number, item in enumerate(self.layers[index])}
        for item in self.layers[index]:
            ranks = [places[near] for near in neighbours.get(item, ()) if near in places]
            if ranks:
                current[item] = sum(ranks) / len(ranks)
        self.layers[index].sort(key=current.__getitem__)

    def _crossings(self) -> int:
        return sum(
            _inversions(
                [
                    number
                    for item in self.layers[index]
                    for number in sorted(places[n] for n in self.right.get(item, ()) if n in places)
                ]
            )
            for index in range(len(self.layers) - 1)
            for places in ({item: n for n, item in enumerate(self.layers[index + 1])},)
        )


def _inversions(numbers: list[int]) -> int:
    """Count the pairs that stand in the wrong order, by merging (n log n); short lists by sorting
    in, which needs more moves but no step of Python for each.
    """
    if len(numbers) < _FEW:
        met: list[int] = []
        count = 0
        for number in numbers:
            rank = bisect_right(met, number)
            count += len(met) - rank
            met.insert(rank, number)
        return count
    half = len(numbers) // 2
    left, right = numbers[:half], numbers[half:]
    count = _inversions(left) + _inversions(right)
    left.sort()
    right.sort()
    rank = 0
    for number in right:
        while rank < len(left) and left[rank] <= number:
            rank += 1
        count += len(left) - rank
    return count


def _placing_order(graph: Graph) -> list[str]:
    ordered = order(graph)
    return list(dict.fromkeys((*ordered, *graph.nodes)))


def _layering(graph: Graph) -> dict[str, int]:
    """Return the layer of each node: one after its last source; sources stand next to their use."""
    sources: defaultdict[str, list[str]] = defaultdict(list)
    targets: defaultdict[str, list[str]] = defaultdict(list)
    for edge in graph.edges:
        sources[edge.target].append(edge.source)
        targets[edge.source].append(edge.target)
    layer: dict[str, int] = {}
    for node_id in _placing_order(graph):
        layers = [layer[source] for source in sources[node_id] if source in layer]
        layer[node_id] = max(layers, default=-1) + 1
    for node_id in graph.nodes:
        after = [layer[target] for target in targets[node_id] if target in layer]
        if not sources[node_id] and after:
            layer[node_id] = max(min(after) - 1, 0)
    return layer


def _size(sizes: Mapping[str, Size], item: str) -> Size:
    if " " in item:
        return (0.0, 0.0)
    return sizes.get(item, DEFAULT_SIZE)


def _above(sizes: Mapping[str, Size], item: str) -> float:
    return min(_size(sizes, item)[1] / 2, PORT_LEVEL)


def _below(sizes: Mapping[str, Size], item: str) -> float:
    return _size(sizes, item)[1] - _above(sizes, item)


def _levels(rows: _Rows, sizes: Mapping[str, Size]) -> dict[str, float]:
    """Return the height at which the wires of each item arrive."""
    levels: dict[str, float] = {}
    for layer in rows.layers:
        y = 0.0
        for item in layer:
            levels[item] = y + _above(sizes, item)
            y += _size(sizes, item)[1] + GAP_Y
    for sweep in range(_HEIGHT_SWEEPS):
        for layer in rows.layers if sweep % 2 == 0 else reversed(rows.layers):
            wanted = [_wanted(item, rows, levels, sweep) for item in layer]
            _settle(layer, wanted, sizes, levels)
    for layer in rows.layers:
        _settle(layer, [_straight(item, rows, levels) for item in layer], sizes, levels)
    return levels


def _straight(item: str, rows: _Rows, levels: Mapping[str, float]) -> float:
    """Return the level of the one node before, where this is the only one after it."""
    near = rows.left.get(item, [])
    is_only = len(near) == 1 and len(rows.right.get(near[0], ())) == 1
    return levels[near[0]] if is_only else levels[item]


def _wanted(item: str, rows: _Rows, levels: Mapping[str, float], sweep: int) -> float:
    near = rows.left.get(item, []) if sweep % 2 == 0 else rows.right.get(item, [])
    if sweep >= _HEIGHT_SWEEPS - 2:
        near = [*rows.left.get(item, ()), *rows.right.get(item, ())]
    if not near:
        return levels[item]
    # fsum, for the digits of sum differ from one version of Python to another
    return fsum(levels[other] for other in near) / len(near)


def _settle(
    layer: list[str], wanted: list[float], sizes: Mapping[str, Size], levels: dict[str, float]
) -> None:
    """Move the items of a layer as near as possible to where they want to be, in their order."""
    offsets: list[float] = []
    offset = 0.0
    for index, item in enumerate(layer):
        if index:
            offset += _below(sizes, layer[index - 1]) + _above(sizes, item) + GAP_Y
        offsets.append(offset)
    blocks: list[tuple[float, int]] = []
    for want, shift in zip(wanted, offsets, strict=True):
        total, count = want - shift, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            earlier_total, earlier_count = blocks.pop()
            total, count = total + earlier_total, count + earlier_count
        blocks.append((total, count))
    heights = [total / count for total, count in blocks for _ in range(count)]
    for item, height, shift in zip(layer, heights, offsets, strict=True):
        levels[item] = height + shift


def _around_pinned(
    graph: Graph, placed: dict[str, Position], sizes: Mapping[str, Size]
) -> dict[str, Position]:
    fixed = {node_id: node.position for node_id, node in graph.nodes.items() if node.pinned}
    anchors = fixed or {node_id: node.position for node_id, node in graph.nodes.items()}
    if fixed:
        dx = fsum(x - placed[node_id][0] for node_id, (x, _) in anchors.items()) / len(anchors)
        dy = fsum(y - placed[node_id][1] for node_id, (_, y) in anchors.items()) / len(anchors)
    else:
        dx = min(x for x, _ in anchors.values()) - min(x for x, _ in placed.values())
        dy = min(y for _, y in anchors.values()) - min(y for _, y in placed.values())
    free: dict[str, Position] = {}
    for node_id, (x, y) in placed.items():
        if node_id not in fixed:
            free[node_id] = (x + dx, y + dy)
    return _clear_of(fixed, free, sizes) if fixed else free


def _clear_of(
    fixed: dict[str, Position], free: dict[str, Position], sizes: Mapping[str, Size]
) -> dict[str, Position]:
    """Push nodes down until they lie on no other, column by column."""
    taken = dict(fixed)
    result: dict[str, Position] = {}
    column = float("-inf")
    for node_id in sorted(free, key=lambda item: (free[item][0], free[item][1])):
        x, y = free[node_id]
        if x > column:  # nothing lies further left from here on
            column = x
            taken = {
                key: position
                for key, position in taken.items()
                if position[0] + _size(sizes, key)[0] > x
            }
        while below := [
            other_y + _size(sizes, other)[1] + GAP_Y
            for other, (other_x, other_y) in taken.items()
            if _is_over((x, y), _size(sizes, node_id), (other_x, other_y), _size(sizes, other))
        ]:
            y = max(below)
        taken[node_id] = result[node_id] = (x, y)
    return {node_id: result[node_id] for node_id in free}


def _is_over(a: Position, size_a: Size, b: Position, size_b: Size) -> bool:
    is_apart_x = a[0] + size_a[0] <= b[0] or b[0] + size_b[0] <= a[0]
    is_apart_y = a[1] + size_a[1] <= b[1] or b[1] + size_b[1] <= a[1]
    return not (is_apart_x or is_apart_y)

"""Scene of the canvas: all items, and what changed from one view to the next."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF

from widgets.canvas.card_index import CardIndex
from widgets.canvas.items.box_item import BoxItem
from widgets.canvas.items.lane import MOST_CARDS, STUB, Sides, corners, find_lane
from widgets.canvas.items.node_item import MARGIN, WIDTH, NodeItem
from widgets.canvas.items.wire_item import WireItem, curve_points, goes_back
from widgets.canvas.spatial_index import SpatialIndex
from widgets.canvas.view_model import BoxView, CanvasView, NodeView, WireKey, WireView

_AROUND = 140.0  # how far above and below its ends a wire may pass a card


class Scene:
    """Nodes, wires, frames and notes with their geometry. ``apply``, ``move`` and ``resize`` return
    what must be repainted, as rectangles in scene units; ``version`` counts the changes.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, NodeItem] = {}
        self.wires: dict[WireKey, WireItem] = {}
        self.boxes: dict[str, BoxItem] = {}
        self.ties: tuple[tuple[str, str], ...] = ()  # pairs of nodes with the same weights
        self.version = 0
        self._cards = CardIndex()
        self._wire_index: SpatialIndex[WireKey] = SpatialIndex()
        self._wires_of: dict[str, set[WireKey]] = {}
        self._in_the_way: set[WireKey] = set()  # wires around which nodes have moved
        self._view: CanvasView | None = None  # that lies here, as long as nothing was put elsewhere
        self._bounds: tuple[int, QRectF] = (-1, QRectF())

    @classmethod
    def of(cls, view: CanvasView) -> "Scene":
        """Return a scene that shows a view. It may be made in any thread: laying thousands of wires
        takes longer than Qt's thread may wait.
        """
        scene = cls()
        scene.apply(view)
        return scene

    def apply(self, view: CanvasView) -> list[QRectF]:
        """Show another view; only what differs is made anew."""
        dirty: list[QRectF] = []
        if view is self._view:
            return dirty
        self._view = view
        wires = {wire.key: wire for wire in view.wires}
        for key in [key for key in self.wires if key not in wires]:
            self._remove_wire(key, dirty)
        ids = {node.id for node in view.nodes}
        for node_id in [node_id for node_id in self.nodes if node_id not in ids]:
            self._remove_node(node_id, dirty)
        moved: set[str] = set()
        for order, node in enumerate(view.nodes):
            item = self.nodes.get(node.id)
            if item is not None and item.view is node:
                item.order = order
            elif self._apply_node(node, order, dirty):
                moved.add(node.id)
        for key, wire in wires.items():
            laid = self.wires.get(key)
            ends_moved = wire.source in moved or wire.target in moved
            if laid is None or ends_moved or laid.view is not wire:
                self._apply_wire(key, wire, dirty, ends_moved=ends_moved)
        self._route_anew(dirty)
        self._apply_boxes(view.boxes, dirty)
        self.ties = view.ties
        if dirty:
            self.version += 1
        return dirty

    def move(self, positions: Mapping[str, tuple[float, float]]) -> list[QRectF]:
        """Put nodes, frames and notes elsewhere, wires following, ahead of the next view."""
        dirty: list[QRectF] = []
        moved: list[str] = []
        self._view = None
        for node_id, (x, y) in positions.items():
            item = self.nodes.get(node_id)
            if item is not None and (item.x, item.y) != (x, y):
                self._apply_node(replace(item.view, x=x, y=y), item.order, dirty)
                moved.append(node_id)
            elif (box := self.boxes.get(node_id)) is not None and (box.x, box.y) != (x, y):
                self._put_box(replace(box.view, x=x, y=y), dirty)
        for key in self.wires_of(moved):
            self._apply_wire(key, self.wires[key].view, dirty, ends_moved=True)
        self._route_anew(dirty)
        if dirty:
            self.version += 1
        return dirty

    def resize(self, box_id: str, rect: QRectF) -> list[QRectF]:
        """Show a frame or note in another size, ahead of the next view."""
        dirty: list[QRectF] = []
        item = self.boxes.get(box_id)
        if item is not None:
            self._view = None
            size = {"width": rect.width(), "height": rect.height()}
            self._put_box(replace(item.view, x=rect.x(), y=rect.y(), **size), dirty)
            self.version += 1
        return dirty

    def inside(self, box_id: str) -> list[str]:
        """Return the nodes, notes and frames that lie in a frame."""
        frame = self.boxes[box_id]
        nodes = [key for key, item in self.nodes.items() if frame.holds(item.rect())]
        boxes = [key for key, item in self.boxes.items() if frame.holds(item.rect())]
        return [*nodes, *(key for key in boxes if key != box_id)]

    def item(self, key: str) -> NodeItem | BoxItem:
        """Return a node, a frame or a note by its id."""
        return self.nodes.get(key) or self.boxes[key]

    def nodes_in(self, rect: QRectF) -> list[NodeItem]:
        """Return the nodes of which something is painted in a rectangle, lowest first."""
        around = left, top, right, bottom = _sides(rect, MARGIN)
        items = [
            self.nodes[key]
            for cards in self._cards.near(around)
            for key, sides in cards.items()
            if sides[0] < right and sides[2] > left and sides[1] < bottom and sides[3] > top
        ]
        items.sort(key=_order)
        return items

    def wires_in(self, rect: QRectF) -> list[WireItem]:
        """Return the wires whose box touches a rectangle."""
        items = map(self.wires.__getitem__, self._wire_index.near(rect))
        return [item for item in items if item.box.intersects(rect)]

    def boxes_in(self, rect: QRectF) -> list[BoxItem]:
        """Return the frames and notes that touch a rectangle, lowest first."""
        return [item for item in self.boxes.values() if item.bounds().intersects(rect)]

    def wires_of(self, node_ids: Iterable[str]) -> set[WireKey]:
        """Return every wire that begins or ends at one of the nodes."""
        return {key for node_id in node_ids for key in self._wires_of.get(node_id, ())}

    def wire_into(self, node: str, port: str) -> WireItem | None:
        """Return the wire that ends at an input, if there is one."""
        for key in self._wires_of.get(node, ()):
            if key[2:] == (node, port):
                return self.wires[key]
        return None

    def bounds(self, node_ids: Iterable[str] | None = None) -> QRectF:
        """Return the rectangle around some nodes, frames and notes, or all; empty for none."""
        if node_ids is None:
            if self._bounds[0] != self.version:
                around = _around(self.nodes.values()).united(_outline(self.boxes.values()))
                self._bounds = (self.version, around)
            return QRectF(self._bounds[1])
        ids = list(node_ids)
        nodes = [self.nodes[key] for key in ids if key in self.nodes]
        return _around(nodes).united(_outline([self.boxes[k] for k in ids if k in self.boxes]))

    def _apply_boxes(self, views: tuple[BoxView, ...], dirty: list[QRectF]) -> None:
        ids = [view.id for view in views]
        order = list(self.boxes)
        gone = self.boxes.keys() - set(ids)
        dirty.extend(self.boxes.pop(key).bounds() for key in gone)
        for view in views:
            item = self.boxes.get(view.id)
            if item is None or item.view != view:
                self._put_box(view, dirty)
        if ids != order:
            self.boxes = {key: self.boxes[key] for key in ids}

    def _put_box(self, view: BoxView, dirty: list[QRectF]) -> None:
        if view.id in self.boxes:
            dirty.append(self.boxes[view.id].bounds())
        item = self.boxes[view.id] = BoxItem(view)
        dirty.append(item.bounds())

    def _apply_node(self, view: NodeView, order: int, dirty: list[QRectF]) -> bool:
        """Make or renew a node; return whether its ports may have moved."""
        item = self.nodes.get(view.id)
        if item is not None and item.view == view:
            item.view, item.order = view, order
            return False
        fresh = self.nodes[view.id] = NodeItem(view, order)
        bounds = fresh.bounds()
        dirty.append(bounds)
        if item is not None and fresh.has_same_geometry(item):
            return False
        self._cards.put(view.id, fresh.sides())
        if item is not None:
            dirty.append(item.bounds())
            bounds = bounds.united(item.bounds())
        self._forget_labels(bounds)
        return True

    def _apply_wire(
        self, key: WireKey, view: WireView, dirty: list[QRectF], *, ends_moved: bool
    ) -> None:
        item = self.wires.get(key)
        if item is not None and not ends_moved:
            if item.view is view or item.view == view:
                return
            dirty.append(item.bounds())
            item.view = view
            item.forget_label()
            return
        source, target = self.nodes.get(view.source), self.nodes.get(view.target)
        if source is None or target is None:
            return
        start = source.port_point(view.source_port, is_output=True)
        end = target.port_point(view.target_port, is_output=False)
        self._route(key, view, start, end, dirty)

    def _route(
        self, key: WireKey, view: WireView, start: QPointF, end: QPointF, dirty: list[QRectF]
    ) -> None:
        item = self.wires.get(key)
        lane = self._lane(start, end)
        if item is None:
            item = self.wires[key] = WireItem(view, start, end, lane)
            for node_id in (view.source, view.target):
                self._wires_of.setdefault(node_id, set()).add(key)
        elif item.view == view and (item.start, item.end, item.lane) == (start, end, lane):
            return
        else:
            dirty.append(item.bounds())
            item.view = view
            item.route(start, end, lane)
        self._wire_index.put(key, item.bounds())
        dirty.append(item.bounds())

    def _lane(self, start: QPointF, end: QPointF) -> float | None:
        """Return the height by which a long wire passes the cards that are in its way."""
        is_back = goes_back(start, end)
        if not is_back and end.x() - start.x() < WIDTH:
            return None
        left, right = sorted((start.x(), end.x()))
        top, bottom = sorted((start.y(), end.y()))
        around = QRectF(left, top, right - left, bottom - top)
        reach = _AROUND if not is_back else STUB + 2.0
        cards = self._cards_in(around.adjusted(-reach, -reach, reach, reach))
        if len(cards) > MOST_CARDS:
            return None
        if is_back:
            points = [(point.x(), point.y()) for point in corners(start, end)[1:-1]]
        else:
            points = curve_points(start, end)[1:-1]
        if not _passes(points, cards):
            return None
        return find_lane(start, end, cards)

    def _cards_in(self, rect: QRectF) -> list[Sides]:
        """Return the cards in a rectangle, or some more than a wire looks at."""
        around = left, top, right, bottom = _sides(rect, MARGIN)
        hits: list[Sides] = []
        for cards in self._cards.near(around):
            hits += [
                sides
                for sides in cards.values()
                if sides[0] < right and sides[2] > left and sides[1] < bottom and sides[3] > top
            ]
            if len(hits) > MOST_CARDS:
                break
        return hits

    def _route_anew(self, dirty: list[QRectF]) -> None:
        """Lay the wires anew around which nodes have moved."""
        for key in self._in_the_way:
            item = self.wires.get(key)
            if item is not None:
                self._route(key, item.view, item.start, item.end, dirty)
        self._in_the_way.clear()

    def _forget_labels(self, rect: QRectF) -> None:
        if not self.wires:
            return
        for item in self.wires_in(rect):
            item.forget_label()
            self._in_the_way.add(item.key)

    def _remove_node(self, node_id: str, dirty: list[QRectF]) -> None:
        for key in self.wires_of((node_id,)):
            self._remove_wire(key, dirty)
        bounds = self.nodes.pop(node_id).bounds()
        self._cards.remove(node_id)
        self._wires_of.pop(node_id, None)
        self._forget_labels(bounds)
        dirty.append(bounds)

    def _remove_wire(self, key: WireKey, dirty: list[QRectF]) -> None:
        dirty.append(self.wires.pop(key).bounds())
        self._wire_index.remove(key)
        for node_id in (key[0], key[2]):
            self._wires_of.get(node_id, set()).discard(key)


def _around(items: Collection[NodeItem]) -> QRectF:
    if not items:
        return QRectF()
    left, top = min(item.x for item in items), min(item.y for item in items)
    right = max(item.x for item in items) + WIDTH
    bottom = max(item.y + item.height for item in items)
    return QRectF(left, top, right - left, bottom - top)


def _outline(items: Iterable[BoxItem]) -> QRectF:
    around = QRectF()
    for item in items:
        around = around.united(item.rect())
    return around


def _sides(rect: QRectF, margin: float) -> Sides:
    left, top, right, bottom = rect.getCoords()  # pyright: ignore[reportGeneralTypeIssues]
    return (left - margin, top - margin, right + margin, bottom + margin)


def _order(item: NodeItem) -> int:
    return item.order


def _passes(points: list[tuple[float, float]], cards: list[Sides]) -> bool:
    boxes = [
        (min(x1, x2) - 0.5, min(y1, y2) - 0.5, max(x1, x2) + 0.5, max(y1, y2) + 0.5)
        for (x1, y1), (x2, y2) in pairwise(points)
    ]
    low, high = min(box[1] for box in boxes), max(box[3] for box in boxes)
    for left, top, right, bottom in cards:
        if top >= high or bottom <= low:
            continue
        for x1, y1, x2, y2 in boxes:
            if x1 < right and x2 > left and y1 < bottom and y2 > top:
                return True
    return False

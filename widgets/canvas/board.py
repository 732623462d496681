"""Surface of the canvas: what lies on it, what is selected, and how it is painted. It knows no
mouse and no keyboard.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from widgets.canvas.items.node_item import GRID
from widgets.canvas.look import Look
from widgets.canvas.painting.picture import ScenePainter
from widgets.canvas.painting.style import Style
from widgets.canvas.scene import Scene
from widgets.canvas.signals import CanvasSignals
from widgets.canvas.view_model import CanvasView, WireEnd, WireKey
from widgets.canvas.viewport import Viewport
from widgets.common.theme import current_theme, text_scale, theme_signals

translate = QCoreApplication.translate

_MOST_PARTS = 6  # of a repaint that are painted one by one

LinkRule = Callable[[WireEnd, WireEnd], str | None]
"""Output end and input end of a wire: None where it may be laid, else the reason in a sentence."""

LandingRule = Callable[[WireEnd], Collection[tuple[str, str]]]
"""All ports, as (node, port), where a wire from one end may land: asked once for a drag."""


class Overlay(Protocol):
    """What is painted over the scene while a gesture goes on, and hears of new views."""

    def paint(self, painter: QPainter) -> None:
        """Paint in pixels."""
        ...

    def view_changed(self) -> None:
        """Take note that another view is shown."""
        ...


class Board(CanvasSignals):
    """Shows a ``CanvasView`` and a selection."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("canvas")
        self.setAccessibleName(translate("Canvas", "Canvas"))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.scene = Scene()
        self.viewport = Viewport()
        self.look = Look()
        self.overlay: Overlay | None = None
        self.is_snapping = True
        self._bars_kind = ""  # whose bars are shown
        self.is_framed = False
        self.is_editable = True  # says when empty how to begin
        self._is_empty = True
        self.is_brushing = False  # a drag over nodes paints them
        self._link_rule: LinkRule = _anything_goes
        self._landing_rule: LandingRule | None = None
        self._scene_painter: ScenePainter | None = None
        theme_signals().changed.connect(self._on_theme_changed)
        self._describe()

    def set_view(self, view: CanvasView) -> None:
        """Show another view. Only what differs is repainted; what is still there stays selected."""
        self._take(self.scene.apply(view))

    def _take(self, dirty: list[QRectF]) -> None:
        nodes = {key: None for key in self.look.nodes if key in self.scene.nodes}
        wires = {key: None for key in self.look.wires if key in self.scene.wires}
        boxes = {key: None for key in self.look.boxes if key in self.scene.boxes}
        previous = len(self.look.nodes) + len(self.look.wires) + len(self.look.boxes)
        is_smaller = len(nodes) + len(wires) + len(boxes) < previous
        self.look.nodes, self.look.wires, self.look.boxes = nodes, wires, boxes
        if self.look.hovered_node and self.look.hovered_node not in self.scene.nodes:
            self.look.hovered_node = ""
            QToolTip.hideText()  # it told of that node
        if self.overlay is not None:
            self.overlay.view_changed()
        self.update_scene(dirty)
        is_empty = not self.scene.nodes and not self.scene.boxes
        if is_empty != self._is_empty:
            self._is_empty = is_empty
            self.update()  # the words on how to begin lie where no node may be
        if dirty:
            self._describe()
        if is_smaller:
            self.selection_changed.emit(tuple(nodes))

    def set_link_rule(self, rule: LinkRule, landing: LandingRule | None = None) -> None:
        """Say where wires may land: from an output end and an input end to None or the reason.

        ``landing`` says the same for all ports at once, from one end; the rule then only explains.
        """
        self._link_rule = rule
        self._landing_rule = landing

    def landing(self, anchor: WireEnd) -> Callable[[WireEnd], bool]:
        """Return what tells for a port whether a wire from ``anchor`` may land there."""
        if self._landing_rule is None:
            return cache(lambda end: self.refusal(anchor, end) is None)
        ports = self._landing_rule(anchor)
        return lambda end: end.is_output != anchor.is_output and (end.node, end.port) in ports

    def refusal(self, first: WireEnd, second: WireEnd) -> str | None:
        """Return why two ports cannot be linked, whichever is the output; None where they can."""
        if first.is_output == second.is_output:
            if first.is_output:
                return translate("Canvas", "Connect an output to an input.")
            return translate("Canvas", "Connect an input to an output.")
        if first.node == second.node:
            return translate("Canvas", "A node cannot be connected to itself.")
        return self._link_rule(*((first, second) if first.is_output else (second, first)))

    def selected_nodes(self) -> tuple[str, ...]:
        """Return the ids of the selected nodes, in the order of selecting."""
        return tuple(self.look.nodes)

    def selected_wires(self) -> tuple[WireKey, ...]:
        """Return the selected wires."""
        return tuple(self.look.wires)

    def selected_boxes(self) -> tuple[str, ...]:
        """Return the ids of the selected frames and notes, in the order of selecting."""
        return tuple(self.look.boxes)

    def select(
        self,
        node_ids: Iterable[str],
        wires: Iterable[WireKey] = (),
        boxes: Iterable[str] = (),
    ) -> None:
        """Select exactly these nodes, wires, frames and notes; unknown ones are left out."""
        chosen = {key: None for key in node_ids if key in self.scene.nodes}
        laid = {key: None for key in wires if key in self.scene.wires}
        framed = {key: None for key in boxes if key in self.scene.boxes}
        previous = (tuple(self.look.nodes), tuple(self.look.wires), tuple(self.look.boxes))
        if previous == (tuple(chosen), tuple(laid), tuple(framed)):
            return
        changed_boxes = self.look.boxes.keys() ^ framed.keys()
        self.look.boxes = framed
        self.update_boxes(changed_boxes)
        changed_nodes = self.look.nodes.keys() ^ chosen.keys()
        changed_wires = self.look.wires.keys() ^ laid.keys()
        self.look.nodes, self.look.wires = chosen, laid
        self.update_nodes(changed_nodes)
        self.update_wires(changed_wires)
        if any(changed_nodes.intersection(tie) for tie in self.scene.ties):
            self.update()  # their lines run anywhere
        self._describe()
        self.selection_changed.emit(tuple(chosen))

    def mark_found(self, node_ids: Iterable[str] | None) -> None:
        """Light up nodes that fit what is looked for, and dim the others; with None none."""
        matches = None if node_ids is None else frozenset(node_ids)
        if matches != self.look.matches:
            self.look.matches = matches
            self.update()

    def mark_stops(self, stops: frozenset[str], standing: frozenset[str]) -> None:
        """Show a dot at nodes that a run stops at, an arrow at the one that it stands before."""
        if (stops, standing) != (self.look.stops, self.look.standing):
            self.look.stops, self.look.standing = stops, standing
            self.update()  # the arrow lies beside its node

    def mark_bars(self, kind: str, bars: Mapping[str, tuple[float, str]]) -> None:
        """Show a bar below nodes, by share of the largest and figure; those of another ``kind``
        stay until there are some of this one.
        """
        if bars:
            self._bars_kind = kind
        elif self._bars_kind != kind:
            return
        if bars != self.look.bars:
            self.look.bars = bars
            self.update()

    def update_nodes(self, node_ids: Iterable[str]) -> None:
        """Repaint nodes."""
        nodes = self.scene.nodes
        self.update_scene([nodes[key].bounds() for key in node_ids if key in nodes])

    def update_wires(self, keys: Iterable[WireKey]) -> None:
        """Repaint wires."""
        wires = self.scene.wires
        self.update_scene([wires[key].bounds() for key in keys if key in wires])

    def update_boxes(self, ids: Iterable[str]) -> None:
        """Repaint frames and notes."""
        boxes = self.scene.boxes
        self.update_scene([boxes[key].bounds() for key in ids if key in boxes])

    def ask_box(self, box_id: str, text: str, rect: QRectF) -> None:
        """Ask for a frame or note with another text or another size."""
        self.box_changed.emit(box_id, text, rect)

    def update_scene(self, rects: list[QRectF]) -> None:
        """Repaint parts of the scene."""
        if len(rects) > 60 or self.viewport.is_far(len(self.scene.nodes)):
            if rects:
                self.update()
            return
        for rect in rects:
            self.update(self.viewport.pixel_rect(rect))

    def move_nodes(self, positions: dict[str, tuple[float, float]]) -> None:
        """Show nodes elsewhere, ahead of the view that will say so."""
        self.update_scene(self.scene.move(positions))

    def navigated(self) -> None:
        """Repaint after the viewport has changed."""
        self.update()
        self.view_changed.emit()

    def snapped(self, value: float) -> float:
        """Return a coordinate on the grid, or as it is where snapping is off."""
        return round(value / GRID) * GRID if self.is_snapping else round(value)

    def style_now(self) -> Style:
        """Return the colours and fonts that are shown."""
        return self._painter_now().style

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what has been asked to be painted."""
        painter = QPainter(self)
        scene_painter = self._painter_now()
        for rect in self._parts(event):
            painter.setClipRect(rect)
            scene_painter.paint(painter, rect, self.scene, self.viewport, self.look)
        painter.setClipping(False)
        if self.is_editable and not self.scene.nodes and not self.scene.boxes:
            first = translate("Canvas", "Double-click or press Tab to add a layer")
            second = translate("Canvas", "or drag one here from the palette")
            third = translate("Canvas", "New project (Ctrl+N) starts from a template")
            scene_painter.paint_empty(painter, self.rect(), first, second, third)
        if self.overlay is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.overlay.paint(painter)
        if self.is_framed:
            painter.setPen(QPen(scene_painter.style["accent"], 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def _parts(self, event: QPaintEvent) -> list[QRect]:
        """Return the few rectangles that must be painted, or the one around many."""
        rects = list(event.region())  # pyright: ignore[reportArgumentType] - stubs lack __iter__
        is_far = self.viewport.is_far(len(self.scene.nodes))
        return [event.rect()] if is_far or len(rects) > _MOST_PARTS else rects

    def changeEvent(self, event: QEvent) -> None:
        """Say everything anew in another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.setAccessibleName(translate("Canvas", "Canvas"))
            self._describe()
            self.update()
        super().changeEvent(event)

    def _painter_now(self) -> ScenePainter:
        ratio = self.devicePixelRatioF()
        if self._scene_painter is None or self._scene_painter.pixel_ratio != ratio:
            style = Style(current_theme(), QApplication.font(), text_scale())
            self._scene_painter = ScenePainter(style, ratio)
        return self._scene_painter

    def _on_theme_changed(self) -> None:
        self._scene_painter = None
        self.update()

    def _describe(self) -> None:
        """Tell assistive technology what there is and what is selected."""
        counts = translate("Canvas", "Nodes: {nodes}, wires: {wires}.").format(
            nodes=len(self.scene.nodes), wires=len(self.scene.wires)
        )
        parts = [counts]
        views = [self.scene.nodes[key].view for key in list(self.look.nodes)[:5]]
        if views:
            names = ", ".join(f"{view.title} ({view.subtitle})" for view in views)
            parts.append(translate("Canvas", "Selected: {names}.").format(names=names))
            if pinned := ", ".join(view.title for view in views if view.is_pinned):
                parts.append(translate("Canvas", "Pinned: {names}.").format(names=pinned))
            if skipped := ", ".join(view.title for view in views if view.is_bypassed):
                parts.append(translate("Canvas", "Bypassed: {names}.").format(names=skipped))
            if muted := ", ".join(view.title for view in views if view.is_muted):
                parts.append(translate("Canvas", "Muted: {names}.").format(names=muted))
            if frozen := ", ".join(view.title for view in views if view.is_frozen):
                parts.append(translate("Canvas", "Frozen: {names}.").format(names=frozen))
            if recomputed := ", ".join(view.title for view in views if view.is_recomputed):
                parts.append(translate("Canvas", "Recomputed: {names}.").format(names=recomputed))
            parts += [view.problem for view in views if view.problem]
        elif self.look.boxes:
            chosen = [self.scene.boxes[key].view for key in list(self.look.boxes)[:5]]
            names = ", ".join(" ".join(view.text.split())[:200] for view in chosen)
            parts.append(
                translate("Canvas", "Selected frames and notes: {names}.").format(names=names)
            )
        elif self.look.wires:
            names = ", ".join(map(self.wire_name, list(self.look.wires)[:5]))
            parts.append(translate("Canvas", "Selected wires: {names}.").format(names=names))
        self.setAccessibleDescription(" ".join(parts))

    def wire_name(self, key: WireKey) -> str:
        """Return a wire in words: the names of its ends."""
        return f"{self.title(key[0])} → {self.title(key[2])}"

    def title(self, node_id: str) -> str:
        """Return the name that the user gave to a node."""
        item = self.scene.nodes.get(node_id)
        return node_id if item is None else item.view.title

    def visible_center(self) -> QPointF:
        """Return the place of the scene in the middle of the widget."""
        return self.viewport.to_scene(QPointF(self.rect().center()))


def _anything_goes(_source: WireEnd, _target: WireEnd) -> str | None:
    return None

"""What is shown: differences, painting near and far, tooltips, drops, menus."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QImage,
    QPainter,
    QRegion,
)
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from widgets.canvas.control_bar import ControlBar
from widgets.canvas.drag import NODE_MIME, node_mime
from widgets.canvas.hit import Hit
from widgets.canvas.look import Look
from widgets.canvas.minimap import Minimap
from widgets.canvas.painting.picture import ScenePainter
from widgets.canvas.painting.style import Style
from widgets.canvas.painting.wire import WirePainter, place_label
from widgets.canvas.scene import Scene
from widgets.canvas.search_popup import SearchPopup
from widgets.canvas.tooltip import tooltip_at
from widgets.canvas.view_model import CanvasView, NodeView, PortView, WireView
from widgets.canvas.viewer import Viewer
from widgets.canvas.viewport import Viewport
from widgets.common.theme import DARK, LIGHT, apply_theme


def test_that_the_same_view_again_repaints_nothing(chain):
    scene = Scene()
    assert scene.apply(chain)
    version = scene.version
    same = CanvasView(nodes=tuple(replace(node) for node in chain.nodes), wires=chain.wires)
    assert scene.apply(same) == []
    assert scene.version == version


def test_that_one_edit_repaints_one_node(chain):
    scene = Scene()
    scene.apply(chain)
    nodes = (*chain.nodes[:3], replace(chain.nodes[3], badge="5"))
    dirty = scene.apply(CanvasView(nodes=nodes, wires=chain.wires))
    assert dirty
    assert all(rect.intersects(scene.nodes["d"].rect()) for rect in dirty)


NAMES = st.sampled_from("abcdef")


@st.composite
def views(draw):
    names = draw(st.lists(NAMES, unique=True, max_size=6))
    nodes = [
        NodeView(
            id=name,
            title=name,
            x=draw(st.integers(-2000, 2000)),
            y=draw(st.integers(-2000, 2000)),
            inputs=tuple(PortView(name=f"i{k}") for k in range(draw(st.integers(0, 3)))),
            outputs=(PortView(name="o"),),
        )
        for name in names
    ]
    pairs = draw(st.lists(st.tuples(NAMES, NAMES), max_size=8))
    wires = {
        WireView(source=a, source_port="o", target=b, target_port="i0", label="N")
        for a, b in pairs
        if a in names and b in names and a != b
    }
    return CanvasView(nodes=tuple(nodes), wires=tuple(wires))


def geometry(scene):
    nodes = {key: (item.view, item.order, item.height) for key, item in scene.nodes.items()}
    wires = {key: (w.view, w.start.toTuple(), w.end.toTuple()) for key, w in scene.wires.items()}
    everywhere = QRectF(-1e5, -1e5, 2e5, 2e5)
    found = {item.view.id for item in scene.nodes_in(everywhere)}
    laid = {item.key for item in scene.wires_in(everywhere)}
    return nodes, wires, found, laid


@settings(max_examples=60, deadline=None)
@given(st.lists(views(), min_size=2, max_size=4))
def test_that_differences_lead_to_the_same_scene_as_a_new_one(steps):
    scene, fresh = Scene(), Scene()
    for view in steps:
        scene.apply(view)
    fresh.apply(steps[-1])
    assert geometry(scene) == geometry(fresh)


def test_that_a_new_view_keeps_the_selection_that_is_left(canvas, chain, asked):
    canvas.select(("b", "d"), (("a", "output", "b", "input"),))
    canvas.set_view(CanvasView(nodes=chain.nodes[2:]))
    assert canvas.selected_nodes() == ("d",)
    assert canvas.selected_wires() == ()
    assert asked.of("selection_changed")[-1] == (("d",),)


def test_that_a_label_hides_no_node(chain):
    crowded = [
        replace(chain.nodes[0], id=f"m{k}", x=185 + 15 * (k % 2), y=-70 + 50 * k) for k in range(4)
    ]
    for nodes in (chain.nodes, (*chain.nodes, *crowded)):
        scene = Scene()
        scene.apply(CanvasView(nodes=nodes, wires=chain.wires))
        (wire,) = scene.wires.values()
        center = place_label(wire, 60.0, scene)
        if center is not None:
            rect = QRectF(center.x() - 30, center.y() - 8, 60, 16)
            assert not any(rect.intersects(item.rect()) for item in scene.nodes.values())
    assert center is None


def test_that_every_zoom_and_theme_paints_something_of_its_own(canvas, chain):
    nodes = (
        replace(chain.nodes[0], severity="error", problem="no"),
        replace(chain.nodes[1], severity="warning", lines=("one", "two"), badge="1.2 k"),
        replace(chain.nodes[2], severity="hint"),
        chain.nodes[3],
    )
    wires = (*chain.wires, replace(chain.wires[0], target="c", severity="error"))
    canvas.set_view(CanvasView(nodes=nodes, wires=wires))
    canvas.select(("a",), (wires[0].key,))
    seen = set()
    for theme in (DARK, LIGHT):
        apply_theme(QApplication.instance(), theme)
        for scale in (0.1, 0.3, 0.5, 0.8, 1.0, 2.0):
            canvas.viewport.zoom(scale, QPointF(0, 0))
            canvas.navigated()
            image = canvas.grab().toImage()
            seen.add(bytes(image.constBits()))
    assert len(seen) == 12


def test_that_two_pictures_of_the_same_view_are_alike(canvas):
    first, second = canvas.grab().toImage(), canvas.grab().toImage()
    assert first == second


def test_that_painting_a_part_gives_the_same_as_painting_all(canvas, mouse):
    canvas.select(("b",))
    mouse.drag((300, 190), (400, 260))
    QApplication.processEvents()
    partly = canvas.grab().toImage()
    canvas.update()
    assert canvas.grab().toImage() == partly


class Painted(QObject):
    """The region that a widget was asked to paint."""

    def __init__(self, widget):
        super().__init__(widget)
        QApplication.processEvents()
        self.region = QRegion()
        widget.installEventFilter(self)

    def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint:
            self.region = self.region.united(event.region())
        return False


def test_that_an_edit_on_the_screen_repaints_the_node_and_little_else(canvas, chain):
    painted = Painted(canvas)
    nodes = (*chain.nodes[:3], replace(chain.nodes[3], badge="5"))
    canvas.set_view(CanvasView(nodes=nodes, wires=chain.wires))
    QApplication.processEvents()
    node = canvas.viewport.pixel_rect(canvas.scene.nodes["d"].rect())
    beside_map = painted.region.subtracted(QRegion(canvas.findChild(Minimap).geometry()))
    area = beside_map.boundingRect()
    assert area.contains(node)
    assert area.width() * area.height() < 3 * node.width() * node.height()


def test_that_the_words_on_an_empty_canvas_come_and_go_as_a_whole(canvas, chain):
    words = canvas.rect().center()
    aside = CanvasView(nodes=chain.nodes[:1])
    for view in (aside, CanvasView(), aside):
        canvas.set_view(view)
        QApplication.processEvents()
        assert not canvas.viewport.pixel_rect(canvas.scene.bounds()).contains(words)
        painted = Painted(canvas)
        canvas.set_view(CanvasView() if view is aside else aside)
        QApplication.processEvents()
        assert painted.region.contains(words)


def test_that_hovering_and_selecting_repaint_only_what_changes(canvas, mouse):
    painted = Painted(canvas)
    canvas.select(("b",))
    QApplication.processEvents()
    assert painted.region.contains(mouse.pixel(300, 30))
    assert not painted.region.contains(mouse.pixel(600, 80))


def test_that_names_are_shown_as_text_never_as_markup(chain):
    scene = Scene()
    name = "<img src=http://x>"
    view = replace(chain.nodes[1], title=name, problem="<b>bold</b> & more")
    scene.apply(CanvasView(nodes=(view,)))
    text = tooltip_at(scene, Hit(node="b"))
    assert "<img" not in text
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; more" in text


def test_that_a_port_says_what_it_carries_and_that_it_needs_a_wire(chain):
    scene = Scene()
    ports = (PortView(name="input", detail="N×8 float32"),)
    scene.apply(CanvasView(nodes=(replace(chain.nodes[1], inputs=ports),)))
    item = scene.nodes["b"]
    end = next(iter(item.spots)).view.name
    from widgets.canvas.view_model import WireEnd

    text = tooltip_at(scene, Hit(port=WireEnd(node="b", port=end, is_output=False)))
    assert "b.input" in text
    assert "N×8 float32" in text
    assert "Required" in text


def drop(canvas, pixel, mime):
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(canvas, QDragEnterEvent(pixel, action, mime, button, none))
    QApplication.sendEvent(canvas, QDragMoveEvent(pixel, action, mime, button, none))
    canvas.repaint()
    event = QDropEvent(QPointF(pixel), action, mime, button, none)
    QApplication.sendEvent(canvas, event)
    return event.isAccepted()


def test_that_a_drop_from_a_list_asks_for_a_node_there(canvas, mouse, asked):
    mime = node_mime("Conv2d")
    assert mime.hasFormat(NODE_MIME)
    assert drop(canvas, mouse.pixel(90, 304), mime)
    assert asked.of("drop_requested") == [("Conv2d", 0.0, 280.0)]
    assert canvas.overlay is None


def test_that_other_drops_are_refused(canvas, mouse, asked):
    from PySide6.QtCore import QMimeData

    mime = QMimeData()
    mime.setText("Conv2d")
    drop(canvas, mouse.pixel(90, 304), mime)
    assert not asked.of("drop_requested")


def test_that_the_menu_key_asks_at_the_selected_node(canvas, asked):
    canvas.select(("b",))
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(canvas, QContextMenuEvent(reason, QPoint(1, 1), QPoint(1, 1)))
    ((_point, x, y),) = asked.of("context_menu_requested")
    assert abs(x - 350) < 1
    assert abs(y - 24) < 1


def test_that_a_right_click_selects_what_it_hits(canvas, mouse):
    canvas.select(("d",))
    mouse.click(300, 30, button=Qt.MouseButton.RightButton)
    assert canvas.selected_nodes() == ("b",)


def test_that_another_language_is_shown_at_once(canvas):
    canvas.findChild(SearchPopup).field.setPlaceholderText("old")
    for widget in (
        canvas,
        canvas.findChild(SearchPopup),
        canvas.findChild(ControlBar),
        canvas.findChild(Minimap),
    ):
        QApplication.sendEvent(widget, QEvent(QEvent.Type.LanguageChange))
    assert canvas.findChild(SearchPopup).field.placeholderText() != "old"
    assert canvas.accessibleName()


def test_that_the_demo_does_what_is_asked(qtbot, monkeypatch):
    from widgets.canvas.demo import build_demo

    monkeypatch.setattr(sys, "argv", ["demo"])
    window = build_demo("en")
    qtbot.addWidget(window)
    canvas = window.centralWidget()
    canvas.node_add_requested.emit("Linear", 0.0, 0.0, None)
    canvas.link_requested.emit("relu1", "output", "linear_1", "input")
    canvas.rename_requested.emit("linear_1", "extra")
    assert canvas.scene.nodes["linear_1"].view.title == "extra"
    assert ("relu1", "output", "linear_1", "input") in canvas.scene.wires
    canvas.delete_requested.emit(("linear_1",), ())
    assert "linear_1" not in canvas.scene.nodes


def test_that_a_scene_made_in_another_thread_is_shown_as_its_view(qtbot, chain):
    plain, prepared = Viewer("plain"), Viewer("prepared")
    for viewer in (plain, prepared):
        qtbot.addWidget(viewer)
        viewer.resize(500, 320)
        viewer.set_view(CanvasView(nodes=chain.nodes[:2]))
        viewer.select(("a", "b"))
        viewer.grab()
    nodes = tuple(replace(node, x=node.x + 40) for node in chain.nodes[1:])
    moved = replace(chain, nodes=nodes, wires=())
    with ThreadPoolExecutor(1) as pool:
        prepared.set_scene(pool.submit(Scene.of, moved).result())
    plain.set_view(moved)
    assert prepared.selected_nodes() == ("b",)
    assert prepared.accessibleDescription() == plain.accessibleDescription()
    assert prepared.grab().toImage() == plain.grab().toImage()


class Writing(QPainter):
    """Takes note of the words that it paints."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.words: list[str] = []

    @override
    def drawText(self, *args):
        self.words.append(args[-1])
        super().drawText(*args)


def test_that_labels_are_written_only_where_they_are_seen_and_not_on_endless_wires(qapp):
    xs = {"a": 0.0, "near": 400.0, "far": 2_000.0, "endless": 9_000.0}
    port = (PortView(name="p"),)
    nodes = tuple(
        NodeView(id=key, title=key, x=x, y=60.0 * row, inputs=port, outputs=port)
        for row, (key, x) in enumerate(xs.items())
    )
    wires = tuple(
        WireView(source="a", source_port="p", target=key, target_port="p", label=key) for key in xs
    )[1:]
    scene = Scene.of(CanvasView(nodes=nodes, wires=wires))
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    painter = Writing(image)
    style = Style(LIGHT, QApplication.font(), 1.0)
    labels = WirePainter(painter, Viewport(), style)
    labels.paint_labels([*scene.wires.values()], scene, Look(), QRectF(0, 0, 700, 500))
    near = list(painter.words)
    labels.paint_labels([*scene.wires.values()], scene, Look(), scene.bounds())
    painter.end()
    assert (near, sorted(painter.words)) == (["near"], ["far", "near", "near"])


def test_that_a_label_that_another_one_hides_does_not_come_up_in_a_part(qapp):
    port = (PortView(name="p"),)
    places = {"a": (0.0, 0.0), "b": (420.0, 0.0), "c": (420.0, 80.0), "d": (0.0, 80.0)}
    nodes = tuple(
        NodeView(id=key, title=key, x=x, y=y, inputs=port, outputs=port)
        for key, (x, y) in places.items()
    )
    crossing = (("a", "c", "N"), ("d", "b", "a long label that says why"))
    wires = tuple(
        WireView(source=source, source_port="p", target=target, target_port="p", label=label)
        for source, target, label in crossing
    )
    scene = Scene.of(CanvasView(nodes=nodes, wires=wires))
    image = QImage(900, 600, QImage.Format.Format_RGB32)
    painter = Writing(image)
    canvas = ScenePainter(Style(LIGHT, QApplication.font(), 1.0), 1.0)
    whole = QRect(0, 0, 900, 600)
    canvas.paint(painter, whole, scene, Viewport(), Look())
    labels = {label for *_, label in crossing}
    shown = [word for word in painter.words if word in labels]
    for x in range(180, 420, 8):
        canvas.paint(painter, QRect(x, 0, 8, 120), scene, Viewport(), Look())
    painter.end()
    assert len(shown) == 1
    assert labels & {*painter.words} == {*shown}

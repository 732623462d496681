"""Breakpoints of the debugger on the autograd graph: their marks, and the menu that sets them."""

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu

from engine.events import Breakpoint
from engine.runs.record.autograd_graph import AutogradGraph, AutogradNode
from studio.i18n import translate
from studio.inspect.graph.presenter import AutogradView
from studio.run_control.debugging import Debugging
from widgets.canvas.viewer import Viewer


class AutogradBreakpoints(QObject):
    """Glue between the picture of a graph and the breakpoints of the project."""

    def __init__(self, viewer: Viewer, debugging: Debugging) -> None:
        super().__init__(viewer)
        self._viewer = viewer
        self._debugging = debugging
        self._view = AutogradView()
        self._nodes: dict[str, AutogradNode] = {}
        viewer.context_menu_requested.connect(lambda place, _x, _y: self._open_menu(place))
        debugging.changed.connect(self._mark)

    def set_graph(self, captured: AutogradGraph, view: AutogradView) -> None:
        """Mark the breakpoints in this picture from now on."""
        self._nodes = {node.id: node for node in captured.nodes}
        self._view = view
        self._mark()

    def _mark(self) -> None:
        points = [each for each in self._debugging.points if each.is_on]
        stops = frozenset(
            key
            for key, members in self._view.members.items()
            if any(_stops_at(point, self._nodes[each]) for each in members for point in points)
        )
        self._viewer.mark_stops(stops, frozenset())

    def _open_menu(self, at: QPoint) -> None:
        chosen = self._viewer.selected_nodes()
        members = self._view.members.get(chosen[-1], ()) if chosen else ()
        if not members:
            return
        first = max((self._nodes[each] for each in members), key=lambda node: node.sequence)
        menu = QMenu(self._viewer)
        menu.setObjectName("dag.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(members) > 1 and first.place:
            text = translate("Autograd", "Stop before gradient of this layer")
            self._offer(menu, "layer", text, Breakpoint(kind="backward", place=first.place))
        else:
            made = first.parameter or first.place
            text = translate("Autograd", "Stop before this Function")
            here = Breakpoint(kind="function", place=first.name, within=made)
            self._offer(menu, "function", text, here)
            text = translate("Autograd", "Stop before every {name}").format(name=first.name)
            self._offer(menu, "every", text, Breakpoint(kind="function", place=first.name))
        menu.popup(at)

    def _offer(self, menu: QMenu, name: str, text: str, point: Breakpoint) -> None:
        action = menu.addAction(text)
        action.setObjectName(f"dag.stop.{name}")
        action.setCheckable(True)
        action.setChecked(self._debugging.has(point))
        action.triggered.connect(lambda _=False: self._debugging.toggle(point))


def _stops_at(point: Breakpoint, node: AutogradNode) -> bool:
    """Return whether a breakpoint waits for a Function."""
    if point.kind == "backward":
        return bool(node.place) and node.place == point.place
    is_there = point.within in ("", node.place, node.parameter)
    return point.kind == "function" and node.name == point.place and is_there

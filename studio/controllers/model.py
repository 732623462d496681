"""The Model workspace: what canvas, palette and inspector ask for becomes edits of the graph."""

from collections.abc import Callable

import msgspec
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu
from typing_extensions import override

from engine.catalog.registry import catalog
from engine.catalog.validate import parse_value
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.graph.codec import from_text, to_text
from engine.graph.edits import (
    AddNode,
    Batch,
    Connect,
    Disconnect,
    Edit,
    GraphError,
    InsertFragment,
    MoveNodes,
    RemoveNodes,
    RenameNode,
    SetParam,
    insert_fragment,
)
from engine.graph.layout import GAP_X, arrange
from engine.graph.model import Edge, Graph, Node
from engine.graph.placing import insert_into, place_after
from engine.graph.query import (
    input_ports,
    landing_inputs,
    landing_outputs,
    link_problem,
    make_node,
    output_ports,
)
from studio.data_follower import fit_inputs
from studio.i18n import translate
from studio.messenger import Messenger
from studio.presenters.canvas import present_canvas, present_search
from studio.session import Session
from widgets.canvas.canvas import Canvas
from widgets.canvas.framing import READABLE, free_area
from widgets.canvas.items.node_item import HEADER, WIDTH
from widgets.canvas.view_model import WireEnd, WireKey
from widgets.common.throttle import Throttle

_OFFSET = 28.0
_LEAST_ROOM = 300.0  # pixels: less is a canvas that has not been shown
_LEAST_ROW = 4 * WIDTH + 3 * GAP_X


class ModelController(QObject):
    """Glue between the canvas and the session. ``selection_changed`` is told by the canvas."""

    def __init__(
        self,
        *,
        session: Session,
        canvas: Canvas,
        messenger: Messenger,
        language: Callable[[], str],
        menu: Callable[[QMenu], None],
    ) -> None:
        super().__init__(canvas)
        self._session = session
        self._canvas = canvas
        self._messenger = messenger
        self._language = language
        self._fill_menu = menu
        self._pending_selection: tuple[str, ...] | None = None
        self._must_fit = True
        self._painter = Throttle(16, self.paint, self)
        canvas.installEventFilter(self)
        canvas.set_search_entries(present_search(catalog(), language()))
        canvas.set_link_rule(self._link_refusal, self._landing)
        self._connect()
        self.paint()

    def _connect(self) -> None:
        canvas, session = self._canvas, self._session
        session.graph_changed.connect(self._painter.request)
        session.analysis_changed.connect(self._painter.request)
        session.project_changed.connect(self._on_project_changed)
        canvas.node_add_requested.connect(self.add_node)
        canvas.drop_requested.connect(lambda key, x, y: self.add_node(key, x, y, None))
        canvas.node_append_requested.connect(self.append_node)
        canvas.insert_requested.connect(self.insert_node)
        canvas.nodes_moved.connect(self._on_nodes_moved)
        canvas.link_requested.connect(self._on_link_requested)
        canvas.relink_requested.connect(self._on_relink_requested)
        canvas.disconnect_requested.connect(self._on_disconnect_requested)
        canvas.delete_requested.connect(self._on_delete_requested)
        canvas.rename_requested.connect(self.rename)
        canvas.copy_requested.connect(lambda _ids: self.copy())
        canvas.cut_requested.connect(lambda _ids: self.cut())
        canvas.paste_requested.connect(self.paste_at)
        canvas.duplicate_requested.connect(lambda _ids: self.duplicate())
        canvas.arrange_requested.connect(self.arrange)
        canvas.context_menu_requested.connect(self._on_menu_requested)

    def _link_refusal(self, output: WireEnd, port: WireEnd) -> str | None:
        edge = Edge(
            source=output.node, source_port=output.port, target=port.node, target_port=port.port
        )
        problem = link_problem(self._session.graph, edge)
        return sentence(problem, self._language()) if problem else None

    def _landing(self, anchor: WireEnd) -> frozenset[tuple[str, str]]:
        graph = self._session.graph
        if anchor.is_output:
            return landing_inputs(graph, anchor.node)
        return landing_outputs(graph, anchor.node)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and self._must_fit:
            self._painter.request()
        return super().eventFilter(watched, event)

    def paint(self) -> None:
        """Show the graph as it is now."""
        session = self._session
        view = present_canvas(
            session.graph, session.findings.analysis, session.findings.problems, self._language()
        )
        self._canvas.set_view(view)
        if self._pending_selection is not None:
            self._canvas.select(self._pending_selection)
            self._canvas.reveal(self._pending_selection)
            self._pending_selection = None
        if self._must_fit and session.graph.nodes and self._canvas.isVisible():
            self._must_fit = False
            self._canvas.fit_readably()

    def add_node(self, key: str, x: float, y: float, end: WireEnd | None) -> None:
        """Put a new node on the canvas, wired to where a wire was dropped."""
        node = self._new_node(key, (x, y))
        if node is None:
            return
        edits: list[Edit] = [AddNode(node=node)]
        if end is not None and (edge := _first_fit(self._session.graph, node, end)) is not None:
            edits.append(Connect(edge=edge))
        if self._apply(Batch(edits=tuple(edits)), translate("Model", "Add a layer")):
            self._select_soon((node.id,))

    def append_node(self, key: str, end: WireEnd) -> None:
        """Put a new node after an output, to the right of its node, wired to it where it fits."""
        if end.node in self._session.graph.nodes:
            width = max(self._room()[0], _LEAST_ROW)
            x, y = place_after(self._session.graph, end.node, self._sizes(), (WIDTH, HEADER), width)
            self.add_node(key, x, y, end)

    def insert_node(self, key: str, x: float, y: float, wire: WireKey) -> None:
        """Put a new node into a wire."""
        node, edge = self._new_node(key, (x, y)), _edge(wire)
        if node is None or edge not in self._session.graph.edges:
            return
        edit = insert_into(self._session.graph, node, edge, self._sizes(), (WIDTH, HEADER))
        if edit is None:
            self.add_node(key, x, y, None)
        elif self._apply(edit, translate("Model", "Put a layer into a wire")):
            self._select_soon((node.id,))

    def add_beside(self, key: str) -> None:
        """Put a new node after the selected one, wired to it where that fits; into the selected
        wire; or into the middle of what is seen.
        """
        graph, nodes = self._session.graph, self._session.selection
        wires = self._canvas.selected_wires()
        entry = catalog().node(key)
        if len(wires) == 1 and not nodes and entry is not None and entry.inputs and entry.outputs:
            middle = self._canvas.scene.wires[wires[0]].middle()
            self.insert_node(key, middle.x() - WIDTH / 2, middle.y() - HEADER / 2, wires[0])
        elif len(nodes) == 1 and (ports := output_ports(graph, graph.nodes[nodes[0]])):
            self.append_node(key, WireEnd(node=nodes[0], port=ports[0].name, is_output=True))
        else:
            center = self._canvas.view_center()
            self.add_node(key, center.x(), center.y(), None)

    def _new_node(self, key: str, position: tuple[float, float]) -> Node | None:
        """Return a new node that takes what the data offer, if it is an Input."""
        entry = catalog().node(key)
        if entry is None:
            return None
        graph = self._session.graph
        node = make_node(graph, key, position=position, params=entry.initial_params())
        data = self._session.findings.data
        if data is None:
            return node
        grown = fit_inputs(Graph(nodes={**graph.nodes, node.id: node}, edges=()), data)
        return grown.nodes[node.id]

    def _sizes(self) -> dict[str, tuple[float, float]]:
        items = self._canvas.scene.nodes
        return {key: (WIDTH, item.height) for key, item in items.items()}

    def _room(self) -> tuple[float, float]:
        """Return how much of the scene is seen at the smallest zoom that is readable."""
        area = free_area(self._canvas)
        return (
            max(area.width(), _LEAST_ROOM) / READABLE,
            max(area.height(), _LEAST_ROOM) / READABLE,
        )

    def rename(self, node_id: str, name: str) -> str:
        """Give a node another name; return why that is not possible, or nothing."""
        try:
            self._session.edit(
                RenameNode(id=node_id, name=name), translate("Model", "Rename a layer")
            )
        except GraphError as error:
            text = sentence(error.problems[0], self._language())
            self._messenger.tell(text, "warning")
            self._painter.request()
            return text
        return ""

    def set_param(self, node_id: str, name: str, text: str) -> Diagnostic | None:
        """Set a parameter from what was typed; return why that is not possible, or nothing."""
        node = self._session.graph.nodes.get(node_id)
        entry = catalog().node(node.type) if node else None
        spec = entry.param(name) if entry else None
        if spec is None:
            return None
        try:
            value = parse_value(spec, text)
            self._session.edit(
                SetParam(id=node_id, name=name, value=value),
                translate("Model", "Change a setting"),
                merge_key=f"param.{node_id}.{name}",
            )
        except DiagnosticError as error:
            return msgspec.structs.replace(error.problems[0], node=node_id, field=name)
        return None

    def reset_param(self, node_id: str, name: str) -> None:
        """Give a parameter its default again."""
        node = self._session.graph.nodes.get(node_id)
        entry = catalog().node(node.type) if node else None
        spec = entry.param(name) if entry else None
        if spec is not None:
            value = "auto" if spec.required and spec.auto else spec.default
            if not spec.required or spec.auto:
                self._apply(
                    SetParam(id=node_id, name=name, value=value),
                    translate("Model", "Reset a setting"),
                )

    def copy(self) -> None:
        """Copy the selected nodes and the wires between them as text."""
        if self._session.selection:
            text = to_text(self._session.graph, self._session.selection)
            QGuiApplication.clipboard().setText(text)

    def cut(self) -> None:
        """Copy the selected nodes, then take them away."""
        self.copy()
        self._remove(self._session.selection, (), translate("Model", "Cut"))

    def paste(self) -> None:
        """Put what was copied a little beside where it came from."""
        fragment = self._clipboard()
        if fragment is not None:
            self._insert(fragment, (_OFFSET, _OFFSET), translate("Model", "Paste"))

    def paste_at(self, x: float, y: float) -> None:
        """Put what was copied at a place."""
        fragment = self._clipboard()
        if fragment is not None and fragment.nodes:
            left = min(node.position[0] for node in fragment.nodes.values())
            top = min(node.position[1] for node in fragment.nodes.values())
            self._insert(fragment, (x - left, y - top), translate("Model", "Paste"))

    def duplicate(self) -> None:
        """Put copies of the selected nodes beside them."""
        chosen = set(self._session.selection)
        graph = self._session.graph
        fragment = Graph(
            nodes={node_id: node for node_id, node in graph.nodes.items() if node_id in chosen},
            edges=tuple(e for e in graph.edges if e.source in chosen and e.target in chosen),
        )
        if fragment.nodes:
            self._insert(fragment, (_OFFSET, _OFFSET), translate("Model", "Duplicate"))

    def delete(self) -> None:
        """Take away what is selected on the canvas: nodes and wires."""
        self._canvas.delete_selection()

    def select_all(self) -> None:
        """Select every node."""
        self._canvas.select(tuple(self._session.graph.nodes))

    def arrange(self) -> None:
        """Lay the graph out by its flow."""
        positions = arrange(self._session.graph, self._sizes(), room=self._room())
        if self._apply(MoveNodes(positions=positions), translate("Model", "Arrange")):
            self._must_fit = True
            self._painter.request()

    def keep_view(self) -> None:
        """Leave what is seen as it is: it was put there on purpose."""
        self._must_fit = False

    def show_node(self, node_id: str) -> None:
        """Select a node and bring it into the middle."""
        if node_id in self._session.graph.nodes:
            self._canvas.select((node_id,))
            self._canvas.center_on(node_id)

    def _apply(self, edit: Edit, label: str) -> bool:
        try:
            self._session.edit(edit, label)
        except GraphError as error:
            self._messenger.report(error.problems)
            self._painter.request()
            return False
        return True

    def _select_soon(self, ids: tuple[str, ...]) -> None:
        """Select new nodes with the next picture: the one just painted may be without them."""
        self._pending_selection = ids
        self._painter.request()

    def _insert(self, fragment: Graph, offset: tuple[float, float], label: str) -> None:
        try:
            _, renamed = insert_fragment(self._session.graph, fragment, offset)
        except GraphError as error:
            self._messenger.report(error.problems)
            return
        if self._apply(InsertFragment(fragment=fragment, offset=offset), label):
            self._select_soon(tuple(renamed.values()))

    def _clipboard(self) -> Graph | None:
        try:
            return from_text(QGuiApplication.clipboard().text())
        except DiagnosticError as error:
            self._messenger.report(error.problems)
            return None

    def _remove(self, ids: tuple[str, ...], wires: tuple[WireKey, ...], label: str) -> None:
        gone = set(ids)
        edges = tuple(
            edge
            for edge in map(_edge, wires)
            if edge.source not in gone and edge.target not in gone
        )
        edits: list[Edit] = [Disconnect(edges=edges)] if edges else []
        if ids:
            edits.append(RemoveNodes(ids=ids))
        if edits:
            self._apply(Batch(edits=tuple(edits)), label)

    def _on_project_changed(self) -> None:
        if not self._session.can_undo and not self._session.can_redo:
            self._must_fit = bool(self._session.graph.nodes)  # a first node stays where it is put

    def _on_nodes_moved(self, positions: dict[str, tuple[float, float]]) -> None:
        self._apply(MoveNodes(positions=positions), translate("Model", "Move"))

    def _on_link_requested(self, source: str, output: str, target: str, port: str) -> None:
        edge = Edge(source=source, source_port=output, target=target, target_port=port)
        self._apply(Connect(edge=edge), translate("Model", "Connect"))

    def _on_relink_requested(self, before: WireKey, after: WireKey) -> None:
        edits = (Disconnect(edges=(_edge(before),)), Connect(edge=_edge(after)))
        self._apply(Batch(edits=edits), translate("Model", "Connect elsewhere"))

    def _on_disconnect_requested(self, wires: tuple[WireKey, ...]) -> None:
        self._remove((), wires, translate("Model", "Disconnect"))

    def _on_delete_requested(self, ids: tuple[str, ...], wires: tuple[WireKey, ...]) -> None:
        self._remove(ids, wires, translate("Model", "Delete"))

    def _on_menu_requested(self, place: QPoint, _x: float, _y: float) -> None:
        menu = QMenu(self._canvas)
        menu.setObjectName("canvas.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_menu(menu)
        menu.popup(place)


def _edge(key: WireKey) -> Edge:
    source, source_port, target, target_port = key
    return Edge(source=source, source_port=source_port, target=target, target_port=target_port)


def _first_fit(graph: Graph, node: Node, end: WireEnd) -> Edge | None:
    """Return the wire from a port to the first port of a new node that can take it."""
    grown = Graph(nodes={**graph.nodes, node.id: node}, edges=graph.edges)
    if end.is_output:
        ports = input_ports(grown, node)
        return (
            Edge(
                source=end.node,
                source_port=end.port,
                target=node.id,
                target_port=ports[0].name,
            )
            if ports
            else None
        )
    ports = output_ports(grown, node)
    return (
        Edge(source=node.id, source_port=ports[0].name, target=end.node, target_port=end.port)
        if ports
        else None
    )

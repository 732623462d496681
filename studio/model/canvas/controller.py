"""Controller of the Model workspace: requests of canvas, palette and inspector become edits."""

from collections.abc import Callable, Collection

import msgspec
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu
from typing_extensions import override

from engine.catalog.spec import Entry
from engine.catalog.validate import parse_value
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.graph.block import SEPARATOR, Path, entry_of, offered, type_entry
from engine.graph.edit.annotation import ChangeAnnotations
from engine.graph.edit.code_edits import SetCode
from engine.graph.edit.edits import (
    AddNode,
    Batch,
    Connect,
    Disconnect,
    Edit,
    GraphError,
    MoveNodes,
    PinNodes,
    RemoveNodes,
    RenameNode,
    SetParam,
    apply,
)
from engine.graph.edit.switch import switch_entry
from engine.graph.insert.flattening import flattened
from engine.graph.insert.placing import first_fit, free_place, insert_into, move_into, place_after
from engine.graph.layout.aligning import arranged
from engine.graph.layout.layered import GAP_X
from engine.graph.library import Library, brought, library_entries
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import (
    landing_inputs,
    landing_outputs,
    link_problem,
    make_node,
    output_ports,
)
from engine.spec.defaults import fit_inputs
from studio.i18n import translate
from studio.model.canvas.presenter import CanvasPresenter, present_search
from studio.services import Controller, Services
from studio.session.session import Session
from studio.view.problem import repairs_by_node
from widgets.canvas.canvas import Canvas
from widgets.canvas.framing import READABLE, free_area
from widgets.canvas.items.node_item import HEADER, WIDTH
from widgets.canvas.view_model import CanvasView, WireEnd, WireKey
from widgets.common.throttle import Throttle

_LEAST_ROOM = 300.0  # pixels: less is a canvas that has not been shown
_LEAST_ROW = 4 * WIDTH + 3 * GAP_X


class ModelController(Controller):
    """Glue between the canvas and the session. ``selection_changed`` is told by the canvas."""

    offer_changed = Signal()
    node_shown = Signal()

    def __init__(
        self, services: Services, canvas: Canvas, *, menu: Callable[[QMenu], None]
    ) -> None:
        super().__init__(services, canvas)
        self._canvas = canvas
        self._fill_menu = menu
        self._pending_selection: tuple[str, ...] | None = None
        self._must_fit = True
        self._shown_path = self._session.path
        self._views: dict[Path, dict[str, object]] = {}  # where one was on each level
        self._known_view: dict[str, object] | None = None
        self._presenter = CanvasPresenter()
        self.dress: Callable[[CanvasView], CanvasView] | None = None  # shows nodes another way
        self._painter = Throttle(16, self.paint, self)
        canvas.installEventFilter(self)
        canvas.set_link_rule(self._link_refusal, self._landing)
        self.offered: tuple[Entry, ...] = ()
        self._library: Library = {}
        self._connect()
        self.paint()

    def _connect(self) -> None:
        canvas, session = self._canvas, self._session
        session.graph_changed.connect(self._painter.request)
        session.analysis_changed.connect(self._painter.request)
        session.project_changed.connect(self._on_project_changed)
        session.level_changed.connect(self._on_level_changed)
        canvas.node_add_requested.connect(self.add_found)
        canvas.drop_requested.connect(lambda key, x, y: self.add_node(key, x, y, None))
        canvas.node_append_requested.connect(self.append_node)
        canvas.insert_requested.connect(self.insert_node)
        canvas.move_into_requested.connect(self._on_move_into_requested)
        canvas.nodes_moved.connect(self._on_nodes_moved)
        canvas.link_requested.connect(self._on_link_requested)
        canvas.relink_requested.connect(self._on_relink_requested)
        canvas.disconnect_requested.connect(self._on_disconnect_requested)
        canvas.delete_requested.connect(self._on_delete_requested)
        canvas.rename_requested.connect(self.rename)
        canvas.arrange_requested.connect(self.arrange)
        canvas.pin_requested.connect(self.toggle_pin)
        canvas.context_menu_requested.connect(self._on_menu_requested)

    def _link_refusal(self, output: WireEnd, port: WireEnd) -> str | None:
        edge = Edge(
            source=output.node, source_port=output.port, target=port.node, target_port=port.port
        )
        problem = link_problem(self._session.level, edge)
        return sentence(problem, self._language()) if problem else None

    def _landing(self, anchor: WireEnd) -> frozenset[tuple[str, str]]:
        graph = self._session.level
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
        self._offer()
        findings = session.findings.at(session.path)
        view = self._presenter.present(
            session.level,
            findings.analysis,
            findings.problems,
            self._language(),
            repairs_by_node(session.findings, session.path, self._language()),
        )
        self._canvas.set_view(view if self.dress is None else self.dress(view))
        if self._known_view is not None:
            self._canvas.restore_view_state(self._known_view)
            self._known_view = None
            self._must_fit = bool(session.level.nodes) and not self._canvas.shows_something()
        if self._pending_selection is not None:
            self._canvas.select(self._pending_selection, boxes=self._pending_selection)
            self._canvas.reveal(self._pending_selection)
            self._pending_selection = None
        if self._must_fit and session.level.nodes and self._canvas.isVisible():
            self._must_fit = False
            self._canvas.fit_readably()

    def _offer(self) -> None:
        """Say what can be added here, when that is not what it was."""
        graph = self._session.graph
        from_library = library_entries(self._library, graph)
        text = translate(
            "Model", "Several branches, of which one is active. Choose it in the inspector."
        )
        switch = msgspec.structs.replace(
            switch_entry(), label=translate("Model", "New switch"), summary=text
        )
        entries = (*from_library, *offered(graph, self._session.path), switch)
        if entries != self.offered:
            self.offered = entries
            self._canvas.set_search_entries(present_search(entries, self._language()))
            self.offer_changed.emit()

    def set_library(self, library: Library) -> None:
        """Offer the user's own blocks too."""
        self._library = library
        self._painter.request()

    def _bring(self, key: str) -> tuple[Graph, str, tuple[Edit, ...]]:
        """Return the level with the block that a key of the library stands for, the type of its
        uses there, and the edits that bring it; any other key needs none.
        """
        graph = self._session.level
        kind, edits = brought(graph, self._library, key)
        return (apply(Batch(edits=edits), graph) if edits else graph), kind, edits

    def add_node(self, key: str, x: float, y: float, end: WireEnd | None) -> None:
        """Put a new node on the canvas, wired to where a wire was dropped."""
        graph, kind, before = self._bring(key)
        node = self._new_node(graph, kind, (x, y))
        if node is None:
            return
        edits: list[Edit] = [*before, AddNode(node=node)]
        if end is not None and (edge := first_fit(graph, node, *_port(end))) is not None:
            edits.append(Connect(edge=edge))
        label, edit = translate("Model", "Add layer"), Batch(edits=tuple(edits))
        if self.try_edit(edit, label, is_foreign=_has_code(before), lays_wires=True):
            self.select_soon((node.id,))

    def add_found(self, key: str, x: float, y: float, end: WireEnd | None) -> None:
        """Put a node that was searched for on the canvas, below what lies there already."""
        if end is None:
            x, y = free_place(self._session.level, (x, y), self.sizes(), (WIDTH, HEADER))
        self.add_node(key, x, y, end)

    def append_node(self, key: str, end: WireEnd) -> None:
        """Put a new node after an output, to the right of its node, wired to it where it fits."""
        if end.node in self._session.level.nodes:
            width = max(self.room()[0], _LEAST_ROW)
            x, y = place_after(self._session.level, end.node, self.sizes(), (WIDTH, HEADER), width)
            self.add_node(key, x, y, end)

    def insert_node(self, key: str, x: float, y: float, wire: WireKey) -> None:
        """Put a new node into a wire; where it does not fit, or the wire is gone, beside it."""
        graph, kind, before = self._bring(key)
        node, edge = self._new_node(graph, kind, (x, y)), _edge(wire)
        if node is None:
            return
        is_there = edge in graph.edges
        edit = insert_into(graph, node, edge, self.sizes(), (WIDTH, HEADER)) if is_there else None
        if edit is None:
            self.add_node(key, x, y, None)
            return
        label, whole = translate("Model", "Insert layer into wire"), Batch(edits=(*before, edit))
        if self.try_edit(whole, label, is_foreign=_has_code(before), lays_wires=True):
            self.select_soon((node.id,))

    def add_beside(self, key: str) -> None:
        """Put a new node after the selected one, wired to it where that fits; into the selected
        wire; or into the middle of what is seen, below what lies there.
        """
        graph, nodes = self._session.level, self._session.selection
        wires = self._canvas.selected_wires()
        brought_graph, kind, _ = self._bring(key)
        entry = type_entry(brought_graph, kind)
        if len(wires) == 1 and not nodes and entry is not None and entry.inputs and entry.outputs:
            middle = self._canvas.scene.wires[wires[0]].middle()
            self.insert_node(key, middle.x() - WIDTH / 2, middle.y() - HEADER / 2, wires[0])
        elif len(nodes) == 1 and (ports := output_ports(graph, graph.nodes[nodes[0]])):
            self.append_node(key, WireEnd(node=nodes[0], port=ports[0].name, is_output=True))
        else:
            center = self._canvas.view_center()
            self.add_found(key, center.x(), center.y(), None)

    def _new_node(self, graph: Graph, key: str, position: tuple[float, float]) -> Node | None:
        """Return a new node that takes what the data offer, if it is an Input."""
        entry = type_entry(graph, key)
        if entry is None:
            return None
        node = make_node(graph, key, position=position, params=entry.initial_params())
        data = self._session.findings.data
        if data is None:
            return node
        grown = fit_inputs(Graph(nodes={**graph.nodes, node.id: node}, edges=()), data)
        return grown.nodes[node.id]

    def sizes(self) -> dict[str, tuple[float, float]]:
        """Return the sizes of all nodes, of those added a moment ago too."""
        self._painter.flush()
        items = self._canvas.scene.nodes
        return {key: (WIDTH, item.height) for key, item in items.items()}

    def room(self) -> tuple[float, float]:
        """Return how much of the scene is seen at the smallest zoom that is readable."""
        area = free_area(self._canvas)
        return (
            max(area.width(), _LEAST_ROOM) / READABLE,
            max(area.height(), _LEAST_ROOM) / READABLE,
        )

    def rename(self, node_id: str, name: str) -> str:
        """Give a node another name; return why that is not possible, or nothing."""
        try:
            self._session.edit_level(
                RenameNode(id=node_id, name=name), translate("Model", "Rename layer")
            )
        except GraphError as error:
            text = sentence(error.problems[0], self._language())
            self._notifications.tell(text, "warning")
            self._painter.request()
            return text
        return ""

    def set_param(self, node_id: str, name: str, text: str) -> Diagnostic | None:
        """Set a parameter from what was typed; return why that is not possible, or nothing."""
        node = self._session.level.nodes.get(node_id)
        entry = entry_of(self._session.level, node) if node else None
        spec = entry.param(name) if entry else None
        if spec is None:
            return None
        try:
            value = parse_value(spec, text)
            self._session.edit_level(
                SetParam(id=node_id, name=name, value=value),
                translate("Model", "Change setting"),
                merge_key=f"param.{node_id}.{name}",
            )
        except DiagnosticError as error:
            return msgspec.structs.replace(error.problems[0], node=node_id, field=name)
        return None

    def reset_param(self, node_id: str, name: str) -> None:
        """Give a parameter its default again."""
        node = self._session.level.nodes.get(node_id)
        entry = entry_of(self._session.level, node) if node else None
        spec = entry.param(name) if entry else None
        if spec is not None:
            value = "auto" if spec.required and spec.auto else spec.default
            if not spec.required or spec.auto:
                self.try_edit(
                    SetParam(id=node_id, name=name, value=value),
                    translate("Model", "Reset setting"),
                )

    def chosen(self) -> tuple[str, ...]:
        """Return what is selected on the canvas, but the wires: nodes, frames and notes."""
        return (*self._session.selection, *self._canvas.selected_boxes())

    def frames_of(self, ids: Collection[str]) -> tuple[str, ...]:
        """Return the frames and notes that belong to nodes: those selected with them, and the
        frames that hold some of them and no others.
        """
        self._painter.flush()
        scene, boxes = self._canvas.scene, list(self._canvas.selected_boxes())
        for key in scene.boxes:
            inside = set(scene.inside(key))
            if key not in boxes and inside & set(ids) and inside & scene.nodes.keys() <= set(ids):
                boxes.append(key)
        return tuple(boxes)

    def delete(self) -> None:
        """Take away what is selected on the canvas: nodes and wires."""
        self._canvas.delete_selection()

    def select_all(self) -> None:
        """Select every node, frame and note."""
        level = self._session.level
        self._canvas.select(tuple(level.nodes), boxes=tuple(level.annotations))

    def arrange(self) -> None:
        """Lay the graph out by its flow, around what is pinned."""
        level, sizes = self._session.level, self.sizes()
        positions, annotations = arranged(level, sizes, self.room())
        around = ChangeAnnotations(annotations=annotations)
        if level.nodes and not positions:
            self._notifications.tell(
                translate("Model", "All nodes are pinned, so nothing was moved.")
            )
        elif self.try_edit(
            Batch(edits=(MoveNodes(positions=positions), around)), translate("Model", "Arrange")
        ):
            self._must_fit = True
            self._painter.request()

    def toggle_pin(self) -> None:
        """Have the selected nodes keep their places when the graph is laid out; if all of them do
        already, no longer.
        """
        session = self._session
        if not session.selection:
            self._canvas.show_hint(translate("Model", "Select the nodes to pin."))
            return
        pins = not is_pinned(session)
        label = translate("Model", "Pin") if pins else translate("Model", "Unpin")
        self.try_edit(PinNodes(ids=session.selection, pinned=pins), label)

    def keep_view(self) -> None:
        """Leave what is seen as it is: it was put there on purpose."""
        self._must_fit = False

    def show_node(self, place: str) -> None:
        """Select the node at a path and bring it into the middle, in its block."""
        *path, node_id = place.split(SEPARATOR)
        if tuple(path) != self._session.path:
            self._session.enter(tuple(path), (node_id,))
            self._must_fit = False
            self.paint()
        self.node_shown.emit()
        if node_id in self._session.level.nodes:
            self._canvas.select((node_id,))
            self._canvas.center_on(node_id)

    def try_edit(
        self,
        edit: Edit,
        label: str,
        key: str | None = None,
        *,
        is_foreign: bool = False,
        lays_wires: bool = False,
    ) -> bool:
        """Change what is on the canvas; return whether it can be, and say why not. What follows
        with one ``key`` is one undo step. Of an edit that ``lays_wires`` those from convolutions to
        a linear layer get a Flatten.
        """
        try:
            whole = edit
            if lays_wires:
                whole = flattened(edit, self._session.level, self.sizes(), (WIDTH, HEADER))
            self._session.edit_level(whole, label, key, is_foreign=is_foreign)
        except GraphError as error:
            self._notifications.report(error.problems)
            self._painter.request()
            return False
        if whole is not edit:
            text = translate(
                "Model",
                "A Flatten layer was inserted because Linear expects a vector for each sample.",
            )
            self._notifications.tell(text)
        return True

    def select_soon(self, ids: tuple[str, ...]) -> None:
        """Select new nodes with the next picture: the one just painted may be without them."""
        self._pending_selection = ids
        self._painter.request()

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
            self.try_edit(Batch(edits=tuple(edits)), label)

    def _on_project_changed(self) -> None:
        if not self._session.can_undo and not self._session.can_redo:
            self._must_fit = bool(self._session.level.nodes)  # a first node stays where it is put
            self._views.clear()

    def _on_level_changed(self) -> None:
        """Show another level as it was left; the canvas still shows the one before."""
        path = self._session.path
        if not self._must_fit and self._known_view is None:
            self._views[self._shown_path] = self._canvas.view_place()
        self._shown_path = path
        self._pending_selection = self._session.selection
        self._known_view = self._views.get(path)
        self._must_fit = self._known_view is None
        self._painter.request()

    def _on_nodes_moved(self, positions: dict[str, tuple[float, float]]) -> None:
        self.try_edit(MoveNodes(positions=positions), translate("Model", "Move"))

    def _on_move_into_requested(self, node_id: str, x: float, y: float, wire: WireKey) -> None:
        graph, edge = self._session.level, _edge(wire)
        edit = None
        if edge in graph.edges and node_id in graph.nodes:
            edit = move_into(graph, node_id, (x, y), edge, self.sizes())
        if edit is None:
            self._on_nodes_moved({node_id: (x, y)})
        else:
            self.try_edit(edit, translate("Model", "Insert layer into wire"), lays_wires=True)

    def _on_link_requested(self, source: str, output: str, target: str, port: str) -> None:
        edge = Edge(source=source, source_port=output, target=target, target_port=port)
        self.try_edit(Connect(edge=edge), translate("Model", "Connect"), lays_wires=True)

    def _on_relink_requested(self, before: WireKey, after: WireKey) -> None:
        edits = (Disconnect(edges=(_edge(before),)), Connect(edge=_edge(after)))
        self.try_edit(Batch(edits=edits), translate("Model", "Reconnect"), lays_wires=True)

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


def is_pinned(session: Session) -> bool:
    """Return whether something is selected and all of it is pinned."""
    chosen = [session.level.nodes[node_id] for node_id in session.selection]
    return bool(chosen) and all(node.pinned for node in chosen)


def _port(end: WireEnd) -> tuple[str, str, bool]:
    return end.node, end.port, end.is_output


def _has_code(edits: tuple[Edit, ...]) -> bool:
    """Return whether edits bring code, which was not written in this project."""
    return any(isinstance(edit, SetCode) for edit in edits)


def _edge(key: WireKey) -> Edge:
    source, source_port, target, target_port = key
    return Edge(source=source, source_port=source_port, target=target, target_port=target_port)

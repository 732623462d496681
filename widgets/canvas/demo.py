"""Demo of the canvas alone: ``python -m widgets.canvas.demo [--theme dark]``. Requests are carried
out on a small document of its own.
"""

import sys
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QWidget

from widgets.canvas.canvas import Canvas
from widgets.canvas.demo_graph import ENTRIES, demo_node, demo_view
from widgets.canvas.view_model import CanvasView, NodeView, WireEnd, WireKey, WireView
from widgets.common.demo_window import run_demo
from widgets.common.plain_label import PlainLabel


class DemoDocument:
    """Does what a canvas asks, without shapes and without undo."""

    def __init__(self, canvas: Canvas, view: CanvasView) -> None:
        self._canvas = canvas
        self.nodes = {node.id: node for node in view.nodes}
        self.wires = {wire.key: wire for wire in view.wires}
        self._made = 0
        canvas.set_search_entries(ENTRIES)
        canvas.set_link_rule(self._rule)
        canvas.node_add_requested.connect(self.add)
        canvas.drop_requested.connect(lambda key, x, y: self.add(key, x, y, None))
        canvas.nodes_moved.connect(self._move)
        canvas.link_requested.connect(lambda *wire: self._lay(wire))
        canvas.relink_requested.connect(self._relay)
        canvas.disconnect_requested.connect(lambda wires: self._delete((), wires))
        canvas.delete_requested.connect(self._delete)
        canvas.rename_requested.connect(self._rename)
        self.show()

    def show(self) -> None:
        """Show the document as it is now."""
        sources = {key[:2] for key in self.wires}
        targets = {key[2:] for key in self.wires}
        nodes = [
            replace(
                node,
                inputs=tuple(
                    replace(port, is_connected=(node.id, port.name) in targets)
                    for port in node.inputs
                ),
                outputs=tuple(
                    replace(port, is_connected=(node.id, port.name) in sources)
                    for port in node.outputs
                ),
            )
            for node in self.nodes.values()
        ]
        self._canvas.set_view(CanvasView(nodes=tuple(nodes), wires=tuple(self.wires.values())))

    def add(self, key: str, x: float, y: float, end: WireEnd | None) -> None:
        """Add a node, linked to the wire that was dropped."""
        self._made += 1
        node = demo_node(key, f"{key.lower()}_{self._made}", x, y)
        self.nodes[node.id] = node
        if end is not None and end.is_output and node.inputs:
            self._lay((end.node, end.port, node.id, node.inputs[0].name))
        elif end is not None and not end.is_output and node.outputs:
            self._lay((node.id, node.outputs[0].name, end.node, end.port))
        self.show()
        self._canvas.select((node.id,))

    def _rule(self, source: WireEnd, target: WireEnd) -> str | None:
        reached, waiting = set[str](), [target.node]
        while waiting:
            node = waiting.pop()
            reached.add(node)
            waiting += [key[2] for key in self.wires if key[0] == node and key[2] not in reached]
        if source.node in reached:
            return "This wire would close a loop."
        return None

    def _lay(self, wire: WireKey) -> None:
        self.wires = {key: view for key, view in self.wires.items() if key[2:] != wire[2:]}
        source, source_port, target, target_port = wire
        self.wires[wire] = WireView(
            source=source, source_port=source_port, target=target, target_port=target_port
        )
        self.show()

    def _relay(self, old: WireKey, after: WireKey) -> None:
        self.wires.pop(old, None)
        self._lay(after)

    def _move(self, places: dict[str, tuple[float, float]]) -> None:
        for node, (x, y) in places.items():
            self.nodes[node] = replace(self.nodes[node], x=x, y=y)
        self.show()

    def _delete(self, nodes: tuple[str, ...], wires: tuple[WireKey, ...]) -> None:
        self.nodes = {key: node for key, node in self.nodes.items() if key not in nodes}
        self.wires = {
            key: wire
            for key, wire in self.wires.items()
            if key not in wires and key[0] in self.nodes and key[2] in self.nodes
        }
        self.show()

    def _rename(self, node_id: str, name: str) -> None:
        node: NodeView = self.nodes[node_id]
        self.nodes[node_id] = replace(node, title=name)
        self.show()


def build_demo(language: str) -> QWidget:  # noqa: ARG001 - the demo's document is English
    """Return a window with a canvas and its document."""
    window = QMainWindow()
    canvas = Canvas()
    document = DemoDocument(canvas, demo_view())
    window.setProperty("document", document)
    window.setCentralWidget(canvas)
    hint = PlainLabel(textFormat=Qt.TextFormat.PlainText)
    window.statusBar().addWidget(hint)
    canvas.hint.connect(hint.setText)
    canvas.fit()
    return window


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Trellis canvas"))

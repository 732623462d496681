"""Drag from a list onto the canvas."""

from PySide6.QtCore import QMimeData

NODE_MIME = "application/x-trellis-node"


def node_mime(key: str) -> QMimeData:
    """Return what a drag carries that would add a node."""
    mime = QMimeData()
    mime.setData(NODE_MIME, key.encode("utf-8"))
    return mime


def dragged_key(mime: QMimeData) -> str:
    """Return the key of the node that a drag would add; empty for any other drag."""
    if not mime.hasFormat(NODE_MIME):
        return ""
    return bytes(mime.data(NODE_MIME).data()).decode("utf-8", errors="replace")

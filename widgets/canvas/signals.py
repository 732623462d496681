"""Signals of the canvas, apart from how it works."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class CanvasSignals(QWidget):
    """A widget with the requests and facts of a canvas.

    The canvas never changes the document: it asks, and shows the next ``CanvasView`` it is given.
    Containers are sent as plain Python objects. A wire is a ``WireKey``; positions are in scene
    units. ``node_add_requested``: key, x, y, and the ``WireEnd`` whose wire was dropped (or None):
    the new node is to be linked to it. ``insert_requested``: the new node is to go into a wire;
    ``move_into_requested``: one that is there and has no wires.
    ``relink_requested``: one end of a wire was plugged elsewhere: the wire as it is, and as it
    shall be (one step to undo). ``context_menu_requested``: the global QPoint, then x and y; what
    was clicked is selected already. ``hint``: a sentence for the status bar, empty when there is
    none. Frames and notes are selected beside the nodes (``selected_boxes``); where a signal sends
    ids, theirs follow those of the nodes.
    """

    node_add_requested = Signal(str, float, float, object)  # key, x, y, WireEnd | None
    drop_requested = Signal(str, float, float)  # key, x, y
    node_append_requested = Signal(str, object)  # key, WireEnd: after this output, in the flow
    replace_requested = Signal(str, str)  # key, id of the node in whose place it comes
    insert_requested = Signal(str, float, float, object)  # key, x, y, WireKey
    phrase_requested = Signal(str, object)  # text, Spot: a row of new nodes
    move_into_requested = Signal(str, float, float, object)  # node id, x, y, WireKey
    nodes_moved = Signal(object)  # dict[str, tuple[float, float]]: frames and notes too
    link_requested = Signal(str, str, str, str)  # source, source port, target, target port
    box_changed = Signal(str, str, object)  # id, text, QRectF
    writing_begun = Signal()  # of a title or a note; its text may come in several changes
    relink_requested = Signal(object, object)  # WireKey, WireKey
    disconnect_requested = Signal(object)  # tuple[WireKey, ...]
    delete_requested = Signal(object, object)  # tuple of ids, tuple[WireKey, ...]
    rename_requested = Signal(str, str)  # id, new name
    copy_requested = Signal(object)  # tuple of ids
    cut_requested = Signal(object)  # tuple of ids
    paste_requested = Signal(float, float)  # where
    duplicate_requested = Signal(object)  # tuple of ids
    pin_requested = Signal()
    painted = Signal(object)  # tuple of ids: what a stroke of the brush went over
    brush_changed = Signal(bool)  # in the hand or not
    brush_left = Signal()  # Escape while there is a brush in the hand
    arrange_requested = Signal()
    node_activated = Signal(str)  # Enter or double click: show it in the inspector
    leave_requested = Signal()  # Escape with nothing selected: out of what was entered
    selection_changed = Signal(object)  # tuple of node ids, in the order of selecting
    context_menu_requested = Signal(object, float, float)  # QPoint, x, y
    view_changed = Signal()  # zoom or position
    snap_changed = Signal(bool)
    minimap_changed = Signal(bool)  # shown or not
    hint = Signal(str)

"""Wheel and touchpad: the wheel zooms to the mouse, two fingers pan, a pinch zooms."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputDevice, QNativeGestureEvent, QWheelEvent

from widgets.canvas.board import Board
from widgets.canvas.navigation import zoom_by

_PER_UNIT = 1.0016  # 120 units, a notch: factor 1.21
_NOTCH = 120
_NEAR_FULL_SIZE = 0.06


def turn_wheel(board: Board, event: QWheelEvent) -> None:
    """Zoom or pan by a wheel event."""
    is_touchpad = event.device().type() == QInputDevice.DeviceType.TouchPad
    turned, modifiers = event.angleDelta(), event.modifiers()
    if is_touchpad and not modifiers & Qt.KeyboardModifier.ControlModifier:
        step = event.pixelDelta() if not event.pixelDelta().isNull() else turned / 4
        _pan(board, step.x(), step.y())
    elif modifiers & Qt.KeyboardModifier.ShiftModifier:
        _pan(board, (turned.y() or turned.x()) / 2, 0)
    elif turned.y():
        zoom_by(board, _factor(board.viewport.scale, turned.y()), event.position())
    elif turned.x():
        _pan(board, turned.x() / 2, 0)
    event.accept()


def pinch(board: Board, event: QNativeGestureEvent) -> bool:
    """Zoom by a pinch; return whether it was one."""
    if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
        return False
    zoom_by(board, 1.0 + event.value(), event.position())
    return True


def _factor(scale: float, units: int) -> float:
    """Return by how much to zoom; a whole notch that comes near full size stops there."""
    factor = _PER_UNIT**units
    is_near = abs(scale * factor - 1.0) < _NEAR_FULL_SIZE and abs(units) >= _NOTCH
    return 1.0 / scale if is_near and scale != 1.0 else factor


def _pan(board: Board, dx: float, dy: float) -> None:
    board.viewport.pan(dx, dy)
    board.navigated()

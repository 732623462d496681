"""Tab order by what is on the screen, in the order in which it is read.

Qt's own focus chain follows the order in which widgets were created, and counts a dock that lies
behind another as visible: it is shown, but beside its window.
"""

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QLabel,
    QLineEdit,
    QScrollArea,
    QWidget,
)

_WHOLE = (QAbstractButton, QAbstractSpinBox, QComboBox, QLabel, QLineEdit)  # one stop at most
_SLACK = 2  # pixels by which neighbours may lie over each other


def is_reachable(widget: QWidget) -> bool:
    """Return whether a widget can have the keys: it is enabled and on the screen. What is only
    scrolled away counts, because it can be scrolled back.
    """
    if not widget.isVisible() or not widget.isEnabled():
        return False
    rect = widget.rect()
    while not widget.isWindow() and (parent := widget.parentWidget()) is not None:
        area = parent.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
            widget, rect = area, area.rect()
            continue
        rect = rect.translated(widget.pos()).intersected(parent.rect())
        widget = parent
        if rect.isEmpty():
            return False
    return not rect.isEmpty()


def tab_stops(root: QWidget) -> list[QWidget]:
    """Return where Tab stops inside a widget, in the order of reading."""
    return [widget for widget in _walk(root) if _is_stop(widget) and is_reachable(widget)]


def walk(root: QWidget, *, forward: bool) -> bool:
    """Give the keys to the next stop (or the one before) inside a widget, and begin anew behind the
    last; return whether there was another one.
    """
    order, current = _walk(root), root.focusWidget()
    start = next((index for index, widget in enumerate(order) if widget is current), -1)
    ahead = [*order[start + 1 :], *order[: max(start, 0)]]
    if not forward:
        ahead.reverse()
    target = next((one for one in ahead if _is_stop(one) and is_reachable(one)), None)
    if target is None:
        return False
    reason = Qt.FocusReason
    take_keys(target, reason.TabFocusReason if forward else reason.BacktabFocusReason)
    return True


def take_keys(widget: QWidget, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
    """Give a widget the keys and scroll it into view, also from or to a dock that floats: that is a
    window of its own.
    """
    window, active = widget.window(), QApplication.activeWindow()
    if active is not window and (
        isinstance(active, QDockWidget) or isinstance(window, QDockWidget)
    ):
        window.activateWindow()
    widget.setFocus(reason)
    area = widget.parentWidget()
    while area is not None and not area.isWindow():
        if isinstance(area, QScrollArea):
            area.ensureWidgetVisible(widget)
        area = area.parentWidget()


def _walk(widget: QWidget) -> list[QWidget]:
    """Return what is on the screen inside a widget, each before what it holds."""
    widgets: list[QWidget] = []
    for child in _in_reading_order(_shown_children(widget)):
        widgets.append(child)
        if not isinstance(child, _WHOLE):
            widgets.extend(_walk(child))
    return widgets


def _shown_children(widget: QWidget) -> list[QWidget]:
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    children = widget.findChildren(QWidget, options=direct)
    area = widget.parentWidget()
    is_view = isinstance(area, QAbstractScrollArea) and area.viewport() is widget
    return [
        child
        for child in children
        if child.isVisible()
        and child.isEnabled()
        and not child.isWindow()
        and not child.rect().isEmpty()
        and (is_view or child.geometry().intersects(widget.rect()))
    ]


def _is_stop(widget: QWidget) -> bool:
    behavior = Qt.TabFocusBehavior.TabFocusAllControls
    is_all = QGuiApplication.styleHints().tabFocusBehavior() == behavior
    wanted = Qt.FocusPolicy.TabFocus if is_all else Qt.FocusPolicy.StrongFocus
    if widget.focusPolicy() & wanted != wanted or widget.focusProxy() is not None:
        return False
    if isinstance(widget, QScrollArea):  # scrolled by what it holds, where that has the keys
        bars = widget.verticalScrollBar(), widget.horizontalScrollBar()
        return any(bar.maximum() > bar.minimum() for bar in bars) and not tab_stops(widget)
    return True


def _in_reading_order(widgets: Sequence[QWidget]) -> list[QWidget]:
    """Return widgets line by line and, where they stand in columns, column by column."""
    if len(widgets) < 2:
        return list(widgets)
    for span, _ in ((_height, 0), (_width, 1)):
        groups = list(_cut(widgets, span))
        if len(groups) > 1:
            return [widget for group in groups for widget in _in_reading_order(group)]
    return sorted(widgets, key=lambda widget: (widget.y(), widget.x()))


def _cut(
    widgets: Sequence[QWidget], span: Callable[[QWidget], tuple[int, int]]
) -> Iterator[list[QWidget]]:
    """Yield groups of widgets between which a straight cut goes through."""
    group: list[QWidget] = []
    end = 0
    for widget in sorted(widgets, key=span):
        start, its_end = span(widget)
        if group and start >= end - _SLACK:
            yield group
            group = []
        end = max(end, its_end) if group else its_end
        group.append(widget)
    yield group


def _height(widget: QWidget) -> tuple[int, int]:
    return widget.y(), widget.y() + widget.height()


def _width(widget: QWidget) -> tuple[int, int]:
    return widget.x(), widget.x() + widget.width()


def center_of(widget: QWidget) -> QPoint:
    """Return the middle of a widget on the screen."""
    return widget.mapToGlobal(QRect(QPoint(), widget.size()).center())

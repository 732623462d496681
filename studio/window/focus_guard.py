"""Guard of the keyboard focus: what has the keys is on the screen.

Qt leaves the focus in a dock that goes behind another, and hands on the focus of what is hidden,
disabled or deleted to whatever was made next, such as a button of the toolbar, or to nothing.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QDockWidget, QStackedWidget, QWidget
from shiboken6 import isValid
from typing_extensions import override

from widgets.common.tab_walk import center_of, is_reachable, tab_stops, take_keys, walk


class FocusGuard(QObject):
    """Gives the keys of what has gone to what is nearest on its page or in its dock, and back when
    it returns before a key was pressed; where page or dock have gone too, to ``home(dock)``.

    It looks when the event that took something away is over: often another thing comes in its
    place, or the thing itself returns at once.
    """

    def __init__(self, window: QWidget, home: Callable[[QDockWidget | None], QWidget]) -> None:
        super().__init__(window)
        self._window = window
        self._home = home
        self._held: QWidget | None = None  # had the keys last
        self._name = ""
        self._place = QPoint()
        self._rooms: tuple[QWidget, ...] = ()
        self._lost: QWidget | None = None  # for which the one that is held stands in
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._check)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def walk(self, window: QWidget, *, forward: bool) -> bool:
        """Do what Tab and Shift+Tab do in a window; Qt asks for it as well when what has the keys
        goes, which is no walk.
        """
        current = window.focusWidget()
        if current and current is not window and not is_reachable(current):
            self.request()
            return False
        return walk(window, forward=forward)

    def request(self) -> None:
        """Look after the focus soon."""
        self._timer.start()

    def _on_focus_changed(self, _old: QWidget | None, now: QWidget | None) -> None:
        if now is not None and self._is_ours(now.window()):
            self._hold(now)
        self.request()

    def _is_ours(self, window: QWidget | None) -> bool:
        is_dock = isinstance(window, QDockWidget) and window.parentWidget() is self._window
        return window is self._window or is_dock

    def _hold(self, widget: QWidget) -> None:
        if widget is not self._held:
            self._watch(widget)
        self._held, self._name = widget, widget.objectName()
        self._place, self._rooms = center_of(widget), _rooms_of(widget)

    def _watch(self, held: QWidget, lost: QWidget | None = None) -> None:
        """See what happens to a widget, and to the one that it stands in for."""
        for widget in (self._held, self._lost):
            if widget is not None and isValid(widget):
                widget.removeEventFilter(self)
        self._held, self._lost = held, lost
        for widget in (held, lost):
            if widget is not None:
                widget.installEventFilter(self)

    def _check(self) -> None:
        focus = QApplication.focusWidget()
        is_elsewhere = focus is not None and not self._is_ours(focus.window())
        if is_elsewhere or not self._is_ours(QApplication.activeWindow()):
            return
        lost = self._lost
        if lost is not None and isValid(lost) and is_reachable(lost) and focus is self._held:
            take_keys(lost)
        elif focus is None or not is_reachable(focus):
            self._rescue()
        else:
            self._hold(focus)

    def _rescue(self) -> None:
        held = self._held if self._held is not None and isValid(self._held) else None
        rooms = [room for room in self._rooms if isValid(room)]
        room = next((room for room in rooms if is_reachable(room)), None)
        if held is not None and is_reachable(held):
            take_keys(held)
        elif room is not None:
            take_keys(self._stand_in(room))
            focus = QApplication.focusWidget()
            if held is not None and focus is not None and focus is not held:
                self._watch(focus, lost=held)
        else:
            docks = (room for room in rooms if isinstance(room, QDockWidget))
            take_keys(self._home(next(docks, None)))

    def _stand_in(self, room: QWidget) -> QWidget:
        """Return what takes the keys in a room: what has the same name, else what is nearest, best
        nothing that the space bar would press.
        """
        stops = tab_stops(room)
        named = (stop for stop in stops if self._name and stop.objectName() == self._name)
        return next(named, min(stops, key=self._distance, default=room))

    def _distance(self, widget: QWidget) -> tuple[bool, int]:
        way = center_of(widget) - self._place
        return isinstance(widget, QAbstractButton), way.manhattanLength()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = QEvent.Type
        if event.type() in (kinds.Show, kinds.Hide, kinds.EnabledChange):
            self.request()
        elif event.type() is kinds.KeyPress and self._held is not None and self._lost is not None:
            self._watch(self._held)  # the user works here now
        return False


def _rooms_of(widget: QWidget) -> tuple[QWidget, ...]:
    """Return the pages and the dock in which a widget lies, from the inside."""
    rooms: list[QWidget] = []
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(widget, QDockWidget) or isinstance(parent, QStackedWidget):
            rooms.append(widget)
        widget, parent = parent, parent.parentWidget()
    return tuple(rooms)

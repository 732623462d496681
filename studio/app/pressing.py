"""Buttons that are pressed and entries that are chosen, by name, before a picture is taken."""

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from engine.diagnostics import DiagnosticError

Wait = Callable[[Callable[[], bool], float], object]
_LIMIT_S = 90.0


def press(step: str, wait: Wait) -> None:
    """Press a button or an entry of a menu (``NAME``), choose an entry of a list or a tab, by what
    it is called here or in the program (a tab also by its number), or type into a field
    (``NAME=TEXT``); what is none of them is waited for until it is seen. ``wait`` waits for a
    condition, at most some seconds.

    Raises :class:`DiagnosticError` P076 where nothing of that name is seen and enabled, P077 where
    the list or the tabs have no such entry.
    """
    name, _, text = step.partition("=")
    wait(lambda: _find(name) is not None, _LIMIT_S)
    widget = _find(name)
    if widget is None:
        raise DiagnosticError.of("P076", name=name)
    if isinstance(widget, QLineEdit):
        widget.setText(text)
        widget.setModified(True)
        widget.textEdited.emit(text)
        widget.editingFinished.emit()
    elif isinstance(widget, QPlainTextEdit):
        widget.setPlainText(text)
    elif isinstance(widget, QAction):
        widget.trigger()
    elif isinstance(widget, QAbstractButton):
        widget.click()
    elif isinstance(widget, QComboBox):
        entries = [str(widget.itemData(at)) for at in range(widget.count())]
        titles = [widget.itemText(at) for at in range(widget.count())]
        at = _place(name, text, entries if text in entries else titles)
        widget.setCurrentIndex(at)
        widget.activated.emit(at)
    elif isinstance(widget, QTabBar):
        places = range(widget.count())
        entries = [str(widget.tabData(at) or at + 1) for at in places]
        titles = [widget.tabText(at) for at in places]
        widget.setCurrentIndex(_place(name, text, entries if text in entries else titles))


def _place(name: str, text: str, entries: list[str]) -> int:
    """Return where an entry stands. Raises :class:`DiagnosticError` P077 where it does not."""
    if text not in entries:
        raise DiagnosticError.of("P077", name=name, entry=text, entries=", ".join(entries))
    return entries.index(text)


def _find(name: str) -> QWidget | QAction | None:
    """Return what is called so and can be pressed now; a dialog has a window of its own."""
    for widget in QApplication.allWidgets():
        if widget.objectName() == name and widget.isVisible() and widget.isEnabled():
            return widget
        for action in widget.actions():
            if action.objectName() == name and action.isEnabled():
                return action
    return None

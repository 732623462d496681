"""Row of a form: label, editor, the buttons for automatic and default, and the problem."""

import re

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QToolButton, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.text import tooltip
from widgets.forms.axis_order import AxisOrder
from widgets.forms.editors import ChoiceEditor, TextEditor, build_editor
from widgets.forms.several_editor import SeveralEditor
from widgets.forms.view_model import FieldView

_STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
_LONG_WORD = re.compile(r"[^\s\u2e80-\uffff]{16}(?=[^\s])")


class FieldRow(LiveWidget):
    """Shows one :class:`FieldView` and tells what the user wants of it.

    Escape gives back what the field held when the user came to it, or pressed Enter last; where
    nothing was changed since, it is left to what is around. Marks of a list stay: each is set by
    itself, and Escape has closed the list.
    """

    value_changed = Signal(str, str)
    reset_requested = Signal(str)
    browse_requested = Signal(str)
    focused = Signal(str)

    def __init__(self, view: FieldView, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = view
        self._previous: str | None = None  # what was there before the first change of this visit
        self.setObjectName(f"row.{view.name}")
        self._label = parts.label(self, role="muted")
        self.editor = build_editor(view, self)
        self.editor.setObjectName(f"field.{view.name}")
        self._label.setBuddy(self.editor)
        self._unit = parts.label(self, role="faint")
        self._browse = self._build_button(view.browse_icon, f"field.{view.name}.browse")
        self._keep_space(self._browse, keep=False)
        self._auto = self._build_button("auto", f"field.{view.name}.auto")
        self._auto.setCheckable(True)
        self._reset = self._build_button("reset", f"field.{view.name}.reset")
        self._message = parts.label(self, f"field.{view.name}.message", wraps=True)
        self._message.setMinimumWidth(1)  # its longest word must not make the form wider
        self._message.hide()
        self._axes: AxisOrder | None = None
        self._arrange()
        self.setFocusProxy(self.editor)  # so that setTabOrder moves the row as a whole
        self.editor.edited.connect(self._on_edited)
        self.editor.installEventFilter(self)
        if isinstance(self.editor, ChoiceEditor):
            self.editor.unmatched.connect(self._on_unmatched)
        self._browse.clicked.connect(lambda: self.browse_requested.emit(self.view.name))
        self._auto.clicked.connect(self._on_auto_clicked)
        self._reset.clicked.connect(lambda: self.reset_requested.emit(self.view.name))
        self.set_view(view)

    def _build_button(self, icon_name: str, name: str) -> QToolButton:
        button = parts.tool_button(self, name, icon=icon_name)
        self._keep_space(button)
        return button

    @staticmethod
    def _keep_space(button: QToolButton, *, keep: bool = True) -> None:
        policy = button.sizePolicy()
        policy.setRetainSizeWhenHidden(keep)
        button.setSizePolicy(policy)

    def _arrange(self) -> None:
        line = parts.row(self._label, margins=(0, 0, 0, 0), spacing=4)
        stretch = 0 if self.view.kind == "bool" else 1
        line.addWidget(self.editor, stretch)
        line.addWidget(self._unit)
        if not stretch:
            line.addStretch(1)
        line.addWidget(self._browse)
        line.addWidget(self._auto)
        line.addWidget(self._reset)
        self._column = parts.column(
            line, self._message, margins=(0, 0, 0, 0), spacing=2, parent=self
        )

    def set_view(self, view: FieldView) -> None:
        """Show a field; one of the same name and kind."""
        self.view = view
        self.editor.set_view(view)
        self._show_axes(view)
        self._unit.setText(view.unit)
        self._unit.setVisible(bool(view.unit))
        self._browse.setVisible(bool(view.browse))
        self._auto.setVisible(view.auto)
        self._auto.setChecked(view.is_auto)
        self._reset.setVisible(view.is_modified and not view.is_read_only)
        role = "error" if view.error else "warning" if view.warning else "muted"
        self._show_message(view.error or view.warning or view.note, role)
        if isinstance(self.editor, TextEditor):
            self._set_invalid(bool(view.error) or view.is_invalid)
        self.retranslate()

    def _show_axes(self, view: FieldView) -> None:
        if self._axes is None:
            if not view.axes:
                return
            self._axes = AxisOrder(self)
            self._axes.setObjectName(f"field.{view.name}.axes")
            self._axes.moved.connect(self._on_edited)
            self._axes.installEventFilter(self)
            self._column.insertWidget(1, self._axes)
            self._indent_axes()
        self._axes.set_view(view.text, view.axes)

    def _indent_axes(self) -> None:
        if self._axes is not None:
            self._axes.setContentsMargins(self._label.minimumWidth() + 4, 0, 0, 2)

    def _set_invalid(self, is_invalid: bool) -> None:
        if bool(self.editor.property("invalid")) != is_invalid:
            self.editor.setProperty("invalid", is_invalid)
            self.editor.style().polish(self.editor)

    def _show_message(self, text: str, role: str) -> None:
        if self._message.property("role") != role:
            self._message.setProperty("role", role)
            self._message.style().polish(self._message)
        self._message.setText(_breakable(text))
        self._message.setVisible(bool(text))

    def set_auto_column(self, *, is_kept: bool) -> None:
        """Keep the place of the automatic button, where another row of the form has one."""
        self._keep_space(self._auto, keep=is_kept)

    def label_width(self) -> int:
        """Return the width that the label would like."""
        return QFontMetrics(self._label.font()).horizontalAdvance(self.view.label) + 8

    def set_label_width(self, width: int) -> None:
        """Give the label a width, so that all editors of a form begin at the same place."""
        self._label.setFixedWidth(width)
        metrics = QFontMetrics(self._label.font())
        mode = Qt.TextElideMode.ElideRight
        self._label.setText(metrics.elidedText(self.view.label, mode, width - 6))
        self._message.setContentsMargins(width + 4, 0, 0, 2)
        self._indent_axes()

    @override
    def retranslate(self) -> None:
        view = self.view
        facts = [self._range_text()]
        if view.default_text:
            facts.append(self.tr("Default: {value}").format(value=view.default_text))
        if view.browse and view.text:
            facts.append(view.text)  # of which the row shows the end
        tip = tooltip(view.label, view.help, *facts)
        self._label.setToolTip(tip)
        self.editor.setToolTip(tip)
        self.editor.setAccessibleName(view.label)
        self.editor.setAccessibleDescription(" ".join(filter(None, (view.help, view.error))))
        self._browse.setToolTip(tooltip(view.browse))
        self._browse.setAccessibleName(f"{view.label}: {view.browse}")
        auto = self.tr("Infer {name} automatically").format(name=view.label)
        self._auto.setToolTip(tooltip(auto))
        self._auto.setAccessibleName(auto)
        reset = self.tr("Reset to default: {value}").format(value=view.default_text)
        self._reset.setToolTip(tooltip(reset))
        self._reset.setAccessibleName(f"{view.label}: {reset}")

    def _range_text(self) -> str:
        low, high = self.view.minimum, self.view.maximum
        if low is not None and high is not None:
            return self.tr("From {low} to {high}").format(low=f"{low:g}", high=f"{high:g}")
        if low is not None:
            return self.tr("At least {low}").format(low=f"{low:g}")
        if high is not None:
            return self.tr("At most {high}").format(high=f"{high:g}")
        return ""

    def _on_auto_clicked(self, is_on: bool) -> None:
        view = self.view
        if is_on:
            self.value_changed.emit(view.name, "auto")
        elif view.resolved:
            self.value_changed.emit(view.name, view.resolved)
        else:
            self._auto.setChecked(True)
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_edited(self, text: str) -> None:
        if self._previous is None and not isinstance(self.editor, SeveralEditor):
            self._previous = _told(self.view)
        self.value_changed.emit(self.view.name, text)

    def _on_unmatched(self, text: str) -> None:
        """Say why what was typed is not there any more, until something else is shown."""
        message = self.tr("No choice matches “{text}”.").format(text=text)
        self._show_message(message, "warning")

    def _take_back(self) -> bool:
        """Give the value before this visit back; return whether anything was changed."""
        is_typed = isinstance(self.editor, TextEditor | ChoiceEditor) and self.editor.forget_typed()
        now, original, self._previous = _told(self.view), self._previous, None
        if original in (None, now) and not is_typed:
            return False
        self.value_changed.emit(self.view.name, now if original is None else original)
        return True

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusIn:
            if event.reason() not in _STAYS:
                self._previous = None
            self.focused.emit(self.view.name)
        elif isinstance(event, QKeyEvent):
            kind, key = event.type(), event.key()
            if kind == QEvent.Type.KeyPress and key == Qt.Key.Key_Escape and not event.modifiers():
                return self._take_back()
            if kind == QEvent.Type.KeyRelease and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._previous = None  # kept: the editor has told it at the press
        return super().eventFilter(watched, event)


def _told(view: FieldView) -> str:
    """Return the value of a field as an editor tells it."""
    if view.is_auto:
        return "auto"
    return "none" if view.is_none or (view.kind == "several" and not view.text) else view.text


def _breakable(text: str) -> str:
    """Return a text that can be wrapped inside long words too: one that cannot, such as a pasted
    number, would make the form wider than its place.
    """
    return _LONG_WORD.sub(lambda match: f"{match.group()}\u200b", text)

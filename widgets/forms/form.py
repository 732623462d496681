"""Form built from a view model: rows are kept while they mean the same, so focus and caret stay."""

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QToolButton, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.common.tab_walk import take_keys
from widgets.common.text import tooltip
from widgets.common.theme import theme_signals
from widgets.forms.field_row import FieldRow
from widgets.forms.view_model import FieldView, FormView, GroupView

_LABEL_SHARE = 0.42


class FormWidget(QScrollArea):
    """Edits what a :class:`FormView` shows.

    ``value_changed(name, text)`` carries what the user typed, ``true``/``false`` for switches, a
    choice's value, ``auto`` or ``none``: to parse and to check is the receiver's business.
    """

    value_changed = Signal(str, str)
    reset_requested = Signal(str)
    browse_requested = Signal(str)
    field_focused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = FormView(key="")
        self._rows: dict[tuple[str, str, bool], FieldRow] = {}
        self._new_rows: set[FieldRow] = set()  # made as their view says, by build_rows
        self._headings: dict[str, QLabel] = {}
        self._folds: dict[str, QToolButton] = {}
        self._open_folds: set[str] = set()
        self._order: list[QWidget] = []
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._content.setProperty("role", "surface")
        self._content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = parts.column(margins=(12, 10, 8, 12), spacing=6, parent=self._content)
        self._empty = parts.label(self._content, role="muted", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWidget(self._content)
        theme_signals().changed.connect(self._align)
        self.set_view(self._view)

    @property
    def view(self) -> FormView:
        """What is shown."""
        return self._view

    def set_view(self, view: FormView) -> None:
        """Show a form; what stands in it and has the user's focus is left alone."""
        if view.key != self._view.key:
            self._drop_rows()
        self._view = view
        order: list[QWidget] = []
        if view.title:
            order.append(self._heading("", view.title, ""))
        for index, group in enumerate(view.groups):
            order.extend(self._place_group(group, group.name or f"group{index}"))
        has_fields = any(group.fields for group in view.groups)
        self._empty.setText(view.empty_text)
        self._empty.setVisible(not has_fields and bool(view.empty_text))
        if self._empty.isVisibleTo(self._content):
            order.append(self._empty)
        self._new_rows.clear()
        self._reorder(order)
        self._align()
        self.updateGeometry()

    def build_rows(self, view: FormView) -> Iterator[None]:
        """Make the rows of a form, one at a step; :meth:`set_view` then only has to show them."""
        if view.key != self._view.key:
            self.set_view(FormView(key=view.key))
        for group in view.groups:
            for field in group.fields:
                if _key(field) not in self._rows:
                    row = self._add_row(field)
                    row.hide()
                    self._new_rows.add(row)
                    yield

    def _add_row(self, view: FieldView) -> FieldRow:
        row = self._rows[_key(view)] = FieldRow(view, self._content)
        row.value_changed.connect(self.value_changed)
        row.reset_requested.connect(self.reset_requested)
        row.browse_requested.connect(self.browse_requested)
        row.focused.connect(self.field_focused)
        return row

    def _drop_rows(self) -> None:
        widgets = [*self._rows.values(), *self._headings.values(), *self._folds.values()]
        for widget in widgets:
            self._discard(widget)
        self._rows, self._headings, self._folds = {}, {}, {}

    def _discard(self, widget: QWidget) -> None:
        self._column.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _place_group(self, group: GroupView, name: str) -> list[QWidget]:
        placed: list[QWidget] = []
        if group.title:
            placed.append(self._heading(name, group.title, group.help))
        folded: list[QWidget] = []
        modified = 0
        for view in group.fields:
            row = self._rows.get(_key(view))
            if row is None:
                row = self._add_row(view)
            elif row not in self._new_rows or row.view != view:
                row.set_view(view)
            is_open = not view.advanced or name in self._open_folds or bool(view.error)
            row.setVisible(is_open)
            (folded if view.advanced else placed).append(row)
            modified += view.advanced and view.is_modified
        if folded:
            placed.append(self._fold(name, len(folded), modified))
        return placed + folded

    def _heading(self, name: str, title: str, help_text: str) -> QLabel:
        label = self._headings.get(name)
        if label is None:
            label = self._headings[name] = PlainLabel(self._content)
            label.setProperty("role", "heading")
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setContentsMargins(0, 8 if name else 0, 0, 0)
        label.setText(title)
        label.setToolTip(tooltip(title, help_text) if help_text else "")
        label.show()
        return label

    def _fold(self, name: str, count: int, modified: int) -> QToolButton:
        button = self._folds.get(name)
        if button is None:
            button = self._folds[name] = QToolButton(self._content)
            button.setObjectName(f"fold.{name}")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setCheckable(True)
            button.setProperty("role", "fold")
            button.clicked.connect(lambda: self._on_fold_clicked(name))
        is_open = name in self._open_folds
        button.setChecked(is_open)
        set_icon(button, "chevron-down" if is_open else "chevron-right", "muted")
        text = self.tr("More settings ({count})").format(count=count)
        if modified:
            text = self.tr("More settings ({count}, {modified} changed)").format(
                count=count, modified=modified
            )
        button.setText(text)
        button.setAccessibleName(text)
        button.show()
        return button

    def _on_fold_clicked(self, name: str) -> None:
        self._open_folds ^= {name}
        self.set_view(self._view)

    def _reorder(self, order: list[QWidget]) -> None:
        kept = set(order)
        for widgets in (self._rows, self._headings, self._folds):
            gone = [widget for widget in widgets.values() if widget not in kept]
            for widget in gone:
                self._discard(widget)
        self._rows = {key: row for key, row in self._rows.items() if row in kept}
        self._headings = {key: one for key, one in self._headings.items() if one in kept}
        self._folds = {key: one for key, one in self._folds.items() if one in kept}
        while self._column.count():
            self._column.takeAt(0)
        for widget in order:
            self._column.addWidget(widget)
        self._column.addStretch(1)
        if order != self._order:
            self._order = order
            for previous, widget in pairwise((self, *order)):
                QWidget.setTabOrder(previous, widget)

    def _align(self) -> None:
        rows = list(self._rows.values())
        if rows:
            limit = round(self.viewport().width() * _LABEL_SHARE)
            width = min(max(row.label_width() for row in rows), max(60, limit))
            has_auto = any(row.view.auto for row in rows)
            for row in rows:
                row.set_label_width(width)
                row.set_auto_column(is_kept=has_auto)

    def focus_field(self, name: str) -> bool:
        """Give a field the focus, unfolding it where needed; false when there is no such field."""
        for index, group in enumerate(self._view.groups):
            for view in group.fields:
                if view.name == name:
                    if view.advanced:
                        self._open_folds.add(group.name or f"group{index}")
                        self.set_view(self._view)
                    self._lead_to(self._rows[_key(view)], Qt.FocusReason.OtherFocusReason)
                    return True
        return False

    def focus_first(self) -> bool:
        """Give the first field that can be changed the focus; false when there is none."""
        rows = (one for one in self._order if isinstance(one, FieldRow) and not one.isHidden())
        row = next((row for row in rows if not row.view.is_read_only), None)
        if row is not None:
            self._lead_to(row, Qt.FocusReason.ShortcutFocusReason)
        return row is not None

    def _lead_to(self, row: FieldRow, reason: Qt.FocusReason) -> None:
        take_keys(row.editor, reason)
        self.ensureWidgetVisible(row)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return a size in which nothing is cut off at the right."""
        width = self._content.minimumSizeHint().width()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(width + bar + 2 * self.frameWidth(), super().minimumSizeHint().height())

    @override
    def resizeEvent(self, arg__1: QResizeEvent) -> None:
        super().resizeEvent(arg__1)
        self._align()

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.set_view(self._view)
        super().changeEvent(event)


def _key(view: FieldView) -> tuple[str, str, bool]:
    return (view.name, view.kind, bool(view.choices))

"""Dialog that searches for a value of a setting, with curves, and sets the one that is chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QComboBox, QHBoxLayout, QLineEdit, QWidget
from typing_extensions import override

from studio.i18n import translate
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts
from widgets.plots.view_model import XyView
from widgets.plots.xy_chart import XyChart

POINTS = "measured"
"""The line of a chart whose points can be clicked."""


@dataclass(frozen=True, kw_only=True)
class FinderField:
    """A number that the search is asked for: its key, label, value at first and help; with
    ``choices`` (values and words) one of these.
    """

    key: str
    label: str
    text: str
    tip: str
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class FinderWords:
    """What the dialog of a search says: ``name`` begins the names of its widgets."""

    name: str
    title: str
    text: str
    start: str
    use: str
    fields: tuple[FinderField, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FinderView:
    """What a search has found: a chart for each quantity, ``choices`` that are suggested (value
    and words), what is ``chosen`` in words (empty: nothing), and what it is ``offered`` to change
    along (empty: nothing).
    """

    charts: tuple[XyView, ...] = field(default_factory=tuple)
    choices: tuple[tuple[float, str], ...] = ()
    chosen: str = ""
    offered: str = ""


class FinderDialog(JobDialog):
    """Stays open beside the form. ``start_requested`` gives what was typed by key,
    ``value_chosen`` a suggested value, ``point_chosen`` the number of a point of a chart,
    ``use_requested`` whether to change along what is offered.
    """

    start_requested = Signal(dict)
    value_chosen = Signal(float)
    point_chosen = Signal(int)
    use_requested = Signal(bool)

    def __init__(self, parent: QWidget, words: FinderWords, charts: Sequence[str]) -> None:
        super().__init__(parent, words.name, words.title, words.text, words.start, size=(760, 560))
        self._name = words.name
        self._charts = [self._chart(number, title) for number, title in enumerate(charts)]
        self._fields: dict[str, QLineEdit] = {}
        self._choosers: dict[str, QComboBox] = {}
        self._choices: list[QAbstractButton] = []
        self._chosen = parts.label(self, f"{words.name}.chosen", translate("Finder", "Chosen"))
        self._along = parts.check_box(self, f"{words.name}.along", "")
        self._lay_out(words)
        self.set_view(FinderView())
        self.set_running(is_running=False)

    def _chart(self, number: int, title: str) -> XyChart:
        chart = XyChart(f"{self._name}.chart{number}", self)
        chart.setAccessibleName(title)
        chart.retranslate()
        chart.point_chosen.connect(lambda _line, point: self.point_chosen.emit(point))
        return chart

    def _lay_out(self, words: FinderWords) -> None:
        self._use = self._button("use", words.use)
        self._start.clicked.connect(lambda: self.start_requested.emit(self._typed()))
        self._use.clicked.connect(lambda: self.use_requested.emit(self._is_along()))
        self._choice_row: QHBoxLayout = parts.row(spacing=6)
        buttons = (self._start, self._cancel, self._use, self._close)
        parts.column(
            self._text,
            *((chart, 1) for chart in self._charts),
            self._bar,
            self._note,
            parts.row(self._chosen, self._choice_row, None, spacing=12),
            self._along,
            parts.row(*self._field_items(words.fields), None, *buttons),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )

    def _field_items(self, fields: Sequence[FinderField]) -> list[QWidget]:
        items: list[QWidget] = []
        for each in fields:
            label = parts.label(self, f"{self._name}.{each.key}.title", text=each.label)
            if each.choices:
                combo = parts.combo(self, f"{self._name}.{each.key}", each.label, each.tip)
                parts.set_choices(combo, each.choices, each.text)
                self._choosers[each.key] = combo
                items += [label, combo]
                continue
            edit = parts.line_edit(
                self, f"{self._name}.{each.key}", each.label, each.text, tip=each.tip
            )
            edit.setFixedWidth(72)
            edit.returnPressed.connect(self._start.click)
            self._fields[each.key] = edit
            items += [label, edit]
        return items

    @override
    def set_running(self, *, is_running: bool) -> None:
        super().set_running(is_running=is_running)
        for edit in (*self._fields.values(), *self._choosers.values()):
            edit.setEnabled(not is_running)
        self._update_use()

    def set_view(self, view: FinderView) -> None:
        """Show what was found."""
        for chart, shown in zip(self._charts, view.charts, strict=False):
            chart.set_view(shown)
        self._chosen.setText(view.chosen)
        self._chosen.setVisible(bool(view.chosen))
        self._along.setText(view.offered)
        self._along.setAccessibleName(view.offered)
        self._along.setVisible(bool(view.offered))
        if [button.text() for button in self._choices] != [text for _, text in view.choices]:
            self._set_choices(view.choices)
        self._update_use()

    def _set_choices(self, choices: Sequence[tuple[float, str]]) -> None:
        for button in self._choices:
            self._choice_row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._choices = []
        for number, (value, text) in enumerate(choices):
            button = parts.button(self, f"{self._name}.choice{number}", text)
            button.clicked.connect(lambda _=False, value=value: self.value_chosen.emit(value))
            self._choice_row.addWidget(button)
            self._choices.append(button)

    def _typed(self) -> dict[str, str]:
        typed = {key: edit.text() for key, edit in self._fields.items()}
        return typed | {key: str(each.currentData()) for key, each in self._choosers.items()}

    def _is_along(self) -> bool:
        return not self._along.isHidden() and self._along.isChecked()

    def _update_use(self) -> None:
        is_over = self._start.isEnabled()
        self._use.setEnabled(is_over and bool(self._chosen.text()))
        for button in self._choices:
            button.setVisible(is_over)  # until then they change all the time

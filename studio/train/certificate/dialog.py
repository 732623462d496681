"""Dialog that certifies the resume of a run, and shows the certificate."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSpinBox, QWidget
from typing_extensions import override

from engine.runs.certificate import FEWEST_STEPS, MOST_STEPS
from studio.i18n import translate
from studio.window.dialog.job_dialog import JobDialog
from widgets.common import parts
from widgets.common.theme import current_theme, theme_signals
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_STEPS = 20
_FILTERED_FROM = 13  # rows; all of them are seen at a glance


class CertificateDialog(JobDialog):
    """Stays open beside the window. ``start_requested`` tells the steps after the resume and the
    checkpoint to begin with (nothing: found by itself).
    """

    start_requested = Signal(int, str)
    copy_requested = Signal()

    def __init__(self, parent: QWidget, run: str) -> None:
        title = translate("Certificate", "Resume certificate of {run}").format(run=run)
        text = translate(
            "Certificate",
            "Proves that resuming this run changes nothing: a copy of it goes on in one "
            "process without interruption, another process resumes from a checkpoint in the "
            "middle, and every batch, loss, weight, optimizer state and random state is "
            "compared bit by bit. The run itself stays as it is.",
        )
        super().__init__(
            parent,
            "dialog.certificate",
            title,
            text,
            translate("Certificate", "Certify"),
            size=(760, 520),
            note=translate("Certificate", "Status"),
        )
        self._order = self._steps_row()
        self._table = TableView("dialog.certificate.parts", self, filtered_from=_FILTERED_FROM)
        self._table.setAccessibleName(translate("Certificate", "Compared"))
        self._result = parts.label(
            self, "dialog.certificate.result", translate("Certificate", "Result"), wraps=True
        )
        self._place = parts.label(
            self,
            "dialog.certificate.place",
            translate("Certificate", "Where and when"),
            role="muted",
            wraps=True,
        )
        self._is_equal: bool | None = None
        self._lay_out()
        self.set_running(is_running=False)
        theme_signals().changed.connect(self._restyle)

    def _lay_out(self) -> None:
        parts.column(
            self._text,
            self._order,
            (self._table, 1),
            self._bar,
            self._note,
            self._result,
            self._place,
            self._button_row(),
            margins=(16, 14, 16, 12),
            spacing=8,
            parent=self,
        )

    def _steps_row(self) -> QWidget:
        row = parts.named(QWidget(self), "dialog.certificate.order", self.windowTitle())
        name = translate("Certificate", "Steps after the resume")
        self.steps = parts.named(
            QSpinBox(row),
            "dialog.certificate.steps",
            name,
            translate(
                "Certificate",
                "This many steps are compared after the resume; half as many are taken before "
                "it. More than an epoch also covers its end: validation, schedule, shuffling.",
            ),
        )
        self.steps.setRange(FEWEST_STEPS, MOST_STEPS)
        self.steps.lineEdit().returnPressed.connect(self._start_by_key)
        self.steps.setValue(_STEPS)
        start = translate("Certificate", "Begin with")
        self.checkpoint = parts.combo(
            row,
            "dialog.certificate.checkpoint",
            start,
            translate(
                "Certificate",
                "Automatic: the newest checkpoint with steps enough before the end of the run, "
                "or else the last one, beyond the planned end",
            ),
        )
        labels = [
            parts.label(row, f"dialog.certificate.{key}", text, text)
            for key, text in (("steps.label", name), ("checkpoint.label", start))
        ]
        labels[0].setBuddy(self.steps)
        labels[1].setBuddy(self.checkpoint)
        fields = (labels[0], self.steps, labels[1], (self.checkpoint, 1))
        parts.row(*fields, margins=(0, 0, 0, 0), spacing=8, parent=row)
        return row

    def _button_row(self) -> QWidget:
        row = parts.named(QWidget(self), "dialog.certificate.buttons", self.windowTitle())
        self._copy = parts.button(
            row,
            "dialog.certificate.copy",
            translate("Certificate", "Copy"),
            tip=translate("Certificate", "Copy the result and its environment as text"),
        )
        self._start.clicked.connect(self._ask)
        self._copy.clicked.connect(self.copy_requested)
        buttons = (self._start, self._cancel, None, self._copy, self._close)
        parts.row(*buttons, margins=(0, 0, 0, 0), parent=row)
        return row

    def _start_by_key(self) -> None:
        """Press the button, where it can be: Enter in a field of this window presses none."""
        self._start.click()

    def _ask(self) -> None:
        self.start_requested.emit(self.steps.value(), str(self.checkpoint.currentData() or ""))

    def set_checkpoints(self, choices: list[tuple[str, str]], chosen: str) -> None:
        """Offer checkpoints to begin with."""
        parts.set_choices(self.checkpoint, choices, chosen)

    @override
    def set_running(self, *, is_running: bool) -> None:
        super().set_running(is_running=is_running)
        self.steps.setEnabled(not is_running)
        self.checkpoint.setEnabled(not is_running)

    @override
    def set_progress(self, text: str, done: int, count: int) -> None:
        super().set_progress(text, done, count)
        self._note.setVisible(bool(text))

    def set_parts(self, data: TableData) -> None:
        """Show what was compared."""
        self._table.set_data(data)

    def set_result(self, text: str, place: str, *, is_equal: bool | None) -> None:
        """Show what was found, and where."""
        self._is_equal = is_equal
        self._result.setText(text)
        self._result.setVisible(bool(text))
        self._place.setText(place)
        self._place.setVisible(bool(place))
        self._copy.setEnabled(bool(text))
        self._note.setVisible(bool(self._note.text()))
        self._restyle()

    def _restyle(self) -> None:
        theme = current_theme()
        color = (
            theme.text
            if self._is_equal is None
            else theme.success
            if self._is_equal
            else theme.error
        )
        self._result.setStyleSheet(f"color: {color}; font-weight: 600;")

"""The page on which a model is examined before it is trained for long, or after."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from widgets.common.empty_state import EmptyState
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.plots.view_model import XyView
from widgets.plots.xy_chart import XyChart
from widgets.tables.problems_list import ProblemsList

MODEL, RUN = "model", "run"


class DoctorPage(QWidget):
    """Shows findings; ``examine_requested`` asks for an examination of what is chosen."""

    examine_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspect.doctor")
        self.setAccessibleName(translate("Doctor", "Doctor"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._fill_bar(column)
        yield
        self._whole = QSplitter(Qt.Orientation.Vertical, self)
        self._whole.setObjectName("doctor.splitter")
        self._whole.setAccessibleName(translate("Doctor", "Findings and loss"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        self.findings = ProblemsList(self._whole, "doctor.findings", is_far=True)
        self.findings.setAccessibleName(translate("Doctor", "Findings"))
        yield
        below = QWidget(self._whole)
        below.setObjectName("doctor.below")
        below.setAccessibleName(translate("Doctor", "What is all right"))
        self.passed = PlainLabel(below)
        self.passed.setObjectName("doctor.passed")
        self.passed.setAccessibleName(translate("Doctor", "What is all right"))
        self.passed.setWordWrap(True)
        self.passed.setContentsMargins(14, 8, 14, 4)
        self.losses = XyChart("doctor.losses", below)
        self.losses.setAccessibleName(translate("Doctor", "Loss on one batch"))
        inner = QVBoxLayout(below)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.passed)
        inner.addWidget(self.losses, 1)
        self._whole.setSizes([260, 320])
        yield
        self.empty = EmptyState("inspect", self, name="doctor.empty")
        self.empty.setAccessibleName(translate("Doctor", "Not examined yet"))
        self.empty.action_requested.connect(self.examine_requested)
        column.addWidget(self.empty, 1)
        self.set_empty(translate("Doctor", "Not examined yet"))

    @property
    def subject(self) -> str:
        """What is to be examined: the model on the canvas, or the run."""
        return str(self._subject.currentData())

    def choose_model(self) -> None:
        """Turn from the run to the model on the canvas."""
        self._subject.setCurrentIndex(self._subject.findData(MODEL))

    def set_trying(self, *, is_trying: bool) -> None:
        """Say that what mends the findings is being tried."""
        self.trying.setVisible(is_trying)

    def set_run(self, name: str) -> None:
        """Offer the last checkpoint of a run; with no name there is none."""
        at = self._subject.findData(RUN)
        if at >= 0:
            self._subject.removeItem(at)
        if name:
            text = translate("Doctor", "Last checkpoint of {run}").format(run=name)
            self._subject.addItem(text, RUN)

    def set_empty(self, title: str, text: str = "", action: str = "") -> None:
        """Say why there are no findings and what to do; with no title there are."""
        self.empty.set_texts(title, text, action)
        self.empty.setVisible(bool(title))
        self._whole.setVisible(not title)

    def set_busy(self, *, is_busy: bool) -> None:
        """Say that an examination is going on."""
        self.examine.setEnabled(not is_busy)
        self.trying.hide()
        self.findings.set_checking(is_checking=is_busy)
        if is_busy:
            self.set_empty(
                translate("Doctor", "Examining…"),
                translate("Doctor", "A copy of the model trains on one batch for some seconds."),
            )

    def show_losses(self, view: XyView, passed: str) -> None:
        """Show the loss of the batch, and what is all right."""
        self.set_empty("")
        self.losses.set_view(view)
        self.passed.setText(passed)

    def _fill_bar(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self._subject = QComboBox(self)
        self._subject.setObjectName("doctor.subject")
        self._subject.setAccessibleName(translate("Doctor", "What is examined"))
        self._subject.setToolTip(translate("Doctor", "What is examined"))
        self._subject.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._subject.addItem(translate("Doctor", "Model on the canvas"), MODEL)
        self.examine = QPushButton(translate("Doctor", "Examine"), self)
        self.examine.setObjectName("doctor.examine")
        self.examine.setAccessibleName(self.examine.text())
        self.examine.setToolTip(
            translate(
                "Doctor",
                "Train a copy on one batch, measure gradients, steps and silent units, and compare "
                "the parts of the data",
            )
        )
        set_icon(self.examine, "inspect")
        self.examine.clicked.connect(self.examine_requested)
        row.addWidget(self._subject)
        self.trying = PlainLabel(translate("Doctor", "Trying what mends the findings…"), self)
        self.trying.setObjectName("doctor.trying")
        self.trying.setAccessibleName(self.trying.text())
        self.trying.setProperty("role", "muted")
        self.trying.hide()
        row.addWidget(self.examine)
        row.addWidget(self.trying)
        row.addStretch(1)
        column.addLayout(row)

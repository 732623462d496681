"""Page of the doctor: a model is examined before it is trained for long, or after."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.inspect.doctor.presenter import MODEL, RUN, DoctorView
from studio.window.page import PageWidget
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.plots.xy_chart import XyChart
from widgets.tables.problems_list import ProblemsList
from widgets.tables.view_model import ProblemView


class DoctorPage(PageWidget):
    """Shows findings; ``start_requested`` asks for an examination of the subject."""

    subject_changed = Signal(str)
    fix_requested = Signal(int, int)
    problem_activated = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.doctor", translate("Doctor", "Doctor"), parent)
        self._problems: tuple[ProblemView, ...] = ()

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._fill_bar(column)
        yield
        self._whole = QSplitter(Qt.Orientation.Vertical, self)
        self._whole.setObjectName("doctor.splitter")
        self._whole.setAccessibleName(translate("Doctor", "Findings and loss"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        self.findings = ProblemsList(self._whole, "doctor.findings", is_far=True)
        self.findings.setAccessibleName(translate("Doctor", "Findings"))
        self.findings.fix_requested.connect(self.fix_requested)
        self.findings.problem_activated.connect(self.problem_activated)
        yield
        below = QWidget(self._whole)
        below.setObjectName("doctor.below")
        below.setAccessibleName(translate("Doctor", "Checks passed"))
        self.passed = PlainLabel(below)
        self.passed.setObjectName("doctor.passed")
        self.passed.setAccessibleName(translate("Doctor", "Checks passed"))
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
        title = translate("Doctor", "Not examined yet")
        self.add_empty(column, "inspect", "doctor.empty", title, instead_of=(self._whole,))

    def set_view(self, view: DoctorView) -> None:
        """Show findings, or why there are none."""
        self._show_subjects(view)
        self.examine.setEnabled(not view.is_busy)
        self.trying.setVisible(view.is_trying)
        self.findings.set_checking(is_checking=view.is_busy)
        self._problems = view.problems
        self.findings.set_problems(view.problems)
        self.losses.set_view(view.losses)
        self.passed.setText(view.passed)
        self.set_empty(view.empty)

    def choose_mendable(self) -> None:
        """Choose the first finding that can be mended, unless one is chosen."""
        mendable = [at for at, each in enumerate(self._problems) if each.fixes]
        if mendable and self.findings.current_index() < 0:
            self.findings.select(mendable[0])

    def _show_subjects(self, view: DoctorView) -> None:
        """Offer the model on the canvas and the last checkpoint of the run, if there is one."""
        with QSignalBlocker(self._subject):
            self._subject.clear()
            self._subject.addItem(translate("Doctor", "Model on the canvas"), MODEL)
            if view.run:
                text = translate("Doctor", "Last checkpoint of {run}").format(run=view.run)
                self._subject.addItem(text, RUN)
            self._subject.setCurrentIndex(self._subject.findData(view.subject))

    def _fill_bar(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self._subject = QComboBox(self)
        self._subject.setObjectName("doctor.subject")
        self._subject.setAccessibleName(translate("Doctor", "What to examine"))
        self._subject.setToolTip(translate("Doctor", "What to examine"))
        self._subject.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._subject.activated.connect(
            lambda _: self.subject_changed.emit(self._subject.currentData())
        )
        self.examine = QPushButton(translate("Doctor", "Examine"), self)
        self.examine.setObjectName("doctor.examine")
        self.examine.setAccessibleName(self.examine.text())
        self.examine.setToolTip(
            translate(
                "Doctor",
                "Train a copy on one batch, measure gradients, updates and dead units, and "
                "compare the data splits",
            )
        )
        set_icon(self.examine, "inspect")
        self.examine.clicked.connect(self.start_requested)
        row.addWidget(self._subject)
        self.trying = PlainLabel(translate("Doctor", "Testing fixes for the findings…"), self)
        self.trying.setObjectName("doctor.trying")
        self.trying.setAccessibleName(self.trying.text())
        self.trying.setProperty("role", "muted")
        self.trying.hide()
        row.addWidget(self.examine)
        row.addWidget(self.trying)
        row.addStretch(1)
        column.addLayout(row)

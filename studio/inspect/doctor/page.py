"""Page of the doctor: a model is examined before it is trained for long, or after."""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from studio.i18n import translate
from studio.inspect.bar import bar_row, pane
from studio.inspect.doctor.presenter import MODEL, RUN, DoctorView
from studio.window.page import PageWidget
from widgets.common import parts
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
        column.addLayout(self._build_bar())
        yield
        title = translate("Doctor", "Findings and loss")
        self._halves = parts.splitter(self, "doctor.splitter", title, is_vertical=True)
        column.addWidget(self._halves, 1)
        self.findings = ProblemsList(self._halves, "doctor.findings", is_far=True)
        self.findings.setAccessibleName(translate("Doctor", "Findings"))
        self.findings.fix_requested.connect(self.fix_requested)
        self.findings.problem_activated.connect(self.problem_activated)
        yield
        title = translate("Doctor", "Checks passed")
        self.passed = parts.label(self, "doctor.passed", title, wraps=True)
        self.passed.setContentsMargins(14, 8, 14, 4)
        self.losses = XyChart("doctor.losses", self)
        self.losses.setAccessibleName(translate("Doctor", "Loss on one batch"))
        items = (self.passed, (self.losses, 1))
        pane(self._halves, "doctor.below", title, *items, spacing=None)
        self._halves.setSizes([260, 320])
        yield
        title = translate("Doctor", "Not examined yet")
        self.add_empty(column, "inspect", "doctor.empty", title, instead_of=(self._halves,))

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
        mendable = [index for index, each in enumerate(self._problems) if each.fixes]
        if mendable and self.findings.current_index() < 0:
            self.findings.select(mendable[0])

    def _show_subjects(self, view: DoctorView) -> None:
        """Offer the model on the canvas and the last checkpoint of the run, if there is one."""
        subjects = [(MODEL, translate("Doctor", "Model on the canvas"))]
        if view.run:
            text = translate("Doctor", "Last checkpoint of {run}")
            subjects.append((RUN, text.format(run=view.run)))
        parts.set_choices(self._subject, subjects, view.subject)

    def _build_bar(self) -> QHBoxLayout:
        title = translate("Doctor", "What to examine")
        self._subject = parts.combo(self, "doctor.subject", title)
        self._subject.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._subject.activated.connect(
            lambda _: self.subject_changed.emit(self._subject.currentData())
        )
        self.examine = parts.button(
            self,
            "doctor.examine",
            translate("Doctor", "Examine"),
            icon="inspect",
            tip=translate(
                "Doctor",
                "Train a copy on one batch, measure gradients, updates and dead units, and "
                "compare the data splits",
            ),
            clicked=self.start_requested,
        )
        text = translate("Doctor", "Testing fixes for the findings…")
        self.trying = parts.label(self, "doctor.trying", text=text, role="muted")
        self.trying.hide()
        return bar_row(self._subject, self.examine, self.trying, None)

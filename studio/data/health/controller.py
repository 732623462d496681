"""Controller of the Health page: has the data checked a little at a time, and repairs findings."""

import time
from collections.abc import Callable

from typing_extensions import override

from engine.diagnostics import Diagnostic, sentence
from engine.query.health.request import CheckDataHealth, HealthStep
from engine.spec.defaults import has_boxes
from studio.data.health.page import HealthPage
from studio.data.health.presenter import (
    HealthState,
    present_health,
    present_progress,
    question,
)
from studio.data.samples.edit_dialog import RelabelDialog
from studio.i18n import translate
from studio.services import PageController, Services
from studio.session.data_editor import DataEditor
from studio.session.repair import apply_repair
from studio.view.data import label_classes
from studio.view.taking_back import taking_back
from widgets.common.progress import ProgressView

_QUICK_S = 10.0  # a check that was no longer is made again after a repair


class HealthController(PageController[HealthPage, HealthState]):
    """Glue between the page and the host process; ``show_problem`` leads to the setting that a
    finding is about, ``cross_validate`` asks for the number of folds.
    """

    def __init__(
        self,
        services: Services,
        page: HealthPage,
        *,
        show_problem: Callable[[Diagnostic], object],
        cross_validate: Callable[[], object],
    ) -> None:
        super().__init__(services, page, HealthState())
        self._number = 0  # of the check whose steps are waited for
        self._started = self._took_s = 0.0
        self._show_problem = show_problem
        self._data_editor = DataEditor(services.session)
        self._project = self._session.project
        page.start_requested.connect(self.check)
        page.cancel_requested.connect(self._cancel)
        page.cross_validation_requested.connect(cross_validate)
        page.finding_chosen.connect(self._on_finding_chosen)
        page.selection_changed.connect(lambda indices: self._update(selected=tuple(indices)))
        page.exclude_requested.connect(self._exclude)
        page.relabel_requested.connect(self._relabel)
        page.class_requested.connect(self._choose_class)
        page.finding_activated.connect(self._on_activated)
        page.fix_requested.connect(self._on_fix_requested)
        self._session.spec_changed.connect(self._on_changed)
        self._session.data_changed.connect(self._on_changed)
        self._session.project_changed.connect(self._on_project_changed)
        self._on_changed()
        self._present()

    @override
    def _present(self) -> None:
        session = self._session
        self._page.set_view(
            present_health(self._state, session.graph, session.spec, self._language())
        )

    def check(self) -> None:
        """Check the chosen data."""
        asked = self._state.current
        if asked is None:
            return
        self._number += 1
        self._started = time.monotonic()
        waiting = ProgressView(text=translate("Health", "Loading the data…"), can_cancel=True)
        self._change(
            asked=asked, report=None, problems=(), is_stopped=False, progress=waiting, selected=()
        )
        self._go_on(self._number, asked)

    def _go_on(self, number: int, asked: CheckDataHealth) -> None:
        self._ask_host(
            asked,
            lambda step: self._on_step(number, asked, step),
            self._fail,
            is_wanted=lambda: number == self._number,
        )

    def _on_step(self, number: int, asked: CheckDataHealth, step: HealthStep) -> None:
        self._took_s = time.monotonic() - self._started
        if step.report is None:
            self._change(progress=present_progress(step, self._took_s))
            self._go_on(number, asked)
            return
        self._change(report=step.report, progress=None, chosen=-1)
        self._page.choose_first()
        self._change(chosen=self._page.findings.current_index())  # it may be one that was

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        self._change(progress=None, problems=problems)

    def _cancel(self) -> None:
        self._number += 1
        self._change(progress=None, is_stopped=True)

    def _on_fix_requested(self, index: int, fix: int) -> None:
        """Change the settings of the data, and check again where that is quick."""
        findings = self._state.findings
        if index >= len(findings) or fix >= len(findings[index].repairs):
            return
        repair = findings[index].repairs[fix]
        if not self._succeeds(lambda: apply_repair(self._session, repair, self._language())):
            return
        is_quick = self._took_s < _QUICK_S
        text = translate("Health", "Done: {what}.")
        if is_quick:
            text = translate("Health", "Done: {what}. Checking the data again.")
        self._notifications.tell(
            text.format(what=sentence(repair.words, self._language())),
            "success",
            action=taking_back(self._session, self._notifications),
        )
        if is_quick:
            self.check()

    def _on_finding_chosen(self, index: int) -> None:
        if index != self._state.chosen:
            self._change(chosen=index, selected=())

    def _exclude(self) -> None:
        """Leave the selected samples out of all parts."""
        names = [sample.name for sample in self._state.selection]
        if names:
            self._data_editor.exclude(names)

    def _relabel(self) -> None:
        """Give the selected samples the class that was predicted."""
        names, label = [sample.name for sample in self._state.selection], self._state.predicted
        if names and label:
            self._data_editor.relabel(names, label)

    def _choose_class(self) -> None:
        """Ask for a class, and give it to the selected samples."""
        names = [sample.name for sample in self._state.selection]
        if names:
            dialog = RelabelDialog(self._window, count=len(names), classes=self._state.classes)
            dialog.chosen.connect(lambda label: self._data_editor.relabel(names, label))
            dialog.open()

    def _on_activated(self, index: int) -> None:
        problem = self._state.findings[index].problem
        if problem.field:
            self._show_problem(problem)

    def _on_changed(self) -> None:
        session, info = self._session, self._session.findings.data
        project = session.project
        current = None
        if project is not None:
            current = question(
                session.spec,
                session.graph,
                str(project.path),
                with_transforms=info is not None and has_boxes(info),
            )
        has_classes = info is not None and any(field.kind == "class" for field in info.fields)
        self._update(current=current, has_classes=has_classes, classes=label_classes(info))

    def _on_project_changed(self) -> None:
        if self._session.project is not self._project:
            self._project = self._session.project
            self._number += 1
            self._set(HealthState())
        self._on_changed()

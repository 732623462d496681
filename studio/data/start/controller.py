"""Controller of the dialog for a project that begins with data of the user."""

from pathlib import Path

from PySide6.QtCore import QObject

from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Graph
from engine.project.document import ProjectDocument
from engine.query.data.request import ProposeData
from engine.spec.proposal import Proposal
from studio.data.start.dialog import DataProjectDialog
from studio.i18n import translate
from studio.project.project import ProjectController, free_folder
from studio.services import Services
from studio.view.data import present_facts
from widgets.common.throttle import Debounce

_QUIET_MS = 300


class DataProjectController(QObject):
    """Lets the user choose data, proposes how to train on it, and makes the project."""

    def __init__(self, services: Services, project: ProjectController) -> None:
        super().__init__(services.window)
        self._services = services
        self._project = project
        self._dialog: DataProjectDialog | None = None
        self._proposal: Proposal | None = None
        self._asked = 0
        self._ask = Debounce(_QUIET_MS, self._ask_now, self)

    def show(self, path: Path | None = None) -> None:
        """Open the dialog, with data where some is given."""
        if self._dialog is not None:
            self._dialog.bring_to_front()
        else:
            name = path.stem if path is not None else translate("NewProject", "model")
            dialog = DataProjectDialog(self._services.window, free_folder(name))
            dialog.changed.connect(self._on_changed)
            dialog.create_requested.connect(self._create)
            dialog.finished.connect(self._on_finished)
            self._dialog = dialog
            dialog.open()
        if path is not None:
            self._dialog.set_path(str(path))

    def _on_changed(self) -> None:
        assert self._dialog is not None
        self._proposal = None
        self._asked += 1  # an answer that is on its way is about something else
        is_waiting = bool(self._dialog.path)
        text = translate("DataProject", "Looking at the data…") if is_waiting else ""
        self._dialog.show_waiting(text)
        self._ask.request()

    def _ask_now(self) -> None:
        dialog = self._dialog
        if dialog is None or not dialog.path:
            return
        number = self._asked
        size = "large" if dialog.model_size == "large" else "small"
        path = str(Path(dialog.path).expanduser().absolute())
        services = self._services
        services.handover.deliver(
            services.host.request(ProposeData(path=path, target=dialog.target, size=size)),
            lambda future: self._on_proposal(future.result()),
            self._on_failed,
            is_wanted=lambda: number == self._asked and self._dialog is dialog,
        )

    def _on_proposal(self, proposal: Proposal) -> None:
        assert self._dialog is not None
        self._proposal = proposal
        facts = [f"{name}: {text}" for name, text in present_facts(proposal.info)]
        language = self._services.language_code()
        facts += [sentence(problem, language) for problem in proposal.info.problems]
        if proposal.graph is None:
            facts.append(
                translate(
                    "DataProject",
                    "There is no first model for this kind of data: draw one on the canvas.",
                )
            )
        self._dialog.show_proposal("\n".join(facts), proposal.columns, proposal.target)
        self._dialog.propose_project(free_folder(Path(self._dialog.path).stem))

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        assert self._dialog is not None
        text = sentence(problems[0], self._services.language_code())
        self._dialog.show_problem(text, is_final=True)

    def _create(self) -> None:
        if self._dialog is None or self._proposal is None:
            return
        proposal = self._proposal
        document = ProjectDocument(graph=proposal.graph or Graph(), spec=proposal.spec)
        problem = self._project.refusal_to_create(self._dialog.project, document)
        if problem:
            self._dialog.show_problem(problem, is_final=False)
        else:
            self._dialog.accept()

    def _on_finished(self) -> None:
        self._dialog = None
        self._proposal = None

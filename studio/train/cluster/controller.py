"""Controller of the dialog that prepares a run for several machines."""

from concurrent.futures import Future
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.runs.folder import RunFolder
from engine.runtime import make_run_for
from studio.i18n import translate
from studio.services import Controller, Services
from studio.train.cluster.dialog import ClusterDialog
from studio.train.cluster.presenter import ClusterView, present_cluster
from studio.window.dialog.file import save_dialog, write_file

_ADDRESS = "machine-0:29500"


class ClusterController(Controller):
    """Glue between the dialog and the session. A run is made in the background, with model and
    recipe as they were at the click.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._trust = services.trust
        self._dialog: ClusterDialog | None = None
        self._run = ""

    def show(self) -> None:
        """Show the dialog for the project as it is."""
        session = self._session
        if session.project is None:
            return
        if self._dialog is None:
            nproc = session.spec.nproc
            nnodes = max(2, session.spec.processes.nnodes)
            dialog = ClusterDialog(self._window, nnodes, nproc, _ADDRESS)
            dialog.changed.connect(self._on_changed)
            dialog.create_requested.connect(self._create)
            dialog.save_requested.connect(self._save)
            dialog.finished.connect(self._on_closed)
            self._dialog = dialog
        self._run = ""
        self._paint()
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None

    def _on_changed(self) -> None:
        self._run = ""  # what was made is for other machines
        self._paint()

    def _paint(self) -> None:
        session, dialog = self._session, self._dialog
        if dialog is None or session.project is None:
            return
        try:
            form = dialog.form()
            cluster, tunnels = form.cluster(session.spec), form.tunnels()
        except DiagnosticError as error:
            text = sentence(error.problems[0], self._language())
            dialog.set_view(ClusterView(error=text))
            return
        view = present_cluster(
            cluster,
            session.spec,
            session.project.path,
            self._run,
            trusted=self._is_trusted(),
            tunnels=tunnels,
        )
        dialog.set_view(view)

    def _is_trusted(self) -> bool:
        code = self._session.graph.code
        return bool(code) and self._trust.covers(code)

    def _create(self) -> None:
        session, dialog = self._session, self._dialog
        if dialog is None or session.project is None:
            return
        if not session.findings.is_checked:
            text = translate("Cluster", "The model is still being checked. Try again in a moment.")
            self._notifications.tell(text)
            return
        project, graph, spec = session.project.path, session.graph, session.spec
        cluster = dialog.form().cluster(spec)
        problems, trusted = session.findings.problems, self._is_trusted()
        dialog.set_creating(is_creating=True)
        self._handover.run(
            lambda: make_run_for(cluster, project, graph, spec, problems=problems, trusted=trusted),
            self._on_created,
            self._on_not_created,
        )

    def _on_created(self, future: "Future[RunFolder]") -> None:
        self._run = future.result().id
        self._runs.tell_runs_changed()
        self._end_creating()

    def _on_not_created(self, problems: tuple[Diagnostic, ...]) -> None:
        self._notifications.report(problems)
        self._end_creating()

    def _end_creating(self) -> None:
        if self._dialog is not None:
            self._dialog.set_creating(is_creating=False)
        self._paint()

    def _save(self, script: str) -> None:
        assert self._dialog is not None
        dialog = save_dialog(
            self._dialog,
            "cluster.save",
            translate("Cluster", "Save Slurm script"),
            (translate("Cluster", "Batch scripts (*.sh)"),),
            "job.sh",
        )
        dialog.fileSelected.connect(
            lambda path: write_file(Path(path), script.encode(), self._notifications)
        )
        dialog.open()

"""Frame around the pages: title, workspaces, banners and status bar follow the session."""

from PySide6.QtCore import QObject

from studio.command.actions import ActionSet
from studio.process.capabilities import Machine
from studio.process.settings import SettingsStore
from studio.project.project import PROJECT_BANNERS, ProjectController
from studio.session.session import Session
from studio.view.status import present_status
from studio.window.main_window import WELCOME, MainWindow
from studio.window.status_bar import StatusView
from widgets.common.throttle import Throttle


class FrameController(QObject):
    """Glue between the frame and the session; keeps the commands up to date with it."""

    def __init__(
        self,
        *,
        session: Session,
        settings: SettingsStore,
        window: MainWindow,
        machine: Machine,
        project: ProjectController,
        actions: ActionSet,
    ) -> None:
        super().__init__(project)
        self._session = session
        self._settings = settings
        self._window = window
        self._machine = machine
        self._actions = actions
        self._status = Throttle(100, self._paint_status, self)
        for signal in (
            session.project_changed,
            session.graph_changed,
            session.spec_changed,
            session.analysis_changed,
            session.run_changed,
        ):
            signal.connect(self._status.request)
        session.project_changed.connect(self._on_project_changed)
        session.project_changed.connect(actions.update)  # at once: Ctrl+Z may come next
        project.released.connect(self._on_project_released)
        project.opened.connect(lambda: window.show_workspace("model"))
        window.workspace_changed.connect(self._on_page_turned)  # ends with us: the window stays
        window.page_turned.connect(self._on_page_turned)
        window.docks_changed.connect(self._on_docks_changed)

    def begin(self) -> None:
        """Show how things stand in a window whose contents were placed now."""
        status, window = self._window.status, self._window
        status.problems_clicked.connect(lambda: window.show_dock("problems"))
        status.run_clicked.connect(lambda: window.show_workspace("train"))
        self._paint_status()
        self._on_project_changed()

    def _on_project_changed(self) -> None:
        session, window = self._session, self._window
        window.set_workspaces_enabled(enabled=session.project is not None)
        mark = "*" if session.is_modified else ""
        name = f"{mark}{session.project.name} — Trellis" if session.project else "Trellis"
        window.setWindowTitle(name)
        if session.project is None:
            window.show_workspace(WELCOME)
        elif window.workspace == WELCOME:
            window.show_workspace("model")

    def _on_project_released(self) -> None:
        for key in PROJECT_BANNERS:
            self._window.dismiss_banner(key)

    def _on_page_turned(self) -> None:
        self._actions.update()

    def _on_docks_changed(self) -> None:
        self._settings.change(docks=self._window.flipped_docks())
        self._actions.update()

    def _paint_status(self) -> None:
        session, view = self._session, StatusView()
        if session.project is not None:
            view = present_status(
                session.findings, session.spec, session.run, self._machine.capabilities
            )
        self._window.status.set_view(view)
        self._actions.update()

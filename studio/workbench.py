"""Puts the contents of the window together, in the language that is switched on.

Pages that are not seen at first import what they are made of when they are built: the plotting
library alone takes longer than all the rest of the window.
"""

import importlib

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMenu, QWidget

from engine.catalog.registry import catalog
from engine.runtime import export_formats
from studio.actions import ActionSet
from studio.command import ActionState
from studio.controllers.help import HelpController
from studio.controllers.leaving import LeavingController
from studio.controllers.model import ModelController
from studio.controllers.panel import PanelController
from studio.controllers.project import ProjectController
from studio.controllers.recent import RecentMenu
from studio.controllers.welcome import WelcomeController
from studio.docks.inspector import Inspector
from studio.docks.palette import Palette
from studio.i18n import translate
from studio.main_window import WELCOME, Contents, Dock, Workspace
from studio.notice import NoticeView
from studio.presenters.export import present_formats
from studio.presenters.palette import present_palette
from studio.presenters.status import present_status
from studio.screen import WindowScreen
from studio.services import Services
from studio.splitters import keep_splitters
from studio.welcome.page import WelcomePage
from studio.wiring import Parts, build_callbacks, checked_commands
from studio.workspaces.model import ModelWorkspace
from widgets.code.code_view import CodeView
from widgets.common.throttle import Throttle
from widgets.tables.log_view import LogView
from widgets.tables.problems_list import ProblemsList

_MODEL = frozenset({"model"})
_TOOLS = (
    ("action.edit.undo", "undo"),
    ("action.edit.redo", "redo"),
    ("action.run.start", "play"),
    ("action.run.pause", "pause"),
    ("action.run.stop", "stop"),
    ("action.view.commands", "search"),
)


def import_pages() -> None:
    """Import what the pages are made of; off Qt's thread, so that the window does not wait."""
    for name in ("data", "train", "runs", "export"):
        importlib.import_module(f"studio.controllers.{name}")


class Workbench(QObject):
    """Everything in the window and the controllers behind it; built anew for another language."""

    def __init__(self, services: Services) -> None:
        super().__init__(services.window)
        self.services = services
        self.model_page = ModelWorkspace()
        self.palette = Palette()
        self.inspector = Inspector()
        self.problems = ProblemsList(name="problems")
        self.log = LogView(name="log")
        self.code = CodeView(name="code")
        self.welcome = WelcomePage()
        self.screen = WindowScreen(services.window, self.log)
        self.project = ProjectController(
            session=services.session,
            settings=services.settings,
            messenger=services.messenger,
            window=services.window,
            language=services.code,
            notify=self.notify,
        )
        self.model = ModelController(
            session=services.session,
            canvas=self.model_page.canvas,
            messenger=services.messenger,
            language=services.code,
            menu=self._fill_canvas_menu,
        )
        self.panels = self._build_panels()
        self.leaving = LeavingController(services.window, self.project, services.runs)
        self.help = self._build_help()
        self.actions = ActionSet(build_callbacks(self._parts()), services.window)
        self.help.set_actions(self.actions)
        services.window.place(self._contents())
        services.messenger.attach(self.screen)
        self.panels.paint()
        self._status = Throttle(100, self._paint_status, self)
        self._connect()
        self.greeting = self._build_welcome()
        self.recent = RecentMenu(
            services.window.menu("file"), services.settings, self.greeting.open_recent
        )
        self.apply_settings()
        self.palette.set_groups(present_palette(catalog(), "", services.code()))
        self.update_actions()
        self._paint_status()
        self._on_project_changed()

    def notify(self, view: NoticeView) -> None:
        """Show a notice across the window."""
        self.services.window.notice.show_notice(view)

    def dispose(self) -> None:
        """Let go of the session; the window takes the widgets away when it places others."""
        self.help.dispose()
        for controller in (self.project, self.model, self.panels, self.actions):
            controller.deleteLater()
        self.deleteLater()

    def apply_settings(self) -> None:
        """Take over what the user chose for the canvas and for autosave."""
        value = self.services.settings.value
        self.model_page.canvas.set_snap(on=value.snap)
        self.model_page.canvas.set_minimap_shown(on=value.minimap)
        self.project.set_interval(value.autosave_s)
        self.update_actions()

    def reset_layout(self) -> None:
        """Put the docks where they were at first."""
        self.services.window.reset_layout()

    def view_state(self) -> dict[str, object]:
        """Return what the user looks at, for the window that is built next."""
        return self.model_page.canvas.view_state()

    def restore_view_state(self, state: dict[str, object]) -> None:
        """Look at what the user looked at."""
        self.model_page.canvas.restore_view_state(state)
        self.model.keep_view()

    def update_actions(self) -> None:
        """Enable and check the commands as things stand."""
        session, runs = self.services.session, self.services.runs
        self.actions.update(
            ActionState(
                has_project=session.project is not None,
                can_undo=session.can_undo,
                can_redo=session.can_redo,
                has_selection=bool(session.selection),
                is_model=self.services.window.workspace == "model",
                can_start=runs.can_start,
                is_running=runs.is_running,
                is_waiting=runs.is_waiting,
                is_paused=runs.is_paused,
                can_resume=runs.can_resume or runs.more_epochs() > 0,
                checked=checked_commands(self.services),
            )
        )

    def _build_panels(self) -> PanelController:
        return PanelController(
            session=self.services.session,
            model=self.model,
            canvas=self.model_page.canvas,
            inspector=self.inspector,
            problems=self.problems,
            code=self.code,
            window=self.services.window,
            language=self.services.code,
            on_selection=self.update_actions,
        )

    def _build_help(self) -> HelpController:
        services = self.services
        return HelpController(
            session=services.session,
            settings=services.settings,
            machine=services.machine,
            window=services.window,
            messenger=services.messenger,
            language=services.code,
            inspector=self.inspector,
            project=self.project,
            on_setting=self._on_setting,
        )

    def _build_welcome(self) -> WelcomeController:
        services = self.services
        return WelcomeController(
            session=services.session,
            settings=services.settings,
            page=self.welcome,
            window=services.window,
            messenger=services.messenger,
            language=services.code,
            project=self.project,
            leaving=self.leaving,
            help_controller=self.help,
        )

    def _parts(self) -> Parts:
        return Parts(
            services=self.services,
            canvas=self.model_page.canvas,
            project=self.project,
            leaving=self.leaving,
            model=self.model,
            help=self.help,
            reset_layout=self.reset_layout,
            apply_settings=self.apply_settings,
            update_actions=self.update_actions,
        )

    def _on_setting(self, name: str) -> None:
        if name == "language":
            self.services.apply_language()
        elif name in ("theme", "text_scale"):
            self.services.apply_look()
        else:
            self.apply_settings()

    def _contents(self) -> Contents:
        left, right, bottom = (
            Qt.DockWidgetArea.LeftDockWidgetArea,
            Qt.DockWidgetArea.RightDockWidgetArea,
            Qt.DockWidgetArea.BottomDockWidgetArea,
        )
        docks = (
            ("palette", translate("Window", "Palette"), self.palette, left, _MODEL),
            ("inspector", translate("Window", "Inspector"), self.inspector, right, _MODEL),
            ("problems", translate("Window", "Problems"), self.problems, bottom, _MODEL),
            ("log", translate("Window", "Log"), self.log, bottom, _MODEL),
            ("code", translate("Window", "Code"), self.code, bottom, _MODEL),
        )
        return Contents(
            welcome=self.welcome,
            workspaces=self._workspaces(),
            docks=[
                Dock(name=name, title=title, widget=widget, area=area, workspaces=workspaces)
                for name, title, widget, area, workspaces in docks
            ],
            actions=self.actions,
            tool_actions=_TOOLS,
            flipped_docks=self.services.settings.value.docks,
        )

    def _workspaces(self) -> list[Workspace]:
        return [
            Workspace(
                name="model",
                title=translate("Window", "Model"),
                icon="model",
                build=lambda: self.model_page,
                help=translate("Window", "Draw the model (Ctrl+1)"),
            ),
            Workspace(
                name="data",
                title=translate("Window", "Data"),
                icon="data",
                build=lambda: self._kept(self._build_data()),
                help=translate("Window", "Choose data and look at them (Ctrl+2)"),
            ),
            Workspace(
                name="train",
                title=translate("Window", "Train"),
                icon="train",
                build=lambda: self._kept(self._build_train()),
                help=translate("Window", "Set the recipe and watch the curves (Ctrl+3)"),
            ),
            Workspace(
                name="runs",
                title=translate("Window", "Runs"),
                icon="runs",
                build=lambda: self._kept(self._build_runs()),
                help=translate("Window", "Compare runs and go on from checkpoints (Ctrl+4)"),
            ),
            Workspace(
                name="export",
                title=translate("Window", "Export"),
                icon="export",
                build=lambda: self._kept(self._build_export()),
                help=translate("Window", "Take weights and code away (Ctrl+5)"),
            ),
        ]

    def _kept(self, page: QWidget) -> QWidget:
        return keep_splitters(page, self.services.settings)

    def _build_runs(self) -> QWidget:
        from studio.controllers.runs import RunsController
        from studio.workspaces.runs import RunsWorkspace

        services = self.services
        page = RunsWorkspace()
        RunsController(
            session=services.session,
            page=page,
            runs=services.runs,
            border=services.border,
            messenger=services.messenger,
            go_to=services.window.show_workspace,
            language=services.code,
        )
        return page

    def _build_export(self) -> QWidget:
        from studio.controllers.export import ExportController
        from studio.workspaces.export import ExportWorkspace

        services = self.services
        page = ExportWorkspace(present_formats(export_formats()))
        ExportController(
            session=services.session,
            page=page,
            runs=services.runs,
            host=services.host,
            border=services.border,
            messenger=services.messenger,
            language=services.code,
        )
        return page

    def _build_data(self) -> QWidget:
        from studio.controllers.data import DataController
        from studio.workspaces.data import DataWorkspace

        services = self.services
        page = DataWorkspace()
        DataController(
            session=services.session,
            page=page,
            host=services.host,
            border=services.border,
            editor=services.editor,
            language=services.code,
        )
        return page

    def _build_train(self) -> QWidget:
        from studio.controllers.train import TrainController
        from studio.workspaces.train import TrainWorkspace

        services = self.services
        page = TrainWorkspace()
        TrainController(
            session=services.session,
            page=page,
            runs=services.runs,
            host=services.host,
            border=services.border,
            editor=services.editor,
            language=services.code,
            devices=services.machine.devices,
            messenger=services.messenger,
        )
        return page

    def _connect(self) -> None:
        session, window = self.services.session, self.services.window
        for signal in (
            session.project_changed,
            session.graph_changed,
            session.spec_changed,
            session.analysis_changed,
            session.run_changed,
        ):
            signal.connect(self._status.request)
        session.project_changed.connect(self._on_project_changed)
        session.project_changed.connect(self.update_actions)  # at once: Ctrl+Z may come next
        window.workspace_changed.connect(self.update_actions)  # ends with us: the window stays
        window.docks_changed.connect(self._on_docks_changed)
        window.status.problems_clicked.connect(lambda: window.show_dock("problems"))
        window.status.run_clicked.connect(lambda: window.show_workspace("train"))
        self.palette.search_changed.connect(
            lambda text: self.palette.set_groups(
                present_palette(catalog(), text, self.services.code())
            )
        )
        self.palette.add_requested.connect(self.model.add_beside)
        self.palette.help_requested.connect(self.help.manual.show_entry)
        canvas = self.model_page.canvas
        canvas.hint.connect(window.status.showMessage)
        canvas.snap_changed.connect(lambda on: self._keep("snap", on))
        canvas.minimap_changed.connect(lambda on: self._keep("minimap", on))

    def _on_project_changed(self) -> None:
        session, window = self.services.session, self.services.window
        window.set_workspaces_enabled(enabled=session.project is not None)
        mark = "*" if session.is_modified else ""
        name = f"{mark}{session.project.name} — Trellis" if session.project else "Trellis"
        window.setWindowTitle(name)
        if session.project is None:
            window.show_workspace(WELCOME)
        elif window.workspace == WELCOME:
            window.show_workspace("model")

    def _on_docks_changed(self) -> None:
        self.services.settings.change(docks=self.services.window.flipped_docks())
        self.update_actions()

    def _keep(self, name: str, value: object) -> None:
        settings = self.services.settings
        if getattr(settings.value, name) != value:
            settings.change(**{name: value})
            self.update_actions()

    def _paint_status(self) -> None:
        services = self.services
        session = services.session
        if session.project is not None:
            view = present_status(
                session.findings, session.spec, session.run, services.machine.capabilities
            )
            services.window.status.set_view(view)
        self.update_actions()

    def _fill_canvas_menu(self, menu: QMenu) -> None:
        for verb in ("cut", "copy", "paste", "duplicate", "delete"):
            menu.addAction(self.actions.action(f"action.edit.{verb}"))
        menu.addSeparator()
        for verb in ("add", "rename", "arrange", "fit"):
            menu.addAction(self.actions.action(f"action.model.{verb}"))
        menu.addSeparator()
        menu.addAction(self.actions.action("action.help.topic"))

"""Puts the contents of the window together, in the language that is switched on."""

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QMenu

from studio.app.canvas_tools import build_canvas_tools
from studio.app.companions import build_comparison, build_initial, build_last_run
from studio.app.custom_code import OwnCode
from studio.app.model_sources import build_sources
from studio.app.pages import workspaces
from studio.app.surgery import build_surgery
from studio.app.wiring import Parts, build_callbacks, checked_commands
from studio.command.actions import ActionSet
from studio.command.command import ActionState
from studio.help.controller import HelpController
from studio.i18n import translate
from studio.log.controller import LogController
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.inspector.controller import PanelController
from studio.model.inspector.dock import Inspector
from studio.model.library.controller import LibraryController
from studio.model.outline.controller import OutlineController
from studio.model.palette.dock import Palette
from studio.model.palette.presenter import present_palette
from studio.model.repair.controller import RepairController
from studio.model.text.controller import ModelTextController
from studio.model.text.export import CodeController
from studio.model.workspace.page import ModelWorkspace
from studio.project.project import PROJECT_NOTICES, ProjectController
from studio.project.recent import RecentMenu
from studio.run_control.leaving import LeavingController
from studio.services import Services
from studio.view.status import present_status
from studio.welcome.controller import WelcomeController
from studio.welcome.page import WelcomePage
from studio.window.banner import NoticeView
from studio.window.main_window import WELCOME, Contents, Dock
from studio.window.notification_area import WindowScreen
from widgets.code.code_view import CodeView
from widgets.common.throttle import Throttle
from widgets.forms.editors import TextEditor
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

_DOCUMENT = ("model", "data", "train", "doctor")  # the pages that show what undo goes back in


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
        self.screen = WindowScreen(
            services.window, self.log, lambda: services.window.show_dock("log")
        )
        self._build_document()
        self.own_code = OwnCode(
            services,
            self.model_page,
            self.inspector,
            project=self.project,
            update_actions=self.update_actions,
            take_text=self.model_text.take,
            rewrite_text=self.model_text.rewrite,
        )
        self.panels = self._build_panels()
        self.initial = build_initial(services, self.inspector, self.model_page.canvas)
        self.last_run = build_last_run(services, self.inspector, self.model_page.canvas)
        self.repairs = self._build_repairs()
        self.leaving = LeavingController(
            services.window, self.project, services.runs, services.messenger, self.flush
        )
        self.help = self._build_help()
        self.sources = build_sources(services, self.project, self.leaving, self.model)
        self.actions = ActionSet(build_callbacks(self._parts()), services.window)
        self.help.set_actions(self.actions)
        services.window.place(self._contents())
        self.own_code.begin(self.actions)
        services.messenger.attach(self.screen)
        self.model_text.paint()
        self.panels.paint()
        self._status = Throttle(100, self._paint_status, self)
        self._connect()
        self.greeting = self._build_welcome()
        self.recent = RecentMenu(
            services.window.menu("file"), services.settings, self.greeting.open_recent
        )
        self._begin()

    def _begin(self) -> None:
        """Show everything as things stand."""
        self.apply_settings()
        self._fill_palette()
        self.update_actions()
        self._paint_status()
        self._on_project_changed()
        self.services.recovery.show()

    def _build_document(self) -> None:
        """Make what the project, its model and its log are worked on with."""
        services = self.services
        self.project = ProjectController(
            session=services.session,
            settings=services.settings,
            trust=services.trust,
            messenger=services.messenger,
            window=services.window,
            keeper=services.keeper,
            recovery=services.recovery,
            notify=self.notify,
        )
        self.model = ModelController(
            session=services.session,
            canvas=self.model_page.canvas,
            messenger=services.messenger,
            language=services.code,
            menu=self._fill_canvas_menu,
        )
        self.blocks = BlockController(
            session=services.session,
            model=self.model,
            breadcrumbs=self.model_page.breadcrumbs,
            messenger=services.messenger,
            language=services.code,
            canvas=self.model_page.canvas,
        )
        self._build_beside()
        self.run_log = LogController(
            session=services.session,
            view=self.log,
            messenger=services.messenger,
            language=services.code,
        )
        self.model_text = ModelTextController(
            session=services.session,
            host=services.host,
            border=services.border,
            view=self.code,
            messenger=services.messenger,
            language=services.code,
        )

    def _build_beside(self) -> None:
        """Make what helps with the model: the user's blocks, its outline, tools of the canvas."""
        services = self.services
        self.library = LibraryController(
            session=services.session,
            model=self.model,
            blocks=self.blocks,
            messenger=services.messenger,
            window=services.window,
            folder=services.settings.folder / "blocks",
        )
        self.outline = OutlineController(
            session=services.session,
            model=self.model,
            host=services.host,
            border=services.border,
            window=services.window,
            language=services.code,
        )
        self.models = build_comparison(services)
        self.tools = build_canvas_tools(services, self.model, self.model_page.canvas)

    def notify(self, view: NoticeView) -> None:
        """Show a notice across the window."""
        self.services.window.notice.show_notice(view)

    def dispose(self) -> None:
        """Let go of the session; the window takes the widgets away when it places others."""
        self.help.dispose()
        self.own_code.dispose()
        for controller in (self.project, self.model, self.model_text, self.panels, self.actions):
            controller.deleteLater()
        self.deleteLater()

    def flush(self) -> None:
        """Take over what is being typed and was not told yet."""
        field = QApplication.focusWidget()  # a field that is left tells it by itself
        if isinstance(field, TextEditor):
            field.flush()
        self.model_page.canvas.take_typed()
        self.inspector.flush()
        self.own_code.editor.flush()
        self.model_text.flush()

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
                has_selection=bool(self.model.chosen()),
                selected=len(session.selection),
                is_model=self.services.window.workspace == "model",
                is_document=self.services.window.front in _DOCUMENT,
                can_start=runs.can_start,
                is_running=runs.is_running,
                is_waiting=runs.is_waiting,
                is_paused=runs.is_paused,
                can_resume=runs.can_resume or runs.more_epochs() > 0,
                has_runs=session.run is not None,
                has_block=self.blocks.selected_use() is not None,
                is_inside=bool(session.path),
                can_share=self.blocks.can_share(),
                has_weights=self.initial.has_weights(),
                can_begin_alike=self.initial.can_begin_alike(),
                checked=checked_commands(self.services, self.model_page.canvas)
                | self.own_code.checked(),
                **self.own_code.states(),
            )
        )

    def _build_panels(self) -> PanelController:
        return PanelController(
            session=self.services.session,
            model=self.model,
            blocks=self.blocks,
            own_code=self.own_code.editor,
            model_text=self.model_text,
            canvas=self.model_page.canvas,
            inspector=self.inspector,
            problems=self.problems,
            code=self.code,
            window=self.services.window,
            language=self.services.code,
            on_selection=self.update_actions,
        )

    def _build_repairs(self) -> RepairController:
        services = self.services
        return RepairController(
            session=services.session,
            repairer=services.repairer,
            problems=self.problems,
            window=services.window,
            messenger=services.messenger,
            language=services.code,
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
            importing=self.sources.importing,
        )

    def _parts(self) -> Parts:
        return Parts(
            services=self.services,
            canvas=self.model_page.canvas,
            project=self.project,
            leaving=self.leaving,
            model=self.model,
            blocks=self.blocks,
            library=self.library,
            outline=self.outline,
            sources=self.sources,
            initial=self.initial,
            models=self.models,
            tools=self.tools,
            surgery=build_surgery(self.services, self.model, self.model_page, self.sources),
            repairs=self.repairs,
            code=CodeController(self.services.session, self.code, self.services.messenger),
            own_code=self.own_code,
            flush=self.flush,
            help=self.help,
            run_log=self.run_log,
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
            workspaces=workspaces(
                self.services,
                self.model_page,
                self.panels,
                self.repairs,
                models=self.models,
                ask_weights=self.sources.weights.ask,
                show_node=self.model.show_node,
            ),
            docks=[
                Dock(name=name, title=title, widget=widget, area=area, workspaces=workspaces)
                for name, title, widget, area, workspaces in docks
            ],
            actions=self.actions,
            tool_actions=_TOOLS,
            flipped_docks=self.services.settings.value.docks,
        )

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
        self.project.released.connect(self._on_project_released)
        self.project.opened.connect(lambda: window.show_workspace("model"))
        window.workspace_changed.connect(self.update_actions)  # ends with us: the window stays
        window.page_turned.connect(self.update_actions)
        window.docks_changed.connect(self._on_docks_changed)
        window.status.problems_clicked.connect(lambda: window.show_dock("problems"))
        window.status.run_clicked.connect(lambda: window.show_workspace("train"))
        self.model.node_shown.connect(self.model_page.show_canvas)
        self.palette.search_changed.connect(self._fill_palette)
        self.model.offer_changed.connect(lambda: self._fill_palette(self.palette.search_text()))
        self.palette.add_requested.connect(self.model_page.show_canvas)
        self.palette.add_requested.connect(self.model.add_beside)
        self.palette.help_requested.connect(self.help.manual.show_entry)
        self.palette.remove_requested.connect(self.blocks.remove)
        canvas = self.model_page.canvas
        canvas.hint.connect(window.status.say)
        canvas.snap_changed.connect(lambda on: self._keep("snap", on))
        canvas.brush_changed.connect(self.update_actions)
        canvas.minimap_changed.connect(lambda on: self._keep("minimap", on))

    def _fill_palette(self, text: str = "") -> None:
        entries = self.model.offered
        self.palette.set_groups(present_palette(entries, text, self.services.code()))

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

    def _on_project_released(self) -> None:
        for key in PROJECT_NOTICES:
            self.services.window.notice.dismiss(key)

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
        self.repairs.fill_menu(menu)
        for verb in ("cut", "copy", "paste", "duplicate", "delete"):
            menu.addAction(self.actions.action(f"action.edit.{verb}"))
        menu.addSeparator()
        for verb in ("group", "switch", "ungroup", "enter", "leave", "unique", "share", "keep"):
            if self.actions.action(f"action.model.{verb}").isEnabled():
                menu.addAction(self.actions.action(f"action.model.{verb}"))
        menu.addSeparator()
        verbs = ("add", "phrase", "frame", "note", "find", "rename", "bypass", "mute")
        for verb in (*verbs, "freeze", "collapse", "pin", "arrange", "fit"):
            menu.addAction(self.actions.action(f"action.model.{verb}"))
        menu.addAction(self.actions.action("action.run.debug_breakpoint"))
        menu.addAction(self.actions.action("action.inspect.look"))
        for verb in ("color_none", "cut_after", "align_left", "select_type"):
            submenu = self.services.window.menu("model").findChild(QMenu, f"menu.model.{verb}")
            if submenu is not None and self.model.chosen():
                menu.addMenu(submenu)
        menu.addSeparator()
        menu.addAction(self.actions.action("action.help.topic"))

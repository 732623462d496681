"""The composition root: makes the parts, hands them to each other, and runs the program."""

import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.query.machine.request import Capabilities, GetCapabilities
from engine.runs.queue import RunQueue
from engine.runtime import HostClient, work_off
from studio.app.contents import place_contents
from studio.app.signals import EndWatch, end_run_in_process
from studio.help.controller import HelpController
from studio.i18n import Language, translate
from studio.model.canvas.controller import ModelController
from studio.model.importer.controller import ImportController
from studio.process import collector
from studio.process.apart import import_plotting
from studio.process.crash import CrashRecorder
from studio.process.ordered_writer import OrderedWriter
from studio.process.settings import SettingsStore
from studio.process.thread_handover import ThreadHandover
from studio.project.project import ProjectController
from studio.project.recovery import RecoveryController
from studio.run_control.controller import RunController
from studio.run_control.data_locator import DataLocator
from studio.run_control.debugging import Debugging
from studio.run_control.file_repairs import FileRepairs
from studio.run_control.leaving import LeavingController
from studio.run_control.machine_gate import MachineGate
from studio.run_control.spec_editor import SpecEditor
from studio.services import Services
from studio.session.analyst import Analyst, LateHost
from studio.session.data_follower import DataFollower
from studio.session.data_watch import DataWatch
from studio.session.lab import Lab
from studio.session.reading import ReadingHost, ReadingWatch
from studio.session.repairer import Repairer
from studio.session.session import Session
from studio.session.trust import Trust
from studio.session.trusting_host import TrustingHost
from studio.view.problem import ProblemLinks
from studio.window.banner import BannerView
from studio.window.dialog.file import begin_at_home
from studio.window.first_paint import FirstPaint
from studio.window.given_path import given, is_lost_project
from studio.window.main_window import MainWindow
from studio.window.notifications import Notifications
from widgets.canvas.canvas import Canvas
from widgets.common.theme import DARK, LIGHT, apply_theme

_IDLE_MS = 30
_SLICE_S = 0.002  # with the longest step after it, below a frame
_REST_MS = 8
_SWITCH_S = 0.001  # with the usual 5 ms another thread at work holds up every frame


class Studio(QObject):
    """The running program. Everything in it is given to it; nothing is looked up."""

    def __init__(
        self,
        app: QApplication,
        settings: SettingsStore,
        host: "HostClient | ReadingHost",
        *,
        is_safe: bool,
    ) -> None:
        super().__init__(app)
        self._app = app
        self._host = host
        self.trust = Trust(settings, self)
        self._late = LateHost(TrustingHost(host, self.trust))
        self._has_spare = self._is_over = False
        self.is_safe = is_safe
        self.settings = settings
        self.window = MainWindow()
        self.session = Session(self, self.trust.judge)
        self.handover = ThreadHandover(self)
        self.writer = OrderedWriter(self.handover)
        settings.write_by(self.writer.run)
        self.language = Language(self)
        self.notifications = Notifications(lambda: self.language.code)
        self.services = self._build_services()
        self.language.switch(settings.value.language)
        self.apply_look()
        self.context = place_contents(self.services)
        self.window.close_requested.connect(self._on_close_requested)
        self.window.dropped.connect(self._on_dropped)
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)
        app.applicationStateChanged.connect(self._on_state_changed)
        self.session.analysis_changed.connect(self._start_spare)

    def _build_services(self) -> Services:
        analyst = Analyst(self.session, self._late, self.handover, self.notifications.report)
        DataWatch(self.session)
        editor = SpecEditor(
            self.session, lambda: self.language.code, DataFollower(self.session).note_choice
        )
        gate = MachineGate(self.window, self.notifications)
        locator = self._locator(editor)
        runs = self._run_controller(editor, gate, locator)
        return Services(
            session=self.session,
            settings=self.settings,
            language=self.language,
            notifications=self.notifications,
            handover=self.handover,
            writer=self.writer,
            host=self._late,
            analyst=analyst,
            repairer=Repairer(self.session, self._late, self.handover, self.notifications.report),
            runs=runs,
            gate=gate,
            editor=editor,
            locator=locator,
            window=self.window,
            trust=self.trust,
            recovery=RecoveryController(
                session=self.session,
                trust=self.trust,
                notifications=self.notifications,
                notify=self.window.show_banner,
                parent=self,
            ),
            debugging=Debugging(self.session, runs, self.notifications, self.handover),
            lab=Lab(self.settings.folder),
            reading=ReadingWatch(self._host, self.handover, self),
            apply_look=self.apply_look,
            apply_language=self.apply_language,
            quit=self.quit,
        )

    def _locator(self, editor: SpecEditor) -> DataLocator:
        return DataLocator(
            self.session,
            editor,
            self.window,
            tell=self.notifications.tell,
            report=self.notifications.report,
            moved=self._tell_runs_changed,
        )

    def _tell_runs_changed(self) -> None:
        self.services.runs.tell_runs_changed()

    def _run_controller(
        self, editor: SpecEditor, gate: MachineGate, locator: DataLocator
    ) -> RunController:
        repairs = FileRepairs(
            self.session,
            self._late,
            self.handover,
            self.notifications,
            lambda: self.language.code,
            locate=locator.locate,
            show=self._show_problem,
        )
        return RunController(
            session=self.session,
            trust=self.trust,
            handover=self.handover,
            notifications=self.notifications,
            language=lambda: self.language.code,
            notify=self.window.show_banner,
            dismiss=self.window.dismiss_banner,
            rejections=editor.rejections,
            gate=gate,
            repairs=repairs,
            ask_folder=self._ask_folder,
        )

    def _show_problem(self, problem: Diagnostic) -> None:
        self.context[ProblemLinks].show(problem)

    def _ask_folder(self) -> str:
        title = translate("Run", "Folder for the checkpoints")
        return QFileDialog.getExistingDirectory(self.window, title)

    def show(self, project: Path | None) -> None:
        """Show the window, then open a project (data, models and weights as after a drop), then
        load the rest in the background.
        """
        layout = None if self.is_safe else self.settings.layout()
        if layout is not None:
            self.window.apply_layout(*layout)
        FirstPaint(self.window, _IDLE_MS).timeout.connect(self.start_background)
        self.window.show()
        if project is not None:
            self._begin_with(project)

    def _begin_with(self, path: Path) -> None:
        found = None if is_lost_project(path) else given([path.absolute()])
        if found is None or found.kind == "project":
            self.open(path if found is None else found.path)
        else:
            self.window.take(found)

    def open(self, project: Path) -> bool:
        """Open a project; return whether that worked."""
        return self.context[ProjectController].open(project)

    def tell_start(self, project: Path | None, recorder: CrashRecorder) -> None:
        """Say what the user should know about this start: safe mode, a crash before it."""
        self.services.machine.recorder = recorder
        self._tell_settings()
        if self.is_safe:
            text = translate(
                "Studio",
                "Trellis crashed twice within a minute, so it started in safe mode, "
                "without the last layout and project.",
            )
            actions: list[tuple[str, Callable[[], object]]] = [
                (translate("Studio", "Reset layout"), self.window.reset_layout)
            ]
            if project is not None:
                name = translate("Studio", "Open {name}").format(name=project.name)
                actions.append((name, lambda: self.open(project)))
            self.window.show_banner(BannerView(key="safe", text=text, actions=tuple(actions)))
        elif (report := recorder.last_report) is not None:
            text = translate(
                "Studio", "Trellis crashed in the last session. A crash report is available."
            )
            show = (translate("Studio", "Show"), lambda: self._show_report(report))
            self.window.show_banner(BannerView(key="crash", text=text, actions=(show,)))

    def _tell_settings(self) -> None:
        """Say why the window may not look as it was left, or will not next time."""
        if self.settings.was_damaged:
            text = translate(
                "Studio",
                "The settings could not be read, so the defaults are used. The damaged "
                "file is kept beside them.",
            )
            self.notifications.tell(text, "warning")
        if (error := self.settings.write_error) is not None:
            text = translate("Studio", "Settings cannot be saved. {reason}")
            reason = sentence(error.problems[0], self.language.code)
            self.notifications.tell(text.format(reason=reason), "warning")

    def show_error(self, text: str, report: Path | None) -> None:
        """Say that something went wrong inside the program; it goes on."""
        last = text.strip().splitlines()[-1]
        message = translate(
            "Studio", "An internal error occurred. Your work is not affected. {error}"
        )
        action = None
        if report is not None:
            action = (translate("Studio", "Details"), lambda: self._show_report(report))
        self.notifications.tell(message.format(error=last), "error", detail=text, action=action)

    def start_background(self) -> None:
        """Start the host process and, when it has checked a model, what runs start from; build the
        pages not seen yet.
        """
        if isinstance(self._host, HostClient):
            try:
                self._host.start()
            except DiagnosticError as error:
                self.notifications.report(error.problems)
                collector.resume(self._app)
                return
        self._late.begin()
        self.handover.deliver(self._late.request(GetCapabilities()), self._on_capabilities)
        self.services.analyst.ask_again()
        queue = RunQueue(self.settings.folder / "queue")  # what waits from an earlier time goes on
        self.handover.run(lambda: work_off(queue), Future.result, self.notifications.report)
        import_plotting(self, self.handover, self._on_plotting_imported)
        begin_at_home()

    def apply_look(self) -> None:
        """Show theme and text size of the settings."""
        value = self.settings.value
        is_dark = value.theme == "dark"
        if value.theme == "system":
            is_dark = self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
        is_chinese = self.language.code.startswith("zh")
        theme = DARK if is_dark else LIGHT
        apply_theme(self._app, theme, value.text_scale, is_chinese=is_chinese)

    def apply_language(self) -> None:
        """Show the window in the language of the settings, with everything as it was."""
        self.language.switch(self.settings.value.language)
        self.context.flush()
        view = self.context[Canvas].view_state()
        front, page = self.window.workspace, self.window.front
        self.services.runs.clear_listeners()
        self.context.dispose()
        self.apply_look()  # the language brings its font
        self.context = place_contents(self.services)
        self.context[Canvas].restore_view_state(view)
        self.context[ModelController].keep_view()
        if page != front:
            self.window.show_page(front, page)
        self._build_pages()

    def keep_work(self) -> None:
        """Write unsaved work beside the project, now, and what a run in this process reached."""
        self.context.flush()
        self.context[ProjectController].keep()
        self.writer.wait()
        end_run_in_process(self.session.run)

    def quit(self, code: int = 0) -> None:
        """End the program: keep the layout, let go of project, processes and threads. Nothing where
        that was done: a signal may come while the window closes.
        """
        if self._is_over:
            return
        self._is_over = True
        if not self.window.isFullScreen():
            self.settings.set_layout(
                bytes(self.window.saveState().data()), bytes(self.window.saveGeometry().data())
            )
        self.context[ProjectController].release()
        self.context[ImportController].close()
        self.services.runs.close()
        self.services.lab.client.close()
        self.handover.close()
        self.writer.run(self.services.lab.keep, self._on_draft_kept)
        self.writer.close()
        if isinstance(self._host, HostClient):
            self._host.close()
        self.settings.end()
        self.window.leave()
        if code:
            self._app.exit(code)
        else:
            self._app.quit()  # without effect where no loop runs, as in tests and screenshots

    def _show_report(self, report: Path) -> None:
        self.context[HelpController].show_report(report)

    def _on_plotting_imported(self, future: "Future[None]") -> None:
        future.result()
        self._build_pages()

    def _build_pages(self) -> None:
        if self.window.build_pages(_SLICE_S):
            QTimer.singleShot(_REST_MS, self, self._build_pages)
        else:
            QTimer.singleShot(collector.SETTLED_MS, self, lambda: collector.resume(self._app))

    def _on_capabilities(self, future: "Future[Capabilities]") -> None:
        error = future.exception()
        if error is None:
            self.services.machine.capabilities = future.result()
            self.session.show_findings_again()
        elif isinstance(error, DiagnosticError):
            self.notifications.report(error.problems)
        else:
            raise error

    def _start_spare(self) -> None:
        """Have what a run needs loaded once, after the first check, which the user waits for; at
        the welcome page there is nothing to train.
        """
        is_checked = self.session.project is not None and self.session.findings.is_checked
        if not self._has_spare and is_checked and self.services.machine.capabilities is not None:
            self._has_spare = True
            self.services.runs.warm_up()

    def _on_close_requested(self) -> None:
        self.context[LeavingController].leave_then(self.quit)

    def _on_draft_kept(self, future: "Future[None]") -> None:
        """Tell on the terminal that what was typed in the lab is not kept: the window is gone."""
        error = future.exception()
        if isinstance(error, DiagnosticError):
            for problem in error.problems:
                print(self.notifications.words(problem), file=sys.stderr)  # noqa: T201
        elif error is not None:
            raise error

    def _on_dropped(self, folder: Path) -> None:
        self.context[LeavingController].leave_then(lambda: self.open(folder))

    def _on_state_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self.services.analyst.look_again()

    def _on_scheme_changed(self) -> None:
        if self.settings.value.theme == "system":
            self.apply_look()


def build_app(
    app: QApplication, *, settings: SettingsStore | None = None, host: ReadingHost | None = None
) -> Studio:
    """Make the program. Tests give it settings of their own and a stand-in for the host."""
    sys.setswitchinterval(_SWITCH_S)
    store = settings or SettingsStore()
    is_safe = store.begin()
    built: list[Studio] = []

    def tell(problem: Diagnostic) -> None:
        studio = built[0]
        studio.handover.post(lambda: studio.notifications.report([problem]))

    built.append(Studio(app, store, host or HostClient(tell), is_safe=is_safe))
    return built[0]


def main(project: Path | None = None) -> int:
    """Open the window and run the program; returns its exit code."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Trellis")
    app.setDesktopFileName("trellis")
    app.setQuitOnLastWindowClosed(False)
    settings = SettingsStore()
    recorder = CrashRecorder()
    recorder.start()
    studio = build_app(app, settings=settings)
    recorder.on_error = studio.show_error
    studio.window.fit_to_screen()
    studio.show(None if studio.is_safe else project)
    studio.tell_start(project, recorder)
    watch = EndWatch(app, studio.keep_work, studio.quit)
    code = app.exec()
    watch.close()
    recorder.stop()
    return code

"""Controller of projects: creating, opening, saving, closing and recovering them."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from engine.diagnostics import DiagnosticError
from engine.files import describe_os_error
from engine.project import Project
from engine.project.document import ProjectDocument
from engine.project.picture import SUFFIXES, read_picture
from studio.i18n import translate
from studio.process.desktop import show_folder
from studio.process.ordered_writer import OrderedWriter
from studio.process.settings import SettingsStore
from studio.project.recovery import RECOVERY_BANNERS, RecoveryController
from studio.session.session import Document, Session
from studio.session.trust import Trust
from studio.window.banner import BannerView
from studio.window.dialog.question import Answer, Question
from studio.window.notifications import Notifications

_QUIET_MS = 2500
PROJECT_BANNERS = ("read_only", "changed_on_disk", "run", *RECOVERY_BANNERS)
"""Keys of the banners that are about the project that is open."""


def projects_folder() -> Path:
    """Return where new projects are put: a folder of ours among the user's documents."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(documents or Path.home()) / "Trellis"


def free_folder(name: str) -> Path:
    """Return a folder with that name, or that name with a number, where nothing stands yet."""
    parent = projects_folder()
    path, number = parent / name, 2
    while path.exists():
        path, number = parent / f"{name}-{number}", number + 1
    return path


def typed_folder(text: str) -> Path:
    """Return the folder that is meant where its path is typed: ``~`` is the user's home, and what
    does not begin at the root lies among the user's projects, not where the program was started.
    """
    try:
        return projects_folder() / Path(text).expanduser() if text else Path()
    except RuntimeError:  # the home of nobody
        return projects_folder() / text


def _nearest(folder: Path) -> Path:
    """Return the folder or the nearest above it that is there: Qt would begin anywhere."""
    return next(path for path in (folder, *folder.parents) if path.is_dir())


class ProjectController(QObject):
    """Owns the project that is open. ``window`` is the parent of the few dialogs; ``writer`` writes
    unsaved work beside the project.
    """

    released = Signal()
    """The project that was open is not worked on any more."""
    code_differed = Signal()
    """Nothing was saved: another program changed a file of code that saving would replace."""
    opened = Signal()
    """Another project is there to be worked on (not a copy of the one that was)."""

    def __init__(
        self,
        *,
        session: Session,
        settings: SettingsStore,
        trust: Trust,
        notifications: Notifications,
        window: QWidget,
        writer: OrderedWriter,
        recovery: RecoveryController,
        notify: Callable[[BannerView], None],
    ) -> None:
        super().__init__(window)
        self._session = session
        self._settings = settings
        self._trust = trust
        self._notifications = notifications
        self._window = window
        self._writer = writer
        self._notify = notify
        self._recovery = recovery
        self._given_up: Document | None = None  # what the user said not to save
        self._quiet = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._quiet.timeout.connect(self.autosave)
        self._regular = QTimer(self, interval=settings.value.autosave_s * 1000)
        self._regular.timeout.connect(self.autosave)
        self._regular.start()
        self.autosave_error = ""
        session.graph_changed.connect(self._quiet.start)
        session.spec_changed.connect(self._quiet.start)

    def set_interval(self, seconds: int) -> None:
        """Write unsaved work this often."""
        self._regular.setInterval(seconds * 1000)

    def create(self, path: Path, template: str | None) -> bool:
        """Make a project and open it; return whether that worked."""
        problem = self.refusal_to_create(path, template)
        if problem:
            self._notifications.tell(problem, "error")
        return not problem

    def refusal_to_create(self, path: Path, content: str | ProjectDocument | None) -> str:
        """Make a project, empty, of a template or a document, and open it; return in words why that
        did not work, or nothing.
        """
        try:
            if isinstance(content, ProjectDocument):
                made = Project.create_from(path, content)
            else:
                made = Project.create(path, content)
        except DiagnosticError as error:
            return self._notifications.words(error.problems[0])
        self._trust.note(made.graph.code.values())  # templates are a part of the program
        self._trust.keep(made.path, made.graph.code)
        self.open(path)
        return ""

    def create_from_template(self, template: str) -> bool:
        """Make a project of a template among the user's documents and open it."""
        path = free_folder(template)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._notifications.report([describe_os_error(error, path.parent, "write")])
            return False
        if not self.create(path, template):
            return False
        text = translate("Project", "Created a copy of the project in {folder}.")
        self._notifications.tell(text.format(folder=path), "success")
        return True

    def ask_open(self) -> None:
        """Let the user choose a project folder."""
        start = self._settings.recent_projects()
        folder = QFileDialog.getExistingDirectory(
            self._window,
            translate("Project", "Open project folder"),
            str(start[0].parent if start else _nearest(projects_folder())),
        )
        if folder:
            self.open(Path(folder))

    def ask_open_picture(self) -> None:
        """Let the user choose a picture with a project inside."""
        endings = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        file, _ = QFileDialog.getOpenFileName(
            self._window,
            translate("Project", "Open project from image"),
            str(_nearest(projects_folder())),
            translate("Project", "Images with a project ({endings})").format(endings=endings),
        )
        if file:
            self.open(Path(file))

    def open_picture(self, path: Path) -> bool:
        """Make a project of what a picture carries, among the user's documents, and open it."""
        try:
            made = Project.create_from(free_folder(path.stem), read_picture(path))
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return False
        if not self.open(made.path):
            return False
        text = translate("Project", "Created a copy of the project in {folder}.")
        self._notifications.tell(text.format(folder=made.path), "success")
        return True

    def open(self, path: Path) -> bool:
        """Open a project, or a picture with one inside, in place of the one that is open; return
        whether that worked.
        """
        if path.suffix.lower() in SUFFIXES and path.is_file():
            return self.open_picture(path)
        if not self._open(path):
            return False
        self.opened.emit()
        return True

    def _open(self, path: Path) -> bool:
        try:
            project = Project.open(path)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return False
        self.release()
        refusal = project.claim()
        self._trust.begin(project.path, project.graph.code)
        if self._session.project is not None and self._session.project.path != project.path:
            self._notifications.clear()  # they are about the project before
        self._session.open(project, Document(graph=project.graph, spec=project.spec))
        self._settings.add_recent(project.path)
        self._notifications.log(translate("Project", "Opened {folder}").format(folder=project.path))
        self._notifications.report(project.notices)
        if refusal is not None:
            self._tell_read_only(project, self._notifications.words(refusal))
        is_held_elsewhere = refusal is not None and refusal.code == "P021"
        self._recovery.begin(project, is_held_elsewhere=is_held_elsewhere)
        return True

    def save(self) -> bool:
        """Write the project file; return whether that worked."""
        project = self._session.project
        if project is None:
            return False
        return self._save(project, overwrite=False)

    def ask_save_as(self) -> bool:
        """Let the user choose a folder for a copy and go on there; return whether that worked."""
        project = self._session.project
        if project is None:
            return False
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            translate("Project", "Save copy: name of the new folder"),
            str(_nearest(projects_folder()) / free_folder(project.name).name),
        )
        return bool(name) and self.save_as(Path(name))

    def save_as(self, path: Path) -> bool:
        """Write a copy into a new folder and go on there; return whether that worked."""
        self._writer.wait()
        project, taken = self._synced(), self._recovery.taken()
        try:
            copy = project.save_as(path)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return False
        self._trust.keep(copy.path, copy.graph.code)
        project.discard_autosave()
        self._recovery.forget(project, taken)
        return self._open(path)

    def reveal(self) -> None:
        """Show the project folder in the system's file manager."""
        if self._session.project is not None:
            show_folder(self._session.project.path)

    def autosave(self) -> None:
        """Have unsaved work written beside the project soon, or forgotten when all of it was taken
        back. A failure is told once, until it works again.
        """
        if self._session.project is None:
            return
        project = self._synced()
        self._writer.run(project.prepared_autosave(), self._on_autosaved)
        if self._session.is_modified:
            self._trust.keep(project.path, project.graph.code, is_saved=False)

    def keep(self) -> None:
        """Have unsaved work written for the next start: the program ends without a question."""
        self._given_up = None
        self.autosave()

    def _on_autosaved(self, future: "Future[None]") -> None:
        try:
            future.result()
        except DiagnosticError as error:
            text = self._notifications.words(error.problems[0])
            if text != self.autosave_error:
                self._notifications.tell(text, "warning")
            self.autosave_error = text
        else:
            self.autosave_error = ""

    def leave_then(self, act: Callable[[], object]) -> None:
        """Do something that needs the project closed; unsaved work is asked about first."""
        if not self._session.is_modified:
            act()
            return
        project = self._session.project
        assert project is not None
        Question(
            self._window,
            "unsaved",
            title=translate("Project", "Save changes to “{name}”?").format(name=project.name),
            text=translate(
                "Project", "The model or its training settings have changed since the last save."
            ),
            answers=(
                self._copy_then(act)
                if project.is_read_only
                else Answer(
                    name="save",
                    text=translate("Project", "Save"),
                    act=lambda: self.save() and act(),
                ),
                Answer(
                    name="discard",
                    text=translate("Project", "Don't save"),
                    act=lambda: self._discard_then(act),
                ),
            ),
            cancel=translate("Project", "Cancel"),
        ).open()

    def close(self) -> None:
        """Close the project without asking and work on nothing."""
        self.release()
        self._session.open(None, Document())

    def release(self) -> None:
        """Let go of the project's lock, when everything of it is written. What there is no need to
        restore is not offered when it is opened again.
        """
        self._writer.wait()
        session, project = self._session, self._session.project
        if project is None:
            return
        if session.document is self._given_up:
            self._recovery.forget(project, self._recovery.taken())
        if session.document is self._given_up or not session.is_modified:
            project.discard_autosave()
        self._given_up = None
        self._recovery.clear()
        project.release()
        self.released.emit()

    def _save(self, project: Project, *, overwrite: bool) -> bool:
        taken = self._recovery.taken()
        self._session.adopt_shown_text()
        self._writer.wait()  # what is saved leaves no unsaved work beside it
        try:
            self._synced().save(overwrite=overwrite)
        except DiagnosticError as error:
            if error.problems[0].code == "U025":
                self._notifications.report(error.problems)
                self.code_differed.emit()
            elif error.problems[0].code in ("P023", "D185"):
                self._offer_overwrite(project, self._notifications.words(error.problems[0]))
            else:
                text = self._notifications.words(error.problems[0])
                copy = (translate("Project", "Save copy…"), self.ask_save_as)
                detail = error.problems[0].detail
                self._notifications.tell(text, "error", detail=detail, action=copy)
            return False
        self._recovery.forget(project, taken)
        self._trust.keep(project.path, project.graph.code)
        self._session.mark_saved(project)
        self._notifications.log(translate("Project", "Saved {file}").format(file=project.file))
        return True

    def _synced(self) -> Project:
        project = self._session.project
        assert project is not None
        project.graph, project.spec = self._session.graph, self._session.spec
        return project

    def _discard_then(self, act: Callable[[], object]) -> None:
        project = self._session.project
        if project is not None:
            self._writer.wait()  # it could be writing what is to go
            project.discard_autosave()
            self._given_up = self._session.document  # until it is left it may be written again
        act()

    def _copy_then(self, act: Callable[[], object]) -> Answer:
        return Answer(
            name="save",
            text=translate("Project", "Save copy…"),
            act=lambda: self.ask_save_as() and act(),
        )

    def _tell_read_only(self, project: Project, text: str) -> None:
        def try_again() -> None:
            self.leave_then(lambda: self.open(project.path))

        self._notify(
            BannerView(
                key="read_only",
                text=text,
                severity="warning",
                actions=(
                    (translate("Project", "Save copy…"), self.ask_save_as),
                    (translate("Project", "Try again"), try_again),
                ),
            )
        )

    def _offer_overwrite(self, project: Project, text: str) -> None:
        self._notify(
            BannerView(
                key="changed_on_disk",
                text=text,
                actions=(
                    (
                        translate("Project", "Overwrite"),
                        lambda: self._save(project, overwrite=True),
                    ),
                    (translate("Project", "Reload"), lambda: self.open(project.path)),
                ),
            )
        )

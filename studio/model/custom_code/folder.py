"""Mirror of custom code in ``code/`` on disk: opened in another editor, watched, and read back."""

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QProcess, QTimer

from engine.graph.code import TEXT_FILES
from engine.graph.edit.code_edits import RemoveCode, SetCode
from engine.graph.edit.edits import Edit
from engine.project import Project
from studio.i18n import translate
from studio.process.desktop import ReadAsCommandsError, editor_command, open_text
from studio.services import Controller, Services
from studio.window.banner import BannerView

_CALM_MS = 200
_KEY = "code:"

Words = tuple[str, tuple[tuple[str, Callable[[], object]], ...]]
"""What a banner says, and what can be done: words with what they do."""


class CodeFolderController(Controller):
    """Follows the files of the project that is open. A text from outside is another author's until
    the user says otherwise; what he has changed here himself is never replaced unasked.
    ``take_text`` takes a text of the model (with words for undo, and whether it is foreign).
    """

    def __init__(
        self,
        services: Services,
        parent: QObject,
        *,
        save: Callable[[], bool],
        take_text: Callable[[str, str, bool], bool],
    ) -> None:
        super().__init__(services, parent)
        self._settings = services.settings
        self._trust = services.trust
        self._save = save
        self._take_text = take_text
        self._project: Project | None = None
        self._own: set[str] = set()  # files that the user writes in another editor
        self._asked: dict[str, str | None] = {}
        self._watcher = QFileSystemWatcher(self)
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self.look)
        self._watcher.directoryChanged.connect(self._calm.start)
        self._watcher.fileChanged.connect(self._calm.start)
        self._session.project_changed.connect(self._on_project_changed)
        self._on_project_changed()

    def open_outside(self, file: str, line: int = 1) -> bool:
        """Open a file in the editor of the user's choice; unsaved work is saved first. Returns
        whether that worked.
        """
        project = self._session.project
        if project is None or not file:
            return False
        path = self._folder(project) / file
        if self._session.is_modified and not self._save():
            return False
        why_not = self._start(path, line)
        if why_not:
            self._notifications.tell(why_not, "error")
            return False
        self._own.add(file)
        self._watch()
        return True

    def ask_again(self) -> None:
        """Ask about everything that is different on disk, also what was asked about before."""
        self._asked.clear()
        self.look()

    def look(self) -> None:
        """Compare the disk with what is known of it, and ask about what is different."""
        self._watch()
        project = self._session.project
        if project is None:
            return
        changed = project.changed_code()
        for file in list(self._asked):
            if file not in changed:
                self._forget(file)
        for file, text in changed.items():
            here = self._session.graph.code.get(file)
            if text == here:
                project.take_code({file: text})
                self._forget(file)
            elif file not in self._asked or self._asked[file] != text:
                self._ask(project, file, text)

    def _ask(self, project: Project, file: str, text: str | None) -> None:
        self._asked[file] = text
        here = self._session.with_shown_text().code.get(file)
        is_changed_here = here is not None and not project.knows_code(file, here)
        if text is None:
            words, actions = self._about_missing(project, file)
        elif is_changed_here:
            words, actions = self._about_conflict(project, file, text)
        elif file in self._own and self._trust.covers(self._session.graph.code):
            words, actions = self._about_own(project, file, text)
        else:
            words, actions = self._about_change(project, file, text)
        self._window.show_banner(BannerView(key=_KEY + file, text=words, actions=actions))

    def _about_change(self, project: Project, file: str, text: str) -> Words:
        words = translate("OwnCode", "Another program has changed “{file}”.")
        if file not in self._session.graph.code:
            words = translate("OwnCode", "Another program has added “{file}” to the project.")
        return words.format(file=file), (
            (
                translate("OwnCode", "Load and trust"),
                lambda: self._take(project, file, text, is_trusted=True),
            ),
            (
                translate("OwnCode", "Load restricted"),
                lambda: self._take(project, file, text, is_trusted=False),
            ),
            (translate("OwnCode", "Keep mine"), lambda: self._keep(project, file, text)),
        )

    def _about_own(self, project: Project, file: str, text: str) -> Words:
        words = translate("OwnCode", "“{file}” was changed in the external editor.")
        return words.format(file=file), (
            (
                translate("OwnCode", "Load and trust"),
                lambda: self._take(project, file, text, is_trusted=True),
            ),
            (translate("OwnCode", "Keep mine"), lambda: self._keep(project, file, text)),
        )

    def _about_conflict(self, project: Project, file: str, text: str) -> Words:
        words = translate(
            "OwnCode",
            "“{file}” was changed here and by another program. Both versions are kept "
            "until you choose one.",
        )
        return words.format(file=file), (
            (translate("OwnCode", "Keep mine"), lambda: self._keep(project, file, text)),
            (
                translate("OwnCode", "Use the other version"),
                lambda: self._take(project, file, text, is_trusted=False),
            ),
            (translate("OwnCode", "Keep both"), lambda: self._keep_both(project, file, text)),
        )

    def _about_missing(self, project: Project, file: str) -> Words:
        words = translate("OwnCode", "Another program has deleted “{file}” or made it unreadable.")
        return words.format(file=file), (
            (translate("OwnCode", "Keep here"), lambda: self._keep(project, file, None)),
            (translate("OwnCode", "Remove here too"), lambda: self._remove(project, file)),
        )

    def _take(self, project: Project, file: str, text: str, *, is_trusted: bool) -> None:
        label = translate("OwnCode", "Load {file}").format(file=file)
        if file in TEXT_FILES:  # the canvas follows it as if it was typed
            is_same = project is self._session.project
            is_done = is_same and self._take_text(text, label, not is_trusted)
        else:
            edit = SetCode(file=file, text=text)
            is_done = self._change(project, edit, label, is_foreign=not is_trusted)
        if is_done:
            project.take_code({file: text})
            self._forget(file)

    def _keep(self, project: Project, file: str, text: str | None) -> None:
        if project is self._session.project:
            project.take_code({file: text})
            self._forget(file)
            self._notifications.log(
                translate("OwnCode", "Saving will write “{file}” as it is here.").format(file=file)
            )

    def _keep_both(self, project: Project, file: str, text: str) -> None:
        code, stem = self._session.graph.code, file.removesuffix(".py")
        other, number = f"{stem}_other.py", 2
        while other in code:
            other, number = f"{stem}_other{number}.py", number + 1
        label = translate("OwnCode", "Load {file}").format(file=other)
        if self._change(project, SetCode(file=other, text=text), label, is_foreign=True):
            self._keep(project, file, text)

    def _remove(self, project: Project, file: str) -> None:
        label = translate("OwnCode", "Remove {file}").format(file=file)
        if self._change(project, RemoveCode(file=file), label):
            self._keep(project, file, None)

    def _change(
        self, project: Project, edit: Edit, label: str, *, is_foreign: bool = False
    ) -> bool:
        """Change the project that was asked about; another one that is open now is not touched."""
        if project is not self._session.project:
            return False
        return self._succeeds(lambda: self._session.edit(edit, label, is_foreign=is_foreign))

    def _forget(self, file: str) -> None:
        self._asked.pop(file, None)
        self._window.dismiss_banner(_KEY + file)

    def _start(self, path: Path, line: int) -> str:
        """Start an editor; return why none was started, nothing where one was."""
        command = self._settings.value.outside_editor.strip()
        try:
            if command:
                program, *arguments = editor_command(command, path, line, sys.platform)
                is_started, _ = QProcess.startDetached(program, arguments)
            else:
                is_started = open_text(path)
        except ReadAsCommandsError as error:
            text = translate(
                "OwnCode",
                "The external editor for “{file}” was not started because “{part}” could "
                "run folder names as commands. In Preferences, enter the editor itself "
                "with {{file}} as a separate argument, without a shell or batch file.",
            )
            return text.format(part=error.part, file=path)
        except ValueError:  # a quote without end
            is_started = False
        if is_started:
            return ""
        text = translate("OwnCode", "The external editor for “{file}” could not be started.")
        return text.format(file=path)

    def _on_project_changed(self) -> None:
        project = self._session.project
        if project is not self._project:
            for file in list(self._asked):
                self._forget(file)
            self._project = project
            self._own.clear()
        self._watch()

    def _watch(self) -> None:
        """Watch the folders and files that are there: a file that was replaced is another one."""
        project = self._session.project
        wanted: set[str] = set()
        if project is not None:
            folder = self._folder(project)
            wanted = {str(path) for path in (project.path, folder) if path.is_dir()}
            paths = [folder / name for name in self._session.graph.code]
            wanted |= {str(path) for path in paths if path.is_file()}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if old := watched - wanted:
            self._watcher.removePaths(list(old))
        if new := wanted - watched:
            self._watcher.addPaths(list(new))

    @staticmethod
    def _folder(project: Project) -> Path:
        return project.path / "code"

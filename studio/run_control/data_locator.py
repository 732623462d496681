"""Choosing of files and folders of data: for a field, or in place of data that moved."""

from collections.abc import Callable

from PySide6.QtWidgets import QFileDialog, QWidget

from engine.catalog.spec import FOLDER
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.moved_data import follow_data_of_all
from engine.spec.data_root import DataRoots, known_roots, moved_root
from engine.spec.fields import field_param, get_value
from studio.i18n import translate
from studio.run_control.spec_editor import SpecEditor
from studio.session.data_root import follow_roots
from studio.session.session import Session


class DataLocator:
    """Asks where data is. ``tell`` says what came of it, ``report`` what went wrong, ``moved`` is
    called when runs have followed their data.
    """

    def __init__(
        self,
        session: Session,
        editor: SpecEditor,
        window: QWidget,
        *,
        tell: Callable[[str], object],
        report: Callable[[tuple[Diagnostic, ...]], object],
        moved: Callable[[], object],
    ) -> None:
        self._session = session
        self._editor = editor
        self._window = window
        self._tell = tell
        self._report = report
        self._moved = moved

    def browse(self, name: str) -> None:
        """Let the user choose the file or folder of a setting."""
        if chosen := self._ask(name):
            self._editor.set(name, chosen)

    def locate(self, name: str) -> None:
        """Let the user choose where data is now; where that tells it, its root is there, too."""
        if not (chosen := self._ask(name)):
            return
        before = known_roots()
        root = moved_root(self._path(name), chosen, before)
        if root is None:
            self._editor.set(name, chosen, keeps_edits=True)
            self._follow()
            return
        folder, path = root
        roots = DataRoots()
        try:
            roots.set({**roots.roots(), folder: path})
        except DiagnosticError as error:
            self._report(error.problems)
            return
        follow_roots(self._session, before, known_roots())
        text = translate("Data", "The folder “{name}” is {path} now, for all projects.")
        self._tell(text.format(name=folder, path=path))

    def _follow(self) -> None:
        """Let earlier runs read the data where they are now."""
        project = self._session.project
        if project is None or project.is_read_only:
            return
        try:
            count = follow_data_of_all(project.path, self._session.spec)
        except DiagnosticError as error:
            self._report(error.problems)
            return
        if count:
            self._moved()

    def _path(self, name: str) -> str:
        session = self._session
        return str(get_value(session.spec, name, session.graph.code) or "")

    def _ask(self, name: str) -> str:
        """Return the file or folder that the user chooses for a setting, empty for none."""
        param = field_param(self._session.spec, name, self._session.graph.code)
        if FOLDER in param.choices:
            title = translate("Data", "Folder with the data")
            return QFileDialog.getExistingDirectory(self._window, title, self._path(name))
        title = translate("Data", "File with the data")
        return QFileDialog.getOpenFileName(self._window, title, self._path(name))[0]

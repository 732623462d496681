"""Watches the table that is chosen: where it changes outside, the data are described again."""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from engine.spec.data_path import path_params
from studio.session.session import Session

_CALM_MS = 400  # a file is written in several goes


class DataWatch(QObject):
    """Has the data looked at again when a file of them is another than it was before.

    The folder of the file is watched, too: many programs write a new file in place of the old one.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._files: dict[str, tuple[int, ...]] = {}
        self._watcher = QFileSystemWatcher(self)
        self._calm = QTimer(self, singleShot=True, interval=_CALM_MS)
        self._calm.timeout.connect(self._look)
        self._watcher.directoryChanged.connect(self._calm.start)
        self._watcher.fileChanged.connect(self._calm.start)
        session.spec_changed.connect(self._on_spec_changed)
        session.project_changed.connect(self._on_spec_changed)

    def _on_spec_changed(self) -> None:
        files = self._chosen()
        if files.keys() != self._files.keys():
            self._files = files
            self._watch()

    def _chosen(self) -> dict[str, tuple[int, ...]]:
        """Return the files of the data with what tells one state of them from another."""
        if self._session.project is None:
            return {}
        source, code = self._session.spec.data.source, self._session.graph.code
        names = (str(source.params.get(name) or "") for name in path_params(source, code))
        return {name: _state(name) for name in names if name and not Path(name).is_dir()}

    def _watch(self) -> None:
        wanted = {*self._files, *(str(Path(name).parent) for name in self._files)}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if gone := watched - wanted:
            self._watcher.removePaths([*gone])
        if new := [name for name in wanted - watched if Path(name).exists()]:
            self._watcher.addPaths(new)

    def _look(self) -> None:
        self._watch()  # a file that was replaced is watched no more
        files = {name: _state(name) for name in self._files}
        if files != self._files:
            self._files = files
            self._session.doubt_data()


def _state(name: str) -> tuple[int, ...]:
    try:
        found = Path(name).stat()
    except OSError:
        return ()  # it is not there, which the description of the data says
    return found.st_mtime_ns, found.st_size, found.st_ino

"""The whole program in this process, as benchmarks drive and watch it."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from typing_extensions import override

from engine.project import Project
from studio.app.app import Studio, build_app
from studio.process import collector
from studio.process.settings import SettingsStore


class PaintWatch(QObject):
    """Remembers when a widget was painted last."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.painted_at = 0.0
        widget.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self, self._note)  # when the paint is done
        return False

    def _note(self) -> None:
        self.painted_at = time.perf_counter()


def wait_for(condition: Callable[[], object], limit_s: float = 60.0) -> None:
    """Run Qt's loop until something is so. Raises TimeoutError."""
    loop, deadline = QEventLoop(), time.monotonic() + limit_s

    def look() -> None:
        if condition() or time.monotonic() > deadline:
            loop.quit()

    timer = QTimer(interval=3)
    timer.timeout.connect(look)
    timer.start()
    loop.exec()
    timer.stop()
    if not condition():
        raise TimeoutError(f"not so after {limit_s} s")


@contextmanager
def shown_studio(change: Callable[[Project], None], template: str | None) -> Iterator[Studio]:
    """Show the program with its host process and a project, and close it at the end."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        project = Project.create(Path(folder, "project"), template)
        change(project)
        project.save()
        project.release()
        settings = SettingsStore(Path(folder, "settings"))
        settings.change(theme="light", language="en", tour_done=True)
        collector.rest()  # as the program does
        studio = build_app(app, settings=settings)
        studio.window.resize(1440, 900)
        studio.show(Path(folder, "project"))
        try:
            yield studio
        finally:
            studio.quit()
            collector.resume(app)

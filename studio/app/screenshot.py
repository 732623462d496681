"""Pictures of the window without a screen: for documentation, tests and the command line."""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QEventLoop, QIODevice
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import QAbstractButton, QApplication, QTableView, QWidget

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import atomic_write
from studio.app.pressing import press
from studio.process.settings import SettingsStore

_LIMIT_S = 90.0
_WORK_S = 600.0  # until what tells of its progress is done, such as a map on a busy machine
_SETTLE_S = 0.6
_INSPECT_S = 8.0  # until the host has answered about a run
_CHOSEN = {"debugger": "debugger.tensors"}  # tables whose first row is chosen
_PRESSED = {
    "doctor": "doctor.examine",
    "health": "health.check",
    "playground": "playground.example",
    "landscape": "landscape.start",
}
_THEN_PRESSED = {"playground": "playground.generate"}  # where it is offered by then
_BUSY = {
    "lab": "lab.run",
    "map": "map.compute",
}  # buttons that wait for what the page does by itself


def take(  # noqa: PLR0917 - the command line's order
    project: Path,
    workspace: str,
    output: Path,
    size: tuple[int, int] = (1440, 900),
    theme: str = "light",
    lang: str = "en",
    steps: Sequence[str] = (),
) -> None:
    """Write a PNG of a project's window, once model and data are analysed.

    ``workspace`` is ``model``, ``data``, ``train``, ``inspect``, ``runs``, ``export`` or
    ``welcome``; a page of one stands behind a dot (``inspect.results``, ``data.samples``).
    ``steps`` are then pressed (see :func:`~studio.app.pressing.press`); of a dialog that is open
    after that the picture is taken alone. Works with and without a screen. Raises
    :class:`DiagnosticError` when the project, a step or the file fails, ValueError for no such
    page.
    """
    workspace, _, page = workspace.partition(".")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from studio.app.app import build_app

    app = QApplication.instance() or QApplication(["trellis"])
    assert isinstance(app, QApplication)
    with TemporaryDirectory() as folder:
        settings = SettingsStore(Path(folder))
        settings.change(theme=theme, language=lang, tour_done=True)
        studio = build_app(app, settings=settings)
        try:
            studio.window.resize(*size)
            studio.show(None if workspace == "welcome" else project)
            if workspace != "welcome":
                if studio.session.project is None:
                    problem = Diagnostic(code="P010", params={"folder": str(project)})
                    raise DiagnosticError(problem)
                _wait(lambda: studio.session.findings.is_checked, _LIMIT_S)
                studio.window.show_workspace(workspace)
                _choose_all(studio.window.page(workspace))
                if page or workspace in ("data", "inspect"):
                    _look_at(studio.window.page(workspace), page)
            _press_all(steps)
            if workspace != "welcome":  # a page that was built may have had it checked again
                _wait(lambda: studio.session.findings.is_checked, _LIMIT_S)
            shown = app.activeModalWidget() or studio.window
            picture = shown.grab().toImage()
        finally:
            studio.quit()
    atomic_write(output, _png(picture))


def _press_all(steps: Sequence[str]) -> None:
    """Press one after the other, each once the work of the one before is done."""
    for step in steps:
        press(step, _wait)
        _wait(lambda: False, _SETTLE_S)
        _wait(_is_idle, _WORK_S)
    _wait(lambda: False, _SETTLE_S if not steps else _INSPECT_S)


def _choose_all(page: QWidget) -> None:
    """Select all runs, so that their curves are in the picture."""
    table = page.findChild(QTableView, "runs.table")
    if table is not None:
        _wait(lambda: False, _SETTLE_S)
        table.selectAll()


def _look_at(workspace: QWidget, name: str) -> None:
    """Show a page of a workspace (with no name the first), and press what has it filled."""
    from studio.window.paged import PagedWorkspace
    from widgets.common.progress import ProgressPanel

    assert isinstance(workspace, PagedWorkspace)
    workspace.show_page(name or workspace.names[0])
    _wait(lambda: False, _INSPECT_S)
    waiting = workspace.findChild(QAbstractButton, _BUSY.get(name, ""))
    if name in _BUSY and waiting is not None:
        _wait(waiting.isEnabled, _WORK_S)
        _wait(lambda: False, _SETTLE_S)
    table = workspace.findChild(QTableView, _CHOSEN.get(name, ""))
    if name in _CHOSEN and table is not None:
        table.selectRow(0)
        _wait(lambda: False, _SETTLE_S)
    button = workspace.findChild(QAbstractButton, _PRESSED.get(name, ""))
    if name in _PRESSED and button is not None:
        button.click()
        _wait(lambda: False, _INSPECT_S)
    then = workspace.findChild(QAbstractButton, _THEN_PRESSED.get(name, ""))
    if name in _THEN_PRESSED and then is not None and then.isVisible():
        then.click()
        _wait(then.isEnabled, _LIMIT_S)
    bars = [bar for bar in workspace.findChildren(ProgressPanel) if bar.isVisible()]
    if bars:  # predictions of samples come by themselves
        _wait(lambda: not any(bar.isVisible() for bar in bars), _WORK_S)
    if bars or name in _PRESSED:
        _wait(lambda: False, _INSPECT_S)  # what is shown bit by bit


def _is_idle() -> bool:
    """Return whether nothing tells of its progress any more."""
    from widgets.common.progress import ProgressPanel

    return not any(
        isinstance(each, ProgressPanel) and each.isVisible() for each in QApplication.allWidgets()
    )


def _wait(is_done: Callable[[], bool], limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while not is_done() and time.monotonic() < deadline:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
        time.sleep(0.005)


def _png(picture: QImage) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(picture)
    return bytes(data.data())

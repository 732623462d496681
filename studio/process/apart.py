"""Import of the plotting library off Qt's thread: it takes longer than all the rest of a window."""

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from PySide6.QtCore import QObject, QTimer

from studio.process.thread_handover import OwnedHandover, ThreadHandover

_QT = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGLWidgets", "QtTest")
_CLASSES_S = 0.005
_REST_MS = 2


def import_plotting(
    owner: QObject,
    handover: ThreadHandover | OwnedHandover,
    then: Callable[["Future[None]"], object],
) -> None:
    """Import the plotting library off Qt's thread, and hand the finished future over in it. Before
    that PySide makes all its classes in Qt's thread: where two threads make some at once, the
    process ends. It has ended, too, while a thread made a class of our own widgets: these are
    imported in Qt's thread, page by page, which takes it 50 ms at most.
    """
    _complete(_classes(), owner, lambda: handover.run(_import, then))


def _import() -> None:
    importlib.import_module("pyqtgraph")


def _complete(steps: Iterator[None], owner: QObject, then: Callable[[], object]) -> None:
    """Take steps for a few milliseconds at a time, then do something."""
    end = time.monotonic() + _CLASSES_S
    for _ in steps:
        if time.monotonic() >= end:
            QTimer.singleShot(_REST_MS, owner, lambda: _complete(steps, owner, then))
            return
    then()


def _classes() -> Iterator[None]:
    """Have PySide make all classes of the modules that the plotting library names as it is
    imported, one a step; those that are made already take no time.
    """
    for name in _QT:
        if importlib.util.find_spec(f"PySide6.{name}") is None:
            continue
        module = importlib.import_module(f"PySide6.{name}")
        for attribute in dir(module):
            getattr(module, attribute)
            yield

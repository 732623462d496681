"""Imports off Qt's thread: what pages are made of takes longer than all the rest of the window."""

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


def import_apart(
    owner: QObject,
    handover: ThreadHandover | OwnedHandover,
    imports: Callable[[], None],
    then: Callable[["Future[None]"], object],
) -> None:
    """Import off Qt's thread, and hand the finished future over in it. Before that PySide makes all
    its classes in Qt's thread: where two threads make some at once, the process ends.
    """
    _complete(_classes(), owner, lambda: handover.run(imports, then))


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

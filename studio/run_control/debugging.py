"""The debugger as the window keeps it: breakpoints by project, and what is asked of the run."""

from concurrent.futures import Future
from pathlib import Path
from typing import Literal

import msgspec
from PySide6.QtCore import QObject, Signal

from engine.events import (
    Breakpoint,
    DebugContinue,
    DebugStep,
    DebugStopped,
    ReadTensor,
    Resume,
    RunCommand,
    SetBreakpoints,
    WriteTensor,
)
from engine.graph.block import SEPARATOR
from engine.project import Project
from engine.project.breakpoint_file import read_breakpoints, write_breakpoints
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.session import Session
from studio.window.notifications import Notifications

Over = Literal["layer", "function", "optimizer", "batch", "epoch"]


class Debugging(QObject):
    """Holds the breakpoints, keeps them beside the project and tells them to each run that begins;
    ``changed`` says that there are others now. Lives as long as the program.
    """

    changed = Signal()

    def __init__(
        self,
        session: Session,
        runs: RunController,
        notifications: Notifications,
        handover: ThreadHandover,
    ) -> None:
        super().__init__(session)
        self._session = session
        self._runs = runs
        self._notifications = notifications
        self._handover = handover.of(self)
        self._read_of = Path()  # the project whose file was asked for last
        self._points: dict[Path, tuple[Breakpoint, ...]] = {}
        self._told: tuple[Path, int] | None = None  # the run that knows them, and its start
        self._is_asked = False
        session.run_changed.connect(self._on_run_changed)
        session.project_changed.connect(self._on_project_changed)

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """The breakpoints of the project."""
        project = self._session.project
        return () if project is None else self._points.get(project.path, ())

    @property
    def stop(self) -> DebugStopped | None:
        """Where the run that is followed stands, if it does."""
        update = self._session.run
        return update.state.stop if update is not None and self._runs.is_running else None

    def toggle_layer(self) -> None:
        """Set a breakpoint before the selected node, or take it away."""
        session = self._session
        if len(session.selection) == 1:
            place = SEPARATOR.join((*session.path, session.selection[0]))
            self.toggle(Breakpoint(kind="layer", place=place))

    def toggle(self, point: Breakpoint) -> None:
        """Add a breakpoint, or take away the one like it."""
        others = tuple(each for each in self.points if not _is_like(each, point))
        self._set(others if len(others) < len(self.points) else (*others, point))

    def add(self, point: Breakpoint) -> None:
        """Add a breakpoint where there is none like it."""
        if not self.has(point):
            self.toggle(point)

    def has(self, point: Breakpoint) -> bool:
        """Return whether there is a breakpoint like this one."""
        return any(_is_like(each, point) for each in self.points)

    def switch(self, index: int) -> None:
        """Let the run pass a breakpoint, or stop there again."""
        points = list(self.points)
        points[index] = msgspec.structs.replace(points[index], is_on=not points[index].is_on)
        self._set(tuple(points))

    def set_condition(self, index: int, condition: str) -> None:
        """Let the run stop at a breakpoint only where a condition holds; empty: always. It is one
        that :func:`engine.runs.condition.parse_condition` reads.
        """
        points = list(self.points)
        points[index] = msgspec.structs.replace(points[index], condition=condition)
        self._set(tuple(points))

    def remove(self, indices: set[int]) -> None:
        """Take breakpoints away."""
        self._set(tuple(point for at, point in enumerate(self.points) if at not in indices))

    def step(self, over: Over) -> None:
        """Let the run go to the next place of a kind and stop there."""
        is_between = self._runs.is_paused and self.stop is None
        if self._send(DebugStep(over=over)) and is_between:
            self._send(Resume())

    def go_on(self) -> None:
        """Let the run go to the next breakpoint."""
        self._send(DebugContinue() if self.stop is not None else Resume())

    def begin(self) -> None:
        """Stop before the first layer of the next step; where nothing trains, of a new run."""
        if self._runs.is_running:
            self.step("batch")
            return
        self._is_asked = True
        self._runs.start()

    def read(self, key: str, start: int = 0) -> None:
        """Ask for the values of a tensor from a flat index on."""
        self._send(ReadTensor(key=key, start=start))

    def write(self, key: str, expression: str, at: int | None) -> None:
        """Change a tensor, or one value of it."""
        self._send(WriteTensor(key=key, expression=expression, at=at))

    def _set(self, points: tuple[Breakpoint, ...]) -> None:
        project = self._session.project
        if project is None:
            return
        if not project.is_read_only:
            folder = project.state_folder
            self._handover.run(
                lambda: write_breakpoints(folder, points), Future.result, self._notifications.report
            )
        self._take(project, points)

    def _take(self, project: Project, points: tuple[Breakpoint, ...]) -> None:
        self._points[project.path] = points
        self._send(SetBreakpoints(breakpoints=points))
        self.changed.emit()

    def _on_project_changed(self) -> None:
        """Read the breakpoints of a project that was opened; those of one that was here before are
        known.
        """
        self.changed.emit()
        project = self._session.project
        if project is None or project.path == self._read_of or project.path in self._points:
            return
        self._read_of = project.path
        folder = project.state_folder
        self._handover.run(
            lambda: read_breakpoints(folder),
            lambda future: self._on_read(project, future.result()),
            self._notifications.report,
        )

    def _on_read(self, project: Project, points: tuple[Breakpoint, ...]) -> None:
        if project.path not in self._points and points:
            self._take(project, points)

    def _on_run_changed(self) -> None:
        update = self._session.run
        if update is None or not self._runs.is_running:
            return
        run = update.folder.path, update.starts
        if run != self._told:  # its worker finds the request when it begins
            self._told = run
            if self.points:
                self._send(SetBreakpoints(breakpoints=self.points))
            if self._is_asked:
                self._is_asked = False
                self.step("batch")

    def _send(self, command: RunCommand) -> bool:
        """Tell the run that goes on; return whether it could be told."""
        return self._runs.is_running and self._runs.send(command)


def _is_like(first: Breakpoint, second: Breakpoint) -> bool:
    if "condition" in (first.kind, second.kind):
        return (first.kind, first.condition) == (second.kind, second.condition)
    plain = msgspec.structs.replace(first, condition="", is_on=True)
    return plain == msgspec.structs.replace(second, condition="", is_on=True)

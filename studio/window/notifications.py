"""Notifications: toasts that go by themselves, and the log that keeps them."""

import time
from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from engine.diagnostics import Diagnostic, sentence
from studio.i18n import translate
from widgets.tables.view_model import LogLine

Severity = Literal["error", "warning", "hint", "success"]
Action = tuple[str, Callable[[], object]]
_LEVELS = {"error": "error", "warning": "warning", "hint": "info", "success": "info"}
_MOST_LINES = 5000


class Screen(Protocol):
    """Where messages appear."""

    def show_message(self, text: str, severity: Severity, action: Action | None) -> None:
        """Show a message for a while."""
        ...

    def clear_messages(self) -> None:
        """Take the messages away that still stand."""
        ...

    def add_log(self, lines: list[LogLine]) -> None:
        """Show lines of the log."""
        ...

    def drop_run_log(self) -> None:
        """Take the lines of a run off the log."""
        ...

    def show_log(self) -> None:
        """Bring the log to the front."""
        ...


class Notifications:
    """Says things on whatever screen there is, and keeps the log over a change of language."""

    def __init__(self, language: Callable[[], str]) -> None:
        self._language = language
        self._screen: Screen | None = None
        self._lines: list[LogLine] = []
        self._run = ""

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """The log so far."""
        return tuple(self._lines)

    def attach(self, screen: Screen) -> None:
        """Speak through a screen from now on; it gets the log so far."""
        self._screen = screen
        screen.add_log(self._lines)

    def tell(
        self,
        text: str,
        severity: Severity = "hint",
        *,
        detail: str = "",
        action: Action | None = None,
    ) -> None:
        """Say a sentence; ``action`` is a button that undoes it or goes there. ``detail`` stands in
        the log, where a button leads that has nothing else to do.
        """
        self.log(text if not detail else f"{text}\n{detail}", severity)
        screen = self._screen
        if screen is not None:
            if detail and action is None:
                action = translate("Messenger", "Show details"), screen.show_log
            screen.show_message(text, severity, action)

    def clear(self) -> None:
        """Take away what still stands on the screen: it is about something that is gone. The log
        keeps it.
        """
        if self._screen is not None:
            self._screen.clear_messages()

    def report(self, problems: Iterable[Diagnostic]) -> None:
        """Say findings."""
        for problem in problems:
            self.tell(self.words(problem), problem.severity.value, detail=problem.detail)

    def words(self, problem: Diagnostic) -> str:
        """Return a finding as a sentence in the language that is switched on."""
        return sentence(problem, self._language())

    def log(self, text: str, severity: Severity = "hint") -> None:
        """Write a line into the log only."""
        line = LogLine(text=text, level=_LEVELS[severity], time=time.time())  # type: ignore[arg-type]
        self._add([line])

    def log_run(self, run: str, lines: list[LogLine]) -> None:
        """Write lines of a run into the log; those of another run go from it."""
        if run != self._run:
            self._run = run
            self._lines = [line for line in self._lines if line.source != "run"]
            if self._screen is not None:
                self._screen.drop_run_log()
        self._add(lines)

    def _add(self, lines: list[LogLine]) -> None:
        if lines:
            self._lines = [*self._lines, *lines][-_MOST_LINES:]
            if self._screen is not None:
                self._screen.add_log(lines)

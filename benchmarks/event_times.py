"""How long Qt's thread is busy with each event: what a window can do about its own pauses.

Intervals of a timer also hold what other processes take; the processor time of the thread in one
event does not.
"""

import time
from collections import Counter, defaultdict
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from typing_extensions import override


class Handled(NamedTuple):
    """One event: milliseconds of processor time in Qt's thread, and what it was."""

    milliseconds: float
    name: str


class TimedApplication(QApplication):
    """An application that notes what each event costs that Qt's loop hands out (with everything
    that is sent in consequence). Make it before anything else makes an application.
    """

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.handled: list[Handled] = []
        self._is_inside = False

    @override
    def notify(self, receiver: QObject, event: QEvent, /) -> bool:
        if self._is_inside:
            return super().notify(receiver, event)
        name = f"{type(receiver).__name__} {QEvent.Type(event.type()).name}"
        self._is_inside = True
        begun = time.thread_time()
        try:
            return super().notify(receiver, event)
        finally:
            self._is_inside = False
            self.handled.append(Handled((time.thread_time() - begun) * 1000, name))

    def report(self, title: str, limit_ms: float) -> bool:
        """Print the dearest events, forget all and return whether each was below a limit."""
        handled, self.handled = sorted(self.handled, reverse=True), []
        total = sum(event.milliseconds for event in handled)
        over = sum(event.milliseconds > limit_ms for event in handled)
        print(
            f"{title:34} {len(handled)} events, {total:.0f} ms of processor; slowest"
            f" {handled[0].milliseconds:.1f} ms; over {limit_ms:.0f} ms: {over}"
        )
        for event in handled[:5]:
            print(f"    {event.milliseconds:6.1f} ms  {event.name}")
        costs: dict[str, float] = defaultdict(float)
        counts = Counter(event.name for event in handled)
        for event in handled:
            costs[event.name] += event.milliseconds
        for name in sorted(costs, key=costs.__getitem__, reverse=True)[:6]:
            print(f"    {costs[name]:6.0f} ms in all {counts[name]:6}  {name}")
        return not over

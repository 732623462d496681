"""End of the process of a run that was asked to stop and does not come to it."""

import os
from collections.abc import Callable
from functools import partial

import psutil
from PySide6.QtCore import QObject, QTimer

from engine.runs.folder import RunFolder
from engine.runs.process.run_lock import WorkerTag, agent_or_worker, is_alive, read_tag
from engine.runtime.job.child import TERMINATE_S, stop_deadlines
from studio.i18n import translate
from studio.window.notifications import Notifications


class ForcedEnd(QObject):
    """Terminates and then kills what trains a run, when the time is over that it has to stop. Where
    its steps are slow that time is longer; it is told, and the user may end it before.
    """

    def __init__(self, parent: QObject, notifications: Notifications) -> None:
        super().__init__(parent)
        self._notifications = notifications

    def await_stop(self, run: RunFolder, step_s: float, is_still: Callable[[], bool]) -> None:
        """Wait for a run that was just asked to stop, whose steps take ``step_s`` seconds; nothing
        is done any more where it ``is_still`` not the one that the user follows.
        """
        tag = read_tag(run.path)
        if tag is None:
            return
        terminate_s, kill_s = stop_deadlines(step_s)

        def at(seconds: float, act: Callable[[WorkerTag], object]) -> None:
            after = partial(self._act, run, tag, act, is_still)
            QTimer.singleShot(round(1000 * seconds), self, after)

        if terminate_s > TERMINATE_S:
            at(TERMINATE_S, partial(self._tell_slow, run, step_s))
        at(terminate_s, partial(end_worker, is_last=False))
        at(kill_s, partial(end_worker, is_last=True))

    def _act(
        self,
        run: RunFolder,
        tag: WorkerTag,
        act: Callable[[WorkerTag], object],
        is_still: Callable[[], bool],
    ) -> None:
        now = read_tag(run.path)
        is_same = now is not None and (now.pid, now.created) == (tag.pid, tag.created)
        if now is not None and is_same and is_alive(now) and is_still():
            act(now)

    def _tell_slow(self, run: RunFolder, step_s: float, tag: WorkerTag) -> None:
        text = translate(
            "Run",
            "{run} stops when its step is over; one takes about {seconds} s. If you end it now, "
            "what it learned since its last checkpoint is lost.",
        ).format(run=run.id, seconds=f"{step_s:.0f}")
        end = partial(self._act, run, tag, partial(end_worker, is_last=True), lambda: True)
        self._notifications.tell(text, action=(translate("Run", "End it now"), end))


def end_worker(tag: WorkerTag, *, is_last: bool) -> None:
    """Terminate what trains a run, or kill it where that ``is_last``. A thread of the window is
    spared, as it ends at its next step; so is what still fetches files from another machine.
    """
    if tag.pid == os.getpid() or (tag.is_closing and is_last):
        return
    try:
        process = psutil.Process(agent_or_worker(tag))
        process.kill() if is_last else process.terminate()
    except psutil.NoSuchProcess:
        return

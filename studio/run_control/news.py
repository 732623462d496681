"""What the user is told of the run that is followed: its silence, its end, its findings."""

from collections.abc import Callable, Sequence

from engine.diagnostics import Diagnostic, sentence
from engine.events import MoveCheckpoints, RunCommand, RunEnded, RunStarted, StateChanged, Warned
from engine.runs.record.state import RunStatus
from engine.runs.record.store import StoredEvent
from engine.runs.room import WAITS_FOR_ROOM
from studio.i18n import translate
from studio.run_control.file_repairs import FileRepairs
from studio.session.run_follower import RunUpdate
from studio.view.run import TESTED, reported_problems, series_label
from studio.view.wording import metric_text
from studio.window.banner import BannerAction, BannerView
from studio.window.notifications import Notifications

_KEY = "run"
_RECORD = "R154"  # it stays in the folder of the run


class RunNews:
    """Tells of a run; ``resume`` is offered with a run that ended before its time, and ``repairs``
    with one that ended at a file of its data. One that waits because its checkpoints cannot be
    written is told by ``send`` to keep them in a folder that ``ask_folder`` returns, and lets
    ``go_on`` try again.
    """

    def __init__(
        self,
        *,
        notifications: Notifications,
        language: Callable[[], str],
        notify: Callable[[BannerView], None],
        dismiss: Callable[[str], None],
        resume: Callable[[str], object],
        repairs: FileRepairs,
        ask_folder: Callable[[], str],
        send: Callable[[RunCommand], bool],
        go_on: Callable[[], object],
    ) -> None:
        self._notifications = notifications
        self._language = language
        self._notify = notify
        self._dismiss = dismiss
        self._resume = resume
        self._repairs = repairs
        self._ask_folder = ask_folder
        self._send = send
        self._go_on = go_on
        self._ended: RunUpdate | None = None  # whose end is told
        self._unwritten: Diagnostic | None = None  # why it waits

    def dismiss(self) -> None:
        """Take away what was told of an earlier run."""
        self._ended = None
        self._unwritten = None
        self._dismiss(_KEY)

    def tell_status(self, update: RunUpdate, *, is_new: bool) -> None:
        """Tell of another status; where it is not new, only what asks for something to be done."""
        status = update.state.status
        if status is RunStatus.STALLED:
            text = translate("Run", "The run has not responded for 10 seconds.")
            self._notify(BannerView(key=_KEY, text=text, severity="warning"))
        elif status is RunStatus.PAUSED and self._unwritten is not None:
            self._tell_unwritten(update, self._unwritten)
        elif not status.is_over():
            self.dismiss()
        elif is_new or status in (RunStatus.DIED, RunStatus.FAILED):
            self._tell_end(update, is_new=is_new)

    def tell_events(self, update: RunUpdate, *, is_followed: bool) -> None:
        """Tell what a run told since it started or went on; of one that was not followed before,
        only what it failed with.
        """
        problems = reported_problems(_since_start(update.events)) if is_followed else []
        if problems:  # what keeps it from writing stands in the banner, as long as it does
            self._notifications.report([each for each in problems if not _waits(update, each)])
        for stored in update.events:
            event = stored.event
            if isinstance(event, RunEnded) and event.problem and event.problem.detail:
                self._notifications.log(event.problem.detail, "error")
            if isinstance(event, StateChanged) and event.state == "running":
                self._unwritten = None
            if isinstance(event, Warned) and _waits(update, event.problem):
                self._unwritten = event.problem

    def _tell_unwritten(self, update: RunUpdate, problem: Diagnostic) -> None:
        """Offer another folder to a run that waits because it cannot write its checkpoints."""
        reason = sentence(problem, self._language())
        if problem.code in WAITS_FOR_ROOM:
            reason = translate(
                "Run",
                "The disk is full. The run goes on by itself as soon as there is room for "
                "{folder}.",
            ).format(folder=problem.params.get("folder", update.folder.path))
        text = translate(
            "Run", "“{run}” is paused at step {step}; nothing is lost. {reason}"
        ).format(run=update.folder.document.name, step=update.state.step, reason=reason)
        actions = ((translate("Run", "Try again"), self._try_again),)
        if problem.code != _RECORD:
            actions = ((translate("Run", "Choose another folder…"), self._move), *actions)
        self._notify(
            BannerView(
                key=_KEY, text=text, severity="error", detail=problem.detail, actions=actions
            )
        )

    def _move(self) -> None:
        folder = self._ask_folder()
        if folder and self._unwritten is not None and self._send(MoveCheckpoints(folder=folder)):
            self._go_on()

    def _try_again(self) -> None:
        if self._unwritten is not None:
            self._go_on()

    def _tell_end(self, update: RunUpdate, *, is_new: bool) -> None:
        state = update.state
        name = update.folder.document.name
        if state.status in (RunStatus.DIED, RunStatus.FAILED):
            reason = sentence(state.problem, self._language()) if state.problem else ""
            text = translate("Run", "“{run}” ended at step {step}. {reason}").format(
                run=name, step=state.step, reason=reason
            )
            detail = state.problem.detail if state.problem else ""
            self._ended = update
            self._notify_of_end(update, text)
            self._repairs.ask(update, lambda actions: self._notify_of_end(update, text, actions))
            if is_new:
                self._notifications.log(f"{text}\n{detail}".strip(), "error")
            return
        words = {
            RunStatus.FINISHED: translate("Run", "“{run}” has finished."),
            RunStatus.STOPPED: translate("Run", "“{run}” was stopped and can be resumed."),
        }[state.status]
        shown = [
            f"{series_label(key)} {metric_text(value)}"
            for key, value in sorted(state.metrics.items())
            if key.startswith((*TESTED, "validation."))
        ]
        why = [sentence(state.problem, self._language())] if state.problem else []
        kind = "warning" if why else "success"
        self._notifications.tell("\n".join([words.format(run=name), *why, *shown]), kind)

    def _notify_of_end(
        self, update: RunUpdate, text: str, actions: tuple[BannerAction, ...] = ()
    ) -> None:
        """Show a banner about a run that ended before its time, unless it was taken away."""
        if update is not self._ended:
            return
        state = update.state
        if state.checkpoints:
            resume = (translate("Run", "Resume"), lambda: self._resume(update.folder.id))
            actions = (*actions, resume)
        detail = state.problem.detail if state.problem else ""
        self._notify(
            BannerView(key=_KEY, text=text, severity="error", detail=detail, actions=actions)
        )


def _waits(update: RunUpdate, problem: Diagnostic) -> bool:
    """Return whether a problem is that record or checkpoints of a run cannot be written."""
    return problem.code == _RECORD or problem.params.get("folder") == str(update.folder.checkpoints)


def _since_start(events: Sequence[StoredEvent]) -> Sequence[StoredEvent]:
    """Return events from the last start among them on: what was before has been told then."""
    starts = (at for at, each in enumerate(events) if isinstance(each.event, RunStarted))
    return events[max(starts, default=0) :]

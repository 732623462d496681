"""What the user is told of the run that is followed: its silence, its end, its findings."""

from collections.abc import Callable

from engine.diagnostics import sentence
from engine.events import RunEnded
from engine.runs.record.state import RunStatus
from studio.i18n import translate
from studio.run_control.file_repairs import FileRepairs
from studio.session.run_follower import RunUpdate
from studio.view.run import reported_problems, series_label
from studio.view.wording import metric_text
from studio.window.banner import BannerAction, BannerView
from studio.window.notifications import Notifications

_KEY = "run"


class RunNews:
    """Tells of a run; ``resume`` is offered with a run that ended before its time, and ``repairs``
    with one that ended at a file of its data.
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
    ) -> None:
        self._notifications = notifications
        self._language = language
        self._notify = notify
        self._dismiss = dismiss
        self._resume = resume
        self._repairs = repairs
        self._ended: RunUpdate | None = None  # whose end is told

    def dismiss(self) -> None:
        """Take away what was told of an earlier run."""
        self._ended = None
        self._dismiss(_KEY)

    def tell_status(self, update: RunUpdate, *, is_new: bool) -> None:
        """Tell of another status; where it is not new, only what asks for something to be done."""
        status = update.state.status
        if status is RunStatus.STALLED:
            text = translate("Run", "The run has not responded for 10 seconds.")
            self._notify(BannerView(key=_KEY, text=text, severity="warning"))
        elif not status.is_over():
            self.dismiss()
        elif is_new or status in (RunStatus.DIED, RunStatus.FAILED):
            self._tell_end(update, is_new=is_new)

    def tell_events(self, update: RunUpdate, *, is_followed: bool) -> None:
        """Tell what a run told; of one that was not followed before, only what it failed with."""
        if is_followed and (problems := reported_problems(update.events)):
            self._notifications.report(problems)
        for stored in update.events:
            event = stored.event
            if isinstance(event, RunEnded) and event.problem and event.problem.detail:
                self._notifications.log(event.problem.detail, "error")

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
            if key.startswith(("test.", "validation."))
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

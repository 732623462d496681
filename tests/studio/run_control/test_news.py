"""What the user hears of a run that goes on."""

from types import SimpleNamespace
from unittest.mock import Mock

from engine.diagnostics import Diagnostic
from engine.events import RunStarted, Warned
from engine.runs.record.state import RunState
from engine.runs.record.store import StoredEvent
from studio.run_control.news import RunNews
from studio.session.run_follower import RunUpdate
from tests.tiny_run import make_run


def test_that_a_run_that_goes_on_tells_of_this_start_and_not_of_earlier_ones(tmp_path):
    before, now = (Diagnostic(code=code, params={"count": 1}) for code in ("D573", "D558"))
    start = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    told = (start, Warned(problem=before), start, Warned(problem=now))
    update = RunUpdate(
        folder=make_run(tmp_path),
        state=RunState(),
        curves={},
        starts=2,
        events=tuple(StoredEvent(at, event) for at, event in enumerate(told)),
    )
    heard: list[Diagnostic] = []
    others = ("language", "notify", "dismiss", "resume", "repairs", "ask_folder", "send", "go_on")
    notifications = SimpleNamespace(report=heard.extend)
    news = RunNews(notifications=notifications, **dict.fromkeys(others, Mock()))
    news.tell_events(update, is_followed=False)
    assert not heard
    news.tell_events(update, is_followed=True)
    assert heard == [now]

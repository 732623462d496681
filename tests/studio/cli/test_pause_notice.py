"""What the terminal says of a run that cannot write."""

import shutil

import pytest

from engine.diagnostics import Diagnostic
from engine.events import StateChanged, Warned
from studio.cli.pause_notice import PauseNotice
from tests.tiny_run import make_run


@pytest.mark.parametrize(
    ("code", "is_room_awaited"), [("P002", True), ("R154", True), ("P003", False)]
)
def test_that_a_run_that_cannot_write_says_that_it_is_paused_and_how_it_goes_on(
    tmp_path, code, is_room_awaited
):
    run = make_run(tmp_path)
    notice = PauseNotice(run, "my project")
    params = {"file": "step-2.ckpt", "folder": str(run.checkpoints)}
    warned = Warned(problem=Diagnostic(code=code, params=params), step=2)
    told = notice.of(warned)
    assert notice.of(warned) == notice.of(StateChanged(state="paused", step=2)) == ""
    assert ("stands" if is_room_awaited else "paused") + " at step 2" in told
    assert notice.says_all(warned) is is_room_awaited
    assert f"train my project --resume {run.id}" in told
    assert ("by itself" in told) is is_room_awaited
    assert "goes on" in notice.of(StateChanged(state="running", step=2))


def test_that_a_full_disk_is_told_though_the_run_cannot_even_write_that(tmp_path, monkeypatch):
    run = make_run(tmp_path)
    notice = PauseNotice(run, "my project")
    assert notice.when_nothing_comes(7) == "", "there is room: a step takes long"
    full = shutil.disk_usage(tmp_path)._replace(free=4096)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    told = notice.when_nothing_comes(7)
    assert "stands at step 7" in told
    assert "by itself" in told
    assert f"train my project --resume {run.id}" in told
    warned = Warned(problem=Diagnostic(code="R154", params={"file": "events.db"}), step=7)
    assert notice.when_nothing_comes(7) == notice.of(warned) == "", "it is told once"
    assert notice.says_all(warned), "the warning would come when it is over"
    assert "goes on" in notice.of(StateChanged(state="running", step=7))


def test_that_a_pause_by_the_user_is_no_news(tmp_path):
    run = make_run(tmp_path)
    notice = PauseNotice(run, "p")
    notice.of(Warned(problem=Diagnostic(code="D573", params={"count": 1})))
    assert notice.of(StateChanged(state="paused", step=2)) == ""
    assert notice.of(StateChanged(state="running", step=2)) == ""

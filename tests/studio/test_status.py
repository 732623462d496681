"""The line at the bottom: where the run computes."""

import msgspec
import pytest

from engine.runs.folder import RunFolder
from engine.runs.state import RunState, RunStatus
from studio.run_bridge import RunUpdate


@pytest.mark.parametrize(("threads", "shown"), [(3, "CPU, 3 threads"), (1, "CPU, 1 thread")])
def test_that_device_and_threads_of_a_run_are_shown_while_it_goes_on(opened, qtbot, threads, shown):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    state = RunState(status=RunStatus.RUNNING, device="cpu", threads=threads)
    update = RunUpdate(folder=folder, state=state, curves={}, starts=1)
    label = opened.window.status._device
    session.follow(update)
    qtbot.waitUntil(lambda: label.text() == shown)
    opened.window.show_workspace("train")
    details = opened.window.page("train")._details
    qtbot.waitUntil(lambda: shown in details.text())
    over = msgspec.structs.replace(state, status=RunStatus.FINISHED)
    session.follow(RunUpdate(folder=folder, state=over, curves={}, starts=1))
    qtbot.waitUntil(lambda: label.text() == "CPU")

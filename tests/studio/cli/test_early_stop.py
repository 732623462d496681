"""A run that is stopped from the terminal while its process is still starting."""

import pytest

from engine.query.model.request import FittedModel
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState, RunStatus
from engine.runtime import RunHandle
from studio.cli import train_command


@pytest.mark.parametrize("status", [RunStatus.STARTING, RunStatus.DIED])
def test_that_a_stop_before_the_first_step_is_told_as_one(run, project, monkeypatch, status):
    def start(path, graph, spec, name, **_):
        return RunHandle(RunFolder.create(path, graph, spec, name))

    def watch(_handle, interrupts, *_, **__):
        interrupts.count = 1
        return RunState(status=status)

    monkeypatch.setattr(train_command.Standby, "prepare", lambda self: None)
    monkeypatch.setattr(
        train_command, "fitted_models", lambda graph, *_: [FittedModel(graph=graph, problems=())]
    )
    monkeypatch.setattr(train_command.runtime, "start_run", start)
    monkeypatch.setattr(train_command, "watch", watch)
    done = run("train", project)
    assert done.code == 130
    assert "stopped before its first step" in done.err

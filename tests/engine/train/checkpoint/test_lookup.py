"""Which checkpoint of a run is meant by a word or a name."""

from pathlib import Path

import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.store import STORE_NAME
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import make_run, train


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    folder = make_run(tmp_path)
    train(folder)
    return folder


def test_that_a_choice_of_checkpoint_is_found_or_refused_by_name(run: RunFolder) -> None:
    state = read_state(run)
    assert find_checkpoint(run, "last") == state.last
    assert find_checkpoint(run, "best") == state.best
    named = state.checkpoints[0]
    assert find_checkpoint(run, named.file) == named
    assert find_checkpoint(run, named.file.removesuffix(".ckpt")) == named
    for wanted in ("other.ckpt", "../run.json", "/etc/passwd"):
        with pytest.raises(DiagnosticError) as error:
            open_checkpoint(run, wanted)
        assert error.value.problems[0].code == "K013"


def test_that_checkpoints_are_found_without_a_record_too(run: RunFolder) -> None:
    newest = open_checkpoint(run, "last").position
    for file in run.path.glob(f"{STORE_NAME}*"):
        file.unlink()
    assert open_checkpoint(run, "last").position == newest
    for file in run.checkpoints.iterdir():
        file.unlink()
    with pytest.raises(DiagnosticError) as error:
        find_checkpoint(run)
    assert error.value.problems[0].code == "K015"

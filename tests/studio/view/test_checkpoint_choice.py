"""What is offered of the checkpoints of a run says which weights it takes."""

from engine.runs.record.state import CheckpointInfo, RunState
from engine.spec.technique import AveragingSpec
from studio.view.export import checkpoint_file, present_checkpoint_choices

FIRST, LAST = (
    CheckpointInfo(file=f"step-{step}.ckpt", sha256="", step=step, epoch=1) for step in (4, 9)
)
STATE = RunState(checkpoints=(FIRST, LAST), best=FIRST)


def test_that_a_run_without_average_offers_each_checkpoint_once() -> None:
    choices = present_checkpoint_choices(STATE, AveragingSpec())
    assert [key for key, _ in choices] == ["best", "last", FIRST.file, LAST.file]


def test_that_both_weights_are_offered_first_those_that_the_run_evaluates() -> None:
    texts = present_checkpoint_choices(STATE, AveragingSpec(kind="ema"))
    assert texts[:4] == (
        ("best", "best (step 4), averaged weights"),
        ("last", "last (step 9), averaged weights"),
        ("best:raw", "best (step 4), weights not averaged"),
        ("last:raw", "last (step 9), weights not averaged"),
    )
    beside = present_checkpoint_choices(STATE, AveragingSpec(kind="ema", evaluate=False))
    assert beside[0] == ("best", "best (step 4), weights not averaged")
    assert beside[2] == ("best:averaged", "best (step 4), averaged weights")


def test_that_the_file_of_a_choice_keeps_its_weights() -> None:
    assert checkpoint_file(STATE, "best:raw") == f"{FIRST.file}:raw"
    assert checkpoint_file(STATE, "last") == LAST.file
    assert checkpoint_file(STATE, f"{FIRST.file}") == FIRST.file

"""What is said of the processes of a run."""

from engine.events import RanksCompared, RankShare
from engine.runs.record.state import RunState, fold
from studio.train.ranks import RanksView, present_ranks

SHARES = tuple(RankShare(checksum=checksum, loss=0.5) for checksum in (1, 1))


def shown(told: RanksCompared) -> RanksView:
    return present_ranks(fold(RunState(), told))


def test_that_dealt_out_weights_are_told_and_not_called_equal() -> None:
    view = shown(RanksCompared(step=50, ranks=SHARES, is_sharded=True))
    assert view.text == "Weights sharded across 2 processes, step 50"
    assert "00000001" not in view.rows[0]


def test_that_equal_weights_are_told_with_their_checksum() -> None:
    view = shown(RanksCompared(step=50, ranks=SHARES))
    assert view.text == "Weights equal in 2 processes at step 50 (00000001)"


def test_that_nothing_is_said_of_a_comparison_that_names_no_process() -> None:
    assert shown(RanksCompared(step=50, ranks=())) == RanksView()

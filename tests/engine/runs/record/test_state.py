import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import Diagnostic
from engine.events import (
    CheckpointRemoved,
    CheckpointSaved,
    EpochDone,
    KnobChanged,
    RunEnded,
    RunEvent,
    RunStarted,
    StateChanged,
    StepDone,
    Warned,
    decode_event,
    encode_event,
)
from engine.runs.record.state import RunState, RunStatus, fold

counts = st.integers(0, 1000)
values = st.floats(-1e6, 1e6)
metrics = st.dictionaries(st.sampled_from(["train.loss", "validation.loss"]), values)
files = st.sampled_from(["a.ckpt", "b.ckpt", "c.ckpt"])
times = {"time": st.just(0.0), "elapsed_s": st.floats(0, 1e6)}

events: st.SearchStrategy[RunEvent] = st.one_of(
    st.builds(
        RunStarted,
        pid=counts,
        device=st.just("cpu"),
        threads=counts,
        epochs=counts,
        steps_per_epoch=counts,
        parameters=counts,
        step=counts,
        resumed_from=files,
        versions=st.just({}),
        **times,
    ),
    st.builds(
        StepDone,
        step=counts,
        epoch=counts,
        steps_per_s=st.floats(0, 1e6),
        samples_per_s=st.floats(0, 1e6),
        **times,
    ),
    st.builds(EpochDone, epoch=counts, step=counts, metrics=metrics, **times),
    st.builds(
        CheckpointSaved,
        file=files,
        sha256=st.just(""),
        step=counts,
        epoch=counts,
        tags=st.lists(st.sampled_from(["best", "epoch"]), unique=True).map(tuple),
        metrics=metrics,
        **times,
    ),
    st.builds(CheckpointRemoved, file=files, **times),
    st.builds(StateChanged, state=st.sampled_from(["running", "paused"]), step=counts, **times),
    st.builds(
        KnobChanged, step=counts, name=st.sampled_from(["epochs", "optimizer.lr"]), value=counts
    ),
    st.builds(Warned, problem=st.just(Diagnostic(code="R130")), step=counts, **times),
    st.builds(
        RunEnded,
        reason=st.sampled_from(["finished", "stopped", "failed", "died"]),
        step=counts,
        epoch=counts,
        metrics=metrics,
        problem=st.none(),
        **times,
    ),
)


def folded(told: list[RunEvent], state: RunState | None = None) -> RunState:
    state = state or RunState()
    for event in told:
        state = fold(state, event)
    return state


@settings(max_examples=60, deadline=None)
@given(st.lists(events, max_size=15), st.integers(0, 15))
def test_that_folding_in_two_parts_is_folding_at_once(told: list[RunEvent], cut: int) -> None:
    begun = folded(told[:cut])
    before = msgspec.json.encode(begun)
    assert folded(told[cut:], begun) == folded(told)
    assert msgspec.json.encode(begun) == before, "a state is never changed in place"


@settings(max_examples=60, deadline=None)
@given(st.lists(events, max_size=15))
def test_that_any_prefix_gives_a_sane_state(told: list[RunEvent]) -> None:
    state = RunState()
    for event in told:
        state = fold(state, decode_event(encode_event(event)))
        names = [info.file for info in state.checkpoints]
        assert len(set(names)) == len(names)
        assert state.eta_s is None or state.eta_s >= 0
        assert state.best is None or "best" in state.best.tags
        if isinstance(event, RunEnded):
            assert state.status.is_over()
            assert state.eta_s is None


def test_that_a_resume_forgets_what_came_after_its_checkpoint() -> None:
    start = RunStarted(
        pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=10, parameters=1, step=10
    )
    told: list[RunEvent] = [
        CheckpointSaved(file="a", sha256="", step=10, epoch=1, tags=("best",)),
        CheckpointSaved(file="b", sha256="", step=15, epoch=1, tags=("best",)),
        KnobChanged(step=12, name="optimizer.lr", value=0.1),
        RunEnded(reason="failed", step=15, epoch=1, problem=Diagnostic(code="R137")),
        start,
    ]
    state = folded(told)
    assert state.status is RunStatus.RUNNING
    assert [info.file for info in state.checkpoints] == ["a"]
    assert (state.step, state.epoch, state.knobs, state.problem) == (10, 1, (), None)
    assert state.last == state.checkpoints[0]


def test_that_time_left_is_what_the_speed_makes_of_the_steps_left() -> None:
    start = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=10, parameters=1)
    state = folded([start, StepDone(step=5, epoch=0, steps_per_s=3.0)])
    assert (state.total_steps, state.eta_s) == (20, 5.0)

"""A run whose numbers are bad by themselves, in the data or in half precision: what it says."""

from pathlib import Path

import pytest
import torch
from msgspec.structs import replace

from engine.diagnostics import sentence
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunState, RunStatus
from engine.spec.run import Choice, ComputeSpec, DataSpec, SplitSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.worker import run_in_thread
from tests.custom_data import trusted
from tests.tiny_run import CROSS_ENTROPY, PATIENCE_S, chain, make_run, node

SAMPLES, BATCH = 40, 8
CODE = """
class Points(Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, i):
        return torch.tensor([1.0, i / 40, BAD if i >= 20 else 0.5]), i % 3
"""


def of_points(project: Path, bad: str, precision: str) -> tuple[RunFolder, RunState]:
    """Train on points in their order: from sample 20 on, in the third batch, one number is bad."""
    code = trusted(CODE.replace("BAD", bad))
    layers = chain(
        node("Input", "points", field="input", shape=(3,)),
        node("Linear", "hidden", out_features=4),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    loss = replace(CROSS_ENTROPY, inputs={"input": "model.logits", "target": "data.target"})
    split = SplitSpec(kind="sequential", train=1.0, validation=0.0, test=0.0)
    source = Choice(type="code.data.Points")
    data = DataSpec(source=source, split=split, batch_size=BATCH, shuffle=False)
    run = make_run(
        project,
        replace(layers, code=code),
        data=data,
        losses=(loss,),
        metrics=(),
        compute=ComputeSpec(precision=precision),
        epochs=1,
    )
    assert run_in_thread(Launch(folder=str(run.path), trusted=True)).join(PATIENCE_S)
    return run, read_state(run)


@pytest.mark.fault("F11")
@pytest.mark.parametrize(
    ("bad", "precision", "expected"),
    [
        ("float('nan')", "float32", ("R131", None, "input")),
        ("float('inf')", "float16", ("R131", None, "input")),
        ("1e6", "float16", ("R493", "hidden", "float16")),
    ],
    ids=["nan in the data", "inf in the data", "float16 overflows"],
)
def test_that_a_bad_number_ends_the_run_at_its_step_with_what_it_is(
    tmp_path: Path, bad: str, precision: str, expected: tuple[str, str | None, str]
) -> None:
    run, state = of_points(tmp_path, bad, precision)
    code, layer, named = expected
    assert (state.status, state.step) == (RunStatus.FAILED, 2)
    assert state.problem is not None
    assert (state.problem.code, state.problem.node) == (code, layer)
    assert state.problem.params["step"] == 3
    for language in ("en", "zh_CN"):
        assert named in sentence(state.problem, language)
    assert state.last is not None
    kept = open_checkpoint(run, "last").model.values()
    assert all(torch.isfinite(value).all() for value in kept)


@pytest.mark.fault("F11")
def test_that_a_number_too_large_for_float16_is_none_for_bfloat16(tmp_path: Path) -> None:
    _, state = of_points(tmp_path, "1e6", "bfloat16")
    assert (state.status, state.problem, state.step) == (RunStatus.FINISHED, None, SAMPLES // BATCH)

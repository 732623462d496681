"""A curriculum is what a plain script does, to the bit, and the same function of seed and epoch
wherever a run begins.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from torch import nn

from engine.api import export
from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.data.load.sampler import EpochSampler, build_sampler
from engine.data.seed import mixed_seed
from engine.data.source.field import scalar_field, vector_field
from engine.data.source.tensors import TensorSource
from engine.diagnostics import DiagnosticError, sentence
from engine.model.module import to_module
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.codec import from_document, to_document
from engine.spec.curriculum import CurriculumSpec, taken_samples
from engine.spec.fields import set_text
from engine.spec.run import Choice, DataSpec
from engine.spec.run_rule import check_data
from engine.train.training import build_training
from tests.engine.export.test_run_losses import CODE
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import iris_graph, iris_spec, make_run, train

WIDTH = "petal width (cm)"
CURRICULUM = CurriculumSpec(start=0.2, epochs=3)
DATA = DataSpec(
    source=Choice(type="iris"), sampler="curriculum", sampler_column=WIDTH, curriculum=CURRICULUM
)
VALUES = st.lists(st.floats(-9, 9), min_size=1, max_size=60)


def sampler(values: list[float], **changes: object) -> EpochSampler:
    spec = DataSpec(sampler="curriculum", curriculum=CurriculumSpec(**changes))
    numbers = torch.tensor(values, dtype=torch.float64)
    return EpochSampler(spec=spec, samples=len(values), values=numbers)


@given(VALUES, st.integers(0, 2**32 - 1), st.integers(0, 9), st.sampled_from((0.1, 0.5, 1.0)))
def test_that_an_epoch_has_the_easiest_each_as_often_and_as_many_as_the_part(
    values, seed, epoch, start
):
    epochs = sampler(values, start=start, epochs=4)
    drawn = epochs.order(seed, epoch)
    assert torch.equal(drawn, epochs.order(seed, epoch))
    assert len(drawn) == len(values)
    counts = drawn.bincount(minlength=len(values))
    there = counts > 0
    taken = int(there.sum())
    assert taken == epochs.spec.curriculum.taken(len(values), epoch)
    assert int(counts.max()) - int(counts[there].min()) <= 1
    numbers = torch.tensor(values)
    if taken < len(values):
        assert numbers[there].max() <= numbers[~there].min()
    if epoch >= 4:
        assert torch.equal(drawn, epoch_order(len(values), seed, epoch, shuffle=True))


@pytest.mark.parametrize(
    ("pacing", "expected"),
    [
        ("linear", [25, 44, 62, 81, 100, 100]),
        ("root", [25, 54, 73, 88, 100, 100]),
        ("exponential", [25, 35, 50, 71, 100, 100]),
        ("step", [25, 25, 25, 25, 100, 100]),
    ],
)
def test_that_the_share_grows_by_its_pacing(pacing, expected):
    assert [taken_samples(100, epoch, 0.25, 4, pacing) for epoch in range(6)] == expected
    assert taken_samples(3, 0, 0.01, 4, pacing) == 1


def plain_losses(graph, epochs: int) -> list[float]:
    """Train as a script would that knows nothing of samplers."""
    loaded = load_data(DataSpec(source=Choice(type="iris")))
    train = loaded.indices["train"]
    x, y = (loaded.source.column(name)[train] for name in ("features", "label"))
    torch.manual_seed(0)
    model = to_module(graph)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    easiest = x[:, 3].double().argsort(stable=True)
    losses = []
    for epoch in range(epochs):
        count = round(len(x) * min(1, 0.2 + 0.8 * epoch / 3))
        generator = torch.Generator().manual_seed(mixed_seed(0, epoch))
        order = []
        while len(order) < len(x):
            shuffled = torch.randperm(count, generator=generator)
            order += (easiest[:count][shuffled] if count < len(x) else shuffled).tolist()
        for batch in torch.tensor(order[: len(x)]).split(32):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses


def test_that_it_is_what_a_plain_script_does_and_a_resume_in_mid_epoch_goes_on_so(tmp_path):
    run = make_run(tmp_path, iris_graph(), data=DATA, epochs=5, seed=0)
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    with RunStore.open(run.path) as store:
        losses = store.scalars("train.loss").values.tolist()
    assert losses == plain_losses(run.document.graph, 5)
    broken = make_run(tmp_path, iris_graph(), data=DATA, epochs=5, seed=0)
    stop_at(broken, 6)
    train(broken, "latest")
    assert_same_run(broken, run)


@pytest.mark.real
def test_that_exported_training_has_the_losses_of_the_run(tmp_path: Path, plain_python):
    data = replace(DATA, curriculum=replace(CURRICULUM, pacing="exponential", easiest="highest"))
    run = make_run(tmp_path, iris_graph(), data=data, epochs=3)
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    (tmp_path / "out").mkdir()
    export(run.path, "python-class", tmp_path / "out" / "net.py", checkpoint="last")
    told = plain_python.output(CODE, json.dumps([(str(tmp_path / "out"), "", 3)]), folder=tmp_path)
    (line,) = (line[6:] for line in told.splitlines() if line.startswith("LOSSES"))
    with RunStore.open(run.path) as store:
        expected = store.scalars("train.loss").values
    losses = [loss for loss, _ in json.loads(line)]
    assert np.asarray(losses, expected.dtype).tolist() == expected.tolist()


def test_that_the_steps_of_an_epoch_stay_so_that_schedules_keep_their_length():
    graph = iris_graph()
    curriculum = build_training(graph, iris_spec(data=DATA), to_module(graph))
    uniform = replace(DATA, sampler="uniform", sampler_column="")
    assert (
        curriculum.steps_per_epoch
        == build_training(graph, iris_spec(data=uniform), to_module(graph)).steps_per_epoch
    )


def source() -> TensorSource:
    fields = (
        vector_field("features", torch.rand(4, 2), ("a", "b")),
        scalar_field("loss", torch.tensor([[0.5], [0.1], [0.3], [0.2]])),
    )
    return TensorSource(task="regression", fields=fields)


def test_that_easy_is_low_or_high_as_chosen_and_a_column_is_needed():
    chosen = replace(DATA, sampler_column="loss")
    easy = build_sampler(chosen, source(), torch.tensor([0, 1, 2]))
    assert easy.values.argsort().tolist() == [1, 2, 0]
    high = replace(chosen, curriculum=replace(CURRICULUM, easiest="highest"))
    assert build_sampler(high, source(), torch.tensor([0, 1, 2])).values.argsort().tolist() == [
        0,
        2,
        1,
    ]
    with pytest.raises(DiagnosticError) as caught:
        build_sampler(replace(DATA, sampler_column=""), source(), torch.arange(4))
    (problem,) = caught.value.problems
    assert (problem.code, problem.field) == ("R591", "data.sampler_column")
    assert "loss" in sentence(problem)


def test_that_a_run_that_ends_before_all_are_in_is_told():
    spec = iris_spec(data=DATA, epochs=3)
    assert [each.code for each in check_data(spec, None)] == ["R592"]
    assert not list(check_data(replace(spec, epochs=4), None))
    none = replace(spec, data=replace(DATA, sampler_column=""), epochs=4)
    assert [each.code for each in check_data(none, None)] == ["R590"]


def test_that_it_is_set_from_the_command_line_and_kept_in_the_document():
    spec = set_text(iris_spec(data=DATA), "data.curriculum.pacing", "root")
    spec = set_text(spec, "data.curriculum.start", "0.4")
    assert spec.data.curriculum == CurriculumSpec(start=0.4, epochs=3, pacing="root")
    assert from_document(to_document(spec)) == spec
    assert "curriculum" not in to_document(iris_spec())["data"]

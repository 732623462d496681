"""A curriculum is what a plain script does, to the bit, and the same function of seed and epoch
wherever a run begins.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from torch import nn

from engine.api import export
from engine.data.load.fit import DataFit, read_fit
from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.data.load.sampler import EpochSampler, build_sampler
from engine.data.seed import mixed_seed
from engine.data.source.field import scalar_field, vector_field
from engine.data.source.tensors import TensorSource
from engine.diagnostics import DiagnosticError, sentence
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runs.teacher import DIFFICULTY
from engine.spec.codec import from_document, to_document
from engine.spec.curriculum import CurriculumSpec, taken_samples
from engine.spec.fields import set_text
from engine.spec.run import Choice, DataSpec
from engine.spec.run_rule import check_data
from engine.train.checkpoint.file import load_checkpoint
from engine.train.ranks.world import ALONE
from engine.train.teaching import build_run_training
from engine.train.training import build_training
from tests.engine.export.test_run_losses import CODE
from tests.engine.train.technique.test_distillation import LARGE
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import CROSS_ENTROPY, chain, iris_graph, iris_spec, make_run, node, train

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


JUDGED = replace(DATA, sampler_column="", curriculum=replace(CURRICULUM, run="run-0001"))


@pytest.fixture
def judged(tmp_path: Path) -> RunFolder:
    """Return a finished run whose samples are as difficult as under the model of the run before."""
    judge = make_run(tmp_path, LARGE, epochs=1)
    assert train(judge).status is RunStatus.FINISHED
    run = make_run(tmp_path, iris_graph(), data=JUDGED, epochs=4)
    shutil.rmtree(judge.path)  # the run has a copy
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    return run


def test_that_samples_are_as_difficult_as_under_the_model_of_an_earlier_run(judged):
    model = to_module(LARGE)
    model.load_state_dict(load_checkpoint(judged.path / DIFFICULTY).model)
    loaded = load_data(DataSpec(source=Choice(type="iris")))
    train_index = loaded.indices["train"]
    x, y = (loaded.source.column(name)[train_index] for name in ("features", "label"))
    with torch.no_grad():
        outputs = model.eval()(torch.cat([x[rows] for rows in torch.arange(len(x)).split(32)]))
    expected = nn.functional.cross_entropy(outputs, y, reduction="none")
    kept = torch.tensor(read_fit(judged.artefacts).difficult)
    assert torch.allclose(kept, expected, atol=1e-5)
    easiest = kept.double().argsort(stable=True)
    first = load_data(JUDGED, known=read_fit(judged.artefacts)).sampler.order(3, 0)
    taken = round(0.2 * len(x))
    shuffled = torch.randperm(taken, generator=torch.Generator().manual_seed(mixed_seed(3, 0)))
    assert torch.equal(first[:taken], easiest[:taken][shuffled])


def test_that_a_resume_goes_by_the_same_losses_also_where_their_file_is_gone(judged):
    model = to_module(judged.document.graph)
    kept = read_fit(judged.artefacts)
    anew, _ = build_run_training(judged, model, ALONE, DataFit())
    known, _ = build_run_training(judged, model, ALONE, kept)
    assert anew.data.sampler.losses == known.data.sampler.losses == kept.difficult


def test_that_exported_training_goes_by_the_losses_of_the_earlier_run(judged, tmp_path):
    (tmp_path / "out").mkdir()
    export(judged.path, "python-class", tmp_path / "out" / "net.py", checkpoint="last")
    with np.load(tmp_path / "out" / "net.samples.npz") as stored:
        assert tuple(stored["drawn_by"].tolist()) == read_fit(judged.artefacts).difficult


def test_that_a_run_that_is_not_there_or_of_other_fields_is_refused(tmp_path):
    with pytest.raises(DiagnosticError) as caught:
        make_run(tmp_path, iris_graph(), data=JUDGED)
    (problem,) = caught.value.problems
    assert (problem.code, problem.field) == ("R593", "data.curriculum.run")
    assert "run-0001" in sentence(problem)
    other = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "head", out_features=3),
        node("Output", "scores"),
    )
    inputs = {"input": "model.scores", "target": "data.label"}
    train(make_run(tmp_path, other, epochs=1, losses=(replace(CROSS_ENTROPY, inputs=inputs),)))
    state = train(make_run(tmp_path, iris_graph(), data=JUDGED))
    assert state.problem.code == "R593"
    assert not list(check_data(iris_spec(data=JUDGED, epochs=9), None))

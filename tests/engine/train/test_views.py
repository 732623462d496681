"""Test-time augmentation is what a plain script does, to the bit, and the same wherever it is
asked for.
"""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from torch import nn

from engine.api import evaluate
from engine.data.load.load import load_data
from engine.data.seed import mixed_seed, seeded
from engine.diagnostics import DiagnosticError, sentence
from engine.model.module import to_module
from engine.query.ask import ask, write_predictions
from engine.query.evaluation.request import Evaluate
from engine.query.predicting.request import PredictFile
from engine.query.results.request import Examine
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.run import Choice, DataSpec, LoaderSpec, LossTerm, RunSpec
from engine.spec.technique import ViewSpec as Views
from engine.spec.transform import TransformSpec
from engine.spec.view_rule import check_views
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.training import build_training
from engine.train.views import Viewed, over_views, viewed_batches
from tests.tiny_run import CROSS_ENTROPY, chain, iris_graph, iris_spec, make_run, node, train

MOVED = TransformSpec(type="RandomAffine", params={"degrees": (-15.0, 15.0)})
MIRRORED = TransformSpec(type="RandomHorizontalFlip")
DATA = DataSpec(source=Choice(type="digits"), batch_size=64, transforms=(MOVED, MIRRORED))


def graph():
    return chain(
        node("Input", "image", field="image", shape=(1, 8, 8)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=10),
        node("Output", "logits"),
    )


def spec(views: Views, data: DataSpec = DATA) -> RunSpec:
    return iris_spec(data=data, epochs=1, test_time=views)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a finished run that is tested over four views of each sample."""
    made = make_run(
        tmp_path_factory.mktemp("digits"), graph(), data=DATA, epochs=1, test_time=Views(views=4)
    )
    state = train(made)
    assert state.status is RunStatus.FINISHED, state.problem
    return made


def plain_test(run: RunFolder) -> tuple[float, float]:
    """Test a model as a script would that knows nothing of the program."""
    from torchvision.transforms import v2

    loaded = load_data(DataSpec(source=Choice(type="digits")))
    index = loaded.indices["test"]
    images, labels = (loaded.source.column(name)[index] for name in ("image", "label"))
    weights = open_checkpoint(run, "last").model
    layer = nn.Linear(64, 10)
    layer.load_state_dict({"weight": weights["head.weight"], "bias": weights["head.bias"]})
    moves = v2.Compose([v2.RandomAffine((-15.0, 15.0), fill=0), v2.RandomHorizontalFlip()])
    total, right = 0.0, 0
    for rows in torch.arange(len(index)).split(64):
        views = [images[rows]]
        for view in range(1, 4):
            moved = []
            for row in rows.tolist():
                with seeded(mixed_seed(3, view, int(index[row]))):
                    moved.append(moves(images[row]))
            views.append(torch.stack(moved))
        with torch.no_grad():
            logs = [layer(view.flatten(1)).log_softmax(dim=1) for view in views]
        mean = torch.stack(logs).logsumexp(dim=0) - math.log(4)
        total += nn.functional.cross_entropy(mean, labels[rows]).item() * len(rows)
        right += int((mean.argmax(dim=1) == labels[rows]).sum())
    return total / len(index), right / len(index)


def test_that_the_test_of_a_run_is_what_a_plain_script_measures_beside_that_of_the_sample_alone(
    run,
):
    loss, accuracy = plain_test(run)
    found = evaluate(run.path, "last").metrics
    assert found["test_views.loss"] == loss
    assert found["test_views.accuracy"] == pytest.approx(accuracy, abs=1e-7)
    assert found["test.loss"] != loss
    with RunStore.open(run.path) as store:
        recorded = {name: store.scalars(name).values.tolist() for name in store.series_names()}
    for name in ("test.loss", "test_views.loss", "test_views.accuracy"):
        assert np.float32(recorded[name][-1]) == np.float32(found[name]), name
    alone = ask(Evaluate(run_folder=str(run.path), checkpoint="last", views=1)).metrics
    assert alone == {name: value for name, value in found.items() if name.startswith("test.")}


def predicted(run: RunFolder, output: Path, **choices: object) -> list[dict[str, str]]:
    request = PredictFile(
        run_folder=str(run.path), checkpoint="last", output=str(output), **choices
    )
    write_predictions(request)
    with output.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_that_predictions_are_means_by_sample_and_view_whatever_the_batches(run, tmp_path):
    parts = [
        numbers_of(predicted(run, tmp_path / f"part{size}.csv", part="test", batch_size=size))
        for size in (64, 7)
    ]
    assert parts[0] == pytest.approx(parts[1], abs=1e-6)
    alone = numbers_of(predicted(run, tmp_path / "alone.csv", part="test", views=1))
    assert parts[0] != pytest.approx(alone, abs=1e-3)
    images = load_data(DataSpec(source=Choice(type="digits"))).source.column("image")[:50]
    np.save(tmp_path / "given.npy", images.numpy())
    given = [
        numbers_of(
            predicted(
                run, tmp_path / f"{size}.csv", batch_size=size, data=str(tmp_path / "given.npy")
            )
        )
        for size in (50, 7)
    ]
    assert len(given[0]) == 500
    assert given[0] == pytest.approx(given[1], abs=1e-6)


def numbers_of(rows: list[dict[str, str]]) -> list[float]:
    """Return the probabilities of all classes, sample by sample."""
    return [
        float(value)
        for row in rows
        for name, value in row.items()
        if name.startswith("probability_")
    ]


def training(views: Views, data: DataSpec = DATA):
    torch.manual_seed(0)
    return build_training(graph(), spec(views, data), to_module(graph()))


@pytest.mark.real
def test_that_views_are_the_same_with_workers():
    views = Views(views=3)
    two = replace(DATA, loader=LoaderSpec(num_workers=2))
    pairs = zip(
        viewed_batches(training(views), "test"),
        viewed_batches(training(views, two), "test"),
        strict=True,
    )
    for one, other in pairs:
        assert len(one.others) == len(other.others) == 2
        for here, there in zip((one.batch, *one.others), (other.batch, *other.others), strict=True):
            assert all(torch.equal(here[name], there[name]) for name in here)
        assert not torch.equal(one.others[0]["image"], one.others[1]["image"])
        assert not torch.equal(one.batch["image"], one.others[0]["image"])
        assert torch.equal(one.batch["label"], one.others[1]["label"])


def test_that_flips_mirror_and_crops_are_enlarged():
    made = training(Views(views=4, kind="flips"), replace(DATA, transforms=()))
    batch, others = next(viewed_batches(made, "test"))
    image = batch["image"]
    for other, axes in zip(others, ((3,), (2,), (2, 3)), strict=True):
        assert torch.equal(other["image"], image.flip(axes))
    made = training(Views(views=6, kind="crops"), replace(DATA, transforms=()))
    batch, others = next(viewed_batches(made, "test"))
    assert {each["image"].shape for each in others} == {batch["image"].shape}
    corner = nn.functional.interpolate(batch["image"][..., 1:, 1:], (8, 8), mode="bilinear")
    assert torch.equal(others[3]["image"], corner)


@pytest.mark.parametrize(
    ("loss", "chances"),
    [
        ("CrossEntropyLoss", lambda values: values.softmax(dim=1)),
        ("BCEWithLogitsLoss", torch.sigmoid),
        ("MSELoss", lambda values: values),
    ],
)
def test_that_probabilities_are_averaged_and_numbers(loss, chances):
    made = training(Views(views=3))
    term = LossTerm(loss=Choice(type=loss), inputs=CROSS_ENTROPY.inputs)
    object.__setattr__(made, "spec", replace(made.spec, losses=(term,)))
    answers = iter(torch.randn(3, 5, 10) * 20)
    kept: list[torch.Tensor] = []

    def forward(_batch):
        kept.append(next(answers))
        return kept[-1]

    mean = over_views(made, Viewed({}, ({}, {})), forward)
    expected = torch.stack([chances(each) for each in kept]).mean(dim=0)
    assert torch.allclose(chances(mean), expected, atol=1e-6)


def test_that_results_tell_both_numbers(run):
    step = ask(Examine(run_folder=str(run.path), checkpoint="last", split="test", seconds=100.0))
    (told,) = step.report.notices
    assert told.code == "R599"
    found = evaluate(run.path, "last").metrics
    assert told.params["accuracy"] == f"{100 * found['test_views.accuracy']:.2f}"
    assert told.params["accuracy_alone"] == f"{100 * found['test.accuracy']:.2f}"
    assert "{" not in sentence(told) + sentence(told, "zh_CN")


def info(target: FieldInfo) -> DataInfo:
    return DataInfo(source="x", samples=9, task="classification", fields=(target,), splits=())


def test_that_views_that_there_are_not_are_refused_in_a_sentence():
    label = FieldInfo(name="label", kind="class", role="target", shape=(), dtype="int64")
    plain = replace(DATA, transforms=(replace(MIRRORED, parts="all"),))
    mask = replace(label, kind="mask", shape=(8, 8))
    cases = [
        (spec(Views(views=5, kind="flips")), None, ["R594"]),
        (spec(Views(views=5), plain), None, ["R595"]),
        (spec(Views(views=5)), info(mask), ["R596"]),
        (spec(Views(views=2, kind="crops")), info(label), ["R597"]),
        (spec(Views(views=1), plain), info(mask), []),
        (spec(Views(views=5)), info(label), []),
    ]
    for chosen, data, codes in cases:
        problems = list(check_views(chosen, data))
        assert [problem.code for problem in problems] == codes
        for problem in problems:
            assert "{" not in sentence(problem) + sentence(problem, "zh_CN")


def test_that_a_finished_run_without_random_transforms_refuses_drawn_views(tmp_path):
    made = make_run(tmp_path, iris_graph(), epochs=1)
    train(made)
    with pytest.raises(DiagnosticError) as caught:
        ask(Evaluate(run_folder=str(made.path), checkpoint="last", views=4))
    assert caught.value.problems[0].code == "R595"

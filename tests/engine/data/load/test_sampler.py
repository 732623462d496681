"""Samplers: which samples an epoch has, from seed and epoch alone."""

from collections import Counter
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from torch import Tensor

from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.data.load.sampler import EpochSampler, build_sampler
from engine.data.preview import describe
from engine.data.source.field import label_field, scalar_field, sequence_field, vector_field
from engine.data.source.tensors import TensorSource
from engine.diagnostics import DiagnosticError, sentence
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LoaderSpec
from tests.tiny_run import curves, make_run, train

SAMPLERS = ("balanced", "weighted", "bucketed")
VALUES = st.lists(st.integers(0, 9), min_size=1, max_size=80)
SEEDS = st.integers(0, 2**32 - 1)


def sampler(kind: str, values: list[int], size: int = 4) -> EpochSampler:
    numbers = torch.tensor(values)
    if kind == "weighted":
        numbers = numbers.double() + 1
    return EpochSampler(
        spec=DataSpec(sampler=kind, batch_size=size), samples=len(values), values=numbers
    )


@pytest.mark.parametrize("kind", SAMPLERS)
@given(VALUES, SEEDS, st.integers(0, 10**6), st.integers(1, 9))
def test_that_an_epoch_has_as_many_samples_as_the_part_by_seed_and_epoch(
    kind, values, seed, epoch, size
):
    drawn = sampler(kind, values, size).order(seed, epoch)
    assert drawn.dtype == torch.int64
    assert len(drawn) == len(values)
    assert set(drawn.tolist()) <= set(range(len(values)))
    assert torch.equal(drawn, sampler(kind, values, size).order(seed, epoch))
    if len(set(values)) > 5 and len(values) >= 6 * size:
        others = [sampler(kind, values, size).order(seed, epoch + n) for n in (1, 2, 3)]
        assert any(not torch.equal(drawn, other) for other in others)


@given(VALUES, SEEDS)
def test_that_a_balanced_epoch_has_every_class_and_its_samples_equally_often(values, seed):
    drawn = sampler("balanced", values).order(seed, 0).tolist()
    classes = Counter(values[index] for index in drawn)
    counts = [classes[label] for label in set(values)]
    assert max(counts) - min(counts) <= 1
    samples = Counter(drawn)
    for label in set(values):
        times = [samples[index] for index, its in enumerate(values) if its == label]
        assert max(times) - min(times) <= 1


def test_that_samples_are_drawn_by_their_weights_and_never_one_of_weight_0():
    weights = torch.tensor([0.0, 1.0, 3.0, 0.0] * 2500, dtype=torch.float64)
    spec = DataSpec(sampler="weighted")
    drawn = EpochSampler(spec=spec, samples=len(weights), values=weights).order(0, 0)
    counts = (drawn % 4).bincount(minlength=4).tolist()
    assert counts[0] == counts[3] == 0
    assert counts[2] / counts[1] == pytest.approx(3, rel=0.1)


@given(VALUES, SEEDS, st.integers(1, 9))
def test_that_a_batch_of_a_bucketed_epoch_has_samples_of_like_length(values, seed, size):
    drawn = sampler("bucketed", values, size).order(seed, 0)
    assert sorted(drawn.tolist()) == list(range(len(values)))
    lengths = torch.tensor(values)[drawn]
    full = [batch for batch in lengths.split(size) if len(batch) == size]
    rest = lengths[len(full) * size :].tolist()
    spans = sorted((int(batch.min()), int(batch.max())) for batch in full)
    for before, after in pairwise(spans):
        assert before[1] <= after[0]  # no length is between two of a batch's that is elsewhere
    assert all(low >= max(rest) or high <= min(rest) for low, high in spans if rest)


def test_that_the_last_batch_of_bucketed_epochs_has_any_lengths():
    epochs = sampler("bucketed", list(range(10)), 4)
    assert len({tuple(sorted(epochs.order(0, epoch)[8:].tolist())) for epoch in range(40)}) > 2


def test_that_buckets_are_in_random_order_and_only_among_some_batches():
    values = torch.arange(1000)
    drawn = EpochSampler(
        spec=DataSpec(sampler="bucketed", batch_size=2), samples=1000, values=values
    ).order(0, 0)
    first = drawn[::2].tolist()
    assert first != sorted(first)
    assert int((drawn[::2] - drawn[1::2]).abs().max()) > 1  # not sorted over all 1,000


def source(lengths: Tensor | None = None) -> TensorSource:
    fields = [
        vector_field("features", torch.rand(6, 2), ("a", "b")),
        label_field(torch.tensor([0, 0, 0, 0, 0, 1]), ("no", "yes")),
        scalar_field("weight", torch.tensor([[0.0], [1], [1], [1], [1], [-1]])),
    ]
    if lengths is not None:
        fields.append(sequence_field("text", lengths))
    return TensorSource(task="binary", fields=tuple(fields))


def test_that_only_training_samples_are_balanced_weighted_and_measured():
    training = torch.tensor([1, 2, 5])
    balanced = build_sampler(DataSpec(sampler="balanced"), source(), training)
    assert balanced.values.tolist() == [0, 0, 1]
    spec = DataSpec(sampler="weighted", sampler_column="weight")
    assert build_sampler(spec, source(), training[:2]).values.tolist() == [1, 1]
    words = torch.tensor([[7, 0, 0], [7, 7, 7], [7, 7, 0], [0, 7, 0], [0, 0, 0], [7, 7, 7]])
    bucketed = build_sampler(DataSpec(sampler="bucketed"), source(words), torch.arange(6))
    assert bucketed.values.tolist() == [1, 3, 2, 2, 0, 3]


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"sampler": "weighted"}, "D657", "data.sampler_column"),
        ({"sampler": "balanced", "shuffle": False}, "R216", "data.shuffle"),
        ({"sampler": "weighted", "sampler_column": "x"}, "D090", "data.sampler_column"),
        ({"sampler": "weighted", "sampler_column": "weight"}, "D098", "data.sampler_column"),
        ({"sampler": "bucketed"}, "D099", "data.sampler_column"),
    ],
)
def test_that_a_sampler_that_cannot_draw_is_refused_at_its_setting(
    monkeypatch, fields, code, field
):
    spec = DataSpec(**fields)
    with pytest.raises(DiagnosticError) as caught:
        build_sampler(spec, source(), torch.arange(6))
    problem = caught.value.problems[0]
    assert (problem.code, problem.field) == (code, field)
    assert "{" not in sentence(problem) + sentence(problem, "zh_CN")
    monkeypatch.setattr("engine.data.preview.load_source", lambda *_: source())
    monkeypatch.setattr("engine.data.load.load.load_source", lambda *_: source())
    from_data = [code] if code[0] == "D" else []
    found = [each.code for each in describe(spec).problems if each.code != "D015"]
    assert [each for each in found if each[:3] in ("D09", "R21", "D65")] in (from_data, ["D098"])


PEOPLE = """city,code,stars,day,size,paid,label
Oslo,07,0,2024-01-01,1.5,no,a
Bonn,08,2,2024-01-02,2.5,yes,b
"""


@pytest.mark.parametrize(("column", "value"), [
    ("city", "Bonn"), ("code", "07"), ("day", "2024-01-01"), ("paid", "no"), ("label", "a"),
    ("stars", "2"),
])  # fmt: skip
def test_that_weights_are_numbers_of_the_data_and_not_those_of_categories(tmp_path, column, value):
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE + PEOPLE.partition("\n")[2] * 20)
    kinds = "city=category, code=category, stars=category, day=date, paid=binary"
    table = Choice(type="table", params={"path": str(file), "target": "label", "kinds": kinds})
    spec = DataSpec(source=table, sampler="weighted", sampler_column=column)
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec)
    problem = caught.value.problems[0]
    assert (problem.code, problem.field) == ("D604", "data.sampler_column")
    assert problem.params == {"column": column, "value": value, "names": "size"}
    assert [each.code for each in describe(spec).problems if each.severity == "error"] == ["D604"]
    weighted = load_data(replace(spec, sampler_column="size")).sampler
    assert set(weighted.values.tolist()) == {1.5, 2.5}


def test_that_batches_of_like_length_go_by_numbers_or_by_the_length_of_a_text(tmp_path):
    file = tmp_path / "notes.csv"
    rows = [
        f"Oslo,2024-01-01,{1 + at % 7},{'go home ' * (1 + at % 7)},{'ab'[at % 2]}"
        for at in range(60)
    ]
    file.write_text("\n".join(["city,day,size,My note,label", *rows]))
    kinds = "city=category, day=date, size=number, My note=text"
    table = Choice(type="table", params={"path": str(file), "target": "label", "kinds": kinds})
    spec = DataSpec(source=table, sampler="bucketed")
    for column, value in (("city", "Oslo"), ("day", "2024-01-01"), ("label", "a")):
        with pytest.raises(DiagnosticError) as caught:
            load_data(replace(spec, sampler_column=column))
        problem = caught.value.problems[0]
        assert (problem.code, problem.field) == ("D621", "data.sampler_column")
        assert problem.params == {"column": column, "value": value, "names": "size, My note"}
    sizes, by_text, usual = (
        load_data(replace(spec, sampler_column=column)).sampler.values.tolist()
        for column in ("size", "My note", "")
    )
    assert by_text == usual == [2 * size for size in sizes]


def test_that_classes_written_as_their_numbers_can_be_weights():
    digits = label_field(torch.tensor([0, 2, 1, 2]), ("0", "1", "2"))
    source = TensorSource(task="classification", fields=(digits,))
    spec = DataSpec(sampler="weighted", sampler_column="label")
    assert build_sampler(spec, source, torch.arange(4)).values.tolist() == [0, 2, 1, 2]


def test_that_data_without_a_class_cannot_be_balanced():
    with pytest.raises(DiagnosticError) as caught:
        load_data(DataSpec(source=Choice(type="diabetes"), sampler="balanced"))
    problem = caught.value.problems[0]
    assert problem.code == "D096"
    for language in ("en", "zh_CN"):
        assert "data.sampler=balanced" in sentence(problem, language)
        assert "data.sampler_column" in sentence(problem, language)


@settings(max_examples=20)
@given(SEEDS, st.integers(0, 99))
def test_that_without_a_sampler_the_order_is_as_before(seed, epoch):
    data = load_data(DataSpec(source=Choice(type="iris")))
    assert torch.equal(data.sampler.order(seed, epoch), epoch_order(105, seed, epoch, shuffle=True))


@pytest.mark.real
@pytest.mark.parametrize("kind", SAMPLERS)
def test_that_a_run_with_a_sampler_is_the_same_with_workers(tmp_path, kind):
    column = "" if kind == "balanced" else "petal width (cm)"
    runs = []
    for workers in (0, 2):
        data = DataSpec(
            source=Choice(type="iris"),
            sampler=kind,
            sampler_column=column,
            loader=LoaderSpec(num_workers=workers),
        )
        run = make_run(tmp_path, data=data)
        state = train(run)
        assert state.status is RunStatus.FINISHED, state.problem
        runs.append(curves(run))
    assert runs[0] == runs[1]
    plain = make_run(tmp_path)
    train(plain)
    assert curves(plain) != runs[0]

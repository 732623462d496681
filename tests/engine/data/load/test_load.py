"""Split, normalisation, checks and descriptions."""

import dataclasses
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.data.load import load as load_module
from engine.data.load.load import load_data
from engine.data.preview import describe, preview
from engine.data.source.check import check_fields
from engine.data.source.field import label_field, vector_field
from engine.data.source.tensors import TensorSource
from engine.data.split.deal import sizes
from engine.data.split.split import Traits, split_samples
from engine.diagnostics import DiagnosticError, Severity
from engine.spec.run import Choice, DataSpec, SplitSpec


@given(
    st.integers(0, 5000),
    st.integers(0, 100).flatmap(lambda a: st.tuples(st.just(a), st.integers(0, 100 - a))),
)
def test_that_the_sizes_of_the_parts_sum_up_and_differ_by_less_than_one(samples, percent):
    fractions = (percent[0] / 100, percent[1] / 100, (100 - sum(percent)) / 100)
    counts = sizes(samples, fractions)
    assert sum(counts) == samples
    for count, fraction in zip(counts, fractions, strict=True):
        assert abs(count - samples * fraction) < 1 + 1e-3
        assert count == 0 or fraction > 0


def test_that_every_sample_is_in_exactly_one_part_and_the_seed_decides():
    spec = SplitSpec(train=0.6, validation=0.3, test=0.1, seed=5)
    parts = split_samples(101, spec)
    assert sorted(torch.cat(list(parts.values())).tolist()) == list(range(101))
    again = split_samples(101, spec)
    other = split_samples(101, SplitSpec(train=0.6, validation=0.3, test=0.1, seed=6))
    assert all(torch.equal(parts[part], again[part]) for part in parts)
    assert not torch.equal(parts["train"], other["train"])


@given(st.lists(st.integers(0, 20), max_size=60), st.integers(0, 9))
def test_that_a_group_is_in_one_part_whose_end_it_moves_by_less_than_its_size(groups, seed):
    spec = SplitSpec(train=0.6, validation=0.0, test=0.4, seed=seed)
    parts = split_samples(len(groups), spec, Traits(groups=torch.tensor(groups, dtype=torch.int64)))
    assert sorted(torch.cat(list(parts.values())).tolist()) == list(range(len(groups)))
    inside = {
        part: {groups[index] for index in indices.tolist()} for part, indices in parts.items()
    }
    assert not inside["train"] & inside["test"]
    assert not inside["validation"]
    wanted, largest = sizes(len(groups), (0.6, 0.4))[0], max(map(groups.count, groups), default=1)
    assert 0 <= len(parts["train"]) - wanted < largest


def test_that_samples_that_differ_are_dealt_out_as_without_groups():
    spec = SplitSpec(seed=4)
    plain, grouped = (
        split_samples(80, spec),
        split_samples(80, spec, Traits(groups=torch.arange(80))),
    )
    assert all(torch.equal(plain[part], grouped[part]) for part in plain)


def test_that_equal_samples_are_in_the_same_part_where_this_is_wanted():
    split = SplitSpec(seed=3)  # with it the double of the iris data is torn apart

    def parts(split: SplitSpec) -> list[set[bytes]]:
        data = load_data(DataSpec(source=Choice(type="iris"), split=split))
        return [set(data.source.keys(indices.tolist())) for indices in data.indices.values()]

    assert set.intersection(*parts(split)[:2])
    train, validation, test = parts(replace(split, group_equal=True))
    assert not train & (validation | test)


@pytest.mark.fault("B10")
@pytest.mark.parametrize("fractions", [(0.5, 0.2, 0.2), (1.2, -0.1, -0.1), (0.0, 0.0, 0.0)])
def test_that_fractions_that_do_not_sum_to_one_are_refused(fractions):
    train, validation, test = fractions
    with pytest.raises(DiagnosticError) as caught:
        load_data(DataSpec(split=SplitSpec(train=train, validation=validation, test=test)))
    assert caught.value.problems[0].code == "D004"
    info = describe(DataSpec(split=SplitSpec(train=train, validation=validation, test=test)))
    assert info.splits == ()
    assert info.samples == 1797


@pytest.mark.parametrize("kind", ["standard", "minmax"])
def test_that_normalisation_is_fitted_on_the_training_part_alone(kind):
    data = load_data(DataSpec(source=Choice(type="wine"), normalization=kind))
    train, test = data.tensors("train")["features"], data.tensors("test")["features"]
    if kind == "standard":
        assert torch.allclose(train.mean(dim=0), torch.zeros(13), atol=1e-4)
        assert torch.allclose(train.std(dim=0, correction=0), torch.ones(13), atol=1e-4)
        assert not torch.allclose(test.mean(dim=0), torch.zeros(13), atol=1e-3)
    else:
        assert torch.equal(train.amin(dim=0), torch.zeros(13))
        assert torch.allclose(train.amax(dim=0), torch.ones(13))
    raw = data.source.fields[0].values[data.indices["test"]]
    assert torch.equal(data.scalings["features"].apply(raw), test)
    assert "label" not in data.scalings


def test_that_images_are_normalised_by_channel_and_constant_columns_stay_finite():
    data = load_data(DataSpec(normalization="standard"))  # the corners of the digits are constant
    images = data.tensors("train")["image"]
    assert images.shape == (1258, 1, 8, 8)
    assert data.scalings["image"].shift.shape == (1, 1, 1)
    assert abs(float(images.mean())) < 1e-4
    values = torch.tensor([[1.0, 2.0], [1.0, 3.0]])
    info = vector_field("features", values, ("a", "b")).info
    scaling = load_module.fit_scaling("standard", info, values)
    assert scaling is not None
    assert scaling.apply(values).tolist() == [[0.0, -1.0], [0.0, 1.0]]


def test_that_equal_specifications_give_equal_tensors():
    spec = DataSpec(source=Choice(type="iris"), normalization="minmax")
    first, again = load_data(spec), load_data(spec)
    assert torch.equal(first.tensors("test")["features"], again.tensors("test")["features"])


def test_that_a_description_counts_the_classes_of_every_part():
    info = describe(DataSpec(source=Choice(type="iris")))
    assert [split.name for split in info.splits] == ["train", "validation", "test"]
    assert [split.samples for split in info.splits] == [105, 23, 22]
    totals = [sum(split.class_counts[index] for split in info.splits) for index in range(3)]
    assert totals == [50, 50, 50]
    assert info.problems == ()


def test_that_a_preview_shows_values_before_normalisation_and_ends_with_the_part():
    data = load_data(DataSpec(source=Choice(type="iris"), normalization="standard"))
    shown = preview(data, "test", 20, 10)
    assert len(shown.samples) == 2
    sample = shown.samples[0]
    assert sample.index == int(data.indices["test"][20])
    raw = data.source.fields[0].values[sample.index].tolist()
    assert list(sample.values["features"]) == raw
    assert preview(data, "test", 500, 10).samples == ()


def with_values(features: list[list[float]], labels: list[int]) -> TensorSource:
    """Return a source of two columns and two classes."""
    return TensorSource(
        task="binary",
        fields=(
            vector_field("features", torch.tensor(features), ("width", "height")),
            label_field(torch.tensor(labels), ("no", "yes")),
        ),
    )


NAN = math.nan
GOOD = [[1.0, 2.0], [2.0, 3.0], [4.0, 1.0], [0.0, 0.0]]


@pytest.mark.fault("B10")
@pytest.mark.parametrize(
    ("features", "labels", "code", "params"),
    [
        (
            [[1.0, 2.0], [2.0, NAN], [4.0, 1.0], [0.0, math.inf]],
            [0, 1, 0, 1],
            "D010",
            {"row": 2, "column": "height", "count": 2},
        ),
        ([[1.0, NAN]] * 4, [0, 1, 0, 1], "D011", {"columns": "height", "count": 1}),
        (
            [[1.0, 2.0], [1.0, 3.0], [1.0, 1.0], [1.0, 0.0]],
            [0, 1, 0, 1],
            "D012",
            {"columns": "width", "count": 1},
        ),
        (GOOD, [0, 1, 2, 1], "D013", {"row": 3, "value": 2, "classes": 2, "highest": 1}),
        (GOOD, [0, -1, 0, 1], "D013", {"row": 2, "value": -1}),
        (GOOD, [1, 1, 1, 1], "D014", {}),
    ],
)
def test_that_bad_values_are_found_with_row_and_column(features, labels, code, params):
    problems = check_fields(with_values(features, labels).fields, {})
    assert [problem.code for problem in problems] == [code]
    assert params.items() <= problems[0].params.items()


@pytest.mark.fault("B10")
def test_that_a_class_without_training_samples_is_a_warning():
    indices = {"train": torch.tensor([0, 2]), "test": torch.tensor([1, 3])}
    problems = check_fields(with_values(GOOD, [0, 1, 0, 1]).fields, indices)
    assert [(problem.code, problem.severity) for problem in problems] == [
        ("D015", Severity.WARNING)
    ]
    assert problems[0].params["classes"] == "yes"
    assert problems[0].params["count"] == 1


@pytest.mark.fault("B10")
def test_that_many_bad_columns_make_one_finding():
    columns = tuple(str(index) for index in range(100))
    field = vector_field("features", torch.ones(5, 100), columns)
    problems = check_fields((field,), {})
    assert [problem.params["columns"] for problem in problems] == ["0, 1, 2, 3, 4, …"]


@pytest.mark.fault("B10")
def test_that_bad_values_stop_the_loading_and_show_in_the_description(monkeypatch):
    bad = with_values([[1.0, NAN], *GOOD[1:]], [0, 1, 0, 1])
    monkeypatch.setattr(load_module, "load_source", lambda *_: bad)
    with pytest.raises(DiagnosticError) as caught:
        load_data(DataSpec())
    assert caught.value.problems[0].code == "D010"
    good = dataclasses.replace(bad, fields=(bad.fields[1],))
    assert load_module.describe_source(DataSpec(), bad, {}).problems[0].code == "D010"
    assert load_module.describe_source(DataSpec(), good, {}).problems == ()


@pytest.mark.parametrize("fractions", [(0.8, 0.1, 0.1000009), (0.3333333, 0.3333333, 0.3333333)])
def test_that_every_sample_of_many_is_in_one_part(fractions) -> None:
    samples = 60_000_000
    assert sum(sizes(samples, fractions)) == samples

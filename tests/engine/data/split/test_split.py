"""Splits of a source by what its columns and folders say."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from typing_extensions import override

from engine.data.load import load as load_module
from engine.data.load.load import load_data
from engine.data.preview import describe
from engine.data.source.field import label_field, vector_field
from engine.data.source.source import Source
from engine.data.source.tensors import TensorSource
from engine.data.split.split import Traits, split_samples, split_source
from engine.diagnostics import DiagnosticError, sentence
from engine.spec.run import Choice, DataSpec, SplitSpec

KINDS = ("random", "stratified", "group", "column", "given", "time", "sequential")
WORDS = ("train", "Validation ", "测试")


@dataclass(frozen=True, kw_only=True)
class Table(TensorSource):
    """Two features and a label, with columns beside that no field has."""

    columns: Mapping[str, Tensor] = field(default_factory=dict[str, Tensor])
    words: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    parts: Tensor | None = None

    @override
    def column(self, name: str) -> Tensor | None:
        return self.columns.get(name, super().column(name))

    @override
    def text(self, name: str, index: int) -> str:
        if name not in self.words:
            return ""
        value = int(self.columns[name][index])
        return self.words[name][value] if value >= 0 else ""

    @override
    def given_parts(self) -> Tensor | None:
        return self.parts


def table(rows: Sequence[tuple[int, int, int]]) -> Table:
    """Return a table of rows of label, group and part; rows with the same label and group are
    equal samples.
    """
    labels, groups, parts = (torch.tensor([row[at] for row in rows]).long() for at in range(3))
    features = torch.stack((labels, groups), dim=1)
    columns = {"patient": groups, "set": parts, "day": -torch.arange(len(rows)).double()}
    return Table(
        task="classification",
        fields=(
            vector_field("features", features, ("a", "b")),
            label_field(labels, ("no", "yes", "perhaps")),
        ),
        columns=columns,
        words={"set": WORDS},
        parts=parts,
    )


COLUMN = {"group": "patient", "column": "set", "time": "day"}
ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=60
)


def split(source: Source, kind: str, **fields: object) -> dict[str, list[int]] | str:
    """Return the samples of each part, or the code of what is wrong."""
    spec = SplitSpec(kind=kind, column=COLUMN.get(kind, ""), **fields)
    try:
        return {part: each.tolist() for part, each in split_source(source, spec).items()}
    except DiagnosticError as error:
        return error.problems[0].code


@pytest.mark.parametrize("kind", KINDS)
@given(ROWS, st.integers(0, 9), st.booleans())
def test_that_each_sample_is_in_one_part_and_what_belongs_together_stays(kind, rows, seed, equal):
    source = table(rows)
    parts = split(source, kind, seed=seed, group_equal=equal)
    if isinstance(parts, str):
        assert parts in ("D093", "D094")
        return
    assert parts == split(source, kind, seed=seed, group_equal=equal)
    assert sorted(chain(*parts.values())) == list(range(len(rows)))
    inside = [{rows[index][:2] for index in each} for each in parts.values()]
    patients = [{rows[index][1] for index in each} for each in parts.values()]
    if equal:
        assert not any(one & other for one, other in combinations(inside, 2))
    if kind == "group":
        assert sum(map(len, patients)) == len(set.union(*patients))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "time"])
@given(ROWS, st.integers(2, 5), st.booleans())
def test_that_folds_cover_all_but_the_test_part_once(kind, rows, folds, equal):
    source = table(rows)
    each = [split(source, kind, folds=folds, fold=n, group_equal=equal) for n in range(folds)]
    if any(isinstance(parts, str) for parts in each):
        assert set(each) <= {"D093", "D094", "D097"}
        return
    assert len({tuple(parts["test"]) for parts in each}) == 1
    rest = set(range(len(rows))) - set(each[0]["test"])
    assert Counter(index for parts in each for index in parts["validation"]) == Counter(rest)
    for parts in each:
        assert set(parts["train"]) == rest - set(parts["validation"])
        inside, other = ({rows[index] for index in parts[part]} for part in ("train", "validation"))
        if equal or kind == "group":
            at = slice(1, 2) if kind == "group" else slice(2)
            assert not {row[at] for row in inside} & {row[at] for row in other}


def test_that_the_classes_of_the_digits_have_their_shares_in_every_part_and_fold():
    for spec in (SplitSpec(kind="stratified"), SplitSpec(kind="stratified", folds=7, fold=3)):
        info = describe(DataSpec(split=spec))
        whole = [sum(counts) for counts in zip(*(s.class_counts for s in info.splits), strict=True)]
        for part in info.splits:
            share = part.samples / info.samples
            for count, total in zip(part.class_counts, whole, strict=True):
                assert abs(count - total * share) < 2


@pytest.mark.parametrize("kind", ["given", "column"])
@given(st.integers(0, 50), st.integers(0, 3))
def test_that_a_set_that_the_data_lacks_has_the_share_of_each_class(kind, seed, folds):
    shares = {0: 60, 1: 30, 2: 10}  # of each hundred samples of the training set
    rows = [(label, at, 0) for label, count in shares.items() for at in range(count)]
    rows += [(label, at, 2) for label in shares for at in range(20)]
    source = table(rows)
    drawn = split(source, kind, seed=seed, folds=folds if folds > 1 else 0, stratified=True)
    assert drawn["test"] == [*range(100, 160)]
    counts = Counter(rows[index][0] for index in drawn["validation"])
    share = 1 / folds if folds > 1 else SplitSpec().validation
    assert all(abs(counts[label] - count * share) < 1 for label, count in shares.items())


def test_that_classes_are_not_looked_at_where_the_data_names_all_sets():
    rows = [(0, at, at % 3) for at in range(30)]
    unlabelled = replace(table(rows), fields=table(rows).fields[:1])
    whole = split(unlabelled, "given", stratified=True)
    assert whole == split(unlabelled, "given")
    lacking = replace(unlabelled, parts=unlabelled.parts * 2 % 4)  # no validation set
    assert split(lacking, "given", stratified=True) == "D096"
    assert split(unlabelled, "given", stratified=True, folds=3) == "D096"


def test_that_the_latest_samples_are_the_test_part():
    parts = split(table([(0, n, 0) for n in range(20)]), "time")
    assert (parts["test"], parts["train"][0]) == ([0, 1, 2], 6)  # the days go down
    assert split(table([(0, n, 0) for n in range(20)]), "sequential")["test"] == [17, 18, 19]


@pytest.mark.parametrize(
    ("days", "fractions", "expected"),
    [
        ([3, 3, 6, 3, 3, 2], (0.7, 0.15, 0.15), [15, 3, 2]),  # not 14, 3, 3
        ([18, 1, 1], (0.7, 0.15, 0.15), [18, 1, 1]),  # no part is lost
        ([12, 8], (0.7, 0.0, 0.3), [12, 0, 8]),
        ([19, 1], (0.7, 0.15, 0.15), [14, 3, 3]),  # too few days
    ],
)
def test_that_samples_of_one_time_stay_together(days, fractions, expected):
    days_of = [day for day, count in enumerate(days) for _ in range(count)]
    shares = dict(zip(("train", "validation", "test"), fractions, strict=True))
    source = table([(0, 0, 0)] * len(days_of))
    source = replace(source, columns={"day": torch.tensor(days_of).flip(0)})
    parts = split(source, "time", **shares)
    assert [len(parts[part]) for part in ("train", "validation", "test")] == expected


def test_that_equal_samples_are_where_the_last_of_them_is_in_time():
    rows = [(0, n, 0) for n in range(19)]
    parts = split(table([*rows, rows[2]]), "sequential", group_equal=True)
    assert {2, 19} <= set(parts["test"])


def test_that_words_in_two_languages_name_the_parts_and_others_are_refused():
    source = table([(n % 2, n, n % 3) for n in range(9)])
    parts = split(source, "column")
    assert [parts[part] for part in ("train", "validation", "test")] == [
        [0, 3, 6],
        [1, 4, 7],
        [2, 5, 8],
    ]
    source.words["set"] = ("train", "other", "test")
    with pytest.raises(DiagnosticError) as caught:
        split_source(source, SplitSpec(kind="column", column="set"))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["value"]) == ("D092", "other")
    assert "“other”" in sentence(problem)


def test_that_parts_that_the_data_does_not_give_come_from_its_training_part():
    source = table([(0, n, 2 * (n >= 40)) for n in range(50)])
    parts = split(source, "given", validation=0.25, test=0.5)
    assert parts["test"] == list(range(40, 50))
    assert len(parts["validation"]) == 10
    assert split(source, "given", validation=0.0)["validation"] == []
    assert split(table([(0, 0, 2)] * 5), "given") == "D094"


def test_that_a_column_of_the_data_can_be_an_entry_of_a_vector():
    split = SplitSpec(kind="time", column="alcohol", train=0.5, validation=0.25, test=0.25)
    data = load_data(DataSpec(source=Choice(type="wine"), split=split))
    alcohol = data.source.column("features")[:, 0]
    latest = [alcohol[data.indices[part]] for part in ("train", "validation", "test")]
    assert float(latest[0].max()) <= float(latest[1].min())
    assert float(latest[1].max()) <= float(latest[2].min())


@pytest.mark.parametrize(
    ("spec", "code", "field"),
    [
        (SplitSpec(kind="group", column="doctor"), "D090", "data.split.column"),
        (SplitSpec(kind="group", column="features"), "D090", "data.split.column"),
        (SplitSpec(kind="time", column="gap"), "D091", "data.split.column"),
        (SplitSpec(kind="group", column="hole"), "D091", "data.split.column"),
        (SplitSpec(kind="group", column="same"), "D093", "data.split.column"),
        (SplitSpec(kind="group", column="same", folds=3), "D093", "data.split.column"),
        (SplitSpec(folds=50, fold=0), "D094", "data.split.folds"),
        (SplitSpec(kind="stratified", folds=9), "D097", "data.split.folds"),
        (SplitSpec(kind="group"), "D656", "data.split.column"),
        (SplitSpec(folds=1), "R026", "data.split.folds"),
        (SplitSpec(folds=3, fold=3), "R027", "data.split.fold"),
        (SplitSpec(kind="time", column="day", folds=3), "R028", "data.split.folds"),
        (SplitSpec(kind="given", validation=0.6, test=0.4), "R029", "data.split.test"),
        (SplitSpec(folds=3, test=1.0), "R029", "data.split.test"),
    ],
)
def test_that_a_split_that_cannot_be_is_refused_at_its_setting(monkeypatch, spec, code, field):
    source = table([(n % 3, n, 0) for n in range(20)])
    gap, hole = torch.arange(20.0), torch.arange(20) - 1
    gap[4] = torch.nan
    source.columns.update({"gap": gap, "hole": hole, "same": torch.zeros(20)})
    source.words["hole"] = tuple("abcdefghijklmnopqrstuvwxyz")
    with pytest.raises(DiagnosticError) as caught:
        split_source(source, spec)
    problem = caught.value.problems[0]
    assert (problem.code, problem.field) == (code, field)
    assert "{" not in sentence(problem) + sentence(problem, "zh_CN")
    monkeypatch.setattr("engine.data.preview.load_source", lambda *_: source)
    monkeypatch.setattr(load_module, "load_source", lambda *_: source)
    info = describe(DataSpec(split=spec))
    assert (info.samples, info.splits) == (20, ())
    assert [each.code for each in info.problems] == ([code] if code[0] == "D" else [])


def test_that_data_without_classes_or_parts_says_so():
    source = TensorSource(
        task="regression", fields=(vector_field("features", torch.rand(9, 2), ("a", "b")),)
    )
    assert split(source, "stratified") == "D096"
    assert split(source, "given") == "D095"
    spec = DataSpec(source=Choice(type="diabetes"), split=SplitSpec(kind="stratified"))
    with pytest.raises(
        DiagnosticError, match=r"data\.split\.kind=stratified .*data\.split\.column"
    ):
        load_data(spec)


def test_that_a_missing_column_is_answered_with_those_that_there_are():
    with pytest.raises(DiagnosticError) as caught:
        split_source(table([(0, 0, 0)] * 4), SplitSpec(kind="group", column="doctor"))
    assert "label, a, b" in sentence(caught.value.problems[0])


def test_that_the_split_of_older_documents_is_what_it_was():
    drawn = split_samples(10, SplitSpec(train=0.6, validation=0.2, test=0.2, seed=1))
    order = torch.randperm(10, generator=torch.Generator().manual_seed(1))
    assert drawn["train"].tolist() == sorted(order[:6].tolist())
    assert drawn["test"].tolist() == sorted(order[8:].tolist())
    plain = split_samples(10, SplitSpec(seed=1), Traits(groups=torch.arange(10)))
    assert all(
        torch.equal(each, plain[part])
        for part, each in split_samples(10, SplitSpec(seed=1)).items()
    )

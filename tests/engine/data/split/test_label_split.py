"""Stratified split of samples with any number of labels each."""

import numpy as np
import pytest
import torch

from engine.data.load.load import load_split
from engine.data.split.label_deal import deal_labels
from engine.data.split.split import split_source
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.run import DataSpec, SplitSpec

NAMES = tuple("abcdefgh")
CHANCES = np.array([0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02])


def drawn(samples=1000, seed=3) -> torch.Tensor:
    """Return labels, some of them of few samples, the first two of which often come together."""
    draw = np.random.default_rng(seed)
    labels = draw.random((samples, len(NAMES))) < CHANCES
    labels[:, 1] |= labels[:, 0] & (draw.random(samples) < 0.6)
    return torch.from_numpy(labels)


def table(folder, labels) -> str:
    rows = [",".join(("x", *NAMES))]
    for at, row in enumerate(labels.int().tolist()):
        rows.append(",".join((f"{at * 7 % 11}.5", *map(str, row))))
    (folder / "t.csv").write_text("\n".join(rows))
    return str(folder / "t.csv")


def shares(parts, labels) -> np.ndarray:
    """Return the share of the samples with each label that each part has (parts, labels)."""
    counts = torch.stack([labels[parts == part].sum(dim=0) for part in range(3)])
    return (counts / labels.sum(dim=0)).numpy()


FRACTIONS = (0.7, 0.15, 0.15)


def test_that_each_part_has_its_share_of_each_label():
    labels, order = drawn(), torch.randperm(1000, generator=torch.manual_seed(1))
    parts = deal_labels(order, labels, None, FRACTIONS)
    counts = labels.sum(dim=0).numpy()
    wrong = np.abs(shares(parts, labels) - np.array(FRACTIONS)[:, None]) * counts
    assert wrong.max() <= 3
    assert parts.bincount(minlength=3).tolist() == pytest.approx([700, 150, 150], abs=12)
    by_chance = torch.repeat_interleave(torch.tensor([700, 150, 150]))[order.argsort()]
    least = np.abs(shares(by_chance, labels) - np.array(FRACTIONS)[:, None]) * counts
    assert wrong.mean() < least.mean() / 3
    assert (deal_labels(order, labels, None, FRACTIONS) == parts).all()


def test_that_samples_without_a_label_fill_the_parts_up():
    labels = torch.zeros(100, 3, dtype=torch.bool)
    labels[:4, 0] = True
    parts = deal_labels(torch.arange(100), labels, None, (0.5, 0.25, 0.25))
    assert parts.bincount(minlength=3).tolist() == [50, 25, 25]
    assert parts[:4].bincount(minlength=3).tolist() == [2, 1, 1]


def test_that_a_part_of_nothing_gets_nothing():
    parts = deal_labels(torch.arange(200), drawn(200), None, (0.8, 0.2, 0.0))
    assert parts.bincount(minlength=3)[2] == 0


def test_that_groups_stay_together():
    labels, groups = drawn(), torch.arange(1000) // 3
    order = torch.randperm(1000, generator=torch.manual_seed(1))
    parts = deal_labels(order, labels, groups, FRACTIONS)
    assert all(len(parts[groups == group].unique()) == 1 for group in range(334))
    found = shares(parts, labels)
    assert found[0, :5] == pytest.approx([0.7] * 5, abs=0.06)


def test_that_data_with_labels_are_divided_so_and_by_the_seed(tmp_path):
    labels = drawn(400)
    found = propose_data(ProposeData(path=table(tmp_path, labels), target=",".join(NAMES)))
    assert found.spec.data.split.kind == "random"  # the last label is too rare for all sets
    rare = ",".join(NAMES[:5])
    found = propose_data(ProposeData(path=str(tmp_path / "t.csv"), target=rare))
    assert found.spec.data.split.kind == "stratified"
    source, indices = load_split(found.spec.data)[:2]
    parts = torch.cat([torch.full((len(at),), n) for n, at in enumerate(indices.values())])
    samples = torch.cat(list(indices.values()))
    wrong = shares(parts, labels[samples][:, :5]) - np.array(FRACTIONS)[:, None]
    assert np.abs(wrong * labels[:, :5].sum(dim=0).numpy()).max() <= 3
    again = split_source(source, SplitSpec(kind="stratified"))
    other = split_source(source, SplitSpec(kind="stratified", seed=1))
    assert again["test"].tolist() == indices["test"].tolist()
    assert other["test"].tolist() != again["test"].tolist()


def test_that_folds_have_their_share_of_each_label(tmp_path):
    path = table(tmp_path, drawn(400))
    data = propose_data(ProposeData(path=path, target=",".join(NAMES[:5]))).spec.data
    labels = drawn(400)[:, :5]
    seen: list[int] = []
    for fold in range(4):
        split = SplitSpec(kind="stratified", folds=4, fold=fold)
        source = load_split(DataSpec(source=data.source, split=split))[0]
        indices = split_source(source, split)
        rest = torch.cat((indices["train"], indices["validation"]))
        expected = labels[rest].sum(dim=0) / 4
        assert ((labels[indices["validation"]].sum(dim=0) - expected).abs() <= 2).all()
        seen += indices["validation"].tolist()
    assert len(seen) == len(set(seen)) == len(rest)

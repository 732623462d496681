"""Batch samplers of the user's code: which samples each training batch has."""

import dataclasses
from functools import partial

import pytest
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.data.load.loader import PartLoader
from engine.data.preview import describe
from engine.diagnostics import Severity, sentence
from engine.model.analysis import analyse
from engine.spec.codec import from_document, to_document
from engine.spec.custom_code import custom_from, data_code, rename_custom
from engine.spec.data import BatchCounts
from engine.spec.fields import set_text
from engine.spec.length import known_batches
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec
from engine.spec.run_rule import check_data
from engine.spec.validate import validate
from tests.custom_data import POINTS, refusal, trusted
from tests.tiny_run import iris_graph, iris_spec, node

FILE = "own.py"
BATCHES = """
from torch.utils.data import BatchSampler, RandomSampler

class GrowingBatchSampler(Sampler):
    '''Batches of 1, 2, 3, … samples, drawn anew in each epoch, some never.'''
    def __init__(self, data_source):
        self.data_source = data_source

    def __len__(self):
        return 8

    def __iter__(self):
        order = torch.randperm(len(self.data_source)).tolist()
        for size in range(1, 9):
            yield order[size * size : size * size + size]

class Drawn(BatchSampler):
    def __init__(self, data_source, batch_size):
        super().__init__(RandomSampler(data_source), batch_size, True)

class TwoClasses(Sampler[list[int]]):
    def __init__(self, data_source, labels):
        self.labels = labels

    def __len__(self):
        return 3

    def __iter__(self):
        for one in range(3):
            yield (self.labels == one).nonzero().flatten()[:5]

class Typed(Sampler[list[int]]):
    def __init__(self, data_source):
        pass

    def __len__(self):
        return 2

    def __iter__(self):
        return iter(self.found)

class Beyond(Typed):
    found = [[0], [1, 105]]

class Empty(Typed):
    found = [[0], []]

class Numbers(Typed):
    found = [0, 1]

class Words(Typed):
    found = ["ab", "12"]

class Fewer(Typed):
    found = [[0]]

class Endless(Typed):
    def __iter__(self):
        while True:
            yield [0]

class Failing(Typed):
    def __iter__(self):
        raise KeyError("lost")

class Uncounted(Sampler[list[int]]):
    def __iter__(self):
        return iter([[0], [1]])

class KeepingBatchSampler(GrowingBatchSampler):
    def __init__(self, data_source):
        super().__init__(data_source)
        self.generator = torch.Generator().manual_seed(0)

    def __iter__(self):
        yield from torch.randperm(96, generator=self.generator).split(12)

class Positions(Sampler):
    def __iter__(self):
        return iter(range(105))
"""


def spec_of(name, source="iris", **changes):
    return DataSpec(source=Choice(type=source), batch_sampler=f"own.{name}", **changes)


def loaded(name, **changes):
    return load_data(spec_of(name, **changes), code=trusted(BATCHES, FILE))


def described(name, code=BATCHES, **changes):
    return describe(spec_of(name, **changes), trusted(code, FILE))


def positions(data, epoch=1, seed=1, start=0):
    return [each.positions.tolist() for each in data.sampler.plan(seed, epoch, start)]


def test_that_batches_follow_from_seed_and_epoch_wherever_a_run_begins():
    data = loaded("GrowingBatchSampler")
    epochs = [positions(data, epoch) for epoch in range(3)]
    assert [len(batch) for batch in epochs[0]] == list(range(1, 9))
    assert epochs[1] != epochs[2]
    again = loaded("GrowingBatchSampler")
    assert positions(again, 2) == epochs[2]
    assert positions(again, 1, start=3) == epochs[1][3:]
    assert positions(again, 1, seed=2) != epochs[1]
    sizes = [again.sampler.batch_samples(1, 1, number) for number in range(again.sampler.count)]
    assert sizes == list(map(len, epochs[1]))


def test_that_a_class_gets_what_its_constructor_names():
    data = loaded("Drawn", batch_size=10)
    assert [len(batch) for batch in positions(data)] == [10] * 10
    assert data.info.custom_batches == BatchCounts(count=10, least=10, most=10)
    data = loaded("TwoClasses")
    labels = data.source.column("label")[data.indices["train"]]
    assert [labels[batch].tolist() for batch in positions(data)] == [[0] * 5, [1] * 5, [2] * 5]


def test_that_evaluation_goes_through_its_part_in_batches_of_the_setting():
    data = loaded("TwoClasses", batch_size=7)
    assert len(data.parts["validation"]) == len(data.indices["validation"])
    assert data.sampler.spec.batch_size == 7


def share_of(rows, rank):
    """Return the rows of a batch that one of two processes computes."""
    return rows.tensor_split(2)[rank]


@pytest.mark.row("S136")
@pytest.mark.real
def test_that_workers_and_shares_of_processes_have_the_same_batches():
    data = loaded("GrowingBatchSampler")
    plan = data.sampler.plan(1, 1)
    loaders = [PartLoader(data.training, LoaderSpec(num_workers=each)) for each in (0, 2)]
    whole, read = (list(loader.batches(plan)) for loader in loaders)
    shares = [
        list(loaders[0].batches(dataclasses.replace(plan, select=partial(share_of, rank=rank))))
        for rank in range(2)
    ]
    for batch, other, *parts in zip(whole, read, *shares, strict=True):
        assert all(torch.equal(batch[name], other[name]) for name in batch)
        for name, values in batch.items():
            assert torch.equal(torch.cat([part[name] for part in parts]), values)


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("Beyond", "D552", "105"),
        ("Empty", "D552", "[]"),
        ("Numbers", "D552", "0"),
        ("Words", "D552", "ab"),
        ("Fewer", "D553", "1 batch"),
        ("Endless", "D553", "> 2"),
        ("Failing", "D520", "lost"),
        ("Uncounted", "D555", "__len__"),
    ],
)
def test_that_what_are_no_batches_are_told_with_class_file_and_line(name, code, said):
    (found,) = described(name).problems
    assert (found.code, found.field) == (code, "data.batch_sampler")
    assert all(word in sentence(found) for word in (name, said, FILE))
    assert refusal(lambda: loaded(name)).code == code


def test_that_another_number_of_batches_in_a_later_epoch_is_told():
    text = """
class LaterBatchSampler(Sampler):
    def __len__(self):
        return 2

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        return iter([[0]] * (3 if self.epoch > 1 else 2))
"""
    data = load_data(spec_of("LaterBatchSampler"), code=trusted(text, FILE))
    assert len(positions(data, 1)) == 2
    assert refusal(lambda: positions(data, 2)).code == "D553"


@pytest.mark.parametrize("name", ["Nothing", "Positions"])
def test_that_what_is_no_batch_sampler_of_the_code_is_told(name):
    assert [each.code for each in described(name).problems] == ["D551"]
    assert refusal(lambda: loaded(name)).code == "D551"


def test_that_a_generator_that_is_kept_is_told_to_differ_after_a_stop():
    (found,) = described("KeepingBatchSampler").problems
    assert (found.code, found.severity) == ("D548", Severity.WARNING)
    assert not described("GrowingBatchSampler").problems


def test_that_what_does_not_apply_is_told():
    data = spec_of("Drawn", shuffle=False, sampler="weighted", drop_last=True)
    found = list(check_data(RunSpec(data=data), None))
    fields = ["data.shuffle", "data.sampler", "data.drop_last"]
    assert [(each.code, each.field) for each in found] == [("D554", field) for field in fields]
    stream = "class Data(IterableDataset):\n    def __iter__(self): return iter([1.0] * 9)\n"
    problems = described("Drawn", BATCHES + stream, source="code.own.Data").problems
    assert "D556" in [each.code for each in problems]
    code = trusted(POINTS + BATCHES, FILE)
    own = Choice(type="code.own.Points", params={"sampler": "own.Positions"})
    told = describe(DataSpec(source=own, batch_sampler="own.Drawn", batch_size=4), code)
    assert ("D557", "data.source.sampler") in [(each.code, each.field) for each in told.problems]


def test_that_batches_of_their_own_count_where_the_length_of_an_epoch_does():
    info = described("GrowingBatchSampler", batch_size=1000)
    assert info.custom_batches == BatchCounts(count=8, least=1, most=8)
    data = spec_of("GrowingBatchSampler", batch_size=1000, drop_last=False)
    assert known_batches(data, info) == 8
    assert known_batches(data, None) is None
    graph = replace(iris_graph(node("BatchNorm1d", "norm")), code={FILE: BATCHES})
    problems = validate(iris_spec(data=data), graph, analyse(graph), info)
    assert ("R014", "data.batch_sampler") in [(each.code, each.field) for each in problems]
    assert "R023" not in [each.code for each in problems]


def test_that_a_specification_keeps_offers_and_renames_it():
    code = {FILE: BATCHES}
    spec = RunSpec(data=DataSpec(batch_sampler="own.Drawn"))
    assert from_document(to_document(spec)) == spec
    assert data_code(spec.data, code) == code
    assert custom_from(spec, FILE) == ("Drawn",)
    assert rename_custom(spec, FILE, "orders.py").data.batch_sampler == "orders.Drawn"
    assert set_text(RunSpec(), "data.batch_sampler", "own.Drawn", code) == spec
    for wrong in ("own.Positions", "Drawn"):
        assert refusal(lambda: set_text(RunSpec(), "data.batch_sampler", wrong, code)).field  # noqa: B023
    assert refusal(lambda: set_text(RunSpec(), "data.sampler", "own.Drawn", code)).field
    assert "batch_sampler" not in to_document(RunSpec())["data"]


def test_that_code_nobody_trusts_is_not_run(tmp_path):
    mark = tmp_path / "ran"
    code = {FILE: f"open({str(mark)!r}, 'w')\nclass MarkBatchSampler(Sampler): pass\n"}
    spec = spec_of("MarkBatchSampler")
    assert refusal(lambda: load_data(spec, code=code)).code == "U027"
    assert [each.code for each in describe(spec, code).problems] == ["U027"]
    assert not mark.exists()

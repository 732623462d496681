"""Samplers of the user's code, for data of any kind that has its samples by number."""

import pytest
import torch

from engine.data.load.load import load_data
from engine.data.preview import describe
from engine.data.source.custom.order import TrainingView
from engine.diagnostics import Severity, sentence
from engine.spec.codec import from_document, to_document
from engine.spec.custom_code import custom_from, data_code, rename_custom
from engine.spec.fields import set_text
from engine.spec.run import Choice, DataSpec, RunSpec
from engine.spec.run_rule import check_data
from tests.custom_data import POINTS, refusal, trusted

SAMPLES = 105  # of iris that are trained on
SAMPLERS = """
class Base(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __len__(self):
        return len(self.data_source)

class Shuffled(Base):
    def __iter__(self):
        return iter(torch.randperm(len(self)).tolist())

class ByWidth(Base):
    def __iter__(self):
        widths = [float(self.data_source[at]["features"][1]) for at in range(len(self))]
        return iter(sorted(range(len(self)), key=widths.__getitem__))

class RareFirst(Base):
    def __init__(self, data_source, labels):
        super().__init__(data_source)
        self.labels = labels

    def __iter__(self):
        assert self.labels.dtype == torch.int64
        return iter(self.labels.argsort(stable=True).tolist())

class MayHaveLabels(Base):
    def __init__(self, data_source, labels=None):
        super().__init__(data_source)
        assert labels is None

    def __iter__(self):
        return iter(range(len(self)))

class Alone(Sampler):
    def __iter__(self):
        return iter([3] * 105)

class Beyond(Base):
    def __iter__(self):
        return iter(range(1, len(self) + 1))

class Short(Base):
    def __iter__(self):
        return iter(range(len(self) - 3))

class Endless(Base):
    def __iter__(self):
        while True:
            yield 0

class Batches(Base):
    def __iter__(self):
        return iter([[at] for at in range(len(self))])

class Keeping(Base):
    def __init__(self, data_source):
        super().__init__(data_source)
        self.generator = torch.Generator().manual_seed(0)

    def __iter__(self):
        return iter(torch.randperm(len(self), generator=self.generator).tolist())

class Reseeding(Keeping):
    def set_epoch(self, epoch):
        self.generator.manual_seed(epoch)

class Drawing(Base):
    def __init__(self, data_source):
        super().__init__(data_source)
        self.order = torch.randperm(len(data_source)).tolist()

    def __iter__(self):
        return iter(self.order)

def other():
    return 1
"""
FILE = "own.py"


def loaded(name, source="iris", **changes):
    data = DataSpec(source=Choice(type=source), sampler=f"own.{name}", **changes)
    return load_data(data, code=trusted(SAMPLERS, FILE))


def order_of(name, seed=1, epoch=1, **changes):
    return loaded(name, **changes).sampler.order(seed, epoch)


def codes(name, source="iris", code=SAMPLERS, **changes):
    """Return what is told of a sampler where it is chosen."""
    data = DataSpec(source=Choice(type=source), sampler=f"own.{name}", **changes)
    return [each for each in describe(data, trusted(code, FILE)).problems if each.code != "D265"]


def test_that_the_order_follows_from_seed_and_epoch_wherever_a_run_begins():
    sampler = loaded("Shuffled").sampler
    epochs = [sampler.order(1, epoch) for epoch in range(3)]
    assert all(sorted(epoch.tolist()) == list(range(SAMPLES)) for epoch in epochs)
    assert not torch.equal(epochs[1], epochs[2])
    assert torch.equal(order_of("Shuffled", epoch=2), epochs[2])
    assert not torch.equal(order_of("Shuffled", seed=2, epoch=2), epochs[2])
    assert torch.equal(order_of("Reseeding", epoch=2), loaded("Reseeding").sampler.order(1, 2))


def test_that_drawing_as_it_is_made_neither_changes_nor_follows_the_numbers_of_a_run():
    torch.manual_seed(4)
    first = order_of("Drawing")
    drawn = torch.rand(2)
    assert torch.equal(drawn, torch.rand(2, generator=torch.Generator().manual_seed(4)))
    assert torch.equal(order_of("Drawing"), first)


def test_that_a_sampler_gets_the_training_samples_and_their_classes():
    data = loaded("RareFirst")
    labels = data.source.column("label")[data.indices["train"]]
    drawn = labels[data.sampler.order(1, 1)]
    assert torch.equal(drawn, labels.sort().values)
    turned = data.indices["train"].flip(0)  # the classes of iris are in order
    assert torch.equal(TrainingView(data.source, turned).labels(), labels.flip(0))
    data = loaded("ByWidth")
    widths = data.source.column("features")[data.indices["train"]][:, 1]
    assert torch.equal(widths[data.sampler.order(1, 1)], widths.sort().values)
    assert order_of("Alone").tolist() == [3] * SAMPLES


def test_that_what_shuffles_is_the_sampler_alone():
    spec = RunSpec(data=DataSpec(source=Choice(type="iris"), sampler="own.ByWidth", shuffle=False))
    assert not list(check_data(spec, None))
    assert torch.equal(order_of("ByWidth", shuffle=False), order_of("ByWidth"))


def test_that_labels_are_asked_for_where_there_are_some():
    assert len(order_of("MayHaveLabels", source="diabetes")) > 0
    problem = refusal(lambda: loaded("RareFirst", source="diabetes"))
    assert (problem.code, problem.field) == ("D549", "data.sampler")
    assert all(word in sentence(problem) for word in ("RareFirst", FILE))


@pytest.mark.parametrize("name", ["Beyond", "Batches"])
def test_that_an_order_that_is_none_is_told_with_class_file_and_line(name):
    found = codes(name)
    assert [(each.code, each.field) for each in found] == [("D257", "data.sampler")]
    text = sentence(found[0])
    line = next(
        number
        for number, each in enumerate(trusted(SAMPLERS, FILE)[FILE].splitlines(), 1)
        if each.startswith(f"class {name}(")
    )
    assert all(word in text for word in (name, FILE, str(line)))
    assert refusal(lambda: loaded(name)).code == "D257"


def test_that_too_few_and_too_many_positions_are_told_apart_from_wrong_ones():
    told = {
        name: sentence(refusal(lambda name=name: loaded(name))) for name in ("Short", "Endless")
    }
    assert f"only {SAMPLES - 3} positions for {SAMPLES} training samples" in told["Short"]
    assert f"more positions than there are training samples ({SAMPLES})" in told["Endless"]
    assert f"gave {SAMPLES}, which is the position of no" in sentence(
        refusal(lambda: loaded("Beyond"))
    )


@pytest.mark.parametrize("name", ["Nothing", "other"])
def test_that_what_is_no_sampler_of_the_code_is_told(name):
    assert [each.code for each in codes(name)] == ["D547"]
    assert refusal(lambda: loaded(name)).code == "D547"


def test_that_a_sampler_that_keeps_a_generator_is_told_to_be_another_after_a_stop():
    found = codes("Keeping")
    assert [(each.code, each.severity) for each in found] == [("D548", Severity.WARNING)]
    assert not codes("Reseeding")
    assert not codes("Shuffled")


def test_that_data_in_an_order_of_its_own_has_no_use_for_a_sampler():
    stream = "class Data(IterableDataset):\n    def __iter__(self): return iter([1.0] * 9)\n"
    found = codes("Beyond", "code.own.Data", SAMPLERS + stream)
    assert [each.code for each in found] == ["D546"]


def test_that_the_sampler_chosen_with_ones_own_data_comes_first():
    code = trusted(POINTS + SAMPLERS, FILE)
    own = Choice(type="code.own.Points", params={"sampler": "own.Shuffled"})
    data = DataSpec(source=own, sampler="own.Beyond")
    assert [each.code for each in describe(data, code).problems] == ["D546"]
    taken = DataSpec(source=Choice(type="code.own.Points"), sampler="own.Shuffled")
    assert torch.equal(
        load_data(data, code=code).sampler.order(1, 1),
        load_data(taken, code=code).sampler.order(1, 1),
    )


def test_that_code_nobody_trusts_is_not_run(tmp_path):
    spec = DataSpec(source=Choice(type="iris"), sampler="own.Mark")
    mark = tmp_path / "ran"
    code = {FILE: f"open({str(mark)!r}, 'w')\nclass Mark(Sampler): pass\n"}
    assert refusal(lambda: load_data(spec, code=code)).code == "U027"
    assert [each.code for each in describe(spec, code).problems] == ["U027"]
    assert not mark.exists()


def test_that_a_specification_keeps_offers_and_renames_it():
    code = {FILE: SAMPLERS}
    spec = RunSpec(data=DataSpec(sampler="own.Shuffled"))
    assert from_document(to_document(spec)) == spec
    assert data_code(spec.data, code) == code
    assert custom_from(spec, FILE) == ("Shuffled",)
    assert rename_custom(spec, FILE, "orders.py").data.sampler == "orders.Shuffled"
    assert set_text(RunSpec(), "data.sampler", "own.Shuffled", code) == spec
    for wrong in ("own.other", "Shuffled"):
        assert refusal(lambda: set_text(RunSpec(), "data.sampler", wrong, code)).field  # noqa: B023
    assert "sampler" not in to_document(RunSpec())["data"]


def test_that_what_a_data_set_of_another_file_names_is_found_and_renamed():
    params = {"count": 3, "sampler": "own.Shuffled", "collate_fn": "joined.pad_collate"}
    spec = RunSpec(data=DataSpec(source=Choice(type="code.points.Points", params=params)))
    assert custom_from(spec, FILE) == ("Shuffled",)
    assert custom_from(spec, "joined.py") == ("pad_collate",)
    for file in (FILE, "joined.py", "points.py"):
        spec = rename_custom(spec, file, f"new_{file}")
    source = spec.data.source
    assert source.type == "code.new_points.Points"
    renamed = {"sampler": f"new_{FILE[:-3]}.Shuffled", "collate_fn": "new_joined.pad_collate"}
    assert source.params == {"count": 3, **renamed}
    foreign = RunSpec(data=DataSpec(source=Choice(type="table", params={"sampler": "own.x"})))
    assert rename_custom(foreign, FILE, "new.py") == foreign

"""Data of the user's own code: fields, parts, batches, streams, samplers, and its faults."""

import pickle

import pytest
import torch
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.data.load.load import load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.source.custom import order
from engine.data.source.registry import forget_sources, load_source
from engine.diagnostics import Severity, sentence
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.spec.data_path import with_absolute_paths, with_relative_paths
from engine.spec.fields import field_names, set_value
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec, SplitSpec
from engine.train.worker import run_in_thread
from tests.custom_data import HEAD, POINTS, of_item, refusal, source_of, trusted
from tests.tiny_run import CROSS_ENTROPY, PATIENCE_S, chain, iris_spec, node

pytestmark = [pytest.mark.row("S133"), pytest.mark.row("S138")]


def test_that_nothing_runs_before_it_is_trusted(capfd):
    code = {"data.py": HEAD + "print('ran')\n" + POINTS + "# not trusted\n"}
    spec = set_value(RunSpec(), "data.source", "code.data.Points", code)
    assert {"data.source.count", "data.source.scale"} <= set(field_names(spec, code))
    problem = refusal(lambda: load_source(spec.data.source, code))
    assert problem.code == "U027"
    assert capfd.readouterr().out == ""


def test_that_the_arguments_of_the_constructor_are_the_form():
    source = source_of(POINTS, "Points", count=5, scale=1.0)
    assert source.samples == 5
    assert source.read([3])["input"].tolist() == [[3.0, -3.0]]


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        ("(torch.ones(3), i % 3)", {"input": ("vector", (3,)), "target": ("class", ())}),
        ("(torch.ones(3), 0.5)", {"input": ("vector", (3,)), "target": ("scalar", (1,))}),
        ("(np.ones(3), np.float64(i))", {"input": ("vector", (3,)), "target": ("scalar", (1,))}),
        ("[np.ones((2, 3)), np.int32(i)]",
         {"input": ("sequence", (2, 3)), "target": ("class", ())}),
        ("(Image.new('RGB', (5, 4)), i % 2)",
         {"input": ("image", (3, 4, 5)), "target": ("class", ())}),
        ("(Image.new('L', (5, 4)), i % 2)",
         {"input": ("image", (1, 4, 5)), "target": ("class", ())}),
        ("(torch.ones(3, 4, 5), torch.ones(4, 5, dtype=torch.long))",
         {"input": ("image", (3, 4, 5)), "target": ("mask", (4, 5))}),
        ("(torch.ones(6, dtype=torch.int32), torch.ones(6, dtype=torch.long))",
         {"input": ("sequence", (6,)), "target": ("sequence", (6,))}),
        ("{'age': 3.5, 'face': torch.ones(1, 2, 2), 'label': i % 2, 'file': 'a.png'}",
         {"age": ("scalar", (1,)), "face": ("image", (1, 2, 2)), "label": ("class", ())}),
        ("namedtuple('Pair', 'left right')(torch.ones(2), torch.ones(2))",
         {"left": ("vector", (2,)), "right": ("vector", (2,))}),
        ("(torch.ones(2), torch.ones(3), 1.0)",
         {"input": ("vector", (2,)), "input2": ("vector", (3,)), "target": ("scalar", (1,))}),
        ("torch.ones(4)", {"input": ("vector", (4,))}),
        ("float(i)", {"input": ("scalar", (1,))}),
    ],
)  # fmt: skip
def test_that_the_fields_are_found_from_the_first_samples(item, fields):
    source = of_item(item)
    assert {info.name: (info.kind, info.shape) for info in source.infos} == fields
    for info in source.infos:
        values = source.read([0, 5])[info.name]
        assert values.shape == (2, *info.shape)
        assert str(values.dtype) == f"torch.{info.dtype}"
    roles = [info.role for info in source.infos]
    assert roles.count("target") == (len(roles) > 1)


def test_that_a_dictionary_of_samples_and_a_plain_class_are_data():
    source = source_of(
        """
class Data:
    def __init__(self):
        self.people = {0: (1.5, 0), 1: (2.5, 1)}

    def __len__(self):
        return len(self.people)

    def __getitem__(self, i):
        return self.people[i]
"""
    )
    assert source.read([1])["input"].tolist() == [[2.5]]


def test_that_classes_and_labels_are_those_that_the_class_names():
    source = of_item("(torch.ones(2), 0)", "classes = ['cat', 'dog']; targets = [0, 1] * 4")
    label = source.infos[1]
    assert label.classes == ("cat", "dog")
    assert source.column("target").tolist() == [0, 1] * 4


def test_that_parts_are_those_that_the_class_says():
    words = "parts = ['train'] * 5 + ['val'] * 2 + ['test']"
    source = of_item("(torch.ones(2), 0)", words)
    assert source.given_parts().tolist() == [0] * 5 + [1] * 2 + [2]
    problem = refusal(lambda: of_item("1.0", "parts = ['train', 'later']"))
    assert problem.code == "D266"


def test_that_a_source_goes_to_a_worker_as_what_it_is_made_from():
    source = of_item("(lambda: torch.full((2,), float(i)))()", "keep = lambda: 0")
    again = pickle.loads(pickle.dumps(source))
    assert again.read([3])["input"].tolist() == [[3.0, 3.0]]


RANDOM = """
class Data(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return torch.tensor([i, torch.rand(()).item(), random.random(), np.random.rand()])

class Stream(IterableDataset):
    def __iter__(self):
        for i in range(12):
            yield torch.tensor([i, torch.rand(()).item(), random.random(), np.random.rand()])
"""


def batches(source_type, code, workers, start=0, epoch=1):
    forget_sources()
    spec = DataSpec(
        source=Choice(type=source_type), split=SplitSpec(train=1.0, validation=0.0, test=0.0)
    )
    data = load_data(spec, code=code)
    loader = PartLoader(data.training, LoaderSpec(num_workers=workers))
    order = data.sampler.order(7, epoch)
    plan = BatchPlan(order=order, size=4, seed=7, epoch=epoch, start=start)
    return [batch["input"] for batch in loader.batches(plan)]


@pytest.mark.parametrize("name", ["Data", "Stream"])
def test_that_a_resume_changes_no_bit_and_an_epoch_draws_other_numbers(name):
    code = trusted(RANDOM)
    key = f"code.data.{name}"
    expected = batches(key, code, 0)
    resumed = batches(key, code, 0, start=2)
    assert torch.equal(resumed[0], expected[2])
    other = batches(key, code, 0, epoch=2)
    assert not torch.equal(torch.cat(other)[:, 1], torch.cat(expected)[:, 1])
    numbers = torch.cat(expected)[:, 0]
    assert sorted(numbers.tolist()) == list(range(12))
    assert (numbers.tolist() == list(range(12))) == (name == "Stream")


@pytest.mark.real
@pytest.mark.parametrize("name", ["Data", "Stream"])
@pytest.mark.parametrize("workers", [1, 2])
def test_that_workers_change_no_bit(name, workers):
    code = trusted(RANDOM)
    key = f"code.data.{name}"
    expected = batches(key, code, 0)
    found = batches(key, code, workers)
    assert len(found) == len(expected)
    assert all(map(torch.equal, found, expected))


def test_that_global_random_numbers_are_as_if_nothing_was_drawn():
    source = source_of(RANDOM)
    torch.manual_seed(3)
    expected = torch.rand(())
    torch.manual_seed(3)
    source.read([0, 1, 2])
    assert torch.equal(torch.rand(()), expected)


@pytest.mark.row("S138")
def test_that_a_stream_tells_its_price_and_is_counted():
    source = source_of(RANDOM, "Stream")
    assert source.samples == 12
    hints = [each for each in source.check({}) if each.severity is Severity.HINT]
    assert [hint.code for hint in hints] == ["D265"]
    assert "12" in sentence(hints[0])
    assert source.read([5, 2, 9])["input"][:, 0].tolist() == [5, 2, 9]


@pytest.mark.real
def test_that_a_stream_that_shares_among_workers_itself_is_read_whole():
    code = trusted(
        """
from torch.utils.data import get_worker_info

class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        step = info.num_workers if info else 1
        for i in range(info.id if info else 0, 12, step):
            yield float(i)
"""
    )
    found = torch.cat(batches("code.data.Stream", code, 2))
    assert found.flatten().tolist() == list(range(12))


RAGGED = """
def pad_collate(samples):
    xs, ys = zip(*samples)
    size = max(len(x) for x in xs)
    padded = torch.zeros(len(xs), size)
    for row, x in enumerate(xs):
        padded[row, :len(x)] = x
    return padded, torch.tensor([len(x) for x in xs]), torch.tensor(ys)

class Data(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.ones(i + 1), i % 2
"""


@pytest.mark.row("S139")
@pytest.mark.row("S343")
def test_that_samples_of_different_sizes_are_told_and_a_collate_fn_pads_them():
    source = source_of(RAGGED)
    problem = refusal(lambda: source.read([0, 3]))
    assert problem.code == "D267"
    assert "collate_fn" in sentence(problem)
    source = source_of(RAGGED, collate_fn="data.pad_collate")
    values = source.read([0, 3])
    assert [info.name for info in source.infos] == ["input", "input2", "target"]
    assert values["input"].tolist() == [[1, 0, 0, 0], [1, 1, 1, 1]]
    assert values["input2"].tolist() == [1, 4]


@pytest.mark.row("S139")
def test_that_the_collate_fn_of_the_class_is_taken_and_its_faults_told():
    own = "collate_fn = staticmethod(lambda samples: torch.stack(samples) * 2)"
    assert of_item("torch.ones(2)", own).read([0])["input"].tolist() == [[2.0, 2.0]]
    bad = "collate_fn = staticmethod(lambda samples: 1 / 0)"
    problem = refusal(lambda: of_item("torch.ones(2)", bad))
    assert (problem.code, problem.params["error"]) == ("D268", "ZeroDivisionError")
    short = "collate_fn = staticmethod(lambda samples: samples[0])"
    assert refusal(lambda: of_item("torch.ones(2)", short)).code == "D521"


def test_that_a_collate_fn_that_draws_is_looked_at_with_the_same_numbers_each_time():
    code = "collate_fn = staticmethod(lambda rows: torch.randint(2, 1000, (len(rows),)))"
    found = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        forget_sources()
        found.append(of_item("torch.ones(2)", code).infos)
        drawn = torch.rand(3)
        assert torch.equal(drawn, torch.rand(3, generator=torch.manual_seed(seed)))
    assert found[0] == found[1]


SAMPLERS = """
class Backwards(Sampler):
    def __init__(self, data_source):
        self.data_source = data_source

    def __len__(self):
        return len(self.data_source)

    def __iter__(self):
        return iter(range(len(self.data_source) - 1, -1, -1))

class Shuffled(Backwards):
    def __iter__(self):
        return iter(torch.randperm(len(self.data_source)).tolist())

class Beyond(Backwards):
    def __iter__(self):
        return iter(range(1, len(self.data_source) + 1))

class Endless(Backwards):
    def __iter__(self):
        while True:
            yield 0

class Broken(Backwards):
    def __iter__(self):
        return self.data_source.nothing
"""


def order_of(name, seed=1, epoch=1):
    code = trusted(POINTS + SAMPLERS)
    spec = DataSpec(
        source=Choice(type="code.data.Points", params={"sampler": f"data.{name}"}),
        split=SplitSpec(train=1.0, validation=0.0, test=0.0),
    )
    return load_data(spec, code=code).sampler.order(seed, epoch)


def test_that_a_sampler_of_the_project_draws_the_samples():
    assert order_of("Backwards").tolist() == list(range(19, -1, -1))
    assert torch.equal(order_of("Shuffled"), order_of("Shuffled"))
    assert not torch.equal(order_of("Shuffled"), order_of("Shuffled", epoch=2))
    assert sorted(order_of("Shuffled").tolist()) == list(range(20))


@pytest.mark.parametrize(
    ("name", "code"), [("Beyond", "D257"), ("Endless", "D608"), ("Broken", "D520")]
)
def test_that_a_sampler_that_is_wrong_is_told(name, code):
    problem = refusal(lambda: order_of(name))
    assert (problem.code, problem.field) == (code, "data.source.sampler")
    assert name in sentence(problem)


@pytest.mark.parametrize(
    ("name", "codes"),
    [("Beyond", ["D257"]), ("Endless", ["D608"]), ("Broken", ["D520"]), ("Shuffled", [])],
)
def test_that_a_sampler_that_is_wrong_is_told_where_it_is_chosen(name, codes):
    source = source_of(POINTS + SAMPLERS, "Points", sampler=f"data.{name}")
    problems = source.check({"train": torch.arange(20)})
    assert [problem.code for problem in problems] == codes


def test_that_a_sampler_that_looks_at_all_samples_is_not_waited_for(monkeypatch):
    looking = """
class Looking(Sampler):
    def __init__(self, data_source):
        self.found = [data_source[at] for at in range(len(data_source))]

    def __iter__(self):
        raise ValueError
"""
    source = source_of(POINTS + looking, "Points", sampler="data.Looking")
    assert [each.code for each in source.check({"train": torch.arange(20)})] == ["D520"]
    monkeypatch.setattr(order, "TRIAL_SECONDS", 0.0)
    assert source.check({"train": torch.arange(20)}) == ()


def test_that_a_sampler_of_a_stream_is_told_to_have_no_effect():
    stream = "class Data(IterableDataset):\n    def __iter__(self): return iter([1.0] * 9)\n"
    source = source_of(stream + SAMPLERS, sampler="data.Shuffled")
    problems = source.check({"train": torch.arange(9)})
    assert [problem.code for problem in problems] == ["D265", "D522"]


BATCHES = """
def failing_collate(samples):
    raise ValueError('odd')

def flat_collate(samples):
    return torch.stack([x for x, _ in samples]).reshape(1, -1), torch.ones(len(samples))

def worded_collate(samples):
    return 'all of them'
"""


@pytest.mark.row("S139")
@pytest.mark.parametrize(
    ("name", "code"),
    [("failing_collate", "D268"), ("flat_collate", "D521"), ("worded_collate", "D521")],
)
def test_that_a_chosen_collate_fn_that_is_wrong_is_named_where_it_is_chosen(name, code):
    problem = refusal(lambda: source_of(POINTS + BATCHES, "Points", collate_fn=f"data.{name}"))
    assert (problem.code, problem.field) == (code, "data.source.collate_fn")
    told = sentence(problem)
    assert name in told
    lines = (HEAD + POINTS + BATCHES).splitlines()
    start = lines.index(f"def {name}(samples):") + 1
    assert start <= int(problem.params["line"]) <= start + 1


MODULE = """
from torch.utils.data import DataLoader, TensorDataset

class Data:
    def prepare_data(self):
        self.is_prepared = True

    def setup(self, stage):
        assert self.is_prepared
        self.stage = stage

    def loader(self, count):
        x = torch.arange(count, dtype=torch.float32)[:, None]
        return DataLoader(TensorDataset(x, (x > 1).long().flatten()), batch_size=2)

    def train_dataloader(self):
        assert self.stage == "fit"
        return self.loader(6)

    def val_dataloader(self):
        return self.loader(3)

    def test_dataloader(self):
        assert self.stage == "test"
        return self.loader(2)
"""


def test_that_a_data_module_gives_its_parts():
    source = source_of(MODULE)
    assert source.samples == 11
    assert source.given_parts().bincount().tolist() == [6, 3, 2]
    assert source.read([0, 6, 10])["input"].flatten().tolist() == [0, 0, 1]


def test_that_data_that_say_their_parts_are_divided_by_them_when_they_are_chosen():
    parts = "\n    def __getitem__(self, index):\n        self.parts = None\n"
    code = {
        "data.py": HEAD + MODULE + POINTS,
        "own.py": HEAD + POINTS + parts,
        "named.py": HEAD + POINTS + "    parts = ['train'] * 20\n",
        "local.py": HEAD + POINTS + "\n    def more(self):\n        parts = 3\n",
    }
    spec = RunSpec()
    for key, kind in (
        ("data.Data", "given"), ("data.Points", "random"), ("own.Points", "given"),
        ("local.Points", "random"), ("named.Points", "given"),
    ):  # fmt: skip
        spec = set_value(spec, "data.source", f"code.{key}", code)
        assert spec.data.split.kind == kind


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.real)])
def test_that_a_class_of_the_project_trains(tmp_path, workers):
    graph = chain(
        node("Input", "x", field="input", shape=(2,)),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    graph = replace(graph, code={"data.py": HEAD + POINTS})
    spec = iris_spec(
        data=DataSpec(
            source=Choice(type="code.data.Points"),
            batch_size=5,
            loader=LoaderSpec(num_workers=workers),
        ),
        losses=(replace(CROSS_ENTROPY, inputs={"input": "model.logits", "target": "data.target"}),),
    )
    set_trust(graph.code, trusted=False)
    for is_trusted, status in ((False, RunStatus.FAILED), (True, RunStatus.FINISHED)):
        folder = RunFolder.create(tmp_path, graph, spec)
        thread = run_in_thread(Launch(folder=str(folder.path), trusted=is_trusted))
        assert thread.join(PATIENCE_S)
        assert read_state(folder).status is status


def test_that_a_path_of_the_class_moves_with_the_project(tmp_path):
    code = trusted(
        "class Data(Dataset):\n    def __init__(self, root: str = ''):\n        self.root = root\n"
        "    def __len__(self): return 3\n    def __getitem__(self, i): return float(i)\n"
    )
    spec = set_value(RunSpec(), "data.source", "code.data.Data", code)
    spec = set_value(spec, "data.source.root", str(tmp_path / "here" / "files"), code)
    kept = with_relative_paths(spec, tmp_path / "here", code)
    assert kept.data.source.params["root"] == "files"
    moved = with_absolute_paths(kept, tmp_path / "there", code)
    assert moved.data.source.params["root"] == str(tmp_path / "there" / "files")
    assert load_source(moved.data.source, code).samples == 3

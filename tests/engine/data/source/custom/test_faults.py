"""Faults of the user's class that has samples: each a sentence with file, line and sample."""

import gc

import pytest
import torch

from engine.data.load.load import load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.source.registry import load_source
from engine.diagnostics import sentence
from engine.spec.run import Choice, DataSpec, LoaderSpec, SplitSpec
from tests.custom_data import HEAD, POINTS, of_item, refusal, source_of, trusted

pytestmark = pytest.mark.row("S133")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("def __len__(self): return 3\n    def __getitem__(self, i): return 1 / 0", "D260"),
        ("def __len__(self): return 3\n    def __getitem__(self, i): return None", "D263"),
        ("def __len__(self): return 3\n    def __getitem__(self, i): return 'text'", "D263"),
        ("def __len__(self): return 3\n    def __getitem__(self, i): return object()", "D263"),
        ("def __len__(self): return 3\n    def __getitem__(self, i): return np.array([print])",
         "D263"),
        ("def __len__(self): return 0\n    def __getitem__(self, i): return 1.0", "D261"),
        ("def __len__(self): return 'x'\n    def __getitem__(self, i): return 1.0", "D589"),
        ("def __len__(self): return -3\n    def __getitem__(self, i): return 1.0", "D589"),
        ("def __len__(self): return 1 // 0\n    def __getitem__(self, i): return 1.0", "D589"),
        ("def __getitem__(self, i): return 1.0", "D261"),
        ("def __init__(self): raise SystemExit('no')", "D259"),
        ("def __len__(self): return 3\n    def __getitem__(self, i): exit()", "D260"),
    ],
)  # fmt: skip
def test_that_a_fault_is_a_sentence_with_file_and_line(text, code):
    problem = refusal(lambda: source_of(f"class Data(Dataset):\n    {text}\n"))
    assert problem.code == code
    told = sentence(problem)
    assert "data.py" in told
    assert str(problem.params["line"]) in told
    assert int(problem.params["line"]) > HEAD.count("\n")


def test_that_the_first_sample_that_cannot_be_used_is_named():
    item = "def __getitem__(self, i): return 1.0 if i < 3 else None"
    problem = refusal(
        lambda: source_of(f"class Data(Dataset):\n    def __len__(self): return 9\n    {item}\n")
    )
    assert (problem.code, problem.params["index"]) == ("D263", 3)


def test_that_the_line_of_a_fault_is_the_one_that_failed():
    text = "class Data(Dataset):\n    def __len__(self): return 99\n    def __getitem__(self, i):\n"
    text += "        if i == 50:\n            raise KeyError('gone')\n        return 1.0\n"
    source = source_of(text)
    problem = refusal(lambda: source.read([49, 50]))
    assert (problem.code, problem.params["index"]) == ("D260", 50)
    lines = (HEAD + text).splitlines()
    assert lines[int(problem.params["line"]) - 1].strip() == "raise KeyError('gone')"


def test_that_texts_of_samples_that_are_left_out_are_told():
    indices = {"train": torch.arange(8)}
    (told,) = of_item("(torch.ones(2) * i, 'cat', 'a.png')").check(indices)
    assert (told.code, told.params["texts"], told.severity) == ("D590", "input2, target", "hint")
    assert "data.py" in sentence(told)
    assert not of_item("(torch.ones(2) * i, i % 2, None)").check(indices)


def test_that_a_sample_without_an_entry_of_the_others_is_told_with_the_names():
    source = of_item("torch.ones(2) if i == 40 else (torch.ones(2), 1)", length="60")
    problem = refusal(lambda: source.read([39, 40]))
    assert (problem.code, problem.params["found"]) == ("D263", "input ≠ input, target")


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("{'a': 1.0} if i < 40 else {'b': 1.0}", "D263"),
        ("(torch.ones(2), 0 if i < 40 else 5)", "D264"),
        ("(torch.ones(2), -1 if i > 40 else 1)", "D264"),
        ("torch.ones(2 if i < 40 else 3)", "D267"),
    ],
)
def test_that_a_later_sample_of_another_kind_is_told(item, code):
    source = of_item(item, length="60")
    assert refusal(lambda: source.read(range(60))).code == code


def test_that_a_stream_that_ends_early_is_told():
    text = "class Data(IterableDataset):\n    def __len__(self): return 60\n"
    source = source_of(text + "    def __iter__(self): return iter([1.0] * 40)\n")
    problem = refusal(lambda: source.read([50]))
    assert (problem.code, problem.params["count"]) == ("D262", 40)


@pytest.mark.real
def test_that_a_fault_in_a_worker_is_the_same_sentence():
    item = "1.0 if i < 40 else 1 / 0"
    code = trusted(
        f"class Data(Dataset):\n    def __len__(self): return 60\n"
        f"    def __getitem__(self, i): return {item}\n"
    )
    spec = DataSpec(
        source=Choice(type="code.data.Data"),
        split=SplitSpec(train=1.0, validation=0.0, test=0.0),
    )
    data = load_data(spec, code=code)
    loader = PartLoader(data.training, LoaderSpec(num_workers=2))
    problem = refusal(lambda: list(loader.batches(BatchPlan(order=torch.arange(60), size=10))))
    assert (problem.code, problem.params["index"]) == ("D260", 40)
    gc.collect()  # the error holds the loader, whose workers end with it


def test_that_a_class_that_is_gone_is_told():
    code = trusted(POINTS)
    problem = refusal(lambda: load_source(Choice(type="code.data.Gone"), code))
    assert problem.code == "D258"


def test_that_a_class_in_a_file_that_is_no_python_is_told_with_the_line():
    problem = refusal(lambda: source_of(POINTS + "class Odd(Dataset:\n    pass\n", "Points"))
    assert (problem.code, problem.field) == ("U002", "data.source")
    told = sentence(problem)
    assert "Points" in told
    assert str((HEAD + POINTS).count("\n") + 1) in told

"""Samples of a batch are stacked, padded, or put together by a function of the user's code."""

import pytest
import torch
from msgspec.structs import replace

from engine.custom import watchdog
from engine.custom.trust import set_trust
from engine.data.load import load as load_module
from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import Batch
from engine.data.preview import describe
from engine.diagnostics import DiagnosticError, sentence
from engine.graph.code import code_digest
from engine.graph.model import Graph
from engine.spec.data import IGNORED
from engine.spec.data_version import version_of
from engine.spec.fields import set_text
from engine.spec.repair import repaired
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec, SplitSpec
from engine.spec.transform_repair import transform_repairs
from tests.engine.data.transform.photos import Photos

pytestmark = pytest.mark.row("S139")

CODE = {
    "data.py": """
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class Words(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        return torch.full((1 + i % 5,), float(i)), torch.arange(1 + i % 5)


def ones_collate(samples):
    noise = torch.rand(len(samples), 1)
    inputs = [sample["input"] for sample in samples]
    return {
        "input": pad_sequence(inputs, batch_first=True, padding_value=-1.0) + noise,
        "target": torch.tensor([len(sample["target"]) for sample in samples]),
        "more": torch.tensor(1),
    }


def half_collate(samples):
    return {"input": torch.stack([sample["input"][:1] for sample in samples])}


def list_collate(samples):
    return samples


def bad_collate(samples):
    return samples[0]["inptu"]
"""
}
set_trust(CODE, trusted=True)
OWN = DataSpec(
    source=Choice(type="code.data.Words"),
    split=SplitSpec(kind="sequential"),
    batch_size=6,
    shuffle=False,
)
SEED = 3


def refusal(spec: DataSpec, code: dict[str, str] = CODE):
    with pytest.raises(DiagnosticError) as caught:
        first(load_data(spec, code))
    return caught.value.problems[0]


def first(data: LoadedData, workers: int = 0) -> list[Batch]:
    plan = BatchPlan(order=torch.arange(len(data.training)), size=6, seed=SEED)
    return list(PartLoader(data.training, LoaderSpec(num_workers=workers)).batches(plan))


def test_that_ragged_samples_are_told_with_a_repair_that_pads_them():
    problem = refusal(OWN)
    assert problem.code == "D267"
    (proposal,) = transform_repairs(problem, RunSpec(data=OWN))
    _, spec = repaired(proposal, Graph(code=CODE), RunSpec(data=OWN))
    assert spec.data.collate == "pad"
    batch = first(load_data(spec.data, CODE))[0]
    assert batch["input"].shape == (6, 5)
    assert batch["input"][1].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert batch["target"][1].tolist() == [0, 1, IGNORED, IGNORED, IGNORED]
    info = describe(spec.data, CODE)
    assert [field.shape for field in info.fields] == [(-1,), (-1,)]


def test_that_photographs_of_different_sizes_are_padded(monkeypatch):
    monkeypatch.setattr(load_module, "load_source", lambda *_: Photos(count=20, varies=True))
    spec = DataSpec(batch_size=4, normalization="standard")
    problem = refusal(spec, {})
    assert problem.code == "D105"
    assert [each.settings for each in transform_repairs(problem, RunSpec(data=spec))][-1] == {
        "data.collate": "pad"
    }
    padded = load_data(replace(spec, collate="pad"))
    photos = padded.tensors("train")["photo"]
    source = padded.source
    for row, index in zip(photos, padded.indices["train"].tolist(), strict=True):
        (value,) = source.read([index])["photo"]
        height, width = value.shape[-2:]
        mean = padded.statistics["photo"].mean
        assert row[:, height:].unique().numel() <= len(mean)
        assert row[:, :, width:].unique().numel() <= len(mean)


def test_that_statistics_leave_out_what_fills_a_batch_up():
    spec = replace(OWN, collate="pad", normalization="standard")
    values = [torch.full((1 + i % 5,), float(i)) for i in range(28)]
    measured = load_data(spec, CODE).statistics["input"]
    assert measured.mean[0] == pytest.approx(float(torch.cat(values).mean()), rel=1e-5)


@pytest.mark.real
def test_that_an_own_function_makes_batches_the_same_in_any_process():
    spec = set_text(RunSpec(data=OWN), "data.collate", "data.ones_collate", CODE).data
    data = load_data(spec, CODE)
    assert [(field.name, field.shape) for field in data.info.fields] == [
        ("input", (-1,)),
        ("target", ()),
    ]
    batches = first(data)
    assert batches[0]["target"].tolist() == [1, 2, 3, 4, 5, 1]
    noise = batches[0]["input"][:, 0] - torch.arange(6)
    assert noise.unique().numel() == 6
    for one, other in zip(batches, first(data, workers=2), strict=True):
        assert all(torch.equal(values, other[name]) for name, values in one.items())


def test_that_an_own_function_makes_batches_of_tensors_in_memory():
    code = {
        "c.py": "def plus_collate(samples):\n    import torch\n    return {k: torch.stack("
        "[s[k] for s in samples]) + 1 for k in samples[0]}\n"
    }
    set_trust(code, trusted=True)
    spec = DataSpec(source=Choice(type="iris"))
    plain, own = load_data(spec), load_data(replace(spec, collate="c.plus_collate"), code)
    for name, values in plain.tensors("train").items():
        assert torch.equal(own.tensors("train")[name], values + 1)


@pytest.mark.parametrize(
    ("name", "code"), [("data.bad_collate", "D452"), ("data.half_collate", "D453")]
)
def test_that_faults_of_an_own_function_are_told_with_its_line(name, code):
    problem = refusal(replace(OWN, collate=name))
    assert (problem.code, problem.field) == (code, "data.collate")
    assert problem.params["file"] == "data.py"
    assert int(problem.params["line"]) > 20


def test_that_a_list_of_samples_in_place_of_a_batch_is_called_one():
    problem = refusal(replace(OWN, collate="data.list_collate"))
    assert (problem.code, problem.params["found"]) == ("D453", "list")


@pytest.mark.fault("F13")
@pytest.mark.parametrize(("verdict", "code"), [("stuck", "D605"), ("crashed", "D606")])
def test_that_a_function_that_hung_or_crashed_the_host_is_told_and_not_run_again(verdict, code):
    own = {"c.py": "\n\ndef a_collate(samples):\n    raise AssertionError\n"}
    set_trust(own, trusted=True)
    watchdog.ban({f"code.c.a_collate@{code_digest(own)}": verdict})
    problem = refusal(DataSpec(source=Choice(type="iris"), collate="c.a_collate"), own)
    assert (problem.code, problem.field) == (code, "data.collate")
    assert "“a_collate”" in sentence(problem)
    assert "(“c.py”, line 3)" in sentence(problem)


def test_that_code_that_nobody_trusts_puts_nothing_together():
    code = {"c.py": "def a_collate(samples):\n    return {}\n"}
    assert refusal(DataSpec(collate="c.a_collate"), code).code == "U027"


def test_that_the_version_of_data_knows_padding_and_not_stacking():
    stacked, padded = (version_of(DataSpec(collate=kind), "") for kind in ("stack", "pad"))
    assert stacked == version_of(DataSpec(), "")
    assert stacked.differences(padded) == ("transforms",)

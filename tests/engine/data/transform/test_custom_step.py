"""Functions and classes of the user's code change samples, as transforms of the catalogue do."""

import pickle
import random
from collections.abc import Callable

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from torch import Tensor

from engine.catalog.code.file import read_file
from engine.catalog.spec import Need
from engine.custom.trust import set_trust
from engine.data.load import load as load_module
from engine.data.load.load import load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import Batch
from engine.data.preview import describe
from engine.data.transform import chain
from engine.data.transform.preview import preview_sample
from engine.diagnostics import DiagnosticError
from engine.graph.code import code_transforms
from engine.spec.custom_code import custom_from, data_code, rename_custom
from engine.spec.data_version import version_of
from engine.spec.fields import set_text
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_repair import transform_repairs
from tests.custom_transforms import CODE, FIXED, RANDOM, TEXT, own
from tests.engine.data.transform.photos import Photos

pytestmark = pytest.mark.row("S142")


def digits(*steps: TransformSpec, **changes: object) -> DataSpec:
    return DataSpec(source=Choice(type="digits"), transforms=steps, **changes)  # type: ignore[arg-type]


def refusal(spec: DataSpec, code: dict[str, str] = CODE) -> DiagnosticError:
    with pytest.raises(DiagnosticError) as raised:
        load_data(spec, code)
    return raised.value


def batches(
    spec: DataSpec,
    *,
    workers: int = 0,
    start: int = 0,
    epoch: int = 1,
    select: Callable[[Tensor], Tensor] | None = None,
) -> list[Batch]:
    data = load_data(spec, CODE)
    order = data.sampler.order(5, epoch)[:100]
    plan = BatchPlan(order=order, size=16, seed=5, epoch=epoch, start=start, select=select)
    return list(PartLoader(data.training, LoaderSpec(num_workers=workers)).batches(plan))


def equal(some: list[Batch], others: list[Batch]) -> bool:
    pairs = zip(some, others, strict=True)
    return all(torch.equal(one[name], other[name]) for one, other in pairs for name in one)


def test_that_functions_and_classes_of_one_value_are_offered_with_their_settings():
    found = {entry.label: entry for entry in code_transforms(CODE)}
    assert set(found) == {
        "brighten",
        "shift",
        "mirrored",
        "broken",
        "lost",
        "Blur",
        "Invert",
        "Clip",
    }
    params = {name: [param.name for param in entry.params] for name, entry in found.items()}
    assert params["brighten"] == ["strength"]
    assert params["Clip"] == ["low", "high"]
    assert found["brighten"].params[0].help == "what is added"
    assert found["Blur"].summary == "Blur a picture."
    random_ones = {name for name, entry in found.items() if Need.RANDOM_NUMBERS in entry.needs}
    assert random_ones == {"shift", "mirrored"}


@pytest.mark.parametrize(
    "text",
    [
        "def pad_collate(samples): return samples",
        "def start_worker_init(number): pass",
        "def fill_(tensor): pass",
        "def _hidden(image): return image",
        "def loss(output, target): return output",
        "def head(image) -> 'nn.Module': return image",
        "class Both(nn.Module):\n    def forward(self, one, other): return one",
        "class Data(Dataset):\n    def __call__(self, one): return one",
        "def several(*images): return images",
        "def nothing(): pass",
    ],
)
def test_that_what_changes_no_sample_is_not_offered(text):
    assert not read_file("a.py", text).transforms


def test_that_a_helper_that_draws_makes_a_function_random():
    text = "def _draw(): return torch.randn(3)\ndef noisy(image): return image + _draw()"
    assert Need.RANDOM_NUMBERS in read_file("a.py", text).transforms["noisy"].needs


def test_that_each_kind_of_own_code_does_to_a_picture_what_it_says():
    plain = load_data(digits(normalization="none"))
    data = load_data(digits(*FIXED, normalization="none"), CODE)
    value = plain.raw([3])["image"]
    expected = torch.nn.AvgPool2d(3, 1, 1)((value + 0.2).clamp(0, 1))
    assert torch.equal(data.raw([3])["image"], (1.0 - expected).clamp(0.1, 1.0))
    assert torch.equal(plain.raw([3])["image"], value), "the data in memory were changed"


@pytest.mark.real
@pytest.mark.row("S143", "S296")
def test_that_random_numbers_of_own_code_follow_from_seed_epoch_and_sample():
    """The same with 0, 1 and 2 workers, in 1 and 2 processes, and where a run is resumed in
    mid-epoch.
    """
    spec = digits(*RANDOM, own("mirrored", "train"), TransformSpec(type="RandomHorizontalFlip"))
    whole = batches(spec)
    assert not equal(whole, batches(spec, epoch=2))
    assert not equal(whole[:1], batches(digits())[:1])
    for workers in (0, 1, 2):
        for start in (0, 3):
            assert equal(batches(spec, workers=workers, start=start), whole[start:])
    shares = [
        batches(
            spec, workers=2 * rank, start=3, select=lambda rows, at=rank: rows.tensor_split(2)[at]
        )
        for rank in (0, 1)
    ]
    joined = [
        {name: torch.cat([one[name], other[name]]) for name in one}
        for one, other in zip(*shares, strict=True)
    ]
    assert equal(joined, whole[3:])


def test_that_own_random_numbers_repeat_and_leave_those_of_the_program_alone():
    spec = digits(*RANDOM, own("mirrored", "train"))
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    expected = random.random(), np.random.rand(), float(torch.rand(()))
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    first = batches(spec)
    assert (random.random(), np.random.rand(), float(torch.rand(()))) == expected
    assert equal(batches(spec, start=2), first[2:])


def test_that_an_own_transform_goes_to_another_process_as_its_text():
    chain = load_data(digits(*RANDOM), CODE).training.preparation  # type: ignore[attr-defined]
    sample = {"image": torch.rand(1, 8, 8), "label": torch.tensor(3)}
    there = pickle.loads(pickle.dumps(chain))
    assert torch.equal(there.apply(sample, 1, 2, 3)["image"], chain.apply(sample, 1, 2, 3)["image"])


def test_that_a_whole_sample_of_a_table_can_be_changed_and_is_measured_anew():
    plain = DataSpec(source=Choice(type="iris"), normalization="none")
    name = load_data(plain).info.fields[0].name
    text = f"def double(sample: dict):\n    return {{'{name}': sample['{name}'] * 2 + 1}}\n"
    code = {"t.py": text}
    set_trust(code, trusted=True)
    changed = replace(plain, transforms=(TransformSpec(type="code.t.double", parts="all"),))
    before, after = load_data(plain), load_data(changed, code)
    assert torch.equal(after.raw([5])[name], before.raw([5])[name] * 2 + 1)
    scaled = load_data(replace(changed, normalization="standard"), code)
    mean = scaled.tensors("train")[name].mean(dim=0)
    assert torch.allclose(mean, torch.zeros_like(mean), atol=1e-5)


def test_that_pictures_masks_and_boxes_stay_together(monkeypatch):
    text = (
        "from torchvision.transforms import v2\n"
        "class Own(v2.Transform):\n"
        "    def transform(self, inpt, params):\n"
        "        return v2.functional.horizontal_flip(inpt)\n"
    )
    code = {"f.py": text}
    set_trust(code, trusted=True)
    monkeypatch.setattr(load_module, "load_source", lambda *_: Photos(varies=False, target=True))
    plain = load_data(DataSpec(normalization="none"))
    step = TransformSpec(type="code.f.Own", parts="all")
    data = load_data(DataSpec(normalization="none", transforms=(step,)), code)
    before, after = plain.raw([2]), data.raw([2])
    for name in ("photo", "mask"):
        assert torch.equal(after[name], before[name].flip(-1)), name
    width = before["photo"].shape[-1]
    left, top, right, bottom = before["boxes"][0, 0].tolist()
    assert after["boxes"][0, 0].tolist() == [width - right, top, width - left, bottom]


@pytest.mark.parametrize(
    ("step", "code", "line"),
    [
        (own("broken"), "D541", "scaled = image * 2"),
        (own("lost"), "D542", "def lost(image):"),
        (own("Clip"), "D543", "class Clip:"),
    ],
)
def test_that_a_failure_names_function_file_and_line(step, code, line):
    (problem,) = refusal(digits(FIXED[0], step)).problems
    assert (problem.code, problem.field) == (code, "data.transforms.1")
    assert (problem.params["name"], problem.params["file"]) == (
        step.type.rpartition(".")[2],
        "aug.py",
    )
    at = (
        TEXT.splitlines().index(next(each for each in TEXT.splitlines() if each.strip() == line))
        + 1
    )
    assert problem.params["line"] == (at + 1 if code == "D541" else at)
    (proposal,) = transform_repairs(problem, RunSpec(data=digits(FIXED[0], step)))
    assert proposal.settings == {"data.transforms.1.enabled": False}


def test_that_a_sample_shows_the_stage_that_fails():
    source = load_data(digits()).source
    steps = (FIXED[0], own("broken"), FIXED[1])
    shown = preview_sample(steps, source, 4, seed=0, draw=0, is_training=True, code=CODE)
    assert [stage.number for stage in shown.stages] == [-1, 0, 1]
    assert shown.stages[1].fields[0].high > shown.stages[0].fields[0].low
    problem = shown.stages[2].problem
    assert problem is not None
    assert problem.params["index"] == 4


def test_that_fields_values_and_classes_of_other_data_are_refused():
    wrong = {
        "a.py": "def more(sample: dict):\n    return {**sample, 'extra': sample['image']}\n"
        "def high(sample: dict):\n    return {'label': sample['label'] + 10}\n"
        "def texts(image):\n    return 'text'\n"
    }
    set_trust(wrong, trusted=True)
    for name in ("more", "high", "texts"):
        (problem,) = refusal(digits(TransformSpec(type=f"code.a.{name}")), wrong).problems
        assert problem.code == "D542", name
    (problem,) = refusal(digits(own("brighten", field="nothing"))).problems
    assert (problem.code, problem.params["value"]) == ("D544", "nothing")


def test_that_nothing_runs_before_the_code_is_trusted_and_what_is_gone_is_named():
    assert refusal(digits(own("brighten")), {"aug.py": TEXT + "# new\n"}).problems[0].code == "U027"
    (problem,) = refusal(digits(own("away"))).problems
    assert (problem.code, problem.params["name"]) == ("D115", "aug.away")


def test_that_what_draws_in_evaluation_too_is_told():
    def told(*steps: TransformSpec) -> list[str | None]:
        return [
            each.field for each in describe(digits(*steps), CODE).problems if each.code == "D101"
        ]

    assert told(FIXED[0], own("shift", "all")) == ["data.transforms.1.parts"]
    assert told(FIXED[0], own("shift", "train")) == []


def test_that_what_others_draw_meanwhile_makes_no_transform_a_random_one(monkeypatch):
    drawn = iter(range(4))  # by another thread, at first
    monkeypatch.setattr(chain, "random_states", lambda: next(drawn, None))
    found = describe(digits(own("brighten", "all")), CODE).problems
    assert next(drawn, None) is None
    assert "D101" not in [each.code for each in found]


def test_that_the_command_line_sets_them_and_random_ones_are_for_training():
    spec = RunSpec()
    for name, value in (
        ("data.transforms.0", "code.aug.brighten"),
        ("data.transforms.0.strength", "0.3"),
        ("data.transforms.1", "code.aug.shift"),
    ):
        spec = set_text(spec, name, value, CODE)
    first, second = spec.data.transforms
    assert (first.params, first.parts) == ({"strength": 0.3}, "all")
    assert second.parts == "train"
    assert data_code(spec.data, CODE) == CODE
    assert custom_from(spec, "aug.py") == ("brighten", "shift")
    renamed = rename_custom(spec, "aug.py", "pictures.py").data.transforms
    assert [each.type for each in renamed] == ["code.pictures.brighten", "code.pictures.shift"]


def test_that_another_text_is_another_version_of_the_data():
    one, other = (
        version_of(digits(FIXED[0]), "", {"aug.py": text}) for text in (TEXT, TEXT + "\n")
    )
    assert one.differences(other) == ("transforms",)


def test_that_measured_values_are_those_of_the_text(tmp_path):
    def mean(text: str) -> Tensor:
        code = {"m.py": text}
        set_trust(code, trusted=True)
        spec = digits(TransformSpec(type="code.m.f", parts="all"), normalization="standard")
        return load_data(spec, code).scalings["image"].shift

    assert not torch.equal(mean("def f(x): return x"), mean("def f(x): return x + 1"))

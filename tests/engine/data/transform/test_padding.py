"""Inputs that vary in size are padded with a field of their lengths or a mask, and texts to the
longest of their batch.
"""

import pytest
import torch
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import Batch, BatchIndex
from engine.data.preview import describe
from engine.spec.data_version import version_of
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, LoaderSpec, SplitSpec

pytestmark = pytest.mark.row("S139")

CODE = {
    "data.py": """
import torch
from torch.utils.data import Dataset


class Rows(Dataset):
    def __len__(self):
        return 30

    def __getitem__(self, i):
        return torch.full((1 + i % 4, 2), float(i)), i % 2


class Pictures(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return torch.ones(1 + i % 3, 2 + i % 2), i % 2
"""
}
set_trust(CODE, trusted=True)
OWN = DataSpec(
    source=Choice(type="code.data.Rows"),
    split=SplitSpec(kind="sequential"),
    batch_size=4,
    shuffle=False,
    collate="pad",
)


def batches(data: LoadedData, workers: int = 0) -> list[Batch]:
    order = data.sampler.order(3, 1)
    plan = BatchPlan(order=order, size=4, seed=3)
    return list(PartLoader(data.training, LoaderSpec(num_workers=workers)).batches(plan))


@pytest.fixture
def texts(tmp_path):
    """Lines of a label and a text of 0 to 40 words."""
    lines = [
        f"{'ab'[i % 2]}\t{' '.join(['good', 'bad'][i % 2] for _ in range(i % 41))}"
        for i in range(82)
    ]
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def spec(**params) -> DataSpec:
        known = {"path": str(path), "task": "classification", "tokens": "words", "length": 30}
        source = Choice(type="text", params={**known, **params})
        return DataSpec(source=source, split=SplitSpec(kind="sequential"), batch_size=4)

    return spec


def test_that_lengths_say_how_long_each_sample_was_before_padding():
    data = load_data(replace(OWN, padding_info="lengths"), CODE)
    field = data.info.fields[-1]
    assert (field.name, field.role, field.shape) == ("input_lengths", "input", ())
    batch = batches(data)[0]
    assert batch["input_lengths"].tolist() == [1, 2, 3, 4]
    assert batch["input_lengths"].dtype == torch.int64
    assert [int((row != 0).any(dim=1).sum()) for row in batch["input"][1:]] == [2, 3, 4]


def test_that_a_mask_is_true_where_a_sample_is_filled_up():
    data = load_data(replace(OWN, padding_info="mask"), CODE)
    field = data.info.fields[-1]
    assert (field.name, field.shape, field.dtype) == ("input_padding", (-1,), "bool")
    for batch in batches(data):
        mask = batch["input_padding"]
        assert mask.shape == batch["input"].shape[:2]
        assert (batch["input"][mask] == 0).all()
        assert (~mask).any(dim=1).all()


@pytest.mark.parametrize("wanted", ["lengths", "mask"])
def test_that_both_axes_of_a_picture_are_told(wanted):
    spec = replace(OWN, source=Choice(type="code.data.Pictures"), padding_info=wanted)
    batch = batches(load_data(spec, CODE))[0]
    if wanted == "lengths":
        assert batch["input_lengths"].tolist() == [[1, 2], [2, 3], [3, 2], [1, 3]]
    else:
        assert torch.equal(batch["input_padding"], batch["input"] == 0)


def test_that_nothing_is_added_unless_it_is_wanted_or_where_nothing_is_padded():
    assert [field.name for field in describe(OWN, CODE).fields] == ["input", "target"]
    info = describe(DataSpec(source=Choice(type="iris"), padding_info="mask"))
    assert "D550" in [problem.code for problem in info.problems]
    assert all(field.kind != "padding_mask" for field in info.fields)


def test_that_the_version_of_data_knows_what_is_told_of_padding_and_nothing_else():
    plain = version_of(OWN, "")
    assert plain == version_of(replace(OWN, padding_info="none"), "")
    assert plain.differences(version_of(replace(OWN, padding_info="mask"), "")) == ("transforms",)


def test_that_a_text_keeps_its_own_length_up_to_the_longest_of_its_batch(texts):
    fixed = load_data(texts())
    data = load_data(replace(texts(fill="batch"), padding_info="lengths"))
    assert [field.shape for field in fixed.info.fields if field.name == "text"] == [(30,)]
    assert [field.shape for field in data.info.fields if field.name == "text"] == [(-1,)]
    lengths = fixed.source.column("text length")
    for number, (before, batch) in enumerate(zip(batches(fixed), batches(data), strict=True)):
        order = data.sampler.order(3, 1)[number * 4 : number * 4 + 4]
        own = lengths[data.indices["train"][order]].clamp(min=1)
        assert batch["text_lengths"].tolist() == own.tolist()
        longest = int(own.max())
        assert torch.equal(batch["text"], before["text"][:, :longest])
        assert not before["text"][:, longest:].any()


def test_that_bucketing_of_texts_that_keep_their_length_leaves_less_to_compute(texts):
    def padded(spec: DataSpec) -> int:
        return sum(batch["text"].numel() for batch in batches(load_data(spec)))

    fixed, uniform = padded(texts()), padded(texts(fill="batch"))
    bucketed = padded(replace(texts(fill="batch"), sampler="bucketed"))
    tokens = int(load_data(texts()).source.column("text length").sum())
    assert bucketed < uniform < fixed
    assert bucketed < 1.3 * tokens
    problems = describe(replace(texts(), sampler="bucketed")).problems
    assert "D319" in [problem.code for problem in problems]
    problems = describe(replace(texts(fill="batch"), sampler="bucketed")).problems
    assert "D319" not in [problem.code for problem in problems]


def test_that_a_process_with_some_rows_of_a_batch_fills_them_up_as_one_with_all(texts):
    data = load_data(replace(texts(fill="batch"), padding_info="mask"))
    positions = torch.tensor([5, 40, 2, 17])
    whole = data.training.batch(BatchIndex(0, 0, 0, positions))
    for rows in ([0, 2], [1, 3], [0], [3]):
        some = data.training.batch(BatchIndex(0, 0, 0, positions, torch.tensor(rows)))
        assert all(torch.equal(some[name], whole[name][rows]) for name in whole)


def test_that_first_models_read_texts_of_any_length(texts):
    info = describe(replace(texts(fill="batch"), padding_info="mask"))
    for size in ("small", "large"):
        graph = first_model(info, size)
        inputs = [node for node in graph.nodes.values() if node.type == "Input"]
        assert [(node.params["field"], node.params["shape"]) for node in inputs] == [
            ("text", (-1,))
        ]


@pytest.mark.real
def test_that_workers_make_the_same_padded_batches(texts):
    spec = replace(texts(fill="batch"), padding_info="mask", sampler="bucketed")
    data = load_data(spec)
    alone = batches(data)
    for workers in (1, 2):
        for one, other in zip(alone, batches(data, workers), strict=True):
            assert all(torch.equal(values, other[name]) for name, values in one.items())

"""MixUp and CutMix: what torchvision does with a whole batch, for any rows of it."""

import pytest
import torch

from engine.data.load.blended import BlendedPart
from engine.data.load.load import load_data
from engine.data.load.part import BatchIndex
from engine.data.seed import mixed_seed
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice, DataSpec
from engine.spec.transform import BatchTransformSpec, TransformSpec
from tests.video_files import video_folder

MIX, CUT = BatchTransformSpec(type="MixUp"), BatchTransformSpec(type="CutMix")
FLIP = TransformSpec(type="RandomHorizontalFlip")
RANDOM = Choice(type="random", params={"shape": (3, 12, 16), "samples": 60, "classes": 4})


def training(*transforms: BatchTransformSpec, steps=(), source: Choice = RANDOM) -> BlendedPart:
    spec = DataSpec(source=source, transforms=steps, batch_transforms=transforms)
    part = load_data(spec).training
    assert isinstance(part, BlendedPart)
    return part


def index(number: int = 0, count: int = 12, local: torch.Tensor | None = None) -> BatchIndex:
    return BatchIndex(7, 2, number, torch.arange(number, number + count), local)


@pytest.mark.row("S190")
@pytest.mark.parametrize("spec", [MIX, CUT], ids=["MixUp", "CutMix"])
@pytest.mark.parametrize("number", range(4))
def test_that_a_batch_is_blended_as_torchvision_does(spec, number):
    from torchvision.transforms import v2

    part = training(spec)
    plain = part.part.batch(index(number))
    torch.manual_seed(mixed_seed(7, 2, number, 1))
    images, labels = getattr(v2, spec.type)(num_classes=4)(plain["image"], plain["label"])
    blended = part.batch(index(number))
    assert torch.equal(blended["image"], images)
    assert torch.equal(blended["label"], labels)
    assert blended["label"].dtype == torch.float32
    torch.testing.assert_close(blended["label"].sum(dim=1), torch.ones(12))


@pytest.mark.parametrize("spec", [MIX, CUT], ids=["MixUp", "CutMix"])
def test_that_the_frames_of_videos_are_blended_as_torchvision_does(tmp_path, spec):
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    folder = video_folder(tmp_path, 2)
    source = Choice(type="video_folder", params={"path": str(folder), "frames": 3, "size": (8, 10)})
    part = training(spec, source=source)
    chosen = index(0, len(part))
    plain = part.part.batch(chosen)
    torch.manual_seed(mixed_seed(7, 2, 0, 1))
    mixed = getattr(v2, spec.type)(num_classes=3)
    videos, labels = mixed(tv_tensors.Video(plain["video"]), plain["label"])
    blended = part.batch(chosen)
    assert torch.equal(blended["video"], videos)
    assert torch.equal(blended["label"], labels)
    assert not torch.equal(blended["video"], plain["video"])


@pytest.mark.parametrize("steps", [(), (FLIP,)], ids=["in memory", "one by one"])
@pytest.mark.parametrize("count", [1, 2, 11, 12])
@pytest.mark.parametrize("ranks", [2, 3])
def test_that_the_rows_of_each_process_are_those_of_the_whole_batch(steps, count, ranks):
    part = training(MIX, CUT, steps=steps)
    for number in range(3):
        whole = part.batch(index(number, count))
        rows = torch.arange(count).tensor_split(ranks)
        shares = [part.batch(index(number, count, each)) for each in rows if len(each)]
        for name, values in whole.items():
            assert torch.equal(torch.cat([share[name] for share in shares]), values)


def test_that_a_process_reads_one_sample_more_and_not_the_whole_batch():
    part = training(MIX, steps=(FLIP,))
    read = []
    source = part.part.source

    class Counting:
        infos = source.infos

        def read_at(self, rows, seed, epoch):
            read.append(len(rows))
            return source.read_at(rows, seed, epoch)

    object.__setattr__(part.part, "source", Counting())
    part.batch(index(local=torch.arange(4, 8)))
    assert read == [5]


def test_that_each_batch_draws_one_of_several_transforms():
    part = training(MIX, CUT)
    pairs = [(part.part.batch(index(number)), part.batch(index(number))) for number in range(24)]
    cut = [
        bool((blended["image"] == plain["image"]).any()) or torch.equal(*_images(plain, blended))
        for plain, blended in pairs
    ]
    assert any(cut)
    assert not all(cut)


def test_that_the_amount_follows_from_seed_epoch_and_batch_and_no_random_state_is_touched():
    part = training(MIX)
    torch.manual_seed(3)
    state = torch.get_rng_state()
    first = part.batch(index(1))
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(4)
    assert all(torch.equal(first[name], value) for name, value in part.batch(index(1)).items())
    others = [BatchIndex(*key, torch.arange(1, 13)) for key in ((8, 2, 1), (7, 3, 1), (7, 2, 2))]
    assert not any(torch.equal(first["label"], part.batch(each)["label"]) for each in others)


def test_that_numbers_to_predict_are_blended_too():
    numbers = Choice(type="random", params={"shape": (1, 6, 6), "samples": 40, "target": "numbers"})
    part = training(MIX, source=numbers)
    name = next(name for name in part.names if name != "image")
    plain, blended = part.part.batch(index())[name], part.batch(index())[name]
    rolled = plain.roll(1, 0)
    share = (blended - rolled) / (plain - rolled)
    torch.testing.assert_close(share, share[:1].expand_as(share), rtol=1e-3, atol=1e-3)


def test_that_only_training_is_blended():
    data = load_data(DataSpec(source=RANDOM, batch_transforms=(MIX,)))
    assert data.parts["train"].form("label").dtype == torch.int64
    assert data.training.form("label").shape == (0, 4)
    assert data.info.field("label").dtype == "int64"
    off = BatchTransformSpec(type="MixUp", enabled=False)
    data = load_data(DataSpec(source=RANDOM, batch_transforms=(off,)))
    assert data.training is data.parts["train"]


def test_that_data_without_images_is_refused():
    with pytest.raises(DiagnosticError) as error:
        load_data(DataSpec(source=Choice(type="iris"), batch_transforms=(MIX,)))
    assert error.value.problems[0].code == "D110"


def _images(plain, blended):
    return plain["image"], blended["image"]

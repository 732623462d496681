"""Transforms of sounds: what they change, by random numbers of their own, and what they refuse."""

import math
import pickle
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Need
from engine.data.load.load import load_data
from engine.data.load.part import BatchIndex
from engine.data.transform.chain import Chain
from engine.data.transform.preview import preview_sample
from engine.data.transform.step import build_step
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests.sound_files import sound_folder

WAVE = torch.sin(torch.arange(8000) / 5)[None]
BANDS = torch.linspace(-80, 0, 40)[None, :, None].repeat(1, 1, 50)
ENTRIES = [each for each in catalog().group(EntryGroup.TRANSFORM) if Need.SOUND in each.needs]


def changed(sound: torch.Tensor, kind: str, draw: int = 0, **params: float) -> torch.Tensor:
    steps = (build_step(0, TransformSpec(type=kind, params=params)),)
    chain = Chain(steps=steps, kinds={"sound": "sound"})
    return chain.apply({"sound": sound, "label": torch.tensor(1)}, 0, draw, 7)["sound"]


def data_of(folder: Path, *transforms: TransformSpec, form: str = "spectrogram") -> DataSpec:
    params = {"path": str(folder), "rate": 8000, "seconds": 0.5, "mels": 16, "form": form}
    split = SplitSpec(train=0.5, validation=0.5, test=0.0)
    source = Choice(type="sound_folder", params=params)
    return DataSpec(source=source, split=split, transforms=transforms)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
def test_that_numbers_follow_from_seed_epoch_and_sample_alone(entry) -> None:
    sound = WAVE if Need.WAVEFORM in entry.needs else BANDS
    before = sound.clone()
    torch.manual_seed(3)
    state = torch.get_rng_state()
    draws = [changed(sound, entry.key, draw) for draw in range(12)]
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(4)
    assert torch.equal(changed(sound, entry.key, 5), draws[5])
    assert any(not torch.equal(draw, draws[0]) for draw in draws)
    assert all(draw.shape == sound.shape and bool(draw.isfinite().all()) for draw in draws)
    assert torch.equal(sound, before)
    step = build_step(0, TransformSpec(type=entry.key))
    assert type(pickle.loads(pickle.dumps(step)).module) is type(step.module)


def test_that_a_gain_is_as_many_decibels_as_it_says() -> None:
    louder = changed(WAVE, "RandomGain", low=6.0, high=6.0)
    assert torch.allclose(louder, WAVE * 10 ** (6 / 20))
    assert torch.allclose(changed(BANDS, "RandomGain", low=6.0, high=6.0), BANDS + 6)
    quieter = changed(BANDS, "RandomGain", low=-60.0, high=-60.0)
    assert quieter.min() == -100


def test_that_noise_has_the_ratio_that_was_asked_for_and_comes_with_its_probability() -> None:
    noise = changed(WAVE, "AddNoise", low=20.0, high=20.0, p=1.0) - WAVE
    ratio = 10 * math.log10(WAVE.square().mean() / noise.square().mean())
    assert ratio == pytest.approx(20, abs=0.5)
    assert all(torch.equal(changed(WAVE, "AddNoise", draw, p=0.0), WAVE) for draw in range(9))


def test_that_a_shift_moves_the_sound_and_leaves_silence() -> None:
    counted = torch.arange(1.0, 1001.0)[None]  # a sample says where it was
    shifts = set()
    for draw in range(8):
        moved = changed(counted, "TimeShift", draw, fraction=0.5)[0]
        places = moved.nonzero().flatten()
        shift = {int(place + 1 - moved[place]) for place in places}
        assert len(shift) == 1
        shifts |= shift
        assert len(places) == 1000 - abs(next(iter(shift)))
        lower = changed(BANDS + 1, "TimeShift", draw, fraction=0.5)
        assert (lower == -100).any() == (next(iter(shift)) != 0)
    assert min(shifts) < 0 < max(shifts)
    assert max(map(abs, shifts)) <= 500


@pytest.mark.parametrize(("kind", "axis"), [("FrequencyMasking", 1), ("TimeMasking", 2)])
def test_that_masks_hide_whole_ranges_no_wider_than_they_may(kind: str, axis: int) -> None:
    size = BANDS.shape[axis]
    widths = []
    for draw in range(20):
        masked = changed(BANDS, kind, draw, width=0.25, count=1)
        is_hidden = (masked != BANDS).any(dim=3 - axis)[0]
        places = is_hidden.nonzero().flatten()
        widths.append(len(places))
        assert len(places) <= math.ceil(0.25 * size)
        if len(places):
            assert int(places[-1] - places[0]) + 1 - len(places) <= 1  # but for an equal value
            hidden = masked.index_select(axis, places)
            assert torch.allclose(hidden, BANDS.mean().expand_as(hidden))
    assert max(widths) > 1


def test_that_training_is_changed_and_evaluation_is_not(tmp_path: Path) -> None:
    spec = data_of(sound_folder(tmp_path / "s", 4), TransformSpec(type="TimeMasking"))
    data, plain = load_data(spec), load_data(replace(spec, transforms=()))
    rows = torch.arange(4)
    batch = BatchIndex(1, 1, 0, rows)
    assert not torch.equal(
        data.training.batch(batch)["sound"], plain.training.batch(batch)["sound"]
    )
    for part in ("train", "validation"):
        first, second = (each.parts[part].batch(batch)["sound"] for each in (data, plain))
        assert torch.equal(first, second)
    stages = preview_sample(
        spec.transforms, data.source, 0, seed=0, draw=1, is_training=True
    ).stages
    assert [stage.name for stage in stages] == ["", "TimeMasking"]
    assert stages[0].fields[0].pixels != stages[1].fields[0].pixels
    assert len(stages[1].fields[0].pixels) == math.prod(stages[1].fields[0].size)


@pytest.mark.parametrize(
    ("kind", "form", "code"),
    [
        ("AddNoise", "spectrogram", "D375"),
        ("TimeMasking", "waveform", "D376"),
        ("RandomHorizontalFlip", "spectrogram", "D110"),
    ],
)
def test_that_what_does_not_fit_the_sounds_is_refused(
    tmp_path: Path, kind: str, form: str, code: str
) -> None:
    folder = sound_folder(tmp_path / "s", 4)
    with pytest.raises(DiagnosticError) as caught:
        load_data(data_of(folder, TransformSpec(type=kind), form=form))
    assert caught.value.problems[0].code == code


def test_that_a_transform_of_sounds_is_refused_for_pictures() -> None:
    data = DataSpec(source=Choice(type="digits"), transforms=(TransformSpec(type="RandomGain"),))
    with pytest.raises(DiagnosticError) as caught:
        load_data(data)
    assert caught.value.problems[0].code == "D374"

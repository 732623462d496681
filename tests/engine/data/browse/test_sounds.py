"""Sounds as rows and pictures: durations, rates, spectrograms, damaged files."""

from pathlib import Path

from engine.data.browse.samples import samples_of
from engine.query.data.browse import look_at_sample, take_pictures
from engine.query.data.request import LookAtSample, TakePictures
from engine.spec.browse import Condition, SampleQuery
from engine.spec.run import Choice, DataSpec
from tests.sound_files import sound_folder, tone, write


def spec_of(folder: Path, **params: object) -> DataSpec:
    chosen = {"path": str(folder), "rate": 8000, "seconds": 0.5, **params}
    return DataSpec(source=Choice(type="sound_folder", params=chosen))


def test_that_durations_and_rates_are_columns_to_sort_and_search_by(tmp_path: Path) -> None:
    folder = sound_folder(tmp_path / "s", 2)
    write(folder / "low" / "slow.wav", tone(300, 2.25, 16_000), 16_000)
    (folder / "low" / "broken.wav").write_bytes(b"no sound")
    samples = samples_of(spec_of(folder))
    keys = [column.info.key for column in samples.columns]
    seconds, rate, name = keys.index("seconds"), keys.index("rate"), keys.index("data.sound")
    longest = samples.window(SampleQuery(sort="seconds", is_descending=True), 0, 99).rows
    cells = longest[0].cells
    assert (cells[name], cells[seconds], cells[rate]) == ("low/slow.wav", "2.25", "16000")
    assert longest[-1].cells[name] == "low/broken.wav"
    assert longest[-1].cells[seconds] is None
    fast = Condition(column="rate", kind="between", low=9000)
    assert samples.window(SampleQuery(conditions=(fast,)), 0, 99).total == 1


def test_that_sounds_are_shown_as_pictures_and_damaged_ones_say_why(tmp_path: Path) -> None:
    folder = sound_folder(tmp_path / "s", 2)
    (folder / "high 2" / "0.wav").write_bytes(b"no sound")
    for form in ("spectrogram", "waveform"):
        spec = spec_of(folder, form=form)
        damaged, good = take_pictures(TakePictures(data=spec, indices=(0, 1), side=64)).samples
        assert damaged.problems[0].code == "D361"
        picture = good.pictures[0]
        assert (picture.field, picture.width, picture.channels) == ("sound", 64, 3)
        assert len(set(picture.pixels)) > 4
        details = look_at_sample(LookAtSample(data=spec, index=1, side=200))
        assert details.files == (str(folder / "high 2" / "1.flac"),)
        assert details.pictures[0].width == 200

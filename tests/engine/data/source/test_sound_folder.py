"""Folders of sounds: labels, parts, values, and the pieces that training draws."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.data.load.load import LoadedData, load_data
from engine.data.load.part import BatchIndex
from engine.data.source.registry import load_source
from engine.data.source.sound_folder import SoundFolderSource
from engine.diagnostics import DiagnosticError, Severity
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests.sound_files import RATE, TONES, sound_folder, tone, write


def source_of(path: Path, **params: object) -> SoundFolderSource:
    chosen = {"path": str(path), "rate": RATE, "seconds": 0.25, "mels": 16, "n_fft": 256}
    source = load_source(Choice(type="sound_folder", params=chosen | params))
    assert isinstance(source, SoundFolderSource)
    return source


def data_of(path: Path, **params: object) -> LoadedData:
    chosen = {"path": str(path), "rate": RATE, "seconds": 0.25, "mels": 16, "n_fft": 256}
    source = Choice(type="sound_folder", params=chosen | params)
    return load_data(DataSpec(source=source, split=SplitSpec(train=0.5, validation=0.5, test=0.0)))


def codes(source: SoundFolderSource) -> dict[str, object]:
    return {problem.code: problem for problem in source.check({})}


def refused(**params: object) -> str:
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="sound_folder", params=params))
    return caught.value.problems[0].code


@pytest.mark.row("P13")
def test_that_class_folders_give_sounds_labels_and_classes(tmp_path: Path) -> None:
    source = source_of(sound_folder(tmp_path / "声音"))
    assert source.task == "classification"
    assert source.infos[1].classes == ("high 2", "low", "middle")
    values = source.read([0, 9])
    assert values["label"].tolist() == [0, 1]
    assert values["sound"].shape == (2, *source.infos[0].shape)
    assert source.infos[0].shape == (1, 16, 1 + RATE // 4 // 256)
    assert values["sound"].dtype == torch.float32
    loudest = values["sound"].mean(dim=(1, 3)).argmax(dim=1)
    assert loudest[0] > loudest[1]  # the higher tone is in a higher band
    assert source.check({}) == ()


def test_that_a_waveform_has_as_many_samples_as_the_seconds_say(tmp_path: Path) -> None:
    source = source_of(sound_folder(tmp_path / "s", 2), form="waveform", channels="stereo")
    assert source.infos[0].shape == (2, RATE // 4)
    assert source.read([0])["sound"].abs().max() <= 1


def test_that_folders_of_parts_and_a_table_give_parts_and_labels(tmp_path: Path) -> None:
    for part in ("train", "val"):
        sound_folder(tmp_path / "parts" / part, 2)
    parts = source_of(tmp_path / "parts").given_parts()
    assert parts is not None
    assert parts.unique().tolist() == [0, 1]
    for number in range(4):
        write(tmp_path / "flat" / f"{number}.wav", tone(300 + number))
    lines = [f"{number}.wav,{'odd' if number % 2 else 'even'}" for number in range(4)]
    (tmp_path / "flat" / "labels.csv").write_text("\n".join(["path,label", *lines]))
    flat = source_of(tmp_path / "flat")
    assert flat.infos[1].classes == ("even", "odd")
    assert flat.task == "binary"
    assert flat.column("label").tolist() == [0, 1, 0, 1]


def test_that_training_draws_another_piece_in_each_epoch_and_evaluation_the_middle(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "s"
    whole = np.linspace(-0.9, 0.9, RATE * 2, dtype=np.float32)
    for name in ("a", "b"):
        for number in range(4):
            write(folder / name / f"{number}.wav", whole, subtype="FLOAT")
    data = data_of(folder, form="waveform")
    rows = torch.arange(len(data.training))

    def starts(epoch: int, seed: int = 1) -> list[float]:
        batch = data.training.batch(BatchIndex(seed, epoch, 0, rows))
        return batch["sound"][:, 0, 0].tolist()

    assert starts(0) == starts(0)
    assert starts(0) != starts(1)
    assert starts(0) != starts(0, seed=2)
    assert len(set(starts(0))) == len(rows)
    middle = data.parts["validation"].batch(BatchIndex(1, 0, 0, torch.arange(2)))["sound"]
    assert torch.equal(
        middle, data.parts["validation"].batch(BatchIndex(1, 5, 0, rows[:2]))["sound"]
    )
    assert middle.mean().abs() < 0.001
    looked_at = data.parts["train"].batch(BatchIndex(1, 3, 0, rows[:1]))["sound"]
    assert looked_at.mean().abs() < 0.001
    fixed = data_of(folder, form="waveform", piece="middle")
    assert fixed.training.batch(BatchIndex(1, 3, 0, rows[:1]))["sound"].mean().abs() < 0.001


@pytest.mark.fault("B12")
def test_that_damaged_sounds_stop_or_are_replaced_and_counted(tmp_path: Path) -> None:
    folder = sound_folder(tmp_path / "s", 4)
    (folder / "low" / "1.flac").write_bytes(b"This is a text.")
    (folder / "low" / "2.ogg").write_bytes(b"")
    (folder / "low" / "notes.txt").write_text("?")
    source = source_of(folder)
    with pytest.raises(DiagnosticError) as caught:
        source.read(range(source.samples))
    assert caught.value.problems[0].code == "D361"
    assert str(caught.value.problems[0].params["file"]).endswith("1.flac")
    told = source_of(folder, on_damaged="replace")
    values = told.read(range(told.samples))
    at = [told.text("sound", row) for row in range(told.samples)].index("low/1.flac")
    assert torch.equal(values["sound"][at], values["sound"][at + 1])
    problems = codes(told)
    assert problems["D064"].params["names"] == "low/1.flac"
    assert problems["D061"].params["names"] == "low/2.ogg"
    assert problems["D060"].params["names"] == "low/notes.txt"
    assert all(problem.severity is not Severity.ERROR for problem in problems.values())


def test_that_folders_without_sounds_are_refused(tmp_path: Path) -> None:
    assert refused(path="") == "D075"
    assert refused(path=str(tmp_path / "none")) == "D050"
    (tmp_path / "a.png").touch()
    assert refused(path=str(tmp_path)) == "D365"


def test_that_samples_beyond_all_measure_and_empty_bands_are_told(tmp_path: Path) -> None:
    folder = sound_folder(tmp_path / "s", 1)
    assert refused(path=str(folder), seconds=120.0, rate=192_000, hop_length=1) == "D364"
    assert "D367" in codes(source_of(folder, mels=200))


def test_that_equal_sounds_have_equal_keys_and_a_source_goes_to_other_processes(
    tmp_path: Path,
) -> None:
    folder = sound_folder(tmp_path / "s", 2)
    (folder / "low" / "copy.wav").write_bytes((folder / "low" / "0.wav").read_bytes())
    source = pickle.loads(pickle.dumps(source_of(folder)))
    keys = source.input_keys(range(source.samples))
    names = source.sample_names(range(source.samples))
    pairs = [(a, b) for a in range(len(keys)) for b in range(a) if keys[a] == keys[b]]
    assert [(names[b], names[a]) for a, b in pairs] == [("low/0.wav", "low/copy.wav")]


def test_that_durations_and_rates_are_read_from_the_heads_and_again_when_a_file_changes(
    tmp_path: Path,
) -> None:
    folder = sound_folder(tmp_path / "s", 1, seconds=0.5)
    source = source_of(folder)
    assert source.heads.seconds().tolist() == [0.5] * len(TONES)
    write(folder / "low" / "0.wav", tone(300, 1.5, rate=16_000), 16_000)
    at = source.find_samples(["low/0.wav"])["low/0.wav"]
    assert source.heads.of(at) == (1.5, 16_000, 1)
    (folder / "low" / "0.wav").write_bytes(b"RIFF and nothing else")
    assert source.heads.of(at) == (0, 0, 0)
    assert np.isnan(source.heads.rates()[at])

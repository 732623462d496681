"""Sounds: pieces of files as waveforms and spectrograms, and files that are none."""

import math
import os
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.read.resample import resample
from engine.data.read.sound import SoundForm, opened_sound, read_head, read_sound
from engine.data.read.spectrogram import Bands, empty_bands, log_mel, mel_filters, mel_frequencies
from engine.diagnostics import DiagnosticError
from tests.sound_files import tone, write

WAVE = SoundForm(rate=8000, channels="mono", seconds=0.5)
SIXTEEN_BITS = 1 / 32_000


def refused(path: Path, form: SoundForm = WAVE) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read_sound(path, form)
    return caught.value.problems[0].code


def ramp(samples: int) -> np.ndarray:
    """Return samples that say where they are."""
    return np.linspace(-0.9, 0.9, samples, dtype=np.float32)


@pytest.mark.parametrize("ending", ["wav", "flac", "ogg", "mp3"])
def test_that_each_format_gives_the_wave_that_was_written(tmp_path: Path, ending: str) -> None:
    wave = tone(440, 0.5)
    read = read_sound(write(tmp_path / f"声 音.{ending}", wave), WAVE)
    assert read.shape == WAVE.shape == (1, len(wave))
    assert read.dtype == torch.float32
    lossy = ending in ("ogg", "mp3")
    difference = (read[0] - torch.from_numpy(wave)).square().mean().sqrt()
    assert difference < (0.05 if lossy else SIXTEEN_BITS)


def test_that_a_longer_sound_gives_its_first_middle_and_last_piece(tmp_path: Path) -> None:
    whole = ramp(20_000)
    path = write(tmp_path / "long.wav", whole, subtype="FLOAT")
    for position, start in ((0.0, 0), (0.5, 8000), (1.0, 16_000)):
        assert torch.equal(
            read_sound(path, WAVE, position)[0], torch.from_numpy(whole[start : start + 4000])
        )


def test_that_a_shorter_sound_is_followed_by_silence(tmp_path: Path) -> None:
    path = write(tmp_path / "short.wav", ramp(1000), subtype="FLOAT")
    read = read_sound(path, WAVE)[0]
    assert torch.equal(read[:1000], torch.from_numpy(ramp(1000)))
    assert not read[1000:].any()


def test_that_channels_are_mixed_or_doubled(tmp_path: Path) -> None:
    left, right = tone(300), tone(700)
    both = write(tmp_path / "both.wav", np.stack((left, right), 1), subtype="FLOAT")
    one = write(tmp_path / "one.wav", left, subtype="FLOAT")
    stereo = SoundForm(rate=8000, channels="stereo", seconds=0.5)
    mixed = read_sound(both, WAVE)[0]
    assert torch.allclose(mixed, torch.from_numpy((left + right) / 2), atol=1e-6)
    assert torch.equal(read_sound(both, stereo), torch.from_numpy(np.stack((left, right))))
    assert torch.equal(read_sound(one, stereo), torch.from_numpy(np.stack((left, left))))


@pytest.mark.parametrize(("before", "after"), [(44_100, 16_000), (8000, 22_050), (22_254, 8000)])
def test_that_a_resampled_sine_stays_that_sine(before: int, after: int) -> None:
    hertz = 1000
    wave = torch.sin(2 * math.pi * hertz * torch.arange(before).double() / before).float()
    found = resample(wave[None], before, after)[0]
    wanted = torch.sin(2 * math.pi * hertz * torch.arange(len(found)).double() / after)
    assert len(found) == after
    inner = slice(after // 20, -after // 20)  # what is near an end meets the silence beyond
    assert (found.double() - wanted)[inner].abs().max() < 0.003


def test_that_resampling_removes_what_the_new_rate_cannot_hold() -> None:
    wave = torch.sin(2 * math.pi * 7000 * torch.arange(32_000).double() / 16_000).float()
    found = resample(wave[None], 16_000, 8000)[0]
    assert found[1000:-1000].abs().max() < 0.05


@settings(max_examples=40, deadline=None)
@given(before=st.integers(1, 192_000), after=st.integers(1000, 48_000), samples=st.integers(1, 300))
def test_that_any_rate_gives_as_many_samples_as_the_time_takes(
    before: int, after: int, samples: int
) -> None:
    samples = min(samples, before)
    found = resample(torch.ones(1, samples), before, after)
    assert found.shape == (1, -(-samples * after // before))
    assert bool(found.isfinite().all())


def test_that_the_frequencies_of_the_bands_are_those_that_librosa_publishes() -> None:
    # librosa.mel_frequencies(n_mels=40), as its documentation shows it
    published = [
        0.0, 85.317, 170.635, 255.952, 341.269, 426.586, 511.904, 597.221, 682.538, 767.855,
        853.173, 938.49, 1024.856, 1119.114, 1222.042, 1334.436, 1457.167, 1591.187, 1737.532,
        1897.337, 2071.84, 2262.393, 2470.47, 2697.686, 2945.799, 3216.731, 3512.582, 3835.643,
        4188.417, 4573.636, 4994.285, 5453.621, 5955.205, 6502.92, 7101.009, 7754.107, 8467.272,
        9246.028, 10096.408, 11025.0,
    ]  # fmt: skip
    found = mel_frequencies(len(published), 11_025)
    assert torch.allclose(found, torch.tensor(published, dtype=torch.float64), atol=6e-4)


def test_that_bands_are_triangles_of_one_area_worked_out_by_hand() -> None:
    # 800 Hz is 12 mel; three bands of it begin and end every 3 mel, which is 200 Hz. The spectrum
    # of 16 samples at 1,600 Hz has a frequency every 100 Hz: a half, the middle, a half of each.
    found = mel_filters(1600, 16, 3)
    wanted = torch.zeros(3, 9)
    for band in range(3):
        wanted[band, 2 * band + 1 : 2 * band + 4] = torch.tensor([0.5, 1.0, 0.5])
    assert torch.allclose(found, wanted * 2 / 400)


def test_that_a_tone_is_in_the_band_of_its_frequency_and_silence_is_as_low_as_it_gets() -> None:
    bands = Bands(count=32, n_fft=512, hop_length=128)
    wave = torch.from_numpy(tone(1500, 0.5))[None]
    found = log_mel(wave, 8000, bands)
    assert found.shape == (1, 32, bands.frames(4000))
    middles = mel_frequencies(34, 4000)[1:-1]
    loudest = int(found[0].mean(dim=1).argmax())
    assert loudest == int((middles - 1500).abs().argmin())
    assert (log_mel(torch.zeros(1, 4000), 8000, bands) == -100).all()
    # twice as loud is four times the power: 6.02 decibels
    louder = log_mel(wave * 2, 8000, bands) - found
    assert torch.allclose(louder[0, loudest], torch.tensor(20 * math.log10(2)), atol=1e-3)


def test_that_bands_without_a_frequency_are_counted() -> None:
    assert empty_bands(16_000, Bands(count=64, n_fft=1024, hop_length=256)) == 0
    assert empty_bands(16_000, Bands(count=256, n_fft=256, hop_length=64)) > 0


def test_that_a_long_sound_comes_in_blocks_and_only_the_piece_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.wav"
    with soundfile.SoundFile(path, "w", 8000, 1) as written:
        for _ in range(8):
            written.write(np.zeros(400_000, np.float32))
    with opened_sound(path) as (head, blocks):
        sizes = [block.nbytes for block in blocks]
    assert len(sizes) > 1
    assert sum(sizes) == 4 * head.frames
    assert head == read_head(path)
    before = path.read_bytes()
    assert read_sound(path, WAVE).shape == WAVE.shape
    assert path.read_bytes() == before


def header(frames: int, *, channels: int = 1, rate: int = 8000) -> bytes:
    """Return the head of a WAV file of 16 bits that claims to have so many samples."""
    size = 2 * frames * channels
    form = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, 2 * channels, 16)
    data = b"data" + struct.pack("<I", size & 0xFFFFFFFF)
    return b"RIFF" + struct.pack("<I", (size + 36) & 0xFFFFFFFF) + b"WAVEfmt " + struct.pack(
        "<I", 16
    ) + form + data  # fmt: skip


def flac_claiming(path: Path, frames: int) -> Path:
    """Write a FLAC file whose head says that it has so many samples."""
    content = bytearray(write(path, tone(500)).read_bytes())
    content[21] = content[21] & 0xF0 | frames >> 32
    content[22:26] = struct.pack(">I", frames & 0xFFFFFFFF)
    path.write_bytes(bytes(content))
    return path


@pytest.mark.fault("B12")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "D361"),
        (b"This is a text.\n" * 40, "D361"),
        (b"RIFF", "D361"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt ", "D361"),
        (header(1000), "D361"),  # and nothing follows
        (header(0), "D361"),
        (b"fLaC" + b"\xff" * 400, "D361"),
        (b"OggS" + b"\x00" * 400, "D361"),
        (b"ID3" + b"\xff" * 400, "D361"),
        (b"\xff\xfb" + b"\x00" * 400, "D361"),
        (header(0x7FFFFFFF, channels=1, rate=0) + b"\0" * 100, "D361"),
        (header(10, channels=500) + b"\0" * 10_000, "D363"),
        (header(10, rate=400_000_000) + b"\0" * 100, "D363"),
    ],
)
def test_that_bytes_that_are_no_sound_are_one_finding(
    tmp_path: Path, content: bytes, code: str
) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(content)
    assert refused(path) == code


@pytest.mark.fault("B12")
def test_that_a_file_that_claims_a_billion_samples_takes_no_memory_for_them(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(header(1_000_000_000) + bytes(8000))
    assert refused(path) == "D361"
    assert refused(flac_claiming(tmp_path / "b.flac", 1_000_000_000)) == "D361"


@pytest.mark.fault("B12")
def test_that_sounds_that_are_cut_off_are_refused(tmp_path: Path) -> None:
    flac = write(tmp_path / "a.flac", tone(500, 3))
    flac.write_bytes(flac.read_bytes()[:-20_000])
    assert refused(flac, SoundForm(rate=8000, channels="mono", seconds=3)) == "D361"
    wav = write(tmp_path / "b.wav", tone(500, 0.5))
    whole = wav.read_bytes()
    for left_out in (1, 2, 4000):
        wav.write_bytes(whole[:-left_out])
        assert refused(wav) == "D361"
    wav.write_bytes(whole)
    assert read_sound(wav, WAVE).any()


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFF000])
def test_that_a_wav_that_a_pipe_was_written_with_is_read_to_its_end(
    tmp_path: Path, size: int
) -> None:
    wav = write(tmp_path / "a.wav", tone(500, 0.5))
    whole = bytearray(wav.read_bytes())
    expected = read_sound(wav, WAVE)
    at = whole.index(b"data") + 4
    whole[at : at + 4] = size.to_bytes(4, "little")
    wav.write_bytes(whole)
    assert read_sound(wav, WAVE).equal(expected)


def test_that_what_stands_after_the_sound_or_is_long_takes_nothing_away(tmp_path: Path) -> None:
    wav = write(tmp_path / "a.wav", tone(500, 0.5))
    expected = read_sound(wav, WAVE)
    wav.write_bytes(wav.read_bytes() + b"LIST" + (4).to_bytes(4, "little") + b"INFO")
    assert read_sound(wav, WAVE).equal(expected)
    soundfile.write(tmp_path / "b.wav", tone(500, 0.5), 8000, format="RF64")
    assert read_sound(tmp_path / "b.wav", WAVE).any()
    long = tmp_path / "b.wav"
    long.write_bytes(long.read_bytes()[:-400])
    assert refused(long) == "D361"


@pytest.mark.fault("B12")
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_that_values_that_are_no_numbers_are_refused(tmp_path: Path, value: float) -> None:
    wave = tone(500)
    wave[1234] = value
    assert refused(write(tmp_path / "a.wav", wave, subtype="FLOAT")) == "D362"


@pytest.mark.fault("B12")
def test_that_what_is_no_file_is_a_finding(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.wav") == "D054"
    assert refused(tmp_path) == "D361"
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.wav")
        assert refused(tmp_path / "pipe.wav") == "D361"


@pytest.mark.fault("B12")
@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 400), value=st.integers(0, 255), ending=st.sampled_from(["wav", "flac"]))
def test_that_no_changed_byte_is_more_than_a_finding(
    tmp_path_factory: pytest.TempPathFactory, at: int, value: int, ending: str
) -> None:
    path = tmp_path_factory.mktemp("s") / f"a.{ending}"
    content = bytearray(write(path, tone(500, 0.2)).read_bytes())
    content[at] = value
    path.write_bytes(bytes(content))
    try:
        read = read_sound(path, WAVE)
    except DiagnosticError:
        return
    assert read.shape == WAVE.shape
    assert bool(read.isfinite().all())


def test_that_a_missing_soundfile_is_said_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.wav", tone(500))
    monkeypatch.setitem(sys.modules, "soundfile", None)
    assert refused(path) == "D360"

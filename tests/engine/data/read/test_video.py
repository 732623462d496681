"""Videos of the disk: frames of segments, what is refused, and what is missing."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engine.data.read import video
from engine.data.read.video import (
    VideoForm,
    read_head,
    read_still,
    read_video,
    rehearse_video,
    rehearse_videos,
)
from engine.diagnostics import DiagnosticError
from engine.sandbox import reading
from engine.sandbox.answer import Answer, Watched
from tests.video_files import COUNT, RATE, SIDE, numbered, write


def grays(values: Tensor) -> list[int]:
    """Return the numbers of frames of :func:`numbered`, read from what they show."""
    shown = (values[0, :, 2, 2] * 255).round()
    return ((shown - 8) / (240 // COUNT)).round().int().tolist()


def refused(path: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read_video(path, VideoForm(frames=3, size=(8, 8)))
    return caught.value.problems[0].code


@pytest.mark.row("S146")
@pytest.mark.parametrize("ending", ["mp4", "avi", "mkv", "webm", "mov", "m4v"])
def test_that_the_middle_frame_of_each_segment_is_read_of_all_formats(
    tmp_path: Path, ending: str
) -> None:
    path = write(tmp_path / f"视频 a.{ending}", numbered())
    values = read_video(path, VideoForm(frames=3, size=(8, 8)))
    assert values.shape == (3, 3, 8, 8)
    assert values.dtype == torch.float32
    assert grays(values) == [2, 6, 10]
    assert read_head(path).frames == COUNT
    assert read_head(path).seconds == pytest.approx(COUNT / RATE, rel=0.01)


@pytest.mark.row("S146")
def test_that_offsets_choose_the_frame_of_a_segment(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", numbered())
    form = VideoForm(frames=3, size=(8, 8))
    assert grays(read_video(path, form, (0.0, 0.0, 0.0))) == [0, 4, 8]
    assert grays(read_video(path, form, (0.99, 0.5, 0.99))) == [3, 6, 11]


def test_that_a_video_with_fewer_frames_has_some_of_them_again(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", numbered()[:2])
    assert grays(read_video(path, VideoForm(frames=4, size=(8, 8)))) == [0, 0, 1, 1]


@pytest.mark.parametrize(("fit", "edge"), [("pad", 0), ("stretch", 108), ("crop", 108)])
def test_that_frames_of_other_proportions_get_the_size(tmp_path: Path, fit: str, edge: int) -> None:
    wide = torch.full((4, 3, SIDE, 2 * SIDE), 108, dtype=torch.uint8)
    path = write(tmp_path / "a.mp4", wide)
    values = read_video(path, VideoForm(frames=1, size=(16, 16), fit=fit))  # pyright: ignore[reportArgumentType]
    assert values.shape == (3, 1, 16, 16)
    assert values[0, 0, 0, 8] * 255 == pytest.approx(edge, abs=3)


def test_that_a_still_keeps_the_proportions(tmp_path: Path) -> None:
    wide = torch.full((4, 3, SIDE, 2 * SIDE), 108, dtype=torch.uint8)
    assert read_still(write(tmp_path / "a.mp4", wide), 16).shape == (3, 8, 16)


@pytest.mark.fault("F15")
def test_that_what_is_no_video_is_refused_with_its_name(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.mp4", numbered()).read_bytes()
    for name, content in {
        "cut.mp4": whole[: len(whole) // 2],
        "head.mp4": whole[:40],
        "text.mp4": b"hello " * 100,
        "list.mkv": b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
        "script.avi": b"ffconcat version 1.0\nfile /etc/passwd\n",
        "sound.avi": b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(64),
    }.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert refused(path) == "D391", name
    assert refused(tmp_path / "none.mp4") == "D054"
    (tmp_path / "folder.mp4").mkdir()
    assert refused(tmp_path / "folder.mp4") == "D391"


def test_that_a_frame_beyond_the_limit_is_never_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.mp4", numbered())
    monkeypatch.setattr(video, "MOST_PIXELS", SIDE * SIDE - 1)
    assert refused(path) == "D392"


def test_that_a_missing_package_and_a_missing_ffmpeg_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.mp4", numbered())
    monkeypatch.setitem(sys.modules, "torchcodec.decoders", None)
    assert refused(path) == "D390"

    def without_ffmpeg(name: str) -> None:
        raise RuntimeError("Could not load libtorchcodec.")

    monkeypatch.setattr(video.importlib, "import_module", without_ffmpeg)
    assert refused(path) == "D393"


@pytest.mark.real  # a process of its own
@pytest.mark.skipif(os.name == "posix", reason="files are tried together there, below")
def test_that_a_file_of_a_stranger_is_tried_in_a_confined_process(tmp_path: Path) -> None:
    file = write(tmp_path / "a.mp4", numbered())
    whole = file.read_bytes()
    file.write_bytes(whole[:200])
    with pytest.raises(DiagnosticError) as caught:
        rehearse_video(file)
    assert caught.value.problems[0].code == "D391"
    file.write_bytes(whole)
    rehearse_video(file)  # another version of the file


def test_that_a_crash_of_that_process_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise reading.NoAnswerError("no answer")

    path = write(tmp_path / "a.mp4", numbered())
    monkeypatch.setattr(reading, "ask", crash)
    with pytest.raises(DiagnosticError) as caught:
        rehearse_video(path)
    assert caught.value.problems[0].code == "D391"
    monkeypatch.setattr(reading, "ask", lambda *_: Watched(frames=(COUNT,)))
    rehearse_video(path)  # it is tried again


@pytest.mark.real  # a process of its own
@pytest.mark.row("S146")
@pytest.mark.skipif(os.name != "posix", reason="a process is given one open file there")
def test_that_files_of_strangers_are_tried_together_unless_one_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write(tmp_path / f"{name}.mp4", numbered()) for name in "abc"]
    asked: list[int] = []
    ask = reading.ask

    def counted(*arguments: Any, **named: Any) -> Answer:
        asked.append(1 + len(named.get("others", ())))
        return ask(*arguments, **named)

    monkeypatch.setattr(reading, "ask", counted)
    rehearse_videos(files)
    for file in files:
        rehearse_video(file)  # it is known
    assert asked == [3]
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(files[0].read_bytes()[:200])
    files[1].touch()
    rehearse_videos([files[1], bad, tmp_path / "nowhere.mp4"])
    rehearse_video(files[1])
    with pytest.raises(DiagnosticError) as caught:
        rehearse_video(bad)
    assert caught.value.problems[0].code == "D391"
    assert asked == [3, 2, 1, 1]

"""Videos as rows and pictures: durations, stills, frames, damaged files."""

from pathlib import Path

from engine.data.browse.samples import samples_of
from engine.query.data.browse import look_at_sample, take_pictures
from engine.query.data.peek import peek_data
from engine.query.data.request import LookAtSample, PeekData, TakePictures
from engine.spec.browse import Condition, SampleQuery
from engine.spec.run import Choice, DataSpec
from tests.video_files import SIDE, moving, numbered, video_folder, write


def spec_of(folder: Path, **params: object) -> DataSpec:
    chosen = {"path": str(folder), "frames": 6, "size": 16, **params}
    return DataSpec(source=Choice(type="video_folder", params=chosen))


def test_that_durations_and_frames_are_columns_to_sort_and_search_by(tmp_path: Path) -> None:
    folder = video_folder(tmp_path / "v", 2)
    write(folder / "left" / "slow.mp4", moving((0, -1), 20), 4)
    (folder / "left" / "broken.mp4").write_bytes(b"no video")
    samples = samples_of(spec_of(folder))
    keys = [column.info.key for column in samples.columns]
    seconds, frames, name = keys.index("seconds"), keys.index("frames"), keys.index("data.video")
    longest = samples.window(SampleQuery(sort="seconds", is_descending=True), 0, 99).rows
    cells = longest[0].cells
    assert (cells[name], cells[seconds], cells[frames]) == ("left/slow.mp4", "5.00", "20")
    assert longest[-1].cells[name] == "left/broken.mp4"
    assert longest[-1].cells[seconds] is None
    long = Condition(column="frames", kind="between", low=15)
    assert samples.window(SampleQuery(conditions=(long,)), 0, 99).total == 1


def test_that_a_still_is_shown_and_in_the_details_the_frames_that_a_model_reads(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "v"
    for name in "ab":
        write(folder / name / "0.mp4", numbered())
    (folder / "a" / "bad.mp4").write_bytes(b"no video")
    spec = spec_of(folder)
    sheet = take_pictures(TakePictures(data=spec, indices=(0, 1), side=64)).samples
    assert sheet[1].problems[0].code == "D391"
    still = sheet[0].pictures[0]
    assert (still.field, still.width, still.height, still.channels) == ("video", SIDE, SIDE, 3)
    assert len(set(still.pixels)) < 4  # one frame, of one gray
    details = look_at_sample(LookAtSample(data=spec, index=0, side=200))
    assert details.files == (str(folder / "a" / "0.mp4"),)
    shown = details.pictures[0]
    assert (shown.width, shown.height) == (4 * 16 + 3 * 2, 2 * 16 + 2)  # six frames in two rows
    row = shown.pixels[: shown.width * 3 : 3]
    assert row[0] < row[20] < row[40] < row[60]  # in the order of time


def test_that_the_first_look_shows_stills(tmp_path: Path) -> None:
    peek = peek_data(PeekData(path=str(video_folder(tmp_path / "v", 1)), start=0, count=9))
    assert [each.label for each in peek.pictures] == ["down 2", "left", "right"]
    assert all(each.picture is not None and not each.problems for each in peek.pictures)

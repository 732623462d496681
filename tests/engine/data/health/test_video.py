"""Videos that cannot be read, or stand out."""

from pathlib import Path

import pytest

from engine.diagnostics import Severity
from engine.spec.run import Choice, DataSpec
from tests.engine.data.health.planted import codes, examined, the
from tests.video_files import moving, video_folder, write


def spec_of(folder: Path, **params: object) -> DataSpec:
    chosen = {"path": str(folder), "frames": 4, "size": 32, **params}
    return DataSpec(source=Choice(type="video_folder", params=chosen))


@pytest.mark.row("N31")
def test_that_videos_that_are_well_have_no_finding_about_videos(tmp_path: Path) -> None:
    report = examined(spec_of(video_folder(tmp_path / "v", 3)))
    assert not {"D397", "D398", "D399"} & set(codes(report))
    assert {"damaged", "tiny", "lengths"} <= {each.check for each in report.checks}


@pytest.mark.row("N31")
def test_that_damaged_empty_tiny_short_and_copied_videos_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "v"
    for name in ("left", "right"):
        for number in range(4):
            way = (0, 1 if name == "right" else -1)
            write(folder / name / f"{number}.mp4", moving(way, 30, 160, 160, seed=number))
    write(folder / "left" / "tiny.mp4", moving((0, 1), 30, 16, 16))
    write(folder / "left" / "short.mp4", moving((0, 1), 3, 160, 160))
    (folder / "right" / "copy.mp4").write_bytes((folder / "left" / "0.mp4").read_bytes())
    (folder / "left" / "cut.mp4").write_bytes((folder / "left" / "0.mp4").read_bytes()[:400])
    (folder / "left" / "empty.mp4").write_bytes(b"")
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    report = examined(spec_of(folder))
    for code, name in {"D397": "cut", "D398": "tiny", "D399": "short"}.items():
        found = the(report, code)
        assert [sample.text.rpartition("/")[2] for sample in found.samples] == [f"{name}.mp4"]
    assert the(report, "D398").samples[0].pixels
    assert the(report, "D398").repairs[0].excluded == ("left/tiny.mp4",)
    damaged = the(report, "D397")
    assert damaged.problem.severity is Severity.ERROR
    assert damaged.repairs[0].settings == {"data.source.on_damaged": "replace"}
    assert damaged.repairs[1].excluded == ("left/cut.mp4",)
    assert "D204" in codes(report)  # the copy that has another class
    assert "empty.mp4" in "".join(str(each.problem.params) for each in findings(report))
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before
    replaced = examined(spec_of(folder, on_damaged="replace"))
    assert the(replaced, "D397").problem.severity is Severity.WARNING


def findings(report):
    return [finding for check in report.checks for finding in check.findings]

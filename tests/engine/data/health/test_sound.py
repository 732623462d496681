"""Sounds that cannot be read, or stand out."""

from pathlib import Path

import numpy as np
import pytest

from engine.diagnostics import Severity
from engine.spec.run import Choice, DataSpec
from tests.engine.data.health.planted import codes, examined, the
from tests.sound_files import sound_folder, tone, write


def spec_of(folder: Path, **params: object) -> DataSpec:
    chosen = {"path": str(folder), "rate": 8000, "seconds": 0.5, "mels": 16, **params}
    return DataSpec(source=Choice(type="sound_folder", params=chosen))


@pytest.mark.row("N31")
def test_that_sounds_that_are_well_have_no_finding_about_sounds(tmp_path: Path) -> None:
    report = examined(spec_of(sound_folder(tmp_path / "s", seconds=1.5)))
    assert not {"D370", "D371", "D372", "D373"} & set(codes(report))
    assert {"damaged", "quiet", "clipped", "durations"} <= {each.check for each in report.checks}


@pytest.mark.row("N31")
def test_that_silent_clipped_short_copied_and_damaged_sounds_are_named(tmp_path: Path) -> None:
    folder = sound_folder(tmp_path / "s", seconds=1.5)
    write(folder / "low" / "silent.wav", np.zeros(12_000, np.float32))
    write(folder / "low" / "clipped.wav", np.clip(tone(300, 1.5) * 9, -1, 1))
    write(folder / "low" / "short.wav", tone(300, 0.1))
    (folder / "high 2" / "copy.wav").write_bytes((folder / "low" / "0.wav").read_bytes())
    (folder / "middle" / "same.wav").write_bytes((folder / "middle" / "4.wav").read_bytes())
    (folder / "low" / "text.wav").write_text("no sound")
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    report = examined(spec_of(folder))
    planted = {"D370": "text", "D371": "silent", "D372": "clipped", "D373": "short"}
    for code, name in planted.items():
        found = the(report, code)
        assert [sample.text.rpartition("/")[2] for sample in found.samples] == [f"{name}.wav"]
    assert the(report, "D371").samples[0].pixels
    assert the(report, "D371").repairs[0].excluded == ("low/silent.wav",)
    damaged = the(report, "D370")
    assert damaged.problem.severity is Severity.ERROR
    assert damaged.repairs[0].settings == {"data.source.on_damaged": "replace"}
    assert {"D200", "D201"} & set(codes(report))
    assert "D204" in codes(report)  # the copy that has another class
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before
    replaced = examined(spec_of(folder, on_damaged="replace"))
    assert the(replaced, "D370").problem.severity is Severity.WARNING

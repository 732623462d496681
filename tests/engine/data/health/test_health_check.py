"""A check that goes on step by step over sources of all kinds."""

from pathlib import Path

import pytest

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.custom.trust import set_trust
from engine.data.health.health_check import HealthCheck
from engine.data.health.subject import open_subject
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests import sound_files
from tests.engine.data.health.planted import codes, examined, of_folder, photos
from tests.video_files import moving, write

BUILT_IN = [
    entry.key
    for entry in catalog().group(EntryGroup.DATA)
    if not any(param.kind == "path" for param in entry.params)
]


@pytest.mark.parametrize("source", BUILT_IN)
def test_that_every_built_in_source_can_be_examined(source):
    report = examined(DataSpec(source=Choice(type=source)))
    assert all(found.problem.severity != "error" for found in report.findings)
    assert "duplicates" in {result.check for result in report.checks}


def test_that_it_tells_how_far_it_is_and_ends_at_the_total(tmp_path):
    check = HealthCheck(open_subject(of_folder(photos(tmp_path, 40))))
    told = []
    while not check.advance(0):
        told.append(check.done)
    assert told == sorted(told)
    assert len(set(told)) > 2  # not all at once
    assert check.done == check.total == 80


@pytest.mark.parametrize("task", ["language_model", "classification", "pairs"])
def test_that_texts_are_examined(tmp_path, task):
    lines = [f"{('left', 'right')[at % 2]}\tline number {at}" for at in range(60)]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    params = {"path": str(path), "task": task, "length": 8}
    report = examined(DataSpec(source=Choice(type="text", params=params)))
    assert {"texts", "duplicates"} <= {result.check for result in report.checks}
    shown = [sample.text for found in report.findings for sample in found.samples]
    assert all(len(text) <= 170 for text in shown)


STREAM = """
import torch
from torch.utils.data import IterableDataset


class Pictures(IterableDataset):
    starts = 0

    def __len__(self):
        return 90

    def __iter__(self):
        Pictures.starts += 1
        if Pictures.starts > 20:
            raise RuntimeError("begun anew too often")
        for index in range(90):
            torch.manual_seed(1000 if index in (3, 40, 70) else index)
            yield torch.rand(3, 24, 24), index % 2
"""


def test_that_a_stream_of_the_users_code_is_gone_through_without_beginning_anew_each_time():
    code = {"data.py": STREAM}
    set_trust(code, trusted=True)
    source = Choice(type="code.data.Pictures")
    data = DataSpec(source=source, split=SplitSpec(kind="sequential"))
    check = HealthCheck(open_subject(data, code))
    while not check.advance(60):
        pass
    found = {each.problem.code: each for each in check.report().findings}
    assert {sample.index for sample in found["D201"].samples} == {40, 70}
    assert {sample.index for sample in found["D202"].samples} == {3, 40}  # another label
    assert not any(sample.pixels for each in found.values() for sample in each.samples)


@pytest.mark.row("N31")
def test_that_damaged_files_of_each_kind_in_one_table_are_named(tmp_path: Path) -> None:
    write(tmp_path / "left.mp4", moving((0, -1)))
    (tmp_path / "cut.mp4").write_bytes((tmp_path / "left.mp4").read_bytes()[:400])
    sound_files.write(tmp_path / "call.wav", sound_files.tone(300.0))
    (tmp_path / "cut.wav").write_bytes(b"RIFF")
    rows = ["call,clip,kind", *["call.wav,left.mp4,a", "call.wav,left.mp4,b"] * 4]
    rows += ["call.wav,cut.mp4,a", "cut.wav,left.mp4,b"]
    (tmp_path / "events.csv").write_text("\n".join(rows))
    source = Choice(
        type="table",
        params={
            "path": str(tmp_path / "events.csv"),
            "kinds": "call=sound, clip=video",
            "rate": sound_files.RATE,
            "seconds": 0.25,
            "frames": 4,
            "size": 16,
        },
    )
    check = HealthCheck(open_subject(DataSpec(source=source)))
    while not check.advance(0):
        assert check.done <= check.total
    assert {"D370", "D397"} <= set(codes(check.report()))

"""Pictures that cannot be read, or stand out."""

import msgspec
import numpy as np
import pytest
from PIL import Image

from engine.data.read.image import decode_image
from engine.diagnostics import Severity
from engine.spec.health import THUMBNAIL_SIDE, HealthReport
from tests.engine.data.health.planted import codes, examined, of_folder, photo, photos, the

BROKEN = {
    "cut.png": lambda whole: whole[:200],
    "words.jpg": lambda whole: b"these are words",
    "header.png": lambda whole: whole[:8] + b"\xff" * 60,
    "bomb.png": lambda whole: whole[:16] + b"\x00\xff\xff\xff\x00\xff\xff\xff" + whole[24:],
}


@pytest.mark.row("N31")
def test_that_damaged_pictures_are_named_and_the_rest_is_examined(tmp_path):
    folder = photos(tmp_path)
    whole = (folder / "cats/000.png").read_bytes()
    for name, change in BROKEN.items():
        (folder / "cats" / name).write_bytes(change(whole))
    (folder / "dogs/copy.png").write_bytes((folder / "dogs/001.png").read_bytes())
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    report = examined(of_folder(folder))
    damaged = the(report, "D210")
    assert {sample.text.rpartition("/")[2] for sample in damaged.samples} == set(BROKEN)
    assert damaged.problem.severity is Severity.ERROR
    assert damaged.repairs[0].settings == {"data.source.on_damaged": "replace"}
    assert "D200" in codes(report) or "D201" in codes(report)
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before
    replaced = examined(of_folder(folder, on_damaged="replace"))
    assert the(replaced, "D210").problem.severity is Severity.WARNING


def test_that_files_which_go_away_meanwhile_break_nothing(tmp_path):
    from engine.data.health.health_check import HealthCheck
    from engine.data.health.subject import open_subject

    folder = photos(tmp_path)
    check = HealthCheck(open_subject(of_folder(folder)))
    for path in (folder / "cats").iterdir():
        path.unlink()
    while not check.advance(60):
        pass
    assert the(check.report(), "D210").total == 12


@pytest.mark.parametrize(
    ("code", "size"), [("D211", (9, 9)), ("D212", (60, 48)), ("D213", (640, 60))]
)
@pytest.mark.row("N31")
def test_that_a_picture_of_an_odd_size_is_told_as_what_it_is(tmp_path, code, size):
    folder = photos(tmp_path, 20)
    photo(999, size).save(folder / "cats/odd.png")
    report = examined(of_folder(folder))
    assert codes(report) == [code]
    found = the(report, code)
    assert [sample.text for sample in found.samples] == ["cats/odd.png"]
    assert found.surplus == (found.samples[0].index,)


def test_that_a_picture_of_one_color_is_told(tmp_path):
    folder = photos(tmp_path)
    Image.new("RGB", (64, 48), (90, 20, 20)).save(folder / "dogs/flat.png")
    assert [each.text for each in the(examined(of_folder(folder)), "D214").samples] == [
        "dogs/flat.png"
    ]


def test_that_evidence_shows_the_picture_itself(tmp_path):
    folder = photos(tmp_path)
    Image.new("RGB", (64, 64), (90, 20, 200)).save(folder / "dogs/flat.png")
    (sample,) = the(examined(of_folder(folder, size=None)), "D214").samples
    pixels = np.frombuffer(sample.pixels, np.uint8).reshape(THUMBNAIL_SIDE, THUMBNAIL_SIDE, 3)
    assert (pixels == [90, 20, 200]).all()
    assert decode_image((folder / "dogs/flat.png").read_bytes(), "").shape == (3, 64, 64)


def test_that_a_hostile_folder_is_examined_to_the_end_and_told_as_plain_text(tmp_path):
    folder = photos(tmp_path)
    whole = (folder / "cats/000.png").read_bytes()
    for name in ("\u202eevil.png", "two\nlines.png", "a" * 200 + ".png"):
        (folder / "cats" / name).write_bytes(whole)
    (folder / "cats/loop").symlink_to(folder / "cats")
    (folder / "dogs/empty.png").write_bytes(b"")
    (folder / "dogs/zero.png").symlink_to("/dev/zero")
    Image.new("L", (1, 1)).save(folder / "dogs/one.png")
    Image.new("I;16", (60, 60), 999).save(folder / "dogs/deep.png")
    report = examined(of_folder(folder, size=None))
    copies = the(report, "D201")
    texts = [sample.text for sample in copies.samples]
    assert len(texts) == 4
    assert not any("\n" in text or "\u202e" in text or len(text) > 160 for text in texts)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(report), type=HealthReport) == report

"""Unpacking: what is inside comes out inside the folder, or nothing does, with a sentence."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from engine.data.fetch import unpack as unpack_module
from engine.data.fetch.progress import untold
from engine.data.fetch.unpack import unpack
from engine.data.read import stored
from engine.diagnostics import DiagnosticError
from tests import vision_files as made

FILES = {"set/a.txt": b"one", "set/deep/b.txt": b"two"}


def tar_of(member, content=b""):
    room = io.BytesIO()
    with tarfile.open(fileobj=room, mode="w:gz") as target:
        member.size = len(content)
        target.addfile(member, io.BytesIO(content))
    return room.getvalue()


def special(kind, name="set/link", leads="/etc/passwd"):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, leads
    return member


def linked_zip():
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w") as target:
        member = zipfile.ZipInfo("set/link")
        member.external_attr = 0o120777 << 16
        target.writestr(member, "/etc/passwd")
    return room.getvalue()


def refusal(tmp_path, name, content):
    folder = tmp_path / "folder"
    folder.mkdir(exist_ok=True)
    archive = folder / name
    archive.write_bytes(content)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(DiagnosticError) as error:
        unpack(archive, folder, untold)
    assert sorted(tmp_path.rglob("*")) == before
    return error.value.problems[0].code


@pytest.mark.parametrize(
    ("name", "content"),
    [("set.zip", made.zip_of(FILES)), ("set.tar.gz", made.tar_gz(FILES)),
     ("set.tgz", made.tar_gz({f"./{name}": data for name, data in FILES.items()})),
     ("set.tar", gzip.decompress(made.tar_gz(FILES))),
     ("set.tar.bz2", bz2.compress(gzip.decompress(made.tar_gz(FILES))))],
)  # fmt: skip
def test_that_the_files_of_an_archive_come_out_and_others_stay(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "mine.txt").write_text("stays")
    told = []
    unpack(tmp_path / name, tmp_path, lambda *state: told.append(state))
    for place, data in FILES.items():
        assert (tmp_path / place).read_bytes() == data
    assert (tmp_path / "set" / "mine.txt").read_text() == "stays"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set", name]
    assert told


@pytest.mark.parametrize(
    ("name", "pack"), [("a.gz", gzip.compress), ("a.bz2", bz2.compress), ("a.xz", lzma.compress)]
)
def test_that_a_single_packed_file_comes_out_under_its_name(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(b"content"))
    unpack(tmp_path / name, tmp_path, untold)
    assert (tmp_path / "a").read_bytes() == b"content"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("set.zip", made.zip_of({"../escaped": b"x"})),
        ("set.zip", made.zip_of({"/escaped": b"x"})),
        ("set.zip", made.zip_of({"set/../../escaped": b"x"})),
        ("set.zip", made.zip_of({"C:/escaped": b"x"})),
        ("set.zip", linked_zip()),
        ("set.tar.gz", made.tar_gz({"ok": b"1", "../escaped": b"x"})),
        ("set.tar.gz", made.tar_gz({"/tmp/escaped": b"x"})),
        ("set.tar.gz", tar_of(special(tarfile.SYMTYPE))),
        ("set.tar.gz", tar_of(special(tarfile.LNKTYPE))),
        ("set.tar.gz", tar_of(special(tarfile.FIFOTYPE))),
        ("set.tar.gz", tar_of(special(tarfile.CHRTYPE))),
    ],
)
def test_that_nothing_is_written_outside_and_no_link_is_made(tmp_path, name, content):
    assert refusal(tmp_path, name, content) == "D250"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("set.zip", made.zip_of({"zeros": bytes(3_000_000)})),
        ("set.tar.gz", made.tar_gz({"zeros": bytes(3_000_000)})),
        ("zeros.gz", gzip.compress(bytes(3_000_000))),
        ("zeros.bz2", bz2.compress(bytes(3_000_000))),
    ],
)
def test_that_a_bomb_is_refused_before_it_fills_the_disk(tmp_path, name, content, monkeypatch):
    monkeypatch.setattr(stored, "_LEAST_UNPACKED", 1 << 20)
    assert refusal(tmp_path, name, content) == "D252"


def test_that_members_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(unpack_module, "_MOST_MEMBERS", 10)
    files = {str(number): b"" for number in range(11)}
    assert refusal(tmp_path, "set.zip", made.zip_of(files)) == "D252"


@pytest.mark.parametrize("name", ["set.zip", "set.tar.gz", "set.tar", "a.gz", "a.bz2", "a.xz"])
@pytest.mark.parametrize("content", [b"", b"no archive at all" * 40])
def test_that_what_is_no_archive_is_told(tmp_path, name, content):
    assert refusal(tmp_path, name, content) == "D253"


@pytest.mark.parametrize(("name", "content"), [("set.zip", made.zip_of(FILES)),
    ("set.tar.gz", made.tar_gz({"a": bytes(range(256)) * 1000}))])  # fmt: skip
def test_that_an_archive_that_is_cut_off_leaves_nothing(tmp_path, name, content):
    assert refusal(tmp_path, name, content[: len(content) * 2 // 3]) == "D253"


def test_that_what_an_interrupted_attempt_left_is_removed(tmp_path):
    (tmp_path / ".set.zip.unpacking" / "half").mkdir(parents=True)
    (tmp_path / "set.zip").write_bytes(made.zip_of(FILES))
    unpack(tmp_path / "set.zip", tmp_path, untold)
    assert not (tmp_path / "half").exists()
    assert not (tmp_path / ".set.zip.unpacking").exists()

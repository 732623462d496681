"""Files of weights, taken apart by a confined process that may say anything."""

import errno
import io
import sys
import zipfile
from pathlib import Path

import msgspec
import pytest
import torch

from engine.archive import tensor_archive
from engine.archive.tensor_archive import read_archive, read_pieces
from engine.diagnostics import DiagnosticError
from engine.sandbox import reading
from engine.sandbox.answer import Archives, Description, Picture, Refused
from engine.sandbox.inert import ListRow, Long, MadeRow, Name, RowOf, Table, TupleRow
from tests.unconfined import read_here

WEIGHTS = {"a": torch.arange(12.0).reshape(3, 4), "b": torch.ones(5, dtype=torch.int64)}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    torch.save(WEIGHTS, tmp_path / "w.pt")
    return tmp_path / "w.pt"


def refusal(file: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read_archive(file)
    return caught.value.problems[0].code


def equal(found: object) -> bool:
    assert isinstance(found, dict)
    return found.keys() == WEIGHTS.keys() and all(
        torch.equal(found[name], tensor) for name, tensor in WEIGHTS.items()
    )


def test_that_pytorch_never_sees_the_file(file, monkeypatch):
    def refuse(*args: object, **kwargs: object) -> None:
        pytest.fail("torch.load was called")

    monkeypatch.setattr(torch, "load", refuse)
    monkeypatch.setattr(torch._C, "PyTorchFileReader", refuse)
    assert equal(read_archive(file))
    assert equal(read_archive(file, is_own=True))


def test_that_archives_within_a_file_are_read_at_their_places(tmp_path):
    content = io.BytesIO()
    spans: list[tuple[int, int]] = []
    for value in range(3):
        content.write(b"between")
        start = content.tell()
        piece = io.BytesIO()
        torch.save(torch.full((2, 2), value), piece)
        content.write(piece.getvalue())
        spans.append((start, content.tell() - start))
    (tmp_path / "parts").write_bytes(content.getvalue())
    found = read_pieces(tmp_path / "parts", spans)
    assert [str(one) for one in found] == [str(torch.full((2, 2), value)) for value in range(3)]
    assert read_pieces(tmp_path / "parts", []) == []


def test_that_numbers_of_the_other_byte_order_are_turned(file):
    other = {"little": "big", "big": "little"}[sys.byteorder]
    turned = io.BytesIO()
    with zipfile.ZipFile(file) as given, zipfile.ZipFile(turned, "w") as made:
        for member in given.infolist():
            content = given.read(member)
            kind = {"data/0": 4, "data/1": 8}.get(member.filename.split("/", 1)[1])
            if member.filename.endswith("byteorder"):
                content = other.encode()
            elif kind:
                words = [content[at : at + kind][::-1] for at in range(0, len(content), kind)]
                content = b"".join(words)
            made.writestr(member.filename, content)
    file.write_bytes(turned.getvalue())
    assert equal(read_archive(file))


def test_that_a_storage_that_does_not_match_its_checksum_is_damage(file):
    content = bytearray(file.read_bytes())
    place = content.index(WEIGHTS["a"].numpy().tobytes())
    content[place + 5] ^= 4
    file.write_bytes(content)
    assert refusal(file) == "K003"


@pytest.mark.real
@pytest.mark.parametrize(
    "code",
    ["import os; os._exit(3)", "print('nonsense')", "import os; os.kill(os.getpid(), 9)"],
    ids=["ends", "talks nonsense", "is killed"],
)
def test_that_a_process_that_gives_no_answer_is_told(file, tmp_path, monkeypatch, code):
    child = tmp_path / "child.py"
    child.write_text(code)
    monkeypatch.setattr(reading, "_CHILD", child)
    assert refusal(file) == "V008"


def lie(monkeypatch: pytest.MonkeyPatch, change) -> None:
    """Let the process that reads say something else than it found."""

    def ask(*args, **kwargs):
        answer = read_here(*args, **kwargs)
        assert isinstance(answer, Archives)
        return change(answer)

    monkeypatch.setattr(reading, "ask", ask)


def with_storages(answer: Archives, **more: int) -> Archives:
    archive = answer.archives[0]
    changed = {
        key: msgspec.structs.replace(member, **more) for key, member in archive.storages.items()
    }
    return Archives(archives=(msgspec.structs.replace(archive, storages=changed),))


def with_content(answer: Archives, *rows, root=None) -> Archives:
    table = Table(rows, RowOf(len(rows) - 1) if root is None else root)
    return Archives(archives=(msgspec.structs.replace(answer.archives[0], content=table),))


DEEP = [TupleRow(()), *(TupleRow((RowOf(one),)) for one in range(200))]
WIDE = [TupleRow(()), *(TupleRow((RowOf(one),) * 9) for one in range(60))]
LIES = {
    "a place before the file": (lambda told: with_storages(told, offset=-8), "K003"),
    "a place behind the file": (lambda told: with_storages(told, offset=1 << 40), "K003"),
    "a negative size": (lambda told: with_storages(told, size=-1), "K003"),
    "a size beyond the file": (lambda told: with_storages(told, size=1 << 50), "K004"),
    "another checksum": (lambda told: with_storages(told, checksum=1), "K003"),
    "no storages": (
        lambda told: Archives(archives=(msgspec.structs.replace(told.archives[0], storages={}),)),
        "K003",
    ),
    "no archive": (lambda told: Archives(archives=()), "V008"),
    "another answer": (lambda told: Picture(width=1, height=1, pixels=b"abcd"), "V008"),
    "a description": (lambda told: Description(content=told.archives[0].content), "V008"),
    "a code of its own": (lambda told: Refused(code="E001", detail="x"), "K003"),
    "a row that holds itself": (lambda told: with_content(told, TupleRow((RowOf(0),))), "K003"),
    "a row behind": (lambda told: with_content(told, TupleRow((RowOf(-1),))), "K003"),
    "no such row": (lambda told: with_content(told, root=RowOf(3)), "K003"),
    "rows in rows": (lambda told: with_content(told, *DEEP), "K004"),
    "more values than a pickle has": (
        lambda told: with_content(told, ListRow((None,) * 5_000_001)),
        "K004",
    ),
    "a number of a million digits": (
        lambda told: with_content(told, root=Long(b"\1" * 400_000)),
        "K004",
    ),
    "rows of rows": (lambda told: with_content(told, *WIDE), "K004"),
    "a call of the system": (
        lambda told: with_content(
            told,
            TupleRow(("true",)),
            MadeRow(Name("os", "system"), *(RowOf(0), False, None, ())),
        ),
        "K005",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_that_a_process_that_lies_harms_nobody(file, monkeypatch, name):
    change, code = LIES[name]
    lie(monkeypatch, change)
    assert refusal(file) == code


def test_that_storages_larger_than_the_memory_are_not_read(file, monkeypatch):
    asked: list[int] = []

    def refuse(size: int) -> None:
        asked.append(size)
        raise OSError(errno.ENOMEM, "bytes of memory are needed")

    monkeypatch.setattr(tensor_archive, "require_memory", refuse)
    assert refusal(file) == "P035"
    assert asked == [sum(one.nbytes for one in WEIGHTS.values())]


def test_that_a_disk_that_fails_meanwhile_is_told_as_such(file, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("engine.archive.tensor_archive._Numbers._bytes", refuse)
    assert refusal(file) == "P035"

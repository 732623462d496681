import io
import os
import pickle
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
import torch

from engine.api import evaluate
from engine.diagnostics import DiagnosticError
from engine.files import FileWriteError, sha256
from engine.files import write as writing
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from engine.spec.run import CheckpointSpec
from engine.train.checkpoint.file import load_checkpoint, load_weights, save_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import make_run, train


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    folder = make_run(
        tmp_path_factory.mktemp("project"), checkpoint=CheckpointSpec(every_steps=4, keep_last=3)
    )
    assert train(folder).status is RunStatus.FINISHED
    return folder


@pytest.fixture
def content(run: RunFolder) -> bytes:
    return (run.checkpoints / read_state(run).checkpoints[-1].file).read_bytes()


def refusal(path: Path, digest: str = "") -> str:
    with pytest.raises(DiagnosticError) as caught:
        load_checkpoint(path, digest)
    return caught.value.problems[0].code


def test_that_a_checkpoint_reads_back_as_it_was_written(run: RunFolder, tmp_path: Path) -> None:
    first = open_checkpoint(run, "last")
    digest = save_checkpoint(tmp_path / "copy.ckpt", first)
    second = load_checkpoint(tmp_path / "copy.ckpt", digest)
    assert (first.position, first.random["python"]) == (second.position, second.random["python"])
    for name, value in first.model.items():
        assert torch.equal(value, second.model[name])


@pytest.mark.fault("B01")
def test_that_a_truncated_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.ckpt"
    chance = random.Random(1)
    for _ in range(60):
        path.write_bytes(content[: chance.randrange(len(content))])
        assert refusal(path) == "K003"


@pytest.mark.fault("B02")
def test_that_a_flipped_bit_is_found_by_the_record(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "flipped.ckpt"
    path.write_bytes(content)
    digest = sha256(path)
    chance = random.Random(2)
    for _ in range(100):
        spoiled = bytearray(content)
        spoiled[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        path.write_bytes(spoiled)
        assert refusal(path, digest) == "K006"


@pytest.mark.fault("B02")
def test_that_a_flipped_bit_in_a_tensor_is_found_without_the_record(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "flipped.ckpt"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        tensors = [info for info in archive.infolist() if "/data/" in info.filename]
    for info in tensors:
        spoiled = bytearray(content)
        spoiled[info.header_offset + 64 + len(info.filename)] ^= 1
        middle = content.find(b"PK\x01\x02")
        assert info.header_offset < middle
        path.write_bytes(spoiled)
        found = zipfile.ZipFile(io.BytesIO(spoiled)).testzip()
        if found is not None:  # a flip in the padding before a tensor changes nothing
            assert refusal(path) == "K003"


class _Payload:
    def __init__(self, canary: Path) -> None:
        self._canary = canary

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self._canary,)


@pytest.mark.fault("S01")
def test_that_code_in_a_file_never_runs(tmp_path: Path) -> None:
    canary, path = tmp_path / "canary", tmp_path / "evil.ckpt"
    torch.save({"format": 1, "model": _Payload(canary)}, path)
    assert refusal(path) == "K005"
    path.write_bytes(pickle.dumps(_Payload(canary)))
    assert refusal(path) == "K003"
    torch.save(_Payload(canary), path, _use_new_zipfile_serialization=False)
    assert refusal(path) == "K003"
    with pytest.raises(DiagnosticError):
        load_weights(path)
    assert not canary.exists()


@pytest.mark.row("S326")
@pytest.mark.fault("S02")
def test_that_a_whole_model_is_refused(tmp_path: Path) -> None:
    torch.save(torch.nn.Linear(2, 2), tmp_path / "model.pt")
    assert refusal(tmp_path / "model.pt") == "K005"


@pytest.mark.fault("B06")
def test_that_a_file_that_unfolds_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bomb.ckpt"
    with (
        zipfile.ZipFile(io.BytesIO(content)) as plain,
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for info in plain.infolist():
            packed.writestr(info.filename, plain.read(info))
    assert refusal(path) == "K004"
    torch.save({"format": 1, "model": {"w": torch.zeros(1).expand(10**9)}}, path)
    assert refusal(path) == "K004"


@pytest.mark.fault("B04")
@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda path: path.mkdir(), "K001"),
        (lambda path: None, "K002"),
        (lambda path: path.write_bytes(b""), "K003"),
        (lambda path: path.write_bytes(b"<html>404</html>"), "K003"),
        (lambda path: torch.save([1, 2], path), "K007"),
        (lambda path: torch.save({"format": 1, "model": {}}, path), "K007"),
        (lambda path: torch.save({"format": 99, "model": {}}, path), "K008"),
        (lambda path: torch.save({"weight": torch.zeros(1)}, path), "K007"),
    ],
)
def test_that_another_kind_of_file_is_told_by_its_kind(
    tmp_path: Path, make: Callable[[Path], None], code: str
) -> None:
    path = tmp_path / "file.ckpt"
    make(path)
    assert refusal(path) == code


def test_that_weights_come_from_checkpoints_and_plain_files(run: RunFolder, tmp_path: Path) -> None:
    path = run.checkpoints / read_state(run).checkpoints[-1].file
    weights = load_weights(path)
    torch.save(weights, tmp_path / "weights.pt")
    assert load_weights(tmp_path / "weights.pt").keys() == weights.keys()


def test_that_a_missing_checkpoint_and_an_empty_part_are_told(run: RunFolder) -> None:
    for name in ("nothing.ckpt", "../run.json", "/etc/passwd"):
        with pytest.raises(DiagnosticError) as caught:
            evaluate(run.path, name)
        assert caught.value.problems[0].code == "K013"


def damage_newest(run: RunFolder, count: int) -> list[str]:
    infos = read_state(run).checkpoints
    for info in infos[len(infos) - count :]:
        path = run.checkpoints / info.file
        spoiled = bytearray(path.read_bytes())
        spoiled[len(spoiled) // 2] ^= 4
        path.write_bytes(spoiled)
    return [info.file for info in infos]


def test_that_a_resume_walks_back_over_damaged_checkpoints_and_says_so(tmp_path: Path) -> None:
    policy = CheckpointSpec(every_steps=3, keep_last=4)
    run = make_run(tmp_path, checkpoint=policy)
    weights = train(run).metrics
    files = damage_newest(run, 2)
    state = train(run, "latest")
    assert state.status is RunStatus.FINISHED
    assert state.resumed_from == files[-3]
    assert [problem.code for problem in state.warnings] == ["K006", "K006"]
    assert state.metrics == weights


def test_that_a_run_without_a_sound_checkpoint_says_so(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    train(run)
    damage_newest(run, len(read_state(run).checkpoints))
    state = train(run, "latest")
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == "K010"


class _FullAfter:
    """A stream that is full after some bytes."""

    def __init__(self, stream: BinaryIO, room: int) -> None:
        self._stream = stream
        self._room = room

    def write(self, data: bytes) -> int:
        self._room -= len(data)
        if self._room < 0:
            raise OSError(28, "No space left on device")
        return self._stream.write(data)

    def flush(self) -> None:
        self._stream.flush()


@pytest.mark.fault("F03", "F05")
def test_that_a_full_disk_at_any_write_leaves_the_older_file(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = open_checkpoint(run, "last")
    path = tmp_path / "last.ckpt"
    save_checkpoint(path, checkpoint)
    before, fill = path.read_bytes(), writing.fill
    for room in range(0, len(before), len(before) // 12):

        def on_full_disk(
            stream: BinaryIO, content: Callable[[writing.WriteTarget], None], room: int = room
        ) -> None:
            fill(_FullAfter(stream, room), content)  # type: ignore[arg-type]

        monkeypatch.setattr(writing, "fill", on_full_disk)
        with pytest.raises(FileWriteError) as caught:
            save_checkpoint(path, checkpoint)
        assert caught.value.problems[0].code == "P002"
        assert path.read_bytes() == before
        assert [file.name for file in tmp_path.iterdir()] == ["last.ckpt"]


def test_that_a_file_larger_than_the_memory_is_not_looked_through(tmp_path: Path) -> None:
    path = tmp_path / "large.ckpt"
    with path.open("wb") as stream:
        stream.truncate(1 << 42)
    assert refusal(path, "0" * 64) == "P035"


@pytest.mark.skipif(os.name != "posix", reason="a link in a circle, which POSIX refuses")
@pytest.mark.parametrize("name", ["x" * 300, "circle.ckpt"])
def test_that_a_file_that_cannot_be_read_is_told_where_its_content_is_known(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "circle.ckpt").symlink_to("circle.ckpt")
    assert refusal(tmp_path / name, "0" * 64) in {"P005", "P035"}

"""Files of safetensors as somebody may make them who means harm."""

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save

from engine.archive.safetensors_file import SafetensorsFile
from engine.archive.weights import read_safetensors, write_weights
from engine.diagnostics import DiagnosticError, sentence
from engine.export.load import contents
from engine.files import read as files_read
from tests.plain_python import PlainPython

ROOT = Path(__file__).parents[3]

CUT_OFF = """
import os, sys
from pathlib import Path
from engine.archive.weights import read_safetensors
weights = read_safetensors(Path(sys.argv[1]))
os.truncate(sys.argv[1], 100)
print(float(weights["a"].sum()))
"""


def written(path: Path, header: dict[str, Any] | bytes, size: int) -> Path:
    """Write a header, and a hole of so many bytes behind it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + size)
    return path


def told(
    shape: list[int], begin: int, end: int, dtype: str = "F32", name: str = "a"
) -> dict[str, Any]:
    return {name: {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}}


def refusal(path: Path) -> str:
    """Return the code of the refusal, which is the same for a look at it and for its numbers."""
    codes: list[str] = []
    for read in (contents, read_safetensors):
        with pytest.raises(DiagnosticError) as caught:
            read(path)
        assert path.name in sentence(caught.value.problems[0])
        codes.append(caught.value.problems[0].code)
    assert len(set(codes)) == 1
    return codes[0]


@pytest.mark.real
@pytest.mark.fault("B05")
@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be cut off there")
def test_that_a_file_that_is_cut_off_after_it_was_read_changes_nothing(
    tmp_path: Path, plain_python: PlainPython
) -> None:
    size = 64 << 20
    path = written(tmp_path / "w.safetensors", told([size // 4], 0, size), size)
    done = plain_python.run(str(path), code=CUT_OFF, folder=ROOT, path=[ROOT])
    assert (done.returncode, done.stdout.strip()) == (0, "0.0"), done.stderr


def test_that_a_file_that_is_written_anew_leaves_what_was_read(tmp_path: Path) -> None:
    path = written(tmp_path / "w.safetensors", told([1 << 20], 0, 4 << 20), 4 << 20)
    weights = read_safetensors(path)
    with path.open("r+b") as stream:
        stream.seek(-4096, os.SEEK_END)
        stream.write(b"\xff" * 4096)
    assert not weights["a"].isnan().any()


def test_that_a_file_that_is_cut_off_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "w.safetensors", told([1 << 20], 0, 4 << 20), 4 << 20)
    with path.open("rb") as stream:
        opened = SafetensorsFile(stream)
        os.truncate(path, 1 << 20)
        with pytest.raises(ValueError, match="a is cut off"):
            opened.tensors()


@pytest.mark.parametrize(
    "header",
    [
        told([1] * 100_000, 0, 4),
        told([1 << 62, 1 << 62, 0], 0, 0),
        told([1 << 63, 2], 0, 4),
        told([-1], 0, 4),
        told([2], 0, 4),
        told([1], 0, 4, "F6_E2M3"),
        told([1], 0, 4, "F4"),
        told([8, 1], 0, 4, "F4"),
        told([], 0, 4) | told([1], 0, 4, name="b"),
        told([0], 0, 0),
        told([1], 4, 8),
        told([1], 0, 4) | {"__metadata__": {"format": 1}},
        {"a": None},
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"\\ud800":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
        b'{"\xff":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
    ],
    ids=[str(number) for number in range(16)],
)
def test_that_lies_of_a_header_are_refused(tmp_path: Path, header: dict[str, Any] | bytes) -> None:
    assert refusal(written(tmp_path / "w.safetensors", header, 4)) == "X023"


@pytest.mark.fault("B05")
@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "one",
    [b'"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}', b'"%d":0'],
    ids=["tensors", "numbers"],
)
def test_that_a_header_of_millions_of_names_is_refused_at_once(tmp_path: Path, one: bytes) -> None:
    header = b"{" + b",".join(one % number for number in range(1_500_000)) + b"}"
    assert refusal(written(tmp_path / "w.safetensors", header, 0)) == "X023"


def test_that_tensors_larger_than_the_memory_are_not_read(tmp_path: Path) -> None:
    size = 1 << 40
    path = written(tmp_path / "w.safetensors", told([size // 4], 0, size), size)
    with pytest.raises(DiagnosticError) as caught:
        read_safetensors(path)
    assert caught.value.problems[0].code == "P035"
    assert "memory" in caught.value.problems[0].detail
    assert contents(path).elements == size // 4


def test_that_every_type_is_read_as_the_library_reads_it(tmp_path: Path) -> None:
    from safetensors import safe_open
    from safetensors.torch import _TYPES  # pyright: ignore[reportPrivateUsage]

    content = torch.arange(48, dtype=torch.uint8)
    weights = {name: content.clone().view(dtype).reshape(2, -1) for name, dtype in _TYPES.items()}
    weights |= {"scalar": torch.tensor(1.5), "nothing": torch.zeros(3, 0), "": torch.ones(1)}
    path = tmp_path / "w.safetensors"
    path.write_bytes(save(weights, {"note": "x"}))
    found = read_safetensors(path)
    assert found.keys() == weights.keys()
    with safe_open(path, "pt") as opened:
        for name, value in found.items():
            expected = opened.get_tensor(name)
            assert (value.dtype, value.shape) == (expected.dtype, expected.shape)
            ours, theirs = (one.reshape(-1).view(torch.uint8) for one in (value, expected))
            assert torch.equal(ours, theirs)


def test_that_our_own_file_is_checked_when_it_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    write_weights({"a": torch.rand(3, 4)}, path)
    assert contents(path).tensors[0].shape == (3, 4)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert refusal(path) == "X023"


def test_that_memory_that_is_not_there_is_told() -> None:
    files_read.require_memory(1)
    with pytest.raises(OSError, match="bytes of memory are needed"):
        files_read.require_memory(1 << 50)

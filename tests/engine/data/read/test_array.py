"""Files of arrays: every format gives what was written; hostile ones are refused, unread."""

import gzip
import io
import pickle
import resource
import struct
import sys
import zipfile

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from engine.data.read.array import find_arrays
from engine.diagnostics import DiagnosticError

VALUES = np.arange(24, dtype=np.float32).reshape(4, 3, 2)


def idx_bytes(values: np.ndarray, code: int, sizes: tuple[int, ...] | None = None) -> bytes:
    sizes = values.shape if sizes is None else sizes
    return (
        bytes((0, 0, code, len(sizes)))
        + struct.pack(f">{len(sizes)}I", *sizes)
        + (values.astype(values.dtype.newbyteorder(">")).tobytes())
    )


def npy_bytes(header: str, content: bytes = b"", version: int = 1) -> bytes:
    text = header.encode("latin1") + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes((version, 0)) + length + text + content


def values_of(path) -> list[np.ndarray]:
    return [array.read() for array in find_arrays(path).values()]


def code_of(path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        values_of(path)
    return caught.value.problems[0].code


@pytest.mark.row("S133")
def test_that_every_format_gives_what_was_written(tmp_path):
    np.save(tmp_path / "a.npy", VALUES)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(VALUES))
    np.save(tmp_path / "big.npy", VALUES.astype(">f8"))
    np.savez(tmp_path / "b.npz", x=VALUES, y=np.asfortranarray(VALUES))
    np.savez_compressed(tmp_path / "c.npz", x=VALUES)
    save_file({"x": VALUES}, tmp_path / "d.safetensors")
    torch.save({"x": torch.tensor(VALUES)}, tmp_path / "e.pt")
    torch.save((torch.tensor(VALUES), torch.arange(4)), tmp_path / "f.pt")
    torch.save(torch.tensor(VALUES), tmp_path / "g.pth")
    (tmp_path / "h-idx").write_bytes(idx_bytes(VALUES, 0x0D))
    (tmp_path / "i-idx.gz").write_bytes(gzip.compress(idx_bytes(VALUES, 0x0D)))
    files = [path for path in sorted(tmp_path.iterdir()) if path.is_file()]
    assert len(files) == 11
    for path in files:
        before = path.read_bytes()
        array = next(iter(find_arrays(path).values()))
        assert np.array_equal(array.read(), VALUES), path
        assert array.shape == VALUES.shape, path
        assert path.read_bytes() == before
    assert np.array_equal(find_arrays(tmp_path / "b.npz")["y"].read(), VALUES)
    assert set(find_arrays(tmp_path / "f.pt")) == {"x", "y"}


def test_that_rows_are_read_without_the_others(tmp_path):
    np.save(tmp_path / "a.npy", VALUES)
    array = find_arrays(tmp_path / "a.npy")["a"]
    for indices in ([3, 0, 1, 2], [2], [], [1, 1]):
        assert np.array_equal(array.rows(indices), VALUES[indices])


def test_that_the_four_files_of_mnist_have_the_names_of_their_parts(tmp_path):
    for part, count in (("train", 5), ("t10k", 2)):
        pictures = np.zeros((count, 3, 3), np.uint8)
        (tmp_path / f"{part}-images-idx3-ubyte.gz").write_bytes(
            gzip.compress(idx_bytes(pictures, 8))
        )
        (tmp_path / f"{part}-labels.idx1-ubyte").write_bytes(idx_bytes(pictures[:, 0, 0], 8))
    (tmp_path / ".DS_Store").write_bytes(b"x")
    arrays = find_arrays(tmp_path)
    assert {name: array.shape for name, array in arrays.items()} == {
        "x_train": (5, 3, 3),
        "y_train": (5,),
        "x_test": (2, 3, 3),
        "y_test": (2,),
    }


class Evil:
    def __reduce__(self):
        return (sys.exit, (13,))


@pytest.mark.fault("S01")
def test_that_python_objects_are_refused_without_unpickling(tmp_path):
    np.save(tmp_path / "a.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "b.npz", x=np.array([Evil(), None], dtype=object))
    with zipfile.ZipFile(tmp_path / "c.npz", "w") as archive:
        archive.writestr("x.npy", pickle.dumps(Evil()))
    torch.save({"x": Evil()}, tmp_path / "d.pt")
    (tmp_path / "e.pt").write_bytes(pickle.dumps(Evil()))
    (tmp_path / "f.npy").write_bytes(pickle.dumps(Evil()))
    assert code_of(tmp_path / "a.npy") == "D143"
    assert code_of(tmp_path / "b.npz") == "D143"
    assert code_of(tmp_path / "c.npz") == "D142"
    assert code_of(tmp_path / "d.pt") == "D143"
    assert code_of(tmp_path / "e.pt") in ("D142", "D143", "D144")
    assert code_of(tmp_path / "f.npy") == "D144"


def header(descr: str, shape: str, is_fortran: bool = False) -> str:
    return f"{{'descr': {descr}, 'fortran_order': {is_fortran}, 'shape': {shape}, }}"


LYING = {
    "terabytes": header("'<f4'", "(1099511627776,)"),
    "beyond whole numbers": header("'<f4'", "(9223372036854775807, 9)"),
    "negative": header("'<f4'", "(-1, 4)"),
    "more than there is": header("'<f4'", "(3, 3)", is_fortran=True),
    "less than there is": header("'<f4'", "(2,)"),
    "a call": header("__import__('os').system('x')", "(4,)"),
    "no dictionary": "[1, 2]",
    "deep": "(" * 2_000,
    "nothing": "",
    "many axes": header("'<f4'", "(" + "1," * 65 + ")"),
}


NO_NUMBERS = {
    "text of no length": header("'<U0'", "(99999999999,)"),
    "records": header("[('a', '<f4')]", "(4,)"),
    "times": header("'<M8[s]'", "(2,)"),
    "complex": header("'<c8'", "(2,)"),
}


@pytest.mark.fault("B05")
@pytest.mark.parametrize("name", NO_NUMBERS)
def test_that_whole_files_of_other_values_are_not_called_damaged(tmp_path, name):
    (tmp_path / "a.npy").write_bytes(npy_bytes(NO_NUMBERS[name], bytes(16)))
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("x.npy", npy_bytes(NO_NUMBERS[name], bytes(16)))
    assert code_of(tmp_path / "a.npy") == "D579"
    assert code_of(tmp_path / "b.npz") == "D579"


@pytest.mark.fault("B06")
@pytest.mark.parametrize("name", LYING)
def test_that_a_header_that_lies_is_refused_before_memory_is_taken(tmp_path, name):
    (tmp_path / "a.npy").write_bytes(npy_bytes(LYING[name], bytes(16)))
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("x.npy", npy_bytes(LYING[name], bytes(16)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert code_of(tmp_path / "a.npy") == "D142"
    assert code_of(tmp_path / "b.npz") == "D142"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


@pytest.mark.fault("B06")
def test_that_a_header_of_a_gigabyte_is_not_read(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x02\x00" + struct.pack("<I", 1 << 30) + b"{")
    assert code_of(tmp_path / "a.npy") == "D142"


@pytest.mark.fault("B06")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\0\0\x08\x01" + struct.pack(">I", 1 << 31), "D142"),
        (b"\0\0\x08\x03" + struct.pack(">3I", *(0xFFFFFFFF,) * 3), "D142"),
        (b"\0\0\x08\x00", "D142"),
        (b"\0\0\x08\xff" + bytes(2000), "D142"),
        (b"\0\0\x08\x02\0\0", "D142"),
        (b"\0\0\x07\x01" + bytes(8), "D144"),
        (b"\0\0", "D144"),
        (b"", "D144"),
    ],
)
def test_that_an_idx_header_that_lies_is_refused(tmp_path, content, code):
    (tmp_path / "a-idx").write_bytes(content)
    assert code_of(tmp_path / "a-idx") == code
    (tmp_path / "a-idx.gz").write_bytes(gzip.compress(content))
    assert code_of(tmp_path / "a-idx.gz") in {"D142", "D144", "D148"}


@pytest.mark.fault("B06")
def test_that_bombs_are_refused_before_they_are_unpacked(tmp_path):
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as member,
    ):
        member.write(npy_bytes(header("'|u1'", "(268435456,)")))
        for _ in range(1 << 8):
            member.write(bytes(1 << 20))
    assert code_of(tmp_path / "a.npz") == "D148"
    (tmp_path / "b-idx.gz").write_bytes(
        gzip.compress(b"\0\0\x08\x01" + struct.pack(">I", 1 << 31) + bytes(1000))
    )
    assert code_of(tmp_path / "b-idx.gz") == "D148"
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 60_000, 60_000, 1 << 20, 0, 0)
    (tmp_path / "c.npz").write_bytes(b"PK\x03\x04" + bytes(1 << 20) + end)
    assert code_of(tmp_path / "c.npz") == "D142"


@pytest.mark.fault("B01")
def test_that_a_file_that_is_cut_off_anywhere_is_refused(tmp_path):
    stream = io.BytesIO()
    np.savez_compressed(stream, x=VALUES, y=np.arange(4))
    whole = {"a.npz": stream.getvalue(), "b-idx": idx_bytes(VALUES, 0x0D)}
    np.save(tmp_path / "c.npy", VALUES)
    whole["c.npy"] = (tmp_path / "c.npy").read_bytes()
    whole["d-idx.gz"] = gzip.compress(whole["b-idx"])
    for name, content in whole.items():
        for length in range(0, len(content), 7):
            (tmp_path / name).write_bytes(content[:length])
            assert code_of(tmp_path / name) in {"D142", "D144", "D148"}, (name, length)


@pytest.mark.fault("B04")
def test_that_what_is_no_file_of_arrays_is_named(tmp_path):
    assert code_of(tmp_path / "none.npy") == "D141"
    assert code_of(tmp_path) == "D144"
    (tmp_path / "page.npz").write_bytes(b"<html>not found</html>")
    assert code_of(tmp_path / "page.npz") == "D144"
    with zipfile.ZipFile(tmp_path / "other.npz", "w") as archive:
        archive.writestr("readme.txt", "x")
    assert code_of(tmp_path / "other.npz") == "D144"
    (tmp_path / "page.safetensors").write_bytes(b"<html>not found</html>")
    assert code_of(tmp_path / "page.safetensors") == "D142"


def test_that_a_file_that_changes_after_it_was_looked_at_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", VALUES)
    array = find_arrays(tmp_path / "a.npy")["a"]
    content = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(content[:-4])
    with pytest.raises(DiagnosticError) as caught:
        array.rows([3])
    assert caught.value.problems[0].code == "D142"

"""Arrays of HDF5 files: as h5py wrote them; what leads elsewhere or needs code is refused."""

import h5py
import numpy as np
import pytest

from engine.data.read.hdf5 import hdf5_array
from engine.data.read.stored import BadArrayError
from engine.diagnostics import DiagnosticError

VALUES = np.random.default_rng(0).integers(0, 200, (11, 6, 5, 3), np.uint8)
PLAIN = np.zeros((11, 6, 5, 3), np.uint8)  # packs well


def written(path, values=VALUES, **settings):
    with h5py.File(path, "w") as file:
        file["mask"] = file["y"] = values[:2]
        file.create_dataset("x", data=values, **settings)
    return path


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"chunks": (4, 6, 5, 3)},
        {"chunks": (3, 4, 2, 3)},
        {"chunks": (4, 6, 5, 3), "compression": "gzip"},
        {"chunks": (1, 6, 5, 2), "compression": "gzip", "shuffle": True},
        {"chunks": (2, 3, 5, 3), "maxshape": (None, 6, 5, 3)},
    ],
)
@pytest.mark.parametrize(
    "values", [VALUES, PLAIN, VALUES.astype(">i4") - 100, VALUES.astype(np.uint64) << 40]
)
def test_that_whole_numbers_are_read_as_h5py_wrote_them(settings, values, tmp_path):
    array = hdf5_array(written(tmp_path / "a.h5", values, **settings), "x")
    assert (array.shape, array.dtype) == (values.shape, values.dtype)
    assert np.array_equal(array.read(), values)
    rows = [7, 0, 0, 10, 3]
    assert np.array_equal(array.rows(rows), values[rows])


def test_that_many_chunks_and_many_arrays_are_found(tmp_path):
    values = np.arange(3_000, dtype=np.int64).reshape(1_000, 3)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for number in range(200):
            file.create_dataset(f"array{number}", data=values[number])
        file.create_dataset("x", data=values, chunks=(1, 3))
    assert np.array_equal(hdf5_array(tmp_path / "a.h5", "x").read(), values)
    assert np.array_equal(hdf5_array(tmp_path / "a.h5", "array137").read(), values[137])


def _external_link(path, secret):
    with h5py.File(path, "w") as file:
        file["x"] = h5py.ExternalLink(str(secret), "x")


def _soft_link(path, secret):
    del secret
    with h5py.File(path, "w") as file:
        file["y"] = VALUES
        file["x"] = h5py.SoftLink("/y")


def _external_storage(path, secret):
    with h5py.File(path, "w") as file:
        stored = [(str(secret), 0, VALUES.nbytes)]
        file.create_dataset("x", VALUES.shape, np.uint8, external=stored)


def _virtual(path, secret):
    layout = h5py.VirtualLayout(VALUES.shape, np.uint8)
    layout[:] = h5py.VirtualSource(str(secret), "x", VALUES.shape)
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("x", layout)


def _checksums(path, secret):
    del secret
    written(path, chunks=(4, 6, 5, 3), fletcher32=True)


def _other_packing(path, secret):
    del secret
    written(path, chunks=(4, 6, 5, 3), compression="lzf")


def _texts(path, secret):
    del secret
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=["/etc/passwd"] * 4)


def _objects(path, secret):
    del secret
    with h5py.File(path, "w") as file:
        file.create_group("x")


def _unwritten(path, secret):
    del secret
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (10, 3), np.uint8, chunks=(2, 3))[:4] = 1


def _latest(path, secret):
    del secret
    with h5py.File(path, "w", libver="latest") as file:
        file["x"] = VALUES


def _missing(path, secret):
    del secret
    with h5py.File(path, "w") as file:
        file["y"] = VALUES


REFUSED = (
    *(_external_link, _soft_link, _external_storage, _virtual, _checksums, _other_packing),
    *(_texts, _objects, _unwritten, _latest, _missing),
)


@pytest.mark.parametrize("write", REFUSED, ids=lambda write: write.__name__)
def test_that_what_leads_elsewhere_or_is_no_plain_array_is_refused(write, tmp_path):
    secret = written(tmp_path / "secret.h5")
    write(tmp_path / "a.h5", secret)
    with pytest.raises(ValueError, match=r"which is not|no |never|are not|not read"):
        hdf5_array(tmp_path / "a.h5", "x")


def test_that_damaged_files_are_refused_wherever_they_are_damaged(tmp_path):
    content = written(tmp_path / "a.h5", chunks=(4, 6, 5, 3), compression="gzip").read_bytes()
    random = np.random.default_rng(1)
    for number in range(300):
        damaged = bytearray(content)
        if number % 3:
            for at in random.integers(0, len(content), 1 + number % 8):
                damaged[at] = random.integers(256)
        else:
            del damaged[random.integers(len(content)) :]
        (tmp_path / "b.h5").write_bytes(damaged)
        try:
            values = hdf5_array(tmp_path / "b.h5", "x").read()
        except (BadArrayError, DiagnosticError):
            continue
        assert values.dtype.kind in "iu"

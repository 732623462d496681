"""Arrays in files, found by name: NumPy's npy and npz, idx, safetensors and PyTorch's pt.

Headers are read first; the values of an array when they are asked for. No file is unpickled.
"""

import gzip
import re
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, cast

import numpy as np
import torch
from torch import Tensor

from engine.archive.safetensors_file import DamagedFileError, SafetensorsFile
from engine.archive.tensor_archive import read_archive
from engine.data.read.idx import ENDINGS, idx_header
from engine.data.read.npy import npy_header, npz_arrays
from engine.data.read.stored import (
    BadArrayError,
    StoredArray,
    read_exactly,
    require_sane_size,
)
from engine.data.read.stream import unreadable
from engine.diagnostics import DiagnosticError
from engine.files import NoFileError, is_folder, open_file, require_memory

SUFFIXES = (".npy", ".npz", ".safetensors", ".pt", ".pth")
"""What files of arrays are called; those of the idx format have any name."""

_MOST_FILES = 1_000
_DAMAGE = (
    DamagedFileError,
    zipfile.BadZipFile,
    NotImplementedError,  # a version of zip
    EOFError,
    gzip.BadGzipFile,
    zlib.error,
)
_OF_ARCHIVES = {"K001": "D144", "K003": "D142", "K004": "D144", "K005": "D143"}
"""What is wrong with a file of PyTorch, as it is told of the other formats."""

_GZIP, _NPY, _ZIP = b"\x1f\x8b", b"\x93NUMPY", b"PK"
_MNIST = re.compile(r"(train|t10k)-(images|labels)([-.]idx[13]-ubyte|\.idx)(\.gz)?")
_MNIST_NAMES = {
    ("train", "images"): "x_train",
    ("train", "labels"): "y_train",
    ("t10k", "images"): "x_test",
    ("t10k", "labels"): "y_test",
}


def find_arrays(path: Path) -> dict[str, StoredArray]:
    """Return the arrays of a file, or of all npy and idx files of a folder, by name; MNIST's own
    four files are called ``x_train``, ``y_train``, ``x_test`` and ``y_test``.

    Raises :class:`DiagnosticError`: D141 where there is no such file, D142 for damage or a header
    that claims what is not there, D143 for Python objects, D144 for another format, D148 for more
    than memory holds, P0xx, D021 and D055 where the system does not let it be read.
    """
    if not is_folder(path):
        return _arrays_of(path)
    try:
        files = [each for each in path.iterdir() if _is_array_file(each)]
    except OSError as error:
        raise unreadable(path, error) from error
    if not files or len(files) > _MOST_FILES:
        raise DiagnosticError.of("D144", field="data.source.path", file=path.name)
    arrays: dict[str, StoredArray] = {}
    files.sort(key=lambda each: (each.name.partition(".")[0], each.name))  # some, some-labels
    for file in files:
        matched = _MNIST.fullmatch(file.name)
        name = (
            _MNIST_NAMES[matched[1], matched[2]]
            if matched
            else Path(file.name.removesuffix(".gz")).stem
        )
        arrays[name] = next(iter(_arrays_of(file).values()))
    return arrays


def _is_array_file(path: Path) -> bool:
    is_named = path.suffix == ".npy" or path.name.lower().endswith(ENDINGS)
    return is_named or bool(_MNIST.fullmatch(path.name))


def _arrays_of(path: Path) -> dict[str, StoredArray]:
    name = path.name
    try:
        with open_file(path) as stream:
            return _recognized(path, stream)
    except BadArrayError as error:
        raise DiagnosticError.of(
            error.code, detail=str(error), field="data.source.path", file=name
        ) from error
    except (FileNotFoundError, NoFileError) as error:
        raise DiagnosticError.of("D141", field="data.source.path", file=str(path)) from error
    except _DAMAGE as error:
        raise DiagnosticError.of(
            "D142", detail=str(error), field="data.source.path", file=name
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error


def _recognized(path: Path, stream: IO[bytes]) -> dict[str, StoredArray]:
    start = stream.read(8)
    stream.seek(0)
    if path.suffix == ".safetensors":
        shapes = SafetensorsFile(stream).shapes()
        return {name: _safetensor(path, name, one) for name, one in shapes.items()}
    if path.suffix in (".pt", ".pth"):
        return _tensors_of(path)
    if start.startswith(_NPY):
        return {path.stem: npy_header(path, stream)}
    if start.startswith(_ZIP):
        return npz_arrays(path, stream)
    if start.startswith(_GZIP):
        return {Path(path.stem).stem: _packed_idx(path, stream)}
    if start[:2] == b"\0\0":
        shape, dtype = idx_header(stream)
        array = StoredArray(path=path, shape=shape, dtype=dtype, offset=stream.tell())
        array.require_bytes(stream)
        return {path.stem: array}
    raise BadArrayError("D144", "unknown content")


def _packed_idx(path: Path, stream: IO[bytes]) -> StoredArray:
    size = path.stat().st_size
    with gzip.GzipFile(fileobj=stream) as unpacked:
        if unpacked.read(2) != b"\0\0":
            raise BadArrayError("D144", "no idx file inside")
        unpacked.seek(0)
        shape, dtype = idx_header(unpacked)
    array = StoredArray(
        path=path, shape=shape, dtype=dtype, unpack=partial(_unpacked_idx, path, shape, dtype)
    )
    require_sane_size(array.nbytes, size)
    return array


def _unpacked_idx(path: Path, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    with open_file(path) as stream, gzip.GzipFile(fileobj=stream) as unpacked:
        idx_header(unpacked)
        values = read_exactly(cast("IO[bytes]", unpacked), shape, dtype, path)
        if unpacked.read(1):
            raise BadArrayError("D142", "more bytes than the header says")
        return values


def _safetensor(path: Path, name: str, shape_of: Tensor) -> StoredArray:
    dtype = _numpy_dtype(shape_of.dtype)
    return StoredArray(
        path=path,
        shape=tuple(shape_of.shape),
        dtype=dtype,
        unpack=partial(_loaded_safetensor, path, name),
    )


def _loaded_safetensor(path: Path, name: str) -> np.ndarray:
    with open_file(path) as stream:
        return _as_array(SafetensorsFile(stream).tensors()[name])


def _tensors_of(path: Path) -> dict[str, StoredArray]:
    """Return the tensors that a file of PyTorch holds: one, some in a row, or some by name."""
    try:
        content = read_archive(path)
    except DiagnosticError as error:
        problem = error.problems[0]
        if problem.code not in _OF_ARCHIVES:
            raise
        raise BadArrayError(_OF_ARCHIVES[problem.code], problem.detail) from error
    match content:
        case Tensor():
            named: dict[str, object] = {"data": content}
        case dict():
            named = {
                str(key): value for key, value in cast("dict[object, object]", content).items()
            }
        case list() | tuple():
            values = cast("list[object]", list(content))
            names = ("x", "y") if len(values) == 2 else map(str, range(len(values)))
            named = dict(zip(names, values, strict=False))
        case _:
            named = {}
    tensors = {name: value for name, value in named.items() if isinstance(value, Tensor)}
    if not tensors:
        raise BadArrayError("D144", "no tensors inside")
    return {name: _kept(path, tensor) for name, tensor in tensors.items()}


def _kept(path: Path, tensor: Tensor) -> StoredArray:
    if tensor.layout is not torch.strided or tensor.is_quantized:
        raise BadArrayError("D142", "a sparse or quantized tensor")
    require_memory(tensor.numel() * tensor.element_size())  # a view may claim more than there is
    values = _as_array(tensor)
    unpack: Callable[[], np.ndarray] = partial(_itself, values)
    return StoredArray(path=path, shape=values.shape, dtype=values.dtype, unpack=unpack)


def _itself(values: np.ndarray) -> np.ndarray:
    return values


def _numpy_dtype(dtype: torch.dtype) -> np.dtype:
    return _as_array(torch.empty(0, dtype=dtype)).dtype


def _as_array(tensor: Tensor) -> np.ndarray:
    if tensor.dtype.is_floating_point and tensor.dtype not in (torch.float32, torch.float64):
        tensor = tensor.to(torch.float32)  # NumPy has no bfloat16
    return np.ascontiguousarray(tensor.detach().numpy())

"""Files of ``torch.export.save`` (.pt2), read as data: the graph is JSON, the weights are bytes.

``torch.export.load`` would unpickle what is in the file and hand texts to sympy, both of which run
code; nothing here does. Nothing is unpacked to the disk either.
"""

import errno
import json
import struct
import zipfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import NoFileError, describe_os_error, open_file

MAXIMUM_NODES = 50_000
_MAXIMUM_JSON = 96 << 20  # one of 10,000 operations has 17 MB; read, it takes more
_MEMBERS = 100_000
_NAMES_OF_A_BYTE = 8
"""How often the weights may use the bytes of the file: a weight may have several names."""

_NAMES_OF_A_WEIGHT = 1000
_TOO_MANY_NAMES = "its weights use the same bytes again and again"

DTYPES = {
    1: torch.uint8,
    2: torch.int8,
    3: torch.int16,
    4: torch.int32,
    5: torch.int64,
    6: torch.float16,
    7: torch.float32,
    8: torch.float64,
    12: torch.bool,
    13: torch.bfloat16,
}
"""The types of elements by the number that the format gives them."""


class Exported(NamedTuple):
    """What a file holds: the program as it stands in it, and the tensors by name.

    ``weights`` are parameters and buffers, with those that are parameters in ``parameters``;
    ``constants`` are tensors that are none of both. ``tied`` are the names of a weight that has
    several, by each of them.
    """

    name: str
    program: Mapping[str, Any]
    weights: dict[str, Tensor]
    parameters: frozenset[str]
    constants: dict[str, Tensor]
    tied: dict[str, tuple[str, ...]]


def read_exported(path: Path) -> Exported:
    """Return what stands in a file. Raises :class:`DiagnosticError`: I030 for any other file, I031
    when it is damaged, I032 when it holds pickled objects, I057 when its program is too long, P0xx
    when it cannot be read.
    """
    try:
        with open_file(path) as stream, zipfile.ZipFile(stream) as archive:
            return _Archive(archive, path).exported()
    except (zipfile.BadZipFile, NotImplementedError, NoFileError, IsADirectoryError) as error:
        raise refused("I030", path, str(error)) from error
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise refused("I030", path, str(error)) from error  # a place before the beginning
        raise DiagnosticError(describe_os_error(error, path, "read")) from error
    except _DAMAGES as error:
        raise refused("I031", path, f"{type(error).__name__}: {error}") from error


_DAMAGES = (
    *(KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError),
    *(RuntimeError, MemoryError, EOFError, struct.error),
)
"""What is raised by what is no such file after all: also encrypted, nested too deep, or endless."""


def refused(code: str, path: Path, detail: str = "", **params: str) -> DiagnosticError:
    """Return why a file is not imported."""
    named: dict[str, str | int | float] = {"file": path.name, **params}
    return DiagnosticError(Diagnostic(code=code, params=named, detail=detail))


class _Archive:
    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        self._archive = archive
        self._path = path
        self._members = archive.infolist()
        self._names = {member.filename.partition("/")[2]: member for member in self._members}
        self._room = _NAMES_OF_A_BYTE * path.stat().st_size

    def exported(self) -> Exported:
        """Return what the archive holds."""
        self._require_plain()
        models = [name for name in self._names if name.startswith("models/")]
        if len(models) != 1 or not models[0].endswith(".json"):
            raise refused("I030", self._path)
        model = models[0].removeprefix("models/").removesuffix(".json")
        program: Mapping[str, Any] = self._json(models[0])
        if len(program["graph_module"]["graph"]["nodes"]) > MAXIMUM_NODES:
            raise refused("I057", self._path, limit=f"{MAXIMUM_NODES:,}")
        listed = f"data/weights/{model}_weights_config.json"
        parameters, weights = self._tensors(listed)
        _, constants = self._tensors(f"data/constants/{model}_constants_config.json")
        tied = self._tied(listed)
        return Exported(self._path.stem, program, weights, parameters, constants, tied)

    def _tied(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the names of parameters that are one tensor of the file, by each of them."""
        if name not in self._names:
            return {}
        groups: dict[str, list[str]] = {}
        for key, entry in self._json(name)["config"].items():
            if entry["is_param"]:
                storage = json.dumps([entry["path_name"], entry["tensor_meta"]], sort_keys=True)
                groups.setdefault(storage, []).append(key)
        several = [tuple(names) for names in groups.values() if len(names) > 1]
        if any(len(names) > _NAMES_OF_A_WEIGHT for names in several):
            raise refused("I031", self._path, _TOO_MANY_NAMES)
        return {name: names for names in several for name in names}

    def _require_plain(self) -> None:
        """Refuse what could be larger than the file: all is stored as it is, each byte once."""
        size = self._path.stat().st_size
        is_stored = all(member.compress_type == zipfile.ZIP_STORED for member in self._members)
        if not is_stored or sum(member.file_size for member in self._members) > size:
            raise refused("I031", self._path, "its parts are larger than the file")
        if len(self._members) > _MEMBERS or len(self._names) != len(self._members):
            raise refused("I031", self._path, "names occur twice, or there are too many")

    def _json(self, name: str) -> Any:
        if self._names[name].file_size > _MAXIMUM_JSON:
            raise refused("I031", self._path, f"{name} is too large")
        return json.loads(self._archive.read(self._names[name]))

    def _tensors(self, name: str) -> tuple[frozenset[str], dict[str, Tensor]]:
        """Return the tensors that a list names, and which of them are parameters."""
        if name not in self._names:
            return frozenset(), {}
        listed: dict[str, Any] = self._json(name)["config"]
        folder = name.rpartition("/")[0]
        tensors: dict[str, Tensor] = {}
        for key, entry in listed.items():
            if entry["use_pickle"] or entry["tensor_meta"] is None:
                raise refused("I032", self._path, key, name=key)
            content = self._archive.read(self._names[f"{folder}/{entry['path_name']}"])
            tensors[key] = _tensor(content, entry["tensor_meta"])
            self._room -= len(content)
            if self._room < 0:
                raise refused("I031", self._path, _TOO_MANY_NAMES)
        return frozenset(key for key, entry in listed.items() if entry["is_param"]), tensors


def _tensor(content: bytes, meta: Mapping[str, Any]) -> Tensor:
    """Return the tensor that bytes are. Raises :class:`ValueError` where they are too few."""
    dtype = DTYPES[meta["dtype"]]
    sizes = plain_sizes(meta["sizes"])
    strides = plain_sizes(meta["strides"])
    offset = plain_sizes([meta["storage_offset"]])[0]
    if min((*sizes, *strides, offset), default=0) < 0 or len(sizes) != len(strides):
        raise ValueError(sizes)
    if prod(sizes) == 0:
        return torch.empty(sizes, dtype=dtype)
    last = offset + sum((size - 1) * step for size, step in zip(sizes, strides, strict=True))
    count = len(content) // dtype.itemsize
    if last >= count or prod(sizes) > count:
        raise ValueError(sizes)
    flat = torch.frombuffer(bytearray(content), dtype=dtype, count=count)
    return flat.as_strided(sizes, strides, offset).clone()


def plain_sizes(sizes: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return sizes that are numbers. Raises :class:`KeyError` where one is an expression."""
    return [int(size["as_int"]) for size in sizes]

"""Weights that came from somewhere: recognised by content, checked before and after loading.

No code in a file is ever run. Whatever is wrong comes out as :class:`DiagnosticError`: K0xx for zip
files of PyTorch, X02x for all else.
"""

import struct
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.archive.weights import read_safetensors, read_shapes, unreadable
from engine.diagnostics import Diagnostic, DiagnosticError, shortened
from engine.export.optimizer_state import optimizer_groups
from engine.export.report import (
    CheckpointComparison,
    CheckpointContents,
    Mismatch,
    TensorEntry,
)
from engine.files import NoFileError, open_file
from engine.train.checkpoint.file import load_content

_HEADER_LIMIT = 100 << 20  # of the safetensors format
_LENGTH = struct.Struct("<Q")  # of its header, with which it begins
_ZIP = (b"PK\3\4", b"PK\5\6")
_MODEL_KEYS = ("model", "state_dict", "model_state_dict", "weights")
_PREFIXES = ("module.", "_orig_mod.")  # of DataParallel and of torch.compile
_SHOWN = 5

# That it takes time is no news. Set once: filters belong to the whole process, and putting them
# back after a file would undo what another thread does at that moment.
warnings.filterwarnings("ignore", "Validating sparse tensor invariants", UserWarning)


def read_content(file: Path) -> tuple[str, dict[str, object]]:
    """Return what a file was recognised as and all that it holds.

    The kinds are those of :class:`CheckpointContents`. Raises :class:`DiagnosticError`.
    """
    return _read(file, read_safetensors)


def _read(
    file: Path, read: Callable[[Path], Mapping[str, Tensor]]
) -> tuple[str, dict[str, object]]:
    """Do what :func:`read_content` does; safetensors are ``read`` as told."""
    kind = _recognised(file)
    if kind == "safetensors":
        return kind, dict(read(file))
    content = load_content(file)
    is_plain = all(isinstance(value, Tensor) for value in content.values())
    return ("state-dict" if is_plain else "checkpoint"), content


def read_weights(file: Path) -> tuple[str, dict[str, Tensor], str]:
    """Return kind, weights by name, and the prefix that was taken off all names.

    Raises :class:`DiagnosticError`: X024 when the file holds no weights of a model.
    """
    kind, content = read_content(file)
    weights = _weights_in(content)
    if weights is None:
        raise _refused("X024", file)
    prefix = next((p for p in _PREFIXES if weights and all(n.startswith(p) for n in weights)), "")
    return kind, {name.removeprefix(prefix): value for name, value in weights.items()}, prefix


def contents(file: Path) -> CheckpointContents:
    """Return names, shapes, dtypes and sizes of what a file holds. Raises ``DiagnosticError``."""
    kind, content = _read(file, read_shapes)
    weights = _weights_in(content) or {}
    prefix = next((p for p in _PREFIXES if weights and all(n.startswith(p) for n in weights)), "")
    entries = tuple(_entry(name.removeprefix(prefix), value) for name, value in weights.items())
    parts = {} if kind != "checkpoint" else content
    return CheckpointContents(
        file=file.name,
        kind=kind,
        size_bytes=file.stat().st_size,
        tensors=entries,
        elements=sum(value.numel() for value in weights.values()),
        sections={name: size for name, value in parts.items() if (size := _tensor_bytes(value))},
        values=_plain_values(parts),
        prefix=prefix,
        optimizers=optimizer_groups(parts),
    )


def compare(file: Path, module: nn.Module) -> CheckpointComparison:
    """Return which weights of a file fit a model. Raises :class:`DiagnosticError`."""
    _, weights, prefix = read_weights(file)
    return compare_weights(weights, module, file.name, prefix)


def compare_weights(
    weights: dict[str, Tensor], module: nn.Module, file: str, prefix: str = ""
) -> CheckpointComparison:
    """Return which weights fit a model, in the order of the model. The model is not touched."""
    expected = module.state_dict()
    both = [name for name in expected if name in weights]
    mismatched = tuple(
        Mismatch(
            name=name,
            expected_shape=tuple(expected[name].shape),
            expected_dtype=_dtype(expected[name]),
            found_shape=tuple(weights[name].shape),
            found_dtype=_dtype(weights[name]),
        )
        for name in both
        if not _is_alike(expected[name], weights[name])
    )
    different = {item.name for item in mismatched}
    matched = tuple(_entry(name, weights[name]) for name in both if name not in different)
    missing = tuple(name for name in expected if name not in weights)
    unexpected = tuple(name for name in weights if name not in expected)
    return CheckpointComparison(
        file=file,
        matching=len(matched),
        matched=matched,
        missing=missing,
        unexpected=unexpected,
        mismatched=mismatched,
        prefix=prefix,
        problems=_problems(file, missing, unexpected, mismatched),
    )


def apply_weights(weights: dict[str, Tensor], module: nn.Module) -> None:
    """Copy weights that were found to fit into a model, all or nothing."""
    module.load_state_dict(weights, strict=True)


def _recognised(file: Path) -> str:
    """Return ``zip`` or ``safetensors``; raise for all that is neither, without loading it."""
    try:
        size = file.stat().st_size
        with open_file(file) as stream:
            head = stream.read(64)
    except (NoFileError, IsADirectoryError) as error:
        raise _refused("X020", file) from error
    except OSError as error:
        raise DiagnosticError(unreadable(error, file)) from error
    if not head:
        raise _refused("X021", file)
    if head.startswith(_ZIP):
        return "zip"
    has_header = len(head) > _LENGTH.size and head[_LENGTH.size] == ord("{")
    length = _LENGTH.unpack_from(head)[0] if has_header else 0
    if has_header and length <= min(_HEADER_LIMIT, size - _LENGTH.size):
        return "safetensors"  # also of a length that begins as a pickle does
    if head.startswith(b"\x80"):
        raise _refused("X022", file)
    raise _refused("X023" if has_header else "X020", file)


def _weights_in(content: dict[str, object]) -> dict[str, Tensor] | None:
    """Return the model's part of a checkpoint, or the whole of a plain state dictionary."""
    candidates = [content.get(key) for key in _MODEL_KEYS]
    for candidate in (*candidates, content):
        if isinstance(candidate, dict) and candidate:
            named = {
                name: value
                for name, value in candidate.items()
                if isinstance(name, str) and isinstance(value, Tensor)
            }
            if len(named) == len(candidate):
                return named
    return None


def _entry(name: str, value: Tensor) -> TensorEntry:
    return TensorEntry(
        name=name, shape=tuple(value.shape), dtype=_dtype(value), size_bytes=_size_bytes(value)
    )


def _is_alike(expected: Tensor, found: Tensor) -> bool:
    return (
        expected.shape == found.shape
        and expected.dtype == found.dtype
        and found.layout == torch.strided
        and not found.is_quantized
    )


def _problems(
    file: str,
    missing: tuple[str, ...],
    unexpected: tuple[str, ...],
    mismatched: tuple[Mismatch, ...],
) -> tuple[Diagnostic, ...]:
    found: list[Diagnostic] = []
    for code, names in (("X030", missing), ("X031", unexpected)):
        if names:
            params: dict[str, str | int | float] = {
                "file": file,
                "count": len(names),
                "names": shortened(names, _SHOWN),
            }
            found.append(Diagnostic(code=code, params=params))
    for item in mismatched[:_SHOWN]:
        params = {
            "file": file,
            "name": item.name,
            "expected": f"{_shape(item.expected_shape)} {item.expected_dtype}",
            "found": f"{_shape(item.found_shape)} {item.found_dtype}",
        }
        found.append(Diagnostic(code="X032", params=params))
    return tuple(found)


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "1"


def _dtype(value: Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")


def _size_bytes(value: Tensor) -> int:
    return value.numel() * value.element_size()  # sparse ones: as if they were dense


def _tensor_bytes(value: object) -> int:
    total = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Tensor):
            total += _size_bytes(item)
        elif isinstance(item, dict):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return total


def _plain_values(parts: dict[str, object]) -> dict[str, str]:
    """Return numbers and words, those of nested dictionaries by dotted names; no documents."""
    found: dict[str, str] = {}
    for name, value in parts.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        for key, item in inner:
            is_plain = isinstance(item, bool | int | float) or (
                isinstance(item, str) and len(item) <= 100
            )
            if is_plain:
                found[f"{name}.{key}" if key != "" else name] = str(item)
    return found


def _refused(code: str, file: Path, detail: str = "") -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=code, params={"file": str(file)}, detail=detail))

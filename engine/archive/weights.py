"""Weights in safetensors files, and initialization of a model from them.

Such a file cannot contain code, so one of a stranger is read in this process: the format is a JSON
header, which is bounded, and bytes, whose offsets are checked before any is read.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn, uint8

from engine.archive.safetensors_file import DamagedFileError, SafetensorsFile
from engine.diagnostics import Diagnostic, DiagnosticError, Severity, shortened
from engine.files import atomic_write, describe_os_error, open_file
from engine.spec.weight_name import NOTHING, with_current_names

KEY = "sha256"
"""The key of the checksum in the metadata of a file."""

PRODUCER = "Trellis"
"""The name of the program in the metadata; a file of ours without a checksum is damaged."""

_SHOWN = 5


def write_weights(
    weights: Mapping[str, Tensor], file: Path, about: Mapping[str, str] = NOTHING
) -> None:
    """Write weights with a checksum, whole or not at all; ``about`` goes into the metadata. Raises
    :class:`DiagnosticError`.
    """
    from safetensors.torch import save

    plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in weights.items()}
    metadata = {**about, "format": "pt", "producer": PRODUCER}
    metadata[KEY] = digest(plain, metadata)
    atomic_write(file, save(plain, metadata))


def read_safetensors(file: Path) -> dict[str, Tensor]:
    """Return the weights of a file by name.

    Raises :class:`DiagnosticError`: X023 for a damaged file, X025 for one that cannot be read, P0xx
    where the system does not let it be read, or has not the memory.
    """
    return _read(file, is_whole=True)


def read_shapes(file: Path) -> dict[str, Tensor]:
    """Return the weights of a file as :func:`read_safetensors` does, but of a file that has no
    checksum only their shapes and dtypes: it may be larger than the memory.
    """
    return _read(file, is_whole=False)


def read_metadata(file: Path) -> Mapping[str, str]:
    """Return the metadata of a file, without a look at its tensors. Raises as
    :func:`read_safetensors`.
    """
    try:
        with open_file(file) as stream:
            return SafetensorsFile(stream).metadata
    except DamagedFileError as error:
        raise _damaged(file, str(error)) from error
    except OSError as error:
        raise DiagnosticError(unreadable(error, file)) from error


def _read(file: Path, *, is_whole: bool) -> dict[str, Tensor]:
    try:
        with open_file(file) as stream:
            opened = SafetensorsFile(stream)
            metadata = opened.metadata
            is_ours = KEY in metadata or metadata.get("producer") == PRODUCER
            weights = opened.tensors() if is_whole or is_ours else opened.shapes()
    except (DamagedFileError, RuntimeError) as error:
        raise _damaged(file, str(error)) from error
    except OSError as error:
        raise DiagnosticError(unreadable(error, file)) from error
    if is_ours and metadata.get(KEY) != digest(weights, metadata):
        raise _damaged(file, "checksum")
    return weights


def unreadable(error: OSError, file: Path) -> Diagnostic:
    """Return why a file of weights cannot be read."""
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
        params: dict[str, str | int | float] = {"file": str(file)}
        return Diagnostic(code="X025", params=params, detail=str(error))
    return describe_os_error(error, file, "read")


def start_from(
    model: nn.Module, file: Path, renamed: Mapping[str, str] = NOTHING
) -> Diagnostic | None:
    """Copy the weights of a file into a model where name, shape and dtype are the same; a module
    that was ``renamed`` takes those of its old name.

    Returns what was kept, dropped and new where not all fit, else None. Raises
    :class:`DiagnosticError`: R141 when none fits, else what is wrong with the file.
    """
    return copy_fitting(model, with_current_names(read_safetensors(file), renamed), file.name)


def copy_fitting(model: nn.Module, weights: Mapping[str, Tensor], source: str) -> Diagnostic | None:
    """Copy weights into a model where name, shape and dtype are the same; ``source`` is their
    name in the report. As :func:`start_from`.
    """
    expected = model.state_dict()
    kept = {
        name: tensor
        for name, tensor in weights.items()
        if name in expected
        and tensor.shape == expected[name].shape
        and _holds(expected[name].dtype, tensor.dtype)
    }
    dropped = [name for name in weights if name not in kept]
    new = [name for name in expected if name not in kept]
    params: dict[str, str | int | float] = {
        "file": source,
        "kept": len(kept),
        "dropped": _listed(dropped),
        "new": _listed(new),
    }
    if not kept:
        raise DiagnosticError(Diagnostic(code="R141", field="weights", params=params))
    model.load_state_dict(kept, strict=False)
    if not dropped and not new:
        return None
    return Diagnostic(code="R142", severity=Severity.WARNING, field="weights", params=params)


def _holds(expected: torch.dtype, actual: torch.dtype) -> bool:
    """Return whether a model in ``wanted`` holds such numbers as they are: float64 also float32."""
    return actual == expected or (actual, expected) == (torch.float32, torch.float64)


def _listed(names: list[str]) -> str:
    return shortened(names, _SHOWN) or "-"


def _damaged(file: Path, detail: str) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code="X023", params={"file": str(file)}, detail=detail))


def digest(weights: Mapping[str, Tensor], metadata: Mapping[str, str]) -> str:
    """Return the sha256, in hex, of all names, types, shapes and bytes, and of the metadata.

    Tensors are on the CPU; the order of the names plays no part, nor does a checksum in the
    metadata.
    """
    hasher = hashlib.sha256()
    for key in sorted(metadata.keys() - {KEY}):
        hasher.update(f"{key}={metadata[key]}\n".encode())
    for name in sorted(weights):
        tensor = weights[name].detach().contiguous()
        hasher.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        hasher.update(tensor.reshape(-1).view(uint8).numpy().data)
    return hasher.hexdigest()

"""Initialization of parameters from tensors in files of the project; no code in them is run."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from engine.archive.weights import read_safetensors, unreadable
from engine.catalog.spec import WeightSpec
from engine.diagnostics import DiagnosticError
from engine.files import confined, open_file
from engine.graph.model import Graph, Initial
from engine.graph.node_state.bypass import active
from engine.graph.node_state.initialization import FILE, initials_in_model, is_meant
from engine.train.checkpoint.file import load_weights


def start_from_files(model: nn.Module, graph: Graph, project: Path) -> None:
    """Fill the parameters of a new model for which the graph names a file.

    Raises :class:`DiagnosticError`: R143 for a tensor that is not in its file, R144 for one of
    another shape, else what is wrong with the file.
    """
    read: dict[str, dict[str, Tensor]] = {}
    modules = dict(model.named_modules())
    for name, weight, initial in initials_in_model(active(graph)):
        if initial.type != FILE or name not in modules:  # nodes without a way to an output
            continue
        file = str(initial.params.get("file", ""))
        if file not in read:
            read[file] = read_tensors(confined(project, file))
        value = _chosen(read[file], initial, name, weight)
        for local_name, parameter in modules[name].named_parameters():
            if is_meant(weight, local_name, parameter.dim()):
                _fill(parameter, value, f"{name}.{local_name}", file)


def read_tensors(file: Path) -> dict[str, Tensor]:
    """Return the tensors of a ``.npy``, ``.safetensors`` or PyTorch file by name; that of a NumPy
    file has none. Raises :class:`DiagnosticError`.
    """
    if not file.is_file():
        raise DiagnosticError(unreadable(FileNotFoundError(), file))
    if file.suffix != ".npy":
        return read_safetensors(file) if _is_safetensors(file) else load_weights(file)
    try:
        mapped = np.lib.format.open_memmap(file, mode="r")  # allocates no more than the file holds
        return {"": torch.from_numpy(np.array(mapped))}
    except OSError as error:
        raise DiagnosticError(unreadable(error, file)) from error
    except (ValueError, TypeError, EOFError) as error:
        raise DiagnosticError.of("X023", detail=str(error), file=str(file)) from error


def _is_safetensors(file: Path) -> bool:
    """Return whether a file is no archive of PyTorch, by what it begins with."""
    try:
        with open_file(file) as stream:
            head = stream.read(9)
    except OSError as error:
        raise DiagnosticError(unreadable(error, file)) from error
    return file.suffix == ".safetensors" or (head[8:9] == b"{" and not head.startswith(b"PK\3\4"))


def _chosen(tensors: dict[str, Tensor], initial: Initial, name: str, weight: WeightSpec) -> Tensor:
    wanted = str(initial.params.get("tensor", ""))
    if wanted in tensors:
        return tensors[wanted]
    if not wanted and len(tensors) == 1:
        return next(iter(tensors.values()))
    raise DiagnosticError.of(
        "R143",
        file=str(initial.params.get("file", "")),
        tensor=wanted or "-",
        weight=f"{name}.{weight.name}",
        found=", ".join(sorted(tensors)[:10]) or "-",
    )


def _fill(parameter: nn.Parameter, value: Tensor, name: str, file: str) -> None:
    if value.shape != parameter.shape:
        raise DiagnosticError.of(
            "R144", file=file, weight=name, shape=_shape(value), expected=_shape(parameter)
        )
    with torch.no_grad():
        parameter.copy_(value)


def _shape(tensor: Tensor) -> str:
    return "×".join(map(str, tensor.shape)) or "()"

"""Readers of tensors in files: weights, pairs of low-rank blocks, and arrays of HDF5."""

from functools import cache
from pathlib import Path
from typing import Any

from engine.diagnostics import DiagnosticError
from tests.fuzz.reader import Reader


def _safetensors_files(folder: Path) -> list[bytes]:
    import torch

    from engine.archive.weights import write_weights

    write_weights({"a": torch.rand(3, 4), "b": torch.zeros(2)}, folder / "w.safetensors")
    return [(folder / "w.safetensors").read_bytes()]


def _safetensors(path: Path) -> object:
    from engine.archive.weights import read_safetensors

    return read_safetensors(path)


@cache
def _adapted() -> tuple[Any, dict[str, Any]]:
    from engine.graph.edit.edits import apply
    from engine.graph.edit.lora import AddLora
    from engine.model.module import to_module
    from tests.tiny_run import iris_graph

    graph = apply(AddLora(places=("hidden",), rank=2), iris_graph())
    return graph, to_module(graph).state_dict()


def _adapter_files(folder: Path) -> list[bytes]:
    from engine.export.lora import write_adapter

    write_adapter(*_adapted(), folder / "a.safetensors")
    return [(folder / "a.safetensors").read_bytes()]


def _adapter(path: Path) -> object:
    from engine.export.lora import with_adapter

    return with_adapter(*_adapted(), path)


def _hdf5_files(folder: Path) -> list[bytes]:
    import h5py
    import numpy as np

    values = np.arange(90, dtype=np.uint8).reshape(10, 9)
    for name, settings in (
        ("plain", {}),
        ("chunked", {"chunks": (4, 3)}),
        ("packed", {"chunks": (3, 9), "compression": "gzip", "shuffle": True}),
    ):
        with h5py.File(folder / f"{name}.h5", "w") as file:
            file["y"] = values[:, 0]
            file.create_dataset("x", data=values, **settings)
    return [(folder / f"{name}.h5").read_bytes() for name in ("plain", "chunked", "packed")]


def _hdf5(path: Path) -> object:
    from engine.data.read.hdf5 import hdf5_array

    array = hdf5_array(path, "x")
    return array.read(), array.rows([0, max(array.samples - 1, 0)])


TENSOR_READERS = (
    Reader("safetensors", "weights.safetensors", _safetensors_files, _safetensors),
    Reader(
        "hdf5",
        "arrays.h5",
        _hdf5_files,
        _hdf5,
        expected=(DiagnosticError, ValueError, OSError),
    ),
    Reader("adapter", "adapter.safetensors", _adapter_files, _adapter),
)

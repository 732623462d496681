"""Readers of safetensors files: weights, and pairs of low-rank blocks."""

from functools import cache
from pathlib import Path
from typing import Any

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


TENSOR_READERS = (
    Reader("safetensors", "weights.safetensors", _safetensors_files, _safetensors),
    Reader("adapter", "adapter.safetensors", _adapter_files, _adapter),
)

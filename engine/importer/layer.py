"""Reconstruction of a layer from the one operation that it did."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from engine.importer.parameters import is_known_layer
from engine.importer.program import Name, Step

_HOME = "torch.nn.modules."
_COUNTING = "num_batches_tracked"


def layer_class(kind: str) -> type[nn.Module] | None:
    """Return the layer that the name of a class means, if it is one of the catalogue."""
    candidate: object = (
        getattr(nn, kind.rpartition(".")[2], None) if kind.startswith(_HOME) else None
    )
    if not isinstance(candidate, type) or not issubclass(candidate, nn.Module):
        return None
    return candidate if is_known_layer(candidate) else None


def principal(steps: Sequence[Step], held: Mapping[str, str]) -> Step | None:
    """Return the one operation of a layer, or nothing where it did several; counting batches does
    not count.
    """
    computing = [step for step in steps if not _is_counting(step, held)]
    return computing[0] if len(computing) == 1 and len(computing[0].outputs) == 1 else None


def _is_counting(step: Step, held: Mapping[str, str]) -> bool:
    first = step.args[0] if step.args else None
    name = held.get(first.name, "") if isinstance(first, Name) else ""
    return step.word == "add_" and name.endswith(_COUNTING)


def rebuilt(kind: type[nn.Module], step: Step, state: Mapping[str, Tensor]) -> nn.Module | None:
    """Return a layer that does an operation, with these weights, or nothing where it cannot be
    told how. ``state`` is by the names in the layer.
    """
    arguments = set(inspect.signature(kind).parameters)
    values = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in step.named.items()
        if name in arguments
    }
    for find in (_of_weights, _of_norm):
        values |= {
            name: value for name, value in find(kind, step, state).items() if name in arguments
        }
    if "bias" in arguments:
        values["bias"] = "bias" in state
    if any(isinstance(value, Name | Tensor) for value in values.values()):
        return None
    try:
        with torch.device("meta"):
            layer = kind(**values)
        if _sizes(layer.state_dict()) != _sizes(state):
            return None
        layer = layer.to_empty(device="cpu")
        layer.load_state_dict(dict(state))
    except Exception:  # noqa: BLE001  # PyTorch raises many kinds; then it is looked into instead
        return None
    return layer


def _sizes(state: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: value.shape for name, value in state.items()}


def _of_weights(kind: type, step: Step, state: Mapping[str, Tensor]) -> dict[str, Any]:
    weight = state.get("weight")
    if weight is None:
        return {}
    find = _SHAPED.get(kind.__name__.rstrip("123d"))
    return {} if find is None else find(weight, int(step.named.get("groups", 1)))


def _of_norm(kind: type, step: Step, state: Mapping[str, Tensor]) -> dict[str, Any]:
    """Return what norms are told: how many values, and which tensors they have."""
    del kind
    mean, weight = state.get("running_mean"), state.get("weight")
    size = mean if mean is not None else weight
    values: dict[str, Any] = {
        "affine": weight is not None,
        "elementwise_affine": weight is not None,
        "track_running_stats": mean is not None,
    }
    if size is not None and size.ndim == 1:
        values |= {"num_features": size.numel(), "num_channels": size.numel()}
    if "normalized_shape" in step.named:
        values["normalized_shape"] = list(step.named["normalized_shape"])
    return values


def _convolution(weight: Tensor, groups: int) -> dict[str, Any]:
    return {
        "out_channels": weight.shape[0],
        "in_channels": weight.shape[1] * groups,
        "kernel_size": tuple(weight.shape[2:]),
    }


def _transposed(weight: Tensor, groups: int) -> dict[str, Any]:
    return {
        "in_channels": weight.shape[0],
        "out_channels": weight.shape[1] * groups,
        "kernel_size": tuple(weight.shape[2:]),
    }


def _linear(weight: Tensor, groups: int) -> dict[str, Any]:
    del groups
    return {"out_features": weight.shape[0], "in_features": weight.shape[1]}


def _embedding(weight: Tensor, groups: int) -> dict[str, Any]:
    del groups
    return {"num_embeddings": weight.shape[0], "embedding_dim": weight.shape[1]}


def _slopes(weight: Tensor, groups: int) -> dict[str, Any]:
    del groups
    return {"num_parameters": weight.numel()}


_SHAPED: dict[str, Callable[[Tensor, int], dict[str, Any]]] = {
    "Conv": _convolution,
    "ConvTranspose": _transposed,
    "Linear": _linear,
    "Embedding": _embedding,
    "PReLU": _slopes,
}
"""What the shape of the weight says, by the name of the layer."""

"""Parts of a model on devices of their own (model parallelism): each takes what arrives to its
device and gives what it computed back to the device around it.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from engine.spec.placement import device_of


def place_parts(model: nn.Module, parts: Mapping[str, torch.device], device: torch.device) -> None:
    """Move modules to other devices than ``device``, on which the model is. ``parts`` are devices
    by prefixes of names or patterns; the modules inside a module move with it.
    """
    placed: dict[str, torch.device] = {}
    for name, module in list(model.named_modules())[1:]:
        above = next((placed[each] for each in _outer(name) if each in placed), device)
        wanted = device_of(name, parts)
        if wanted is None or wanted == above:
            continue
        placed[name] = wanted
        module.to(wanted)
        _connect(module, wanted, above)


def _outer(name: str) -> list[str]:
    """Return the names of the modules that a module is in, the nearest first."""
    words = name.split(".")
    return [".".join(words[:count]) for count in range(len(words) - 1, 0, -1)]


def _connect(module: nn.Module, own: torch.device, above: torch.device) -> None:
    """Copy what goes into a module and what comes out of it, in both directions of a step."""

    def move_inputs(
        module: nn.Module, inputs: tuple[object, ...], named: dict[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        del module
        return moved(inputs, own), moved(named, own)

    def move_outputs(module: nn.Module, inputs: tuple[object, ...], outputs: object) -> object:
        del module, inputs
        return moved(outputs, above)

    module.register_forward_pre_hook(move_inputs, with_kwargs=True)
    module.register_forward_hook(move_outputs)


def moved(value: Any, device: torch.device) -> Any:
    """Return a value whose tensors, in tuples, lists and dictionaries too, are on a device."""
    if isinstance(value, Tensor):
        # Nothing on the CPU waits for a GPU: what is copied there has to be there.
        return value.to(device, non_blocking=device.type != "cpu")
    if isinstance(value, PackedSequence):
        return value.to(device)  # pyright: ignore[reportArgumentType] - annotated as taking a dtype
    if isinstance(value, dict):
        return type(value)({name: moved(item, device) for name, item in value.items()})
    if isinstance(value, tuple | list):
        items = [moved(item, device) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value

"""Layers with weights of whole numbers, which are made real numbers when they compute.

What stands here is written into exported Python files as it is.
"""

from collections.abc import Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

Layer = nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d


def int8_forward(layer: Layer, given: Tensor) -> Tensor:
    """Return the output of a layer: its weights are whole numbers times the scale of each output
    channel. What it is given is rounded to 8 bits where a range of it is known.
    """
    tensors = dict(layer.named_buffers(recurse=False))
    if "input_scale" in tensors:
        given = torch.fake_quantize_per_tensor_affine(
            given, tensors["input_scale"], tensors["input_zero_point"], 0, 255
        )
    whole, scale = tensors["weight"], tensors["weight_scale"]
    weight = whole.to(scale.dtype) * scale.reshape(-1, *[1] * (whole.dim() - 1))
    weight, bias = weight.to(given.dtype), layer.bias
    bias = bias if bias is None else bias.to(given.dtype)
    if isinstance(layer, nn.Linear):
        return functional.linear(given, weight, bias)
    return layer._conv_forward(given, weight, bias)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - its padding, too


def with_int8(model: nn.Module, tensors: Mapping[str, Tensor]) -> nn.Module:
    """Return a model with the weights of an int8 file: those that are whole numbers stay so in
    memory.
    """
    ending = ".weight_scale"
    for name in [each.removesuffix(ending) for each in tensors if each.endswith(ending)]:
        layer = model.get_submodule(name)
        if not isinstance(layer, (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)):
            raise TypeError(name)
        del layer.weight
        for kind in ("weight", "weight_scale", "input_scale", "input_zero_point"):
            if f"{name}.{kind}" in tensors:
                layer.register_buffer(kind, torch.empty_like(tensors[f"{name}.{kind}"]))
        layer.forward = partial(int8_forward, layer)  # pyright: ignore[reportAttributeAccessIssue] - the name of what is given
    model.load_state_dict(dict(tensors))
    return model

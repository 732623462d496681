"""Shapes that batch norms, recurrent layers and concatenations give, known without asking PyTorch,
or without asking it for all of them.

Without memory behind the tensors PyTorch works them out in Python, for milliseconds each: in a
convolutional network longer than everything else together, in a recurrent one for each step of a
sequence.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

_AXES: dict[type[nn.Module], tuple[int, ...]] = {
    nn.BatchNorm1d: (2, 3),
    nn.BatchNorm2d: (4,),
    nn.BatchNorm3d: (5,),
}
_CAUSAL: dict[type[nn.Module], tuple[str, ...]] = {
    nn.Transformer: ("src_is_causal", "tgt_is_causal"),
    nn.TransformerEncoder: ("is_causal",),
    nn.TransformerDecoder: ("tgt_is_causal",),
}
_RECURRENT = (nn.RNN, nn.LSTM, nn.GRU)
_STEPS = 2  # with one alone the order of the axes in memory is not seen
_CONCATENATIONS = (torch.cat, torch.concat, torch.concatenate)


def normed(module: nn.Module, args: Sequence[Any]) -> Tensor | None:
    """Return what a batch norm in evaluation gives for a float32 tensor (N, C, …) on the meta
    device; nothing where PyTorch has to be asked, or has to say what is wrong.
    """
    axes = _AXES.get(type(module))
    if axes is None or module.training or len(args) != 1 or not isinstance(args[0], Tensor):
        return None
    x, mean = args[0], module.running_mean
    is_good = x.is_meta and x.dtype is torch.float32 and x.ndim in axes
    is_good = is_good and isinstance(mean, Tensor) and mean.dtype is torch.float32
    return torch.empty_like(x) if is_good and x.shape[1] == module.num_features else None


def stepped(
    module: nn.Module,
    args: Sequence[Any],
    keywords: Mapping[str, Any],
    call: Callable[..., Any] | None = None,
) -> Any:
    """Return what a recurrent layer gives for a long sequence on the meta device: that of two steps
    with as many as there are; nothing for any other call. ``call`` stands in for the layer.
    """
    x = args[0] if args else None
    if type(module) not in _RECURRENT or not isinstance(x, Tensor) or not x.is_meta:
        return None
    assert isinstance(module, nn.RNNBase)
    axis = int(module.batch_first and x.ndim == 3)
    if not 2 <= x.ndim <= 3 or x.shape[axis] <= _STEPS:
        return None
    short, last = (call or module)(x.narrow(axis, 0, _STEPS), *args[1:], **keywords)
    shape = [*short.shape]
    shape[axis] = x.shape[axis]
    return torch.empty_strided(shape, short.stride(), dtype=short.dtype, device="meta"), last


def hints(module: nn.Module) -> dict[str, bool]:
    """Return arguments that keep a transformer from looking whether the numbers of a mask, which
    has none on the meta device, are those of a causal one: its outputs are of the same shape.
    """
    return dict.fromkeys(_CAUSAL.get(type(module), ()), False)


def joined(
    function: object, args: Sequence[Any], keywords: dict[str, Any] | None = None
) -> Tensor | None:
    """Return what ``torch.cat`` gives for tensors of one dtype on the meta device, whose numbers
    lie one after the other; nothing for any other function, and where PyTorch has to be asked.
    """
    keywords = {} if keywords is None else keywords
    if function not in _CONCATENATIONS or not 1 <= len(args) <= 2 or not keywords.keys() <= {"dim"}:
        return None
    tensors, dim = args[0], args[1] if len(args) == 2 else keywords.get("dim", 0)
    if not isinstance(tensors, list | tuple) or not tensors or type(dim) is not int:
        return None
    first = tensors[0]
    if not isinstance(first, Tensor) or not -first.ndim <= dim < first.ndim:
        return None
    shape = list(first.shape)
    shape[dim] = 0
    for tensor in tensors:
        if not isinstance(tensor, Tensor) or not _is_plain(tensor, first):
            return None
        own = list(tensor.shape)
        length, own[dim] = own[dim], shape[dim]
        if own != shape:
            return None
        shape[dim] += length
    return torch.empty(shape, dtype=first.dtype, device="meta")


def _is_plain(tensor: Tensor, first: Tensor) -> bool:
    return tensor.is_meta and tensor.dtype is first.dtype and tensor.is_contiguous()

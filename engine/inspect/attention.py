"""Attention weights of a forward pass: of ``nn.MultiheadAttention``, of the function
``scaled_dot_product_attention``, and of a softmax over the tokens of a text.
"""

import inspect
import math
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from typing_extensions import override

from engine.graph.block import SEPARATOR
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import frame_origin

Take = Callable[[str, Tensor, bool | None], None]
"""Gets the place of weights (..., L, S), the weights, and whether a text attends to itself there;
None where that is not known.
"""
_ARGUMENTS = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
_READ = ("query", "key", "attn_mask", "is_causal", "scale", "enable_gqa")
_ROW = 2  # axes of what one step attends to, of one sample
_SOFTMAXES = (functional.softmax, torch.softmax, Tensor.softmax)


def weights_of_module(
    module: nn.MultiheadAttention, inputs: tuple[Any, ...], named: dict[str, Any]
) -> Tensor:
    """Return the weights (N, heads, L, S) of a layer for the arguments of its ``forward``, without
    dropout, which would draw random numbers.
    """
    was_training = module.training
    forward = module.forward  # called without the hooks
    module.training = False
    try:
        options = named | {"need_weights": True, "average_attn_weights": False}
        with torch.no_grad():
            weights = forward(*inputs[:3], **options)[1]
    finally:
        module.training = was_training
    assert weights is not None  # they were asked for
    return weights


def attention_weights(
    query: Tensor,
    key: Tensor,
    *,
    attn_mask: Tensor | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return the weights (..., L, S) of ``scaled_dot_product_attention`` without dropout; 0 in a
    row that sees nothing.
    """
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    if enable_gqa:
        key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
    scores = query @ key.transpose(-2, -1) * factor
    if is_causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(~seen, -torch.inf)
    elif attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -torch.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return scores.softmax(dim=-1).nan_to_num()


@contextmanager
def attention_taken(
    model: nn.Module, node_paths: NodePaths, lengths: Collection[int], take: Take
) -> Generator[None]:
    """Hand all attention weights that forward passes inside compute to ``take``, in their order.
    A softmax counts where both of its last axes are as long as a text, one of ``lengths``; where a
    decoder attends once for each token that it writes, those of all its steps are the rows.
    """
    functions = _Functions(model, node_paths, lengths, take)

    def hooked(name: str) -> Callable[..., None]:
        def note(module: Any, inputs: tuple[Any, ...], named: dict[str, Any], _: object) -> None:
            given = dict(zip(_ARGUMENTS, inputs, strict=False)) | named
            weights = weights_of_module(module, inputs, named)
            take(name, weights, given["query"] is given["key"])

        return note

    handles = [
        module.register_forward_hook(hooked(name), with_kwargs=True)
        for name, module in model.named_modules()
        if isinstance(module, nn.MultiheadAttention)
    ]
    try:
        with functions:
            yield
        functions.finish()
    finally:
        for handle in handles:
            handle.remove()


class _Functions(TorchFunctionMode):
    """Sees the functions that a model calls. What a function of PyTorch calls inside is not seen,
    so that a layer is not seen twice.
    """

    def __init__(
        self, model: nn.Module, node_paths: NodePaths, lengths: Collection[int], take: Take
    ) -> None:
        super().__init__()
        self._names = {id(part): name for name, part in model.named_modules()}
        self._file = type(model).forward.__code__.co_filename
        self._node_paths = node_paths
        self._lengths = lengths
        self._take = take
        self._steps: dict[str, list[Tensor]] = {}

    def finish(self) -> None:
        """Tell what was attended to step by step."""
        for name, steps in self._steps.items():
            self._take(name, torch.cat(steps)[None], False)  # noqa: FBT003

    @override
    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        named: dict[str, Any] = kwargs or {}
        result = func(*args, **named)
        if func is functional.scaled_dot_product_attention:
            given: dict[str, Any] = dict(zip(_ARGUMENTS, args, strict=False)) | named
            weights = attention_weights(**{key: given[key] for key in _READ if key in given})
            self._take(self._name(inspect.currentframe()), weights, None)
        elif func in _SOFTMAXES and self._is_over_tokens(result):
            name = self._name(inspect.currentframe())
            if result.ndim > _ROW:
                self._take(name, result, None)
            else:
                self._steps.setdefault(name, []).append(result.detach())
        return result

    def _is_over_tokens(self, result: Tensor) -> bool:
        sides = result.shape[-2:] if result.ndim != _ROW else result.shape[-1:]
        if result.ndim < _ROW or not all(side in self._lengths for side in sides):
            return False
        if result.ndim == _ROW and len(result) > 1:
            return False
        sums = result.sum(dim=-1)
        return torch.allclose(sums, torch.ones_like(sums), atol=1e-3)

    def _name(self, frame: FrameType | None) -> str:
        """Return the path of the node that calls, or the module where it has no node."""
        caller = None if frame is None else frame.f_back
        origin = frame_origin(caller, self._names, self._file)
        if origin is None:
            return ""
        return self._node_paths.path(origin).replace(SEPARATOR, ".") or origin.module

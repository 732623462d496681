"""Attention weights of a forward pass: of ``nn.MultiheadAttention``, of the function
``scaled_dot_product_attention``, and of a softmax over the tokens of a text; and the states that
recurrent layers have after each token.
"""

import inspect
import math
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence, pad_packed_sequence
from torch.overrides import TorchFunctionMode
from typing_extensions import override

from engine.graph.block import SEPARATOR
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import frame_origin


class Taken(NamedTuple):
    """Weights (..., L, S) at a place of a model, and whether a text attends to itself there; None
    where that is not known. Of a recurrent layer (``is_state``) they are the states (directions, T,
    hidden_size) after each token.
    """

    name: str
    weights: Tensor
    is_self: bool | None = None
    is_state: bool = False


Take = Callable[[Taken], None]
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
    """Hand all attention weights and states that forward passes inside compute to ``take``, in
    their order; what is computed step by step comes as a whole at the end.
    A softmax counts where both of its last axes are as long as a text, one of ``lengths``; where a
    decoder attends once for each token that it writes, those of all its steps are the rows.
    """
    functions = _Functions(model, node_paths, lengths, take)

    def hooked(name: str) -> Callable[..., None]:
        def note(module: Any, inputs: tuple[Any, ...], named: dict[str, Any], _: object) -> None:
            given = dict(zip(_ARGUMENTS, inputs, strict=False)) | named
            weights = weights_of_module(module, inputs, named)
            take(Taken(name, weights, is_self=given["query"] is given["key"]))

        return note

    def unrolled(name: str) -> Callable[..., None]:
        def note(module: Any, _inputs: object, output: tuple[Any, Any]) -> None:
            functions.add_states(name, _states(module, output[0]))

        return note

    handles = [
        module.register_forward_hook(hooked(name), with_kwargs=True)
        for name, module in model.named_modules()
        if isinstance(module, nn.MultiheadAttention)
    ]
    handles += [
        module.register_forward_hook(unrolled(name))
        for name, module in model.named_modules()
        if isinstance(module, nn.RNNBase)
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
        self._states: dict[str, list[Tensor]] = {}

    def finish(self) -> None:
        """Tell what was attended to step by step."""
        for name, steps in self._steps.items():
            self._take(Taken(name, torch.cat(steps)[None], is_self=False))
        for name, steps in self._states.items():
            self._take(Taken(name, torch.cat(steps, dim=1), is_state=True))

    def add_states(self, name: str, states: Tensor) -> None:
        """Tell the states (directions, T, hidden_size) of a layer; those of a single token belong
        to a layer that is called for each.
        """
        if states.shape[1] > 1:
            self._take(Taken(name, states, is_state=True))
        else:
            self._states.setdefault(name, []).append(states)

    @override
    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        named: dict[str, Any] = kwargs or {}
        result = func(*args, **named)
        if func is functional.scaled_dot_product_attention:
            given: dict[str, Any] = dict(zip(_ARGUMENTS, args, strict=False)) | named
            weights = attention_weights(**{key: given[key] for key in _READ if key in given})
            self._take(Taken(self._name(inspect.currentframe()), weights))
        elif func in _SOFTMAXES and self._is_over_tokens(result):
            name = self._name(inspect.currentframe())
            if result.ndim > _ROW:
                self._take(Taken(name, result))
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


def _states(module: nn.RNNBase, output: Tensor | PackedSequence) -> Tensor:
    """Return the output of a recurrent layer for a batch of one as (directions, T, hidden_size)."""
    if isinstance(output, PackedSequence):
        output = pad_packed_sequence(output, batch_first=module.batch_first)[0]
    if output.ndim > _ROW:
        output = output[0] if module.batch_first else output[:, 0]
    directions = 2 if module.bidirectional else 1
    return output.detach().reshape(len(output), directions, -1).transpose(0, 1)

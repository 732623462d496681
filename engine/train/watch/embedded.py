"""Vectors that a model looks up for the tokens of a text: seen once, and others put in their place.

A plane cannot lie between the numbers of tokens, but between their vectors. It is that of the model
only where nothing else reads the tokens, which :func:`reads_vectors_alone` tries.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn

from engine.train.losses import Batch, Outputs

_LOOKUPS = (nn.Embedding, nn.EmbeddingBag)
Forward = Callable[[Batch], Outputs]


def looked_up(model: nn.Module, forward: Forward, batch: Batch, fields: Sequence[str]) -> Batch:
    """Return the vectors of the samples of a batch, (samples, ...), by field of tokens; a field of
    which none are looked up as it is has none.
    """
    found: Batch = {}

    def look(_: nn.Module, given: tuple[Tensor, ...], vectors: Tensor) -> None:
        for name in fields:
            if _is_same(given[0], batch[name]):
                found[name] = vectors.detach()

    with _hooked(model, look):
        forward(batch)
    return found


@contextmanager
def replaced_vectors(
    model: nn.Module, tokens: Mapping[str, Tensor], vectors: Mapping[str, Tensor]
) -> Generator[None]:
    """Have a model find these vectors where it looks up those of the tokens of a field."""

    def replace(_: nn.Module, given: tuple[Tensor, ...], output: Tensor) -> Tensor:
        for name, values in vectors.items():
            if _is_same(given[0], tokens[name]):
                return values.to(output)
        return output

    with _hooked(model, replace):
        yield


def reads_vectors_alone(model: nn.Module, forward: Forward, batch: Batch, vectors: Batch) -> bool:
    """Return whether a model answers the same for other tokens with the same vectors: whether the
    tokens of a batch tell it nothing else.
    """
    first = {name: values[:1].expand_as(values) for name, values in vectors.items()}
    shared = {
        name: values[:1].expand_as(values) if name in vectors else values
        for name, values in batch.items()
    }
    others = {name: values if name in vectors else shared[name] for name, values in batch.items()}
    with replaced_vectors(model, shared, first):
        expected = _tensors(forward(shared))
    with replaced_vectors(model, others, first):
        found = _tensors(forward(others))
    return all(map(torch.equal, expected, found))


@contextmanager
def kept_vectors(model: nn.Module) -> Generator[None]:
    """Give tables that are scaled down where they are looked up (``max_norm``) their values back:
    looking on may not change them.
    """
    tables = [
        module.weight
        for module in model.modules()
        if isinstance(module, _LOOKUPS) and module.max_norm is not None
    ]
    values = [table.detach().clone() for table in tables]
    try:
        yield
    finally:
        with torch.no_grad():
            for table, kept in zip(tables, values, strict=True):
                table.copy_(kept)


def _is_same(given: Tensor, tokens: Tensor) -> bool:
    return given.shape == tokens.shape and torch.equal(given, tokens.to(given))


@contextmanager
def _hooked(model: nn.Module, hook: Callable[..., object]) -> Generator[None]:
    with ExitStack() as stack:
        for module in model.modules():
            if isinstance(module, _LOOKUPS):
                stack.callback(module.register_forward_hook(hook).remove)
        yield


def _tensors(outputs: Outputs) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)

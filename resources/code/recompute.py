"""Activation checkpointing of a module whose buffers change as it computes."""

from contextlib import contextmanager
from functools import partial

import torch
from torch.utils.checkpoint import checkpoint


def recomputed(module, *inputs, **named):
    """Call a module; its activations are not kept but recomputed in the backward pass.

    The second pass starts from the buffers of the first, such as the running statistics of a
    batch norm, and what it does to them is undone: they are updated once a step.
    """
    if torch.compiler.is_compiling():  # the compiler repeats no update of buffers by itself
        return checkpoint(module, *inputs, use_reentrant=False, **named)
    contexts = partial(recompute_contexts, module)
    return checkpoint(module, *inputs, use_reentrant=False, context_fn=contexts, **named)


def recompute_contexts(module):
    """Return the contexts of the first and of the second forward pass through a module."""
    first = {}

    def buffers():
        return {
            (part, name): value
            for part in module.modules()
            for name, value in part.named_buffers(recurse=False)
        }

    @contextmanager
    def forward():
        first.update((key, value.clone()) for key, value in buffers().items())
        yield

    @contextmanager
    def recomputing():
        present = buffers()
        for (part, name), value in first.items():
            setattr(part, name, value.clone())
        try:
            yield
        finally:
            for (part, name), value in present.items():
                setattr(part, name, value)

    return forward(), recomputing()

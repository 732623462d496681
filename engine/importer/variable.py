"""Replacement for ``Variable(x)`` of models older than PyTorch 0.4, which meant ``x``."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from torch.autograd import Variable


@contextmanager
def without_variables() -> Generator[None]:
    """Let ``Variable(x)`` give back ``x`` itself, whatever stands for a tensor while a model is
    followed. In today's PyTorch it is detached, so that nothing before it would be trained.
    """

    def unwrapped(_kind: type, data: Any, *_given: Any, **_named: Any) -> Any:
        return data

    kind: Any = Variable
    kind.__new__ = unwrapped
    try:
        yield
    finally:
        del kind.__new__

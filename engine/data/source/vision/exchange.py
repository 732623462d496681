"""Exchange of functions that a module of torchvision calls, while one of its classes is used."""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import ModuleType

_lock = threading.Lock()


@contextmanager
def exchanged(module: ModuleType, own: Mapping[str, Callable[..., object]]) -> Generator[None]:
    """Have a module call other functions, as far as it has imported some of these names, and put
    its own back. One thread at a time.
    """
    with _lock:
        kept = {key: vars(module)[key] for key in own if key in vars(module)}
        vars(module).update({key: own[key] for key in kept})
        try:
            yield
        finally:
            vars(module).update(kept)

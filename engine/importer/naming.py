"""Names of an imported model: layers keep theirs, as the keys of the weights begin with them."""

from collections.abc import Container

from torch import nn

from engine.graph.naming import block_name_problem, free_name, is_number

_PLAIN = (nn.Sequential, nn.ModuleList, nn.ModuleDict)


def is_plain(module: nn.Module) -> bool:
    """Return whether a module only holds others, and has no forward of its own writing."""
    return type(module) in _PLAIN


def class_name(module: nn.Module, path: str, taken: Container[str]) -> str:
    """Return a free name for the block of a module: that of its class, or for a plain container
    one made of its attribute (``layer1`` gives ``Layer1``).
    """
    plain = is_plain(module)
    word = _attribute(path) if plain else type(module).__name__.lstrip("_")
    base = "".join(part[:1].upper() + part[1:] for part in word.split("_")) if plain else word
    if not base.isidentifier():
        base = type(module).__name__.lstrip("_")
    if block_name_problem(base) is not None:
        base = f"{base}Block"
    return free_name(base, taken)


def _attribute(path: str) -> str:
    words = [part for part in path.split(".") if not is_number(part)]
    return words[-1] if words else "Sequential"

"""A model as its module tells it: the text that ``print`` shows, and all its weights."""

from typing import Literal

import msgspec

Initial = Literal["uniform", "normal", "xavier", "ones", "zeros", "constant", "unknown"]


class WeightEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter or buffer. ``name`` is its key in the state_dict; ``initial`` is how it begins,
    with ``spread`` the bound (uniform, xavier), deviation (normal) or value (constant); ``chosen``
    is what the user chose in its place.
    """

    name: str
    shape: tuple[int, ...]
    numel: int
    dtype: str
    is_buffer: bool = False
    initial: Initial = "unknown"
    spread: float = 0.0
    chosen: str = ""


class ModuleEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What a module keeps in its dictionaries: the names in ``_parameters``, ``_buffers`` and
    ``_modules`` (itself, not deeper), which buffers are not saved, and its hooks, each as
    ``name of the dictionary: how many``.
    """

    name: str
    type: str
    parameters: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    not_saved: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()


class WeightValues(msgspec.Struct, frozen=True, kw_only=True):
    """The values that a parameter begins with. ``counts`` are numbers of elements in bins of equal
    width from ``minimum`` to ``maximum``; one bin where all are equal.
    """

    name: str
    shape: tuple[int, ...]
    mean: float
    std: float
    minimum: float
    maximum: float
    counts: tuple[int, ...]


class WeightPreview(msgspec.Struct, frozen=True, kw_only=True):
    """How the parameters of one layer begin: by their names inside of the layer."""

    weights: tuple[WeightValues, ...] = ()


class ModelListing(msgspec.Struct, frozen=True, kw_only=True):
    """The text of the module, its weights in the order of the state_dict, and its modules."""

    text: str = ""
    weights: tuple[WeightEntry, ...] = ()
    modules: tuple[ModuleEntry, ...] = ()

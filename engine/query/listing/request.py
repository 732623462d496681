"""Questions about the text, the weights and the initial values of a model, and their reports."""

from typing import Literal

import msgspec

from engine.graph.model import Graph
from engine.query.request import Request

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


class ListModel(Request[ModelListing], frozen=True, kw_only=True):
    """The text of the module and its weights."""

    graph: Graph

    handler = "engine.query.listing.answer.list_model"
    custom_code = "graph"
    supersedes = True


class PreviewWeights(Request[WeightPreview], frozen=True, kw_only=True):
    """The values that the parameters of the layer at a place begin with in a run of that seed and
    the file of weights that it starts from (``RunSpec.weights``, ``RunSpec.renamed``).
    """

    graph: Graph
    place: str
    seed: int
    project: str
    weights: str
    renamed: dict[str, str]

    handler = "engine.query.listing.answer.preview_weights"
    custom_code = "graph"
    is_slow = True
    supersedes = True

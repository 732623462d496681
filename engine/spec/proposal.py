"""Proposal of how to train on a file or folder of the user, as plain values."""

from typing import Literal

import msgspec

from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.run import RunSpec

ModelSize = Literal["small", "large"]
"""The size of a first model (:mod:`engine.spec.first_model`)."""


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A specification with source, split, normalisation, loss and optimizer, the description of the
    data, and a model from its inputs to its target: None where there is none for its kind.
    ``columns`` are those of a table that may be predicted, ``target`` is the one that is.
    """

    spec: RunSpec
    info: DataInfo
    graph: Graph | None = None
    columns: tuple[str, ...] = ()
    target: str = ""

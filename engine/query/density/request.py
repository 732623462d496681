"""Question how many samples lie where, which is answered a little at a time."""

from typing import Literal

import msgspec

from engine.query.request import Request, Split
from engine.spec.density import DensityStep
from engine.spec.run import DataSpec

Groups = Literal["", "class", "part"]


class DensitySpec(msgspec.Struct, frozen=True, kw_only=True):
    """The plane in which samples of some parts are counted: ``x`` and ``y`` are columns of a map of
    samples by name, ``groups`` what is counted apart. ``window`` is the part of the plane that is
    divided into cells: least and greatest x, least and greatest y; None for as far as samples lie.
    """

    x: str
    y: str
    parts: tuple[Split, ...] = ("train", "validation", "test")
    groups: Groups = ""
    window: tuple[float, float, float, float] | None = None


class CountSamples(Request[DensityStep], frozen=True, kw_only=True):
    """Go on counting all samples in the cells of a plane, for about ``seconds``; ask again until
    the step ``is_done``. The first question ``is_new``. ``predictions`` are as in
    :class:`~engine.query.embedding.request.MapSamples`.
    """

    data: DataSpec
    spec: DensitySpec
    is_new: bool = False
    seconds: float = 0.25
    predictions: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.density.answer.count_samples"
    custom_code = "texts"
    is_slow = True
    supersedes = True

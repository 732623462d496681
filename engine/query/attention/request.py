"""Question for the attention weights of a model on a text of the user's own."""

import msgspec

from engine.query.request import Request

OVERVIEW_SIDE = 24
"""Rows and columns of the small picture of a head at most."""


class AttentionLayer(msgspec.Struct, frozen=True, kw_only=True):
    """A place of a model where ``heads`` attend: ``overview`` has a small picture of each head,
    bytes of shape (heads, height, width) of which 255 is the largest weight of the layer; each
    pixel is the largest weight of the cells that it stands for. Weights are of shape (``rows``,
    ``columns``). Of a recurrent layer (``is_state``) there is a head for each direction, and each
    row is the state after a token; the small picture has its sizes.
    """

    name: str
    heads: int
    rows: int
    columns: int
    height: int
    width: int
    overview: bytes
    is_state: bool = False


class AttentionReport(msgspec.Struct, frozen=True, kw_only=True):
    """Where a head looks: ``weights`` (float32, rows × columns) tell how much each of the tokens
    ``rows`` attends to each of ``columns``; without names there are numbers. ``layer`` and ``head``
    say which head that is. In one that ``is_causal`` no token sees a later one. ``step`` is that of
    the weights of ``checkpoint``, a file. ``written`` is the text that the model wrote, and
    ``predicted`` the likeliest token after each row of states, where it predicts some.
    """

    checkpoint: str
    step: int
    layers: tuple[AttentionLayer, ...]
    layer: int
    head: int
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: bytes
    is_causal: bool
    written: str = ""
    predicted: tuple[str, ...] = ()


class ReadAttention(Request[AttentionReport], frozen=True, kw_only=True):
    """Read the attention weights of a head, and small pictures of all. ``texts``, ``values`` and
    ``cells`` are what the model reads, as in :class:`~engine.query.results.request.Predict`; a text
    that the model writes by itself is written first. ``checkpoint`` is ``best``, ``last`` or a file
    name; a head that the model does not have is its first one.
    """

    run_folder: str
    checkpoint: str = "best"
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    values: dict[str, tuple[float, ...]] = msgspec.field(default_factory=dict)
    cells: dict[str, str] = msgspec.field(default_factory=dict)
    layer: int = 0
    head: int = 0

    handler = "engine.query.attention.answer.read_attention"
    custom_code = "run"
    is_slow = True
    supersedes = True

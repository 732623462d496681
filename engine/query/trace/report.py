"""Report of a traced forward pass: plain values, so that the window needs no torch."""

import msgspec


class TraceLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tensor after the line that made it or changed it in place.

    ``line`` is that of the source, ``text`` what stands there, ``place`` the path of the node that
    it was written of. ``name`` is the variable; ``return`` for what the pass gives back.
    """

    line: int
    text: str
    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool
    place: str = ""
    function: str = ""  # the name of grad_fn


class TraceReport(msgspec.Struct, frozen=True, kw_only=True):
    """``lines`` in the order in which they ran; ``is_cut`` says that there were more."""

    lines: tuple[TraceLine, ...]
    is_cut: bool = False

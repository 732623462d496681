"""What a confined reader answers: plain values of a known shape, never a pickle."""

import msgspec

PIXELS = 1 << 26
"""The most pixels that a picture may have."""

SIDE = 1024
"""A larger picture is answered with this many pixels at its longer side."""


class Picture(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A picture: rows of red, green, blue and opacity, a byte each."""

    width: int
    height: int
    pixels: bytes


class Refused(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why something was not read: a code of a diagnostic, and the reason in other words."""

    code: str
    detail: str


Answer = Picture | Refused

LONGEST = 4 * SIDE * SIDE + 4096
"""How many bytes an answer has at most."""

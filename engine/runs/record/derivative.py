"""Local derivatives of autograd Functions as formulas: what their ``backward`` computes.

Source: the derivative formulas of PyTorch (``derivatives.yaml``), written out for the usual cases.
"""

import re
from functools import cache
from pathlib import Path

import msgspec

from engine.decoding import decode_json

_FOLDER = Path(__file__).parents[3] / "resources" / "autograd"
_SUFFIX = re.compile(r"Backward\d*$")


class Derivative(msgspec.Struct, frozen=True):
    """``forward`` is what was computed, ``backward`` its vector-Jacobian product: ``g`` is the
    gradient that arrives, ``∂a`` the one that is handed on to what ``a`` came from.
    """

    forward: str
    backward: str


def derivative(function: str, language: str = "en") -> Derivative | None:
    """Return the formulas of a Function by PyTorch's name for it, with their words in a language;
    None where there are none. Those of one overload alone stand under its whole name, before those
    of all.
    """
    table = _derivatives()
    derivative = table.get(function) or table.get(_SUFFIX.sub("", function))
    if derivative is None or language == "en":
        return derivative
    words = _words(language)
    return Derivative(
        words.get(derivative.forward, derivative.forward),
        words.get(derivative.backward, derivative.backward),
    )


@cache
def _derivatives() -> dict[str, Derivative]:
    return decode_json((_FOLDER / "derivatives.json").read_bytes(), dict[str, Derivative])


@cache
def _words(language: str) -> dict[str, str]:
    """Return the formulas that have words, in another language."""
    return decode_json((_FOLDER / f"{language}.json").read_bytes(), dict[str, str])

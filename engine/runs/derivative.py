"""The local derivative of a Function as a formula: what its ``backward`` computes.

Source: the derivative formulas of PyTorch (``derivatives.yaml``), written out for the usual cases.
"""

import re
from functools import cache
from pathlib import Path

import msgspec

_FILE = Path(__file__).parents[2] / "resources" / "autograd" / "derivatives.json"
_SUFFIX = re.compile(r"Backward\d*$")


class Derivative(msgspec.Struct, frozen=True):
    """``forward`` is what was computed, ``backward`` its vector-Jacobian product: ``g`` is the
    gradient that arrives, ``∂a`` the one that is handed on to what ``a`` came from.
    """

    forward: str
    backward: str


def derivative(function: str) -> Derivative | None:
    """Return the formulas of a Function by PyTorch's name for it; None where there are none. Those
    of one overload alone stand under its whole name, before those of all.
    """
    known = _derivatives()
    return known.get(function) or known.get(_SUFFIX.sub("", function))


@cache
def _derivatives() -> dict[str, Derivative]:
    return msgspec.json.decode(_FILE.read_bytes(), type=dict[str, Derivative])

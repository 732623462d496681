"""Given names, which ship with the program, for language models that write names.

They are those of the United States census of 1990 (U.S. Census Bureau, *Frequently occurring first
names*, 1995), of women and of men, each once and in an order drawn by lot. Works of the United
States government are in the public domain.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.text import read_text
from engine.data.source.parameter import int_param
from engine.data.source.source import Source
from engine.data.source.text_file import text_windows
from engine.data.source.tokens import fitted_encoding
from engine.data.source.windows import WindowSource
from engine.diagnostics import DiagnosticError

_TEXTS = Path(__file__).parents[3] / "resources" / "texts"
_NAMES, _PLAYS = _TEXTS / "names.txt", _TEXTS / "shakespeare.txt"


@dataclass(frozen=True, eq=False, kw_only=True)
class _OfPlays(WindowSource):
    """Windows whose characters are numbered by how often they come up in the plays."""

    @override
    def fitted(self, training: Tensor) -> WindowSource:
        return self


def load_names(params: Mapping[str, Value]) -> Source:
    """Return windows of the list (5,163 names, one a line): ``text`` (int64, of shape (length,)),
    the number of each character, and ``target``, the same one character later.

    Raises ``DiagnosticError`` (D137) for windows that are longer than the list.
    """
    chosen = {**params, "tokens": "characters", "letters": "all"}
    names = read_text(_NAMES, "utf-8")
    if params["vocabulary"] == "names":
        return text_windows(chosen, names)
    plays = read_text(_PLAYS, "utf-8")
    length = int_param(params, "length")
    stride = int_param(params, "stride") or length
    whole = text_windows({**chosen, "length": 1}, plays + names)
    starts = np.arange(len(plays), len(plays) + len(names) - length, stride)
    if not isinstance(whole, WindowSource) or not len(starts):
        raise DiagnosticError.of(
            "D137", field="data.source.length", count=len(names), length=length
        )
    counts = np.bincount(whole.tokens.ids[: len(plays)], minlength=len(whole.tokens.alphabet))
    return _OfPlays(
        tokens=whole.tokens,
        encoding=fitted_encoding(whole.tokens, counts),
        length=length,
        stride=stride,
        starts=starts,
    )

"""View models of a filter, as frozen values."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterField:
    """A column that rows can be filtered by; of a ``category`` the values are asked for."""

    key: str
    title: str
    kind: Literal["category", "number", "text"]


@dataclass(frozen=True, kw_only=True, slots=True)
class FilterValue:
    """What a column has to be: ``is`` one of ``values``, ``contains`` a ``text``, is ``between``
    two numbers of which one may be None, or is ``missing``; the contrary with ``is_not``.
    """

    key: str
    kind: Literal["is", "contains", "between", "missing"]
    values: tuple[str, ...] = ()
    text: str = ""
    low: float | None = None
    high: float | None = None
    is_not: bool = False

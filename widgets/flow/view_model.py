"""View model of a flow, as frozen values."""

from dataclasses import dataclass
from typing import Literal

Severity = Literal["", "warning", "error"]


@dataclass(frozen=True, kw_only=True, slots=True)
class FlowBox:
    """One stage: what it is, what is chosen there (``value``), what is to be known of it, and what
    leaves it (``flow``). One that ``is_off`` passes everything on as it is.
    """

    key: str
    title: str
    icon: str
    value: str
    notes: tuple[str, ...] = ()
    flow: tuple[str, ...] = ()
    is_off: bool = False
    severity: Severity = ""
    tip: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FlowLane:
    """Stages that belong together: where they are done, and what is to be known of that."""

    title: str
    note: str
    boxes: tuple[FlowBox, ...]

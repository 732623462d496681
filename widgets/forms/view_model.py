"""View model of a form, as frozen values."""

from dataclasses import dataclass
from typing import Literal

FieldKind = Literal[
    "bool",
    "int",
    "float",
    "str",
    "choice",
    "dtype",
    "ints",
    "floats",
    "shape",
    "literal",
    "several",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldView:
    """One field.

    ``name`` is the dotted name that comes back in signals. ``text`` is what an editor shows for the
    value now (``3, 3``, ``0.001``, ``relu``, ``true``); ``default_text`` what a reset gives.
    ``choices`` are (value, label) pairs. With ``auto`` the value may be ``auto``, and ``resolved``
    says what that means now (``576``; empty while unknown). With ``optional`` it may be none.
    ``error`` is shown under the field, which keeps what the user typed; where nothing is wrong
    ``note`` is. Of kind ``several``,
    ``text`` holds the chosen values by commas, ``unfit`` says of some choices why they cannot be
    taken, ``lone_choice`` is one that goes with no other, and ``nothing`` is what is told where
    none is chosen. ``browse`` is what a button beside it says that asks to choose the text,
    ``browse_icon`` its icon; ``example`` stands in it while it is empty. ``axes`` are the sizes of
    axes of which ``text`` is an order, to be dragged.
    """

    name: str
    label: str
    kind: FieldKind
    text: str = ""
    default_text: str = ""
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    unfit: tuple[tuple[str, str], ...] = ()  # value, reason
    lone_choice: str = ""
    nothing: str = "none"
    minimum: float | None = None
    maximum: float | None = None
    length: int = 0
    optional: bool = False
    is_none: bool = False
    auto: bool = False
    is_auto: bool = False
    resolved: str = ""
    unit: str = ""
    advanced: bool = False
    error: str = ""
    warning: str = ""
    note: str = ""
    is_modified: bool = False
    is_read_only: bool = False
    browse: str = ""
    browse_icon: str = "folder"
    example: str = ""
    axes: tuple[str, ...] = ()
    is_invalid: bool = False  # marked, where the sentence stands at another field


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupView:
    """Fields under one heading; a group without a title has no heading."""

    fields: tuple[FieldView, ...]
    title: str = ""
    name: str = ""
    help: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class FormView:
    """A whole form. ``key`` says what it is about: another key means another thing is edited."""

    key: str
    groups: tuple[GroupView, ...] = ()
    title: str = ""
    empty_text: str = ""

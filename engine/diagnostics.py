"""Diagnostics: codes and values that say what is wrong, never prose.

The sentences for every code stand in ``resources/diagnostics/<language>/*.json`` and are made by
:func:`sentence`. Codes carry a letter for where they arise: ``C`` catalogue and parameters,
``G`` graph, ``S`` shapes, ``D`` data, ``R`` run, ``K`` checkpoint and file, ``X`` export,
``P`` project, ``E`` environment, ``U`` the user's own code,
``L`` the autograd lab, ``V`` results and playground, ``H`` the doctor; ``F`` are the words
for fixes.
"""

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Self

import msgspec

_AMOUNTS = frozenset(
    {"count", "samples", "classes", "rows", "numbers", "total", "all", "limit", "most", "least"}
    | {"groups", "found", "fitting", "steps"}
)
"""Params that say how many, which are written with separators of thousands; others may be numbers
of lines, years or values of a setting.
"""

_ENDS = (".", "!", "?", "…", "。", "！", "？")
_COUNTED = re.compile(r"\{(\w+)\|([^|{}]*)\|([^|{}]*)\}")
_WORDED = re.compile(r"\{(\w+):([^{}]*)\}")
_SENTENCES = Path(__file__).parent.parent / "resources" / "diagnostics"


class Severity(StrEnum):
    """How bad it is: an error blocks a run, a warning and a hint do not."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What steers a terminal or turns the order of letters, but for the ends of lines and tabs."""


def printable(text: str, most: int = 0) -> str:
    """Return a text of somebody else as one that a terminal only shows; ``most`` (0: any number)
    letters of it.
    """
    shown = STEERING.sub("\N{REPLACEMENT CHARACTER}", text[: most or None])
    return f"{shown[: most - 1]}…" if most and len(text) > most else shown


NAMED_IN_ROW, NAMED_IN_COLUMN = "named_in_row", "named_in_column"
"""The values of a finding about a file that a table names: its row and column, which are told
behind what is wrong with the file.
"""
_NAMED = "D396"
OF_PHASE = "of_phase"
"""The value of a finding about a phase of a recipe: its name, which is told before what is found.
"""
_OF_PHASE = "R570"


class Diagnostic(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One finding, at the place where it arose.

    ``node`` is the id of a graph node; ``field`` is the dotted name of a parameter of that node
    or, without a node, of the run specification (``optimizer.lr``). ``params`` are the values
    that the sentence mentions; ``detail`` is the original message of PyTorch or the system.
    """

    code: str
    severity: Severity = Severity.ERROR
    node: str | None = None
    field: str | None = None
    params: dict[str, str | int | float] = {}
    detail: str = ""

    @classmethod
    def of(
        cls,
        code: str,
        /,
        *,
        severity: Severity = Severity.ERROR,
        node: str | None = None,
        field: str | None = None,
        detail: str = "",
        **params: str | float,
    ) -> Self:
        """Return a finding with ``params`` by name; one that is called ``severity``, ``node``,
        ``field`` or ``detail`` has to be given to the class itself.
        """
        return cls(
            code=code, severity=severity, node=node, field=field, params=params, detail=detail
        )


class DiagnosticError(Exception):
    """An operation that failed for reasons that are told as diagnostics."""

    def __init__(self, *problems: Diagnostic) -> None:
        super().__init__("; ".join(sentence(problem) for problem in problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[Self], tuple[Diagnostic, ...]]:
        """Return what another process makes the error of: its findings, not the text of them."""
        return type(self), self.problems

    @classmethod
    def of(cls, code: str, /, **values: Any) -> Self:
        """Return the error of a single finding; ``values`` are those of :meth:`Diagnostic.of`."""
        return cls(Diagnostic.of(code, **values))


@cache
def _sentences(language: str) -> dict[str, str]:
    merged: dict[str, str] = {}
    for path in sorted((_SENTENCES / language).glob("*.json")):
        merged.update(json.loads(path.read_text(encoding="utf-8")))
    return merged


def counted(text: str, values: Mapping[str, object]) -> str:
    """Return a text with the word that goes with each number: of ``{count|input|inputs}`` the first
    for 1, else the second. A number may be written out, as ``"1,000"``.
    """
    return _COUNTED.sub(lambda found: found[2 if str(values.get(found[1])) == "1" else 3], text)


def _worded(text: str, values: Mapping[str, object]) -> str:
    """Return a text with words for values that are names of the program: of
    ``{kind:number=a number|date=a date|a value}`` those of the value, else the last.
    """

    def words(found: re.Match[str]) -> str:
        *named, other = found[2].split("|")
        return dict(each.split("=", 1) for each in named).get(str(values.get(found[1])), other)

    return _WORDED.sub(words, text)


def sentence(problem: Diagnostic, language: str = "en") -> str:
    """Return the sentence for a finding in a language; English where it has none."""
    text = _sentences(language).get(problem.code) or _sentences("en").get(problem.code)
    if text is None:
        return f"{problem.code}: {problem.detail or problem.params}"
    text = _worded(counted(text, problem.params), problem.params)
    for name, value in problem.params.items():
        is_amount = name in _AMOUNTS and isinstance(value, int)
        written = f"{value:,}" if is_amount else str(value)
        if written.endswith(_ENDS):  # or a sentence would have two ends
            text = re.sub(r"(\{" + re.escape(name) + r"\})(?:\.(?=\s|$)|。)", r"\1", text)
        text = text.replace("{" + name + "}", written)
    if NAMED_IN_ROW in problem.params and problem.code != _NAMED:
        names = Diagnostic(code=_NAMED, params=problem.params)
        text = f"{text} {sentence(names, language)}"
    if problem.params.get(OF_PHASE) and problem.code != _OF_PHASE:
        params = {OF_PHASE: problem.params[OF_PHASE], "finding": text}
        text = sentence(Diagnostic(code=_OF_PHASE, params=params), language)
    return text


def shortened(names: Sequence[str], most: int) -> str:
    """Return the first of some names, and how many more there are: ``a, b (+3)``."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" (+{more})" if more > 0 else "")

"""Plan of a table: which columns are read as what, from proposals and the user's choices."""

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.data.read.cell import MISSING, Table
from engine.data.read.column_name import TARGETS, whole
from engine.data.read.date import has_two_orders
from engine.data.read.kind import propose_table
from engine.diagnostics import DiagnosticError
from engine.spec.table import ColumnInfo, ColumnKind

Missing = Literal["mean", "median", "drop"]
CategoryForm = Literal["index", "one_hot"]
DateForm = Literal["days", "parts", "both"]
Kind = ColumnKind | Literal["ignored"]
KINDS: Mapping[str, Kind] = {
    "number": "number",
    "category": "category",
    "binary": "binary",
    "tags": "tags",
    "date": "date",
    "text": "text",
    "image": "image",
    "mask": "mask",
    "array": "array",
    "sound": "sound",
    "video": "video",
    "textfile": "textfile",
    "ignored": "ignored",
}
"""What a user can call a column."""

FILES: frozenset[ColumnKind] = frozenset(("image", "mask", "array", "sound", "video"))
"""The kinds of columns that name files which are read sample by sample."""

TEXTS: frozenset[ColumnKind] = frozenset(("text", "textfile"))
"""The kinds of columns of texts, which stand there or in the files that they name."""

_LISTED = 20
_WORDS: tuple[ColumnKind, ...] = ("text", "id", "category", "binary")
_DATES: Mapping[str, DateForm] = {"days": "days", "parts": "parts", "both": "both"}
_MISSING: Mapping[str, Missing] = {"mean": "mean", "median": "median", "drop": "drop"}


@dataclass(frozen=True, kw_only=True)
class TablePlan:
    """Columns by role, in the order of the file; ``targets`` in the order they were named.
    ``kinds`` are those of all columns. ``files`` and ``texts`` are inputs too, each a field of its
    own; a mask that is the one target is among the ``files``, a text that is among the ``texts``,
    with that role. ``silent`` are columns that nobody has chosen and that are left out because they
    say the same in each row, or nothing; ``constant_target`` is one of these that is called like a
    target, where another one had to be taken. ``weight`` is the column of what the loss of a row
    counts, a number; empty for none. ``said`` are the columns whose kind the user has said.
    ``either_order`` has an example of each column of dates that
    is read as words, as day and month cannot be told apart.
    """

    inputs: tuple[ColumnInfo, ...]
    targets: tuple[ColumnInfo, ...]
    group: str
    missing: Missing
    categories: CategoryForm
    dates: DateForm
    kinds: Mapping[str, ColumnKind]
    files: tuple[ColumnInfo, ...] = ()
    texts: tuple[ColumnInfo, ...] = ()
    silent: tuple[str, ...] = ()
    either_order: Mapping[str, str] = field(default_factory=dict)
    constant_target: str = ""
    weight: str = ""
    said: frozenset[str] = frozenset()

    def is_category(self, name: str) -> bool:
        """Return whether an input is one of those that are looked up."""
        return self.kinds[name] == "category"

    @property
    def column_kinds(self) -> dict[str, str]:
        """The kind by which each column is read; ``ignored`` for those that no field has."""
        used = {each.name for each in (*self.inputs, *self.targets, *self.files, *self.texts)}
        used |= {self.weight}
        return {name: kind if name in used else "ignored" for name, kind in self.kinds.items()}


def plan_table(path: Path, table: Table, params: Mapping[str, Value]) -> TablePlan:
    """Return the plan of a table for the parameters of the source.

    Raises ``DiagnosticError``: D025 where no column can be the target, D026 for a column that is
    not there, D043 where no input is left, D046 for kinds that are none, D047 for a column with two
    roles, D049 for a kind that a role cannot have, D474 for a single row.
    """
    names = _Names(path, table.names)
    proposed, target = propose_table(table)
    kinds = names.kinds(_text(params, "kinds"))
    targets = names.listed("target", _text(params, "target")) or ((target,) if target else ())
    if not targets:
        unknown = DiagnosticError.of("D025", field="data.source.target", file=str(path))
        raise _single(path) if table.rows == 1 else unknown
    ignored, chosen = (names.listed(each, _text(params, each)) for each in ("ignored", "inputs"))
    group, weight = (names.listed(each, _text(params, each))[:1] for each in ("group", "weight"))
    _require_apart({"target": targets, "inputs": chosen, "ignored": ignored, "weight": weight})
    _require_apart({"target": targets, "group": group, "weight": weight})
    infos = {info.name: _with_kind(info, kinds.get(info.name)) for info in proposed}
    excluded = {*targets, *ignored, *weight, *(() if chosen else group)}
    inputs = [
        _usable(infos[name], is_chosen=name in chosen and name not in kinds)
        for name in (chosen or table.names)
        if name not in excluded and (name in chosen or infos[name].role != "ignored")
    ]
    silent = () if chosen else _silent(proposed, {*excluded, *kinds})
    constant = "" if _text(params, "target").strip() else _constant_target(silent, target)
    if not inputs:
        raise _without_inputs(path, table, constant)
    order = {name: index for index, name in enumerate(table.names)}
    usable = _targets([infos[name] for name in targets], kinds)
    final = {**infos, **{info.name: info for info in (*inputs, *usable)}}
    ordered = sorted(inputs, key=lambda info: order[info.name])
    own = [info for info in usable if info.role == "target" and _has_own_field(info)]
    return TablePlan(
        inputs=tuple(info for info in ordered if not _has_own_field(info)),
        files=tuple(info for info in (*ordered, *own) if info.kind in FILES),
        texts=tuple(info for info in (*ordered, *own) if info.kind in TEXTS),
        targets=tuple(info for info in usable if info not in own),
        group=group[0] if group else "",
        missing=_MISSING.get(_text(params, "missing"), "mean"),
        categories="one_hot" if params.get("categories") == "one_hot" else "index",
        dates=_DATES.get(_text(params, "dates"), "days"),
        kinds={name: "number" if name in weight else info.kind for name, info in final.items()},
        silent=tuple(name for name in silent if name != constant),
        either_order=_either_order(table, proposed, {*ignored, *kinds, *targets}),
        constant_target=constant,
        weight=weight[0] if weight else "",
        said=frozenset(kinds),
    )


def _silent(infos: Sequence[ColumnInfo], said: Collection[str]) -> tuple[str, ...]:
    """Return the columns that say the same in each row, or nothing, and of which nobody has said
    what they are for.
    """
    return tuple(
        info.name
        for info in infos
        if info.role == "ignored" and info.distinct <= 1 and info.name not in said
    )


def _either_order(
    table: Table, infos: Sequence[ColumnInfo], said: Collection[str]
) -> Mapping[str, str]:
    """Return an example of each column of dates that nobody has said what they are, and whose day
    and month cannot be told apart.
    """
    found: dict[str, str] = {}
    for info in infos:
        if info.kind not in _WORDS or info.name in said or not has_two_orders(info.examples):
            continue
        cells = dict.fromkeys(table.column(info.name).sample())
        if has_two_orders(cell for cell in cells if cell not in MISSING):
            found[info.name] = info.examples[0]
    return found


def _constant_target(silent: Sequence[str], target: str) -> str:
    """Return the column among those that say nothing that would have been the target, by its name,
    had it said something; empty for none, and where the target has as good a name.
    """
    for names in TARGETS:
        if whole(target) in names:
            return ""
        found = next((name for name in reversed(silent) if whole(name) in names), "")
        if found:
            return found
    return ""


def _without_inputs(path: Path, table: Table, constant: str) -> DiagnosticError:
    """Return why nothing is left to learn from; ``constant`` is the target that says nothing."""
    if table.rows == 1:  # each column says the same everywhere
        return _single(path)
    if constant:
        return DiagnosticError.of("D040", field="data.source.target", column=constant)
    return DiagnosticError.of("D043", field="data.source.inputs")


def _single(path: Path) -> DiagnosticError:
    return DiagnosticError.of("D474", field="data.source.path", file=path.name)


class _Names:
    """Names of columns as a user writes them, with commas between."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self._path = path
        self._names = dict.fromkeys(names)
        self._by_lower = {name.lower(): name for name in names}

    def listed(self, param: str, text: str) -> tuple[str, ...]:
        """Return the columns of a list; a name with a comma stands in quotes, or alone."""
        if not text.strip():
            return ()
        if text.strip() in self._names:
            return (text.strip(),)
        return tuple(dict.fromkeys(self._one(param, name) for name in _split(text)))

    def kinds(self, text: str) -> dict[str, Kind]:
        """Return the kinds in a list of ``name=kind``."""
        chosen: dict[str, Kind] = {}
        for part in _split(text):
            name, mark, word = part.rpartition("=")
            kind = KINDS.get(word.strip().lower())
            if not mark or kind is None:
                raise DiagnosticError.of(
                    "D046", field="data.source.kinds", value=part[:60], kinds=", ".join(KINDS)
                )
            chosen[self._one("kinds", name.strip())] = kind
        return chosen

    def _one(self, param: str, name: str) -> str:
        if name in self._names:
            return name
        if name.lower() in self._by_lower:
            return self._by_lower[name.lower()]
        shown = [*self._names][:_LISTED]
        raise DiagnosticError.of(
            "D026",
            field=f"data.source.{param}",
            file=str(self._path),
            column=name[:60],
            columns=", ".join([*shown, *(["…"] if len(self._names) > _LISTED else [])]),
        )


def _split(text: str) -> list[str]:
    lines = text.replace("\r", "\n").split("\n")
    parts = [part.strip() for row in csv.reader(lines, skipinitialspace=True) for part in row]
    return [part for part in parts if part]


def _require_apart(roles: Mapping[str, Sequence[str]]) -> None:
    seen: dict[str, str] = {}
    for role, names in roles.items():
        for name in names:
            if name in seen:
                raise DiagnosticError.of(
                    "D047", field=f"data.source.{role}", column=name, first=seen[name], second=role
                )
            seen[name] = role


def _with_kind(info: ColumnInfo, kind: Kind | None) -> ColumnInfo:
    if kind is None:
        return info
    if kind == "ignored":
        return replace(info, role="ignored")
    return replace(info, kind=kind, role="input")


def _usable(info: ColumnInfo, *, is_chosen: bool) -> ColumnInfo:
    """Return an input with a kind that can be one: what names rows is a number or a category, and
    tags are categories.
    """
    if info.kind == "empty":
        raise DiagnosticError.of(
            "D049", field="data.source.inputs", column=info.name, kind=info.kind, role="inputs"
        )
    if info.kind == "tags":
        return replace(info, kind="category")
    if is_chosen and info.kind in ("id", "text"):
        return replace(info, kind="number" if info.is_number else "category")
    return info


def _has_own_field(info: ColumnInfo) -> bool:
    return info.kind in TEXTS or info.kind in FILES


def _targets(infos: Sequence[ColumnInfo], chosen: Mapping[str, Kind]) -> tuple[ColumnInfo, ...]:
    """Return targets with kinds that can be one: several are numbers all of them. What nobody has
    ``chosen`` to be a text to generate is one of some classes.
    """
    usable = [
        replace(info, kind="number" if info.is_number else "category")
        if info.kind == "id" or (info.kind == "text" and chosen.get(info.name) != "text")
        else replace(info, role="target")
        for info in infos
    ]
    for info in usable:
        is_alone = info.kind in {"category", "tags", "mask", *TEXTS}
        if info.kind in {"empty", *FILES} - {"mask"} or (len(usable) > 1 and is_alone):
            raise DiagnosticError.of(
                "D049", field="data.source.target", column=info.name, kind=info.kind, role="target"
            )
    return tuple(usable)


def _text(params: Mapping[str, Value], name: str) -> str:
    value = params.get(name)
    return "" if value is None else str(value)

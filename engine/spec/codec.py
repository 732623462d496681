"""Codec of run specifications: any document gives a specification or says where it is wrong.

A document is ``{"format": 1, "data": {...}, "run": {...}}``: the data choice apart from the rest,
as a project file holds them. Fields that are missing have their defaults; unknown ones are refused.
Whether the values make sense is the matter of ``validate.py``: a document with a batch size of -1
can be read, shown and mended.
"""

import difflib
import math
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from engine.decoding import convert
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import UNDECODABLE, is_relative_path
from engine.spec.data_edits import DataEdits, edits_fault
from engine.spec.run import DataSpec, RunSpec, SplitSpec
from engine.spec.technique import TECHNIQUES

FORMAT = 1
MAX_DEPTH = 32
MAX_INTEGER = 2**63 - 1

Document = dict[str, Any]
_Part = TypeVar("_Part", DataSpec, RunSpec, DataEdits)

MIGRATIONS: dict[int, Callable[[Document], Document]] = {}
"""For each older format the function that makes a document of the next one."""


def to_document(spec: RunSpec) -> Document:
    """Return a specification as plain values, ready for JSON."""
    run = msgspec.to_builtins(spec)
    data = run.pop("data")
    split = ("kind", "column", "stratified", "group_equal", "folds", "fold")
    later = (
        "transforms",
        "batch_transforms",
        "sampler",
        "sampler_column",
        "curriculum",
        "batch_sampler",
        "collate",
        "padding_info",
        "loader",
        "edits",
    )
    for part, initial, values, names in (
        (spec.data.split, SplitSpec(), data["split"], split),
        (spec.data, DataSpec(), data, later),
    ):
        for name in names:  # as in documents that are older: theirs stay the same
            if getattr(part, name) == getattr(initial, name):
                del values[name]
    for step in data.get("transforms", ()):
        if not step["level"]:  # likewise
            del step["level"]
    for name in ("weights", "groups", "renamed", "phases"):
        if not run[name]:  # likewise
            del run[name]
    initial = RunSpec()
    for name in ("watch", "compute", "processes", "non_finite", "phase", *TECHNIQUES):
        if getattr(spec, name) == getattr(initial, name):
            del run[name]
    return {"format": FORMAT, "data": data, "run": run}


def from_document(document: object) -> RunSpec:
    """Return the specification of a document.

    Raises :class:`DiagnosticError`: R001 with the path of what is wrong, R002 or R004 for an
    unknown field, R003 for a format that is newer than this program, R019 for weights outside the
    project.
    """
    if not isinstance(document, dict):
        raise _fault("$", f"Expected `object`, got `{type(document).__name__}`")
    document = _migrated(document)
    parts = {name: document.get(name, {}) for name in ("data", "run")}
    for name, part in parts.items():
        if not isinstance(part, dict):
            raise _fault(f"$.{name}", f"Expected `object`, got `{type(part).__name__}`")
        _check_values(part, f"$.{name}", 0)
    if "data" in parts["run"]:
        raise _unknown("$.run.data", "data", ())
    edits = _edits(parts["data"].get("edits", {}))
    parts["data"] = {name: part for name, part in parts["data"].items() if name != "edits"}
    data = msgspec.structs.replace(_converted(parts["data"], DataSpec, "$.data"), edits=edits)
    spec = _converted(parts["run"], RunSpec, "$.run")
    spec = msgspec.structs.replace(spec, data=data)
    if spec.weights and not is_relative_path(spec.weights):
        raise DiagnosticError.of("R019", field="weights", value=spec.weights[:100])
    known = msgspec.to_builtins(spec)
    _check_names(parts["data"], known["data"], "$.data")
    _check_names(parts["run"], known, "$.run")
    return spec


def _migrated(document: Document) -> Document:
    version = document.get("format", FORMAT)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _fault("$.format", "Expected a whole number from 1")
    if version > FORMAT:
        raise DiagnosticError.of("R003", format=str(version)[:20], known=FORMAT)
    while version < FORMAT:
        document = MIGRATIONS[version](document)
        version += 1
    return document


def _edits(part: object) -> DataEdits:
    """Return the edits of data. Their names are those of samples: they are checked here alone."""
    edits = _converted(part, DataEdits, "$.data.edits")
    fault = edits_fault(edits)
    if fault:
        raise _fault("$.data.edits", fault)
    return edits


def _converted(part: object, kind: type[_Part], path: str) -> _Part:
    try:
        return convert(part, kind)
    except UNDECODABLE as error:
        message, _, place = str(error).partition(" - at `$")
        raise _fault(path + place.rstrip("`"), message) from error


def _check_values(value: object, path: str, depth: int) -> None:
    """Refuse what JSON readers let through: numbers without end and documents without bottom."""
    if depth > MAX_DEPTH:
        raise _fault(path[:200], f"Expected at most {MAX_DEPTH} levels")
    if isinstance(value, float) and not math.isfinite(value):
        raise _fault(path, "Expected a finite number")
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        raise _fault(path, "Expected a number in 64 bits")
    if isinstance(value, dict):
        for name, part in value.items():
            _check_values(part, f"{path}.{str(name)[:100]}", depth + 1)
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            _check_values(part, f"{path}[{index}]", depth + 1)


def _check_names(given: object, known: object, path: str) -> None:
    """Refuse names that the specification does not have: a slip of the pen must not be ignored."""
    if isinstance(given, dict) and isinstance(known, dict):
        for name, part in given.items():
            if name in known:
                if isinstance(part, dict | list | tuple):
                    _check_names(part, known[name], f"{path}.{name}")
            elif name != "params" or "type" not in known:  # left out of a choice where empty
                raise _unknown(f"{path}.{name}", str(name), tuple(known))
    elif isinstance(given, list | tuple) and isinstance(known, list | tuple):
        for index, (part, other) in enumerate(zip(given, known, strict=True)):
            _check_names(part, other, f"{path}[{index}]")


def _fault(path: str, message: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code="R001", params={"path": path, "message": message}, detail=message)
    )


def _unknown(path: str, name: str, known: tuple[str, ...]) -> DiagnosticError:
    near = difflib.get_close_matches(name, known, n=1)
    return DiagnosticError(
        Diagnostic(
            code="R004" if near else "R002",
            params={"path": path, "name": name, **({"near": near[0]} if near else {})},
        )
    )

"""Settings of a run from a file: that of a run, of a project, or a list of settings by name."""

from pathlib import Path

import msgspec

from engine.catalog.validate import format_value
from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import UNDECODABLE
from engine.files.read import read_json
from engine.spec.choice import Code
from engine.spec.codec import from_document
from engine.spec.fields import set_text
from engine.spec.run import RunSpec
from studio.cli.output import summary
from studio.cli.parser import UsageError

_LIMIT = 8 << 20


def configured(spec: RunSpec, file: Path, code: Code) -> RunSpec:
    """Return the specification that a file says: that of a run (``run.json``) or of a project
    (``project.json``) whole, else ``spec`` with the settings that the file names, such as
    ``{"epochs": 3, "optimizer.lr": 0.01}``.

    Raises :class:`DiagnosticError` where it cannot be read, :class:`UsageError` where it is no such
    file.
    """
    try:
        document = decode_json(read_json(file, _LIMIT), dict[str, object])
    except UNDECODABLE as error:
        raise UsageError(f"--config {file}: {error}") from error
    whole = _whole(document)
    if whole is not None:
        try:
            return from_document(whole)
        except DiagnosticError as error:
            raise UsageError(f"--config {file}: {summary(error.problems)}") from error
    for name, value in document.items():
        try:
            spec = set_text(spec, name, _text(value), code)
        except DiagnosticError as error:
            raise UsageError(f"--config {file}: {name}: {summary(error.problems)}") from error
    return spec


def _whole(document: dict[str, object]) -> dict[str, object] | None:
    """Return what a file of a run or a project says of its settings; None for another file."""
    spec = document.get("spec")
    found = spec if isinstance(spec, dict) else document
    if not isinstance(found.get("run"), dict):
        return None
    return {name: found[name] for name in ("format", "data", "run") if name in found}


def _text(value: object) -> str:
    """Return a value as it is typed after ``--set``."""
    match value:
        case list():
            return ", ".join(map(_text, value))
        case None:
            return "none"
        case bool() | int() | float() | str():
            return format_value(value)
        case _:
            return msgspec.json.encode(value).decode()

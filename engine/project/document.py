"""Codec of ``project.json``: any bytes give a document or say what is wrong with them.

The text is made for git: sorted keys, a node a line, no absolute paths, the same bytes for the same
project. Reading imports nothing and runs nothing: types are keys of the catalogue, an unknown key
stays as it is.
"""

import json
import math
from collections.abc import Callable
from typing import Any

import msgspec

from engine.decoding import convert
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import DOCUMENT_BYTES, has_too_many_values
from engine.graph import codec as graph_codec
from engine.graph.edit.code_edits import file_name_problem
from engine.graph.model import Graph
from engine.project.code_folder import text_hash
from engine.spec import codec as spec_codec
from engine.spec.run import DataSpec, RunSpec

FORMAT = 1
MAXIMUM_BYTES = DOCUMENT_BYTES
_LINE = 100
_KNOWN = frozenset({"format", "graph", "data", "run", "code"})

Document = dict[str, Any]

MIGRATIONS: dict[int, Callable[[Document], Document]] = {}
"""For each older format the function that makes a document of the next one."""


class ProjectDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What a project file holds. ``extra`` are entries of the file that this version does not know;
    they are written back. ``format`` is the one that was read. ``code`` are the hashes of the files
    of the user's own code as they stand in ``project.json``, of those that could not be read too.
    """

    graph: Graph = Graph()
    spec: RunSpec = RunSpec()
    format: int = FORMAT
    extra: Document = {}
    notices: tuple[Diagnostic, ...] = ()
    code: dict[str, str] = {}

    def is_newer(self) -> bool:
        """Return whether a newer version of the program wrote it."""
        return self.format > FORMAT


def encode(document: ProjectDocument, *, has_texts: bool = False) -> bytes:
    """Return the text of a project. Raises :class:`DiagnosticError` (P012) for what JSON cannot
    hold: numbers that are not finite, halves of characters.

    Of the user's own code the hashes are written, or with ``has_texts`` the texts themselves, and
    the edits of the data too.
    """
    spec = spec_codec.to_document(document.spec)
    graph = graph_codec.to_document(document.graph)
    texts = document.graph.code
    if not has_texts:
        graph.pop("code", None)
        spec["data"].pop("edits", None)
    hashes = document.code | {name: text_hash(text) for name, text in texts.items()}
    parts: Document = {"graph": graph, "format": FORMAT}
    if hashes:
        parts["code"] = hashes
    document_to_write = document.extra | parts | {"data": spec["data"], "run": spec["run"]}
    try:
        return (_text(document_to_write, "", is_top=True) + "\n").encode()
    except (ValueError, RecursionError) as error:
        raise _damaged(str(error)) from error


def decode(data: bytes) -> ProjectDocument:
    """Return the project of a text. Raises :class:`DiagnosticError` (P012 to P018, and those of the
    graph and the specification) with the place of the fault.
    """
    raw = _object(_parsed(_decoded(data)))
    version = raw.get("format", FORMAT)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _damaged("Expected a whole number from 1", "$.format")
    for older in range(version, FORMAT):
        raw = MIGRATIONS[older](raw)
    try:
        return _document(raw, version)
    except DiagnosticError as error:
        if version > FORMAT:
            raise DiagnosticError.of(
                "P018", detail=str(error), format=version, known=FORMAT
            ) from error
        raise


def require_sane_size(size: int) -> None:
    """Raise :class:`DiagnosticError` (P016) for more bytes than a project file can have."""
    if size > MAXIMUM_BYTES:
        raise DiagnosticError.of("P016", size=f"{size / 2**20:.0f}", limit=MAXIMUM_BYTES >> 20)


def _document(raw: Document, version: int) -> ProjectDocument:
    notices: list[Diagnostic] = []
    graph_part = _object(raw.get("graph", {}), "$.graph")
    parts = {name: _object(raw.get(name, {}), f"$.{name}") for name in ("data", "run")}
    if version > FORMAT:
        params: dict[str, str | int | float] = {"format": version, "known": FORMAT}
        notices.append(Diagnostic(code="P017", severity=Severity.WARNING, params=params))
        graph_part = graph_part | {"format": graph_codec.FORMAT}
        spec = _without_unknown_fields(parts)
    else:
        spec = spec_codec.from_document(parts)
    graph, repaired = graph_codec.read_document(graph_part)
    return ProjectDocument(
        graph=graph,
        spec=spec,
        format=version,
        extra={name: value for name, value in raw.items() if name not in _KNOWN},
        notices=(*notices, *repaired),
        code=_hashes(raw.get("code", {})),
    )


def _hashes(part: object) -> dict[str, str]:
    """Return the list of files of code; what no project can have is not looked for on disk."""
    listed = _object(part, "$.code")
    if not all(isinstance(digest, str) for digest in listed.values()):
        raise _damaged("Expected `str`", "$.code")
    return {name: text for name, text in listed.items() if file_name_problem(name) is None}


def _without_unknown_fields(parts: dict[str, Document]) -> RunSpec:
    """Read what a newer version wrote: what is unknown here is left out (nothing is saved then)."""
    try:
        data = convert(parts["data"], DataSpec)
        spec = convert(parts["run"], RunSpec)
    except msgspec.ValidationError as error:
        raise _damaged(str(error)) from error
    return msgspec.structs.replace(spec, data=data)


def _decoded(data: bytes) -> str:
    require_sane_size(len(data))
    if has_too_many_values(data):
        raise _damaged("more values than a project can have")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:4]:
        raise DiagnosticError.of("P015", encoding="UTF-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DiagnosticError.of("P015", detail=str(error), encoding="?") from error


def _parsed(text: str) -> object:
    try:
        document = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite
        )
        if "\\u" in text:  # half a character could be read and never written
            json.dumps(document, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise DiagnosticError.of(
                "P013", detail=str(error), line=text.count("\n") + 1
            ) from error
        raise _damaged(error.msg, f"line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _damaged("nested too deeply") from error
    except ValueError as error:  # too many digits, half a character
        raise _damaged(str(error)) from error
    return document


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DiagnosticError.of("P014", name=twice[:100])
    return found


def _no_constant(name: str) -> float:
    raise _damaged(f"{name} is not a number that a project can hold")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _damaged(f"{text[:40]} is not a number that a project can hold")
    return value


def _object(value: object, path: str = "$") -> Document:
    if not isinstance(value, dict):
        raise _damaged(f"Expected `object`, got `{type(value).__name__}`", path)
    return value


def _damaged(message: str, path: str = "$") -> DiagnosticError:
    return DiagnosticError.of("P012", detail=message, message=message, path=path)


def _text(value: object, indent: str, *, is_top: bool = False) -> str:
    """Return JSON where what fits into a line stands on one, and all else is broken up."""
    line = json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
    if not isinstance(value, dict | list | tuple) or not value:
        return line
    if not is_top and len(indent) + len(line) <= _LINE:
        return line
    inner = indent + " "
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(name, ensure_ascii=False)}: {_text(part, inner)}"
            for name, part in sorted(value.items())
        ]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    parts = [_text(part, inner) for part in value]
    return "[\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}]"

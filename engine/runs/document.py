"""Codec of the documents on disk that hold a graph and a specification."""

from typing import Any, Generic, TypeVar

import msgspec
from msgspec.structs import FieldInfo, fields

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph import codec as graph_codec
from engine.spec import codec as spec_codec

FORMAT = 1
_CODECS: dict[str, Any] = {"graph": graph_codec, "spec": spec_codec}

Document = TypeVar("Document", bound=msgspec.Struct)


class DocumentCodec(Generic[Document]):
    """Codec of one class of documents. A file has its ``format`` and the fields of the class, with
    graph and specification as their own codecs write them; ``outside`` are fields that the file
    does not hold. The field ``label`` names a document that a newer version of the program wrote;
    without one it is read all the same.
    """

    def __init__(
        self, kind: type[Document], *, label: str = "", outside: tuple[str, ...] = ()
    ) -> None:
        self._kind = kind
        self._label = label
        written = [each for each in fields(kind) if each.name not in outside]
        self._names = [each.name for each in written]
        self._plain = msgspec.defstruct(
            "Plain",
            [("format", int), *map(_plain_field, written)],
            frozen=True,
            kw_only=True,
        )

    def encode(self, document: Document) -> bytes:
        """Return the text of a document on one line."""
        values = {name: getattr(document, name) for name in self._names}
        values |= {name: codec.to_document(values[name]) for name, codec in _CODECS.items()}
        return msgspec.json.encode(self._plain(format=FORMAT, **values))

    def decode(self, content: bytes, **outside: object) -> Document:
        """Return the document of a text. Raises what msgspec does, and :class:`DiagnosticError`:
        R159 for a newer format, and those of the graph and the specification.
        """
        plain: Any = msgspec.json.decode(content, type=self._plain)
        values = {name: getattr(plain, name) for name in self._names}
        if self._label and plain.format > FORMAT:
            params = {"run": values[self._label], "format": plain.format}
            raise DiagnosticError(Diagnostic(code="R159", params=params))
        values |= {name: codec.from_document(values[name]) for name, codec in _CODECS.items()}
        return self._kind(**values, **outside)


def _plain_field(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    kind = dict[str, Any] if field.name in _CODECS else field.type
    if field.required:
        return field.name, kind
    if field.default is not msgspec.NODEFAULT:
        return field.name, kind, field.default
    return field.name, kind, msgspec.field(default_factory=field.default_factory)

"""Projects inside pictures of their model: PNG, SVG and PDF files that can be opened again.

The text of the project, code of the user included, is packed and written where programs for
pictures keep what is said about one: a text chunk of a PNG, the metadata of an SVG or a PDF.
Reading imports nothing and runs nothing; any bytes give a project or say why not.
"""

import base64
import binascii
import re
import struct
import zlib
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import TooLargeError, describe_os_error, read_file
from engine.project.document import MAXIMUM_BYTES, ProjectDocument, decode, encode

SUFFIXES = (".png", ".svg", ".pdf")
MOST_BYTES = 256 << 20  # of a picture
_KEY = b"trellis-project"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER_END = 33  # of a PNG: signature and the first chunk
_PACKED = re.compile(rb"trellis-project:([A-Za-z0-9+/=]+);")


def packed(document: ProjectDocument) -> bytes:
    """Return a project as letters that can stand anywhere, for :func:`carrying` and for the
    metadata of a PDF.
    """
    text = encode(document, has_texts=True)
    return _KEY + b":" + base64.b64encode(zlib.compress(text, 9)) + b";"


def carrying(content: bytes, kind: str, project: bytes) -> bytes:
    """Return a picture with a project that was packed; ``kind`` is ``png`` or ``svg``.

    Raises :class:`ValueError` for a content that is no such picture.
    """
    if kind == "png" and content.startswith(_SIGNATURE):
        chunk = b"tEXt" + _KEY + b"\0" + project
        sum_ = struct.pack(">I", zlib.crc32(chunk))
        chunk_bytes = struct.pack(">I", len(chunk) - 4) + chunk + sum_
        return content[:_HEADER_END] + chunk_bytes + content[_HEADER_END:]
    start = re.search(rb"<svg\b[^>]*>", content) if kind == "svg" else None
    if start is None:
        raise ValueError(f"not a picture of the kind {kind}")
    part = b"\n<metadata>" + project + b"</metadata>"
    return content[: start.end()] + part + content[start.end() :]


def pdf_metadata(project: bytes) -> bytes:
    """Return the metadata (XMP) of a PDF with a project that was packed."""
    return (
        b'<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/">'
        b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        b'<rdf:Description rdf:about="" xmlns:t="urn:trellis">'
        b"<t:project>" + project + b"</t:project>"
        b'</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>'
    )


def read_picture(path: Path) -> ProjectDocument:
    """Return the project inside a picture.

    Raises :class:`DiagnosticError`: P027 for a file without one, P028 for one that is damaged or
    too large, and what :func:`engine.project.document.decode` says.
    """
    try:
        content = read_file(path, MOST_BYTES)
    except TooLargeError as error:
        raise _damaged(path, f"more than {MOST_BYTES >> 20} MB") from error
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "read")) from error
    match = _PACKED.search(content)
    if match is None:
        raise DiagnosticError.of("P027", file=path.name)
    return decode(_unpacked(match.group(1), path))


def _unpacked(letters: bytes, path: Path) -> bytes:
    """Undo the packing, never to more than a project file can have."""
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(base64.b64decode(letters, validate=True), MAXIMUM_BYTES + 1)
    except (binascii.Error, zlib.error) as error:
        raise _damaged(path, str(error)) from error
    if not unpacker.eof:
        raise _damaged(path, "cut off or too large")
    return text


def _damaged(path: Path, detail: str) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code="P028", params={"file": path.name}, detail=detail))

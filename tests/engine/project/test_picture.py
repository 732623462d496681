"""Projects inside pictures: they come back as they were, and hostile files are told in words."""

import base64
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import DiagnosticError
from engine.graph.edit.annotation import AddAnnotations
from engine.graph.edit.edits import apply
from engine.graph.model import Annotation, AnnotationKind
from engine.graph.templates import templates
from engine.project import picture
from engine.project.document import ProjectDocument, decode, encode
from engine.project.picture import carrying, packed, pdf_metadata, read_picture


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\0"))
    + chunk(b"IEND", b"")
)
SVG = b'<?xml version="1.0"?>\n<svg width="1" xmlns="http://www.w3.org/2000/svg"></svg>'


@pytest.fixture(scope="module")
def document() -> ProjectDocument:
    made = decode((templates()[0].path / "project.json").read_bytes())
    note = Annotation(id="note.1", kind=AnnotationKind.NOTE, text="中文 </metadata> ;")
    graph = apply(AddAnnotations(annotations=(note,)), made.graph)
    return ProjectDocument(graph=graph, spec=made.spec)


@pytest.mark.row("N27")
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_that_a_project_comes_back_out_of_a_picture(document, tmp_path, kind) -> None:
    project = packed(document)
    if kind == "pdf":
        content = b"%PDF-1.4\n" + pdf_metadata(project) + b"\n%%EOF"
    else:
        content = carrying(PNG if kind == "png" else SVG, kind, project)
    path = tmp_path / f"model.{kind}"
    path.write_bytes(content)
    assert encode(read_picture(path)) == encode(document)


def test_that_the_png_stays_a_png(document) -> None:
    content = carrying(PNG, "png", packed(document))
    place, kinds = 8, []
    while place < len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        kind = content[place + 4 : place + 8]
        (crc,) = struct.unpack(">I", content[place + 8 + length : place + 12 + length])
        assert crc == zlib.crc32(content[place + 4 : place + 8 + length])
        kinds.append(kind)
        place += 12 + length
    assert kinds == [b"IHDR", b"tEXt", b"IDAT", b"IEND"]


def code_of(path) -> str:
    with pytest.raises(DiagnosticError) as error:
        read_picture(path)
    return error.value.problems[0].code


def wrapped(data: bytes) -> bytes:
    return PNG + b"trellis-project:" + base64.b64encode(data) + b";"


@pytest.mark.fault("B07")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "P027"),
        (PNG, "P027"),
        (b"trellis-project:;", "P027"),
        (b"trellis-project:a;", "P028"),
        (wrapped(b"no zlib"), "P028"),
        (wrapped(zlib.compress(b"{}")[:-3]), "P028"),
        (wrapped(zlib.compress(b"{")), "P013"),
        (wrapped(zlib.compress(b'{"graph": {"nodes": 3}}')), "G040"),
    ],
)
def test_that_a_hostile_picture_is_told_in_words(tmp_path, content, code) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(content)
    assert code_of(path) == code


@pytest.mark.fault("B07")
def test_that_a_bomb_is_not_unpacked_and_a_huge_file_not_read(tmp_path, monkeypatch) -> None:
    path = tmp_path / "x.png"
    monkeypatch.setattr(picture, "MAXIMUM_BYTES", 1000)
    path.write_bytes(wrapped(zlib.compress(bytes(100_000))))
    assert code_of(path) == "P028"
    monkeypatch.setattr(picture, "MOST_BYTES", 10)
    assert code_of(path) == "P028"
    assert code_of(tmp_path / "none.png").startswith("P0")


@settings(max_examples=60, deadline=None)
@given(
    data=st.binary(max_size=300).filter(lambda data: not data.lstrip().startswith(b"{")),
    cut=st.integers(0, 400),
)
def test_that_any_bytes_give_a_finding(tmp_path_factory, data, cut) -> None:
    path = tmp_path_factory.mktemp("any") / "x.png"
    path.write_bytes(wrapped(zlib.compress(data))[:cut] + data)
    assert code_of(path)

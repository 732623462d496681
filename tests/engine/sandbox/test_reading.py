"""Pictures of strangers, read by a process of their own."""

import io
import json
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import msgspec
import pytest
from PIL import Image

from engine.diagnostics import DiagnosticError, sentence
from engine.sandbox import reading
from engine.sandbox.answer import SIDE, Picture
from engine.sandbox.reading import read_picture

pytestmark = pytest.mark.real
KINDS = ("PNG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8"/></svg>'
SHORT = msgspec.msgpack.encode(Picture(width=2, height=2, pixels=b"a"))


def picture(kind: str, size: tuple[int, int] = (3, 2)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (255, 0, 0)).save(stream, kind, lossless=True)  # of WebP
    return stream.getvalue()


def bomb(side: int) -> bytes:
    """Return a PNG of a few bytes that tells of very many pixels."""
    chunks = [b"\x89PNG\r\n\x1a\n"]
    header = struct.pack(">2I5B", side, side, 8, 2, 0, 0, 0)
    for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")):
        told = struct.pack(">I", len(content)), struct.pack(">I", zlib.crc32(kind + content))
        chunks.append(told[0] + kind + content + told[1])
    return b"".join(chunks)


def refusal(source: Path | bytes, **more: float) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read_picture(source, **more)
    problem = caught.value.problems[0]
    for language in ("en", "zh_CN"):
        assert not sentence(problem, language).startswith(problem.code)
    return problem.code


def stand_in(monkeypatch, tmp_path: Path, code: str) -> None:
    """Let the process that reads do something else."""
    child = tmp_path / "child.py"
    child.write_text(code)
    monkeypatch.setattr(reading, "_CHILD", child)


@pytest.mark.parametrize("kind", KINDS)
def test_that_a_picture_is_read_in_its_colours(tmp_path, kind):
    file = tmp_path / "picture"
    file.write_bytes(picture(kind))
    for source in (file, picture(kind)):
        found = read_picture(source)
        assert (found.width, found.height) == (3, 2)
        assert found.pixels == b"\xff\0\0\xff" * 6


@pytest.mark.skipif(os.name != "posix", reason="no folder has such a name there")
def test_that_the_program_may_lie_in_any_folder(monkeypatch, tmp_path):
    place = tmp_path / f'a{os.pathsep}b "c"'
    place.symlink_to(Path(__file__).parents[3])
    monkeypatch.setattr(reading, "_PROGRAM", place)
    monkeypatch.setattr(reading, "_CHILD", place / "engine" / "sandbox" / "child.py")
    reading.package_folders.cache_clear()
    try:
        assert read_picture(picture("PNG")).width == 3
    finally:
        reading.package_folders.cache_clear()


def test_that_a_large_picture_is_made_smaller_in_its_proportions():
    found = read_picture(picture("JPEG", (4000, 2000)))
    assert (found.width, found.height) == (SIDE, SIDE // 2)


@pytest.mark.parametrize("content", [b"", b"hello", SVG, picture("PNG")[:40], picture("TGA")])
def test_that_what_is_no_picture_of_dots_is_refused(content):
    assert refusal(content) == "V004"


def test_that_a_picture_of_more_pixels_than_can_be_held_is_refused_before_they_are():
    assert refusal(bomb(60_000)) == "V007"


def test_that_a_folder_and_nothing_are_told_for_what_they_are(tmp_path):
    assert refusal(tmp_path) == "V004"
    assert refusal(tmp_path / "missing.png") == "P037"


def test_that_a_reader_that_does_not_end_is_ended(monkeypatch, tmp_path):
    stand_in(monkeypatch, tmp_path, "while True: pass")
    assert refusal(picture("PNG"), patience_s=1.0) == "V008"


@pytest.mark.parametrize(
    "code",
    [
        "import os; os._exit(3)",
        "import sys; sys.stdout.write('nonsense')",
        "import sys; sys.stdout.buffer.write(bytes(1 << 26))",
        f"import sys; sys.stdout.buffer.write({SHORT!r})",
    ],
    ids=["ends", "talks nonsense", "talks without end", "tells of pixels that it does not give"],
)
def test_that_a_reader_that_was_taken_over_gives_nothing_but_a_refusal(monkeypatch, tmp_path, code):
    stand_in(monkeypatch, tmp_path, code)
    assert refusal(picture("PNG")) == "V008"


def test_that_the_reader_is_confined_before_it_sees_the_first_byte(tmp_path):
    """Ask the real program, its reader exchanged by one that tries to write and to read a key, and
    what lies beside the program.
    """
    (tmp_path / "key").write_text("secret")
    program = Path(__file__).parents[3]
    code = f"""
import sys
sys.path.insert(0, {str(program)!r})
from engine.sandbox import answer, child, picture
from engine.sandbox.confinement import describe
from pathlib import Path
def read_picture(stream):
    done = []
    for attempt in (lambda: Path({str(tmp_path / "new")!r}).touch(),
                    lambda: Path({str(tmp_path / "key")!r}).read_text(),
                    lambda: Path({str(program / "README.md")!r}).read_text()):
        try:
            attempt()
            done.append("done")
        except OSError:
            done.append("refused")
    held = describe()
    are_held = (held.writing, held.reading, held.reading)
    wanted = ["refused" if is_held else "done" for is_held in are_held]
    return answer.Refused(code="V004", detail=str(done == wanted))
picture.read_picture = read_picture
child.main([{json.dumps([[str(program)], []])!r}, "picture"])
"""
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=240,
        check=True,
    )
    assert b"True" in done.stdout
    assert done.stderr == b""


def test_that_an_answer_that_is_no_text_is_no_answer(monkeypatch, tmp_path):
    told = msgspec.msgpack.encode({"type": "Refused", "code": "V004", "detail": "#"})
    stand_in(monkeypatch, tmp_path, f"import os; os.write(1, {told.replace(b'#', bytes([255]))!r})")
    assert refusal(picture("PNG")) == "V008"


def test_that_a_package_of_somebody_else_is_none_of_ours(monkeypatch, tmp_path):
    (tmp_path / "PIL").mkdir()
    (tmp_path / "PIL" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    reading.package_folders.cache_clear()
    try:
        assert str(tmp_path) not in reading.package_folders()
        assert read_picture(picture("PNG")).width == 3
    finally:
        reading.package_folders.cache_clear()


def test_that_a_reason_has_an_end(monkeypatch, tmp_path):
    told = msgspec.msgpack.encode({"type": "Refused", "code": "V004", "detail": "x" * 100_000})
    stand_in(monkeypatch, tmp_path, f"import os; os.write(1, {told!r})")
    assert refusal(picture("PNG")) == "V008"


def test_that_the_reader_learns_nothing_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("PYTHONSTARTUP", "x")
    told = tmp_path / "told"
    stand_in(monkeypatch, tmp_path, f"import os; open({str(told)!r}, 'w').write(str(os.environ))")
    assert refusal(picture("PNG")) == "V008"
    assert "SECRET" not in told.read_text()
    assert "PYTHON" not in told.read_text()

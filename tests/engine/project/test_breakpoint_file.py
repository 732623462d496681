"""Breakpoints are kept beside the project; a file from elsewhere does no harm."""

import os
from pathlib import Path

import pytest

from engine.diagnostics import DiagnosticError
from engine.events import Breakpoint
from engine.project.breakpoint_file import MOST, NAME, read_breakpoints, write_breakpoints

POINTS = (
    Breakpoint(kind="layer", place="hidden", condition="loss > 3", is_on=False),
    Breakpoint(kind="function", place="AddmmBackward0", within="block/head"),
    Breakpoint(kind="step", value=100),
    Breakpoint(kind="condition", condition="nan"),
)


def test_that_breakpoints_come_back_as_they_were(tmp_path: Path) -> None:
    folder = tmp_path / ".trellis"
    assert read_breakpoints(folder) == ()
    write_breakpoints(folder, POINTS)
    assert read_breakpoints(folder) == POINTS


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[" * 100_000,
        b'[{"kind": "os.system"}]',
        b'[{"kind": "layer", "place": 1}]',
        b'[{"kind": "step", "value": 1e400}]',
        b'[{"kind": "step", "value": NaN}]',
        b'[{"kind": "condition", "condition": "__import__(\'os\')"}]',
        b'[{"kind": "condition"}]',
        b'[{"kind": "layer", "place": "' + b"x" * 1000 + b'"}]',
        b"[" + b",".join([b'{"kind": "not_finite"}'] * (MOST + 1)) + b"]",
        b" " * (300 << 10),
    ],
)
def test_that_a_hostile_file_is_told_and_gives_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(DiagnosticError) as found:
        read_breakpoints(tmp_path)
    assert found.value.problems[0].code == "P029"
    write_breakpoints(tmp_path, POINTS)
    assert read_breakpoints(tmp_path) == POINTS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
def test_that_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    with pytest.raises(DiagnosticError):
        read_breakpoints(tmp_path)

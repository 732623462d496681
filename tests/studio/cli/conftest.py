import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from studio.cli import main


class Done(NamedTuple):
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Return a function that carries out a command in this process."""

    def carry_out(*arguments: object) -> Done:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        written = capsys.readouterr()
        return Done(code, written.out, written.err)

    return carry_out


@pytest.fixture
def project(tmp_path: Path, run: Callable[..., Done]) -> Path:
    """Return the folder of a project that trains in a moment."""
    folder = tmp_path / "iris"
    assert run("new", folder, "--template", "iris-mlp").code == 0
    return folder

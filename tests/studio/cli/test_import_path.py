"""Files that ``import`` is given by paths from where the user is: another process reads them."""

from argparse import Namespace
from types import SimpleNamespace

import pytest

from studio.cli import import_command


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("net.py::Net", "{here}/net.py::Net"),
        ("net.pt2", "{here}/net.pt2"),
        ("vit_b_16", "vit_b_16"),
    ],
)
def test_that_files_are_found_from_where_the_user_is(model, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.pt2").touch()
    asked = []

    def made(*given: object) -> SimpleNamespace:
        asked.extend(given)
        return SimpleNamespace(path=tmp_path, notices=(), graph=SimpleNamespace(code={}))

    monkeypatch.setattr(import_command.runtime, "import_model", made)
    monkeypatch.setattr(import_command, "remember", lambda *_given: None)
    options = Namespace(model=model, project="p", input=[], weights="x.pth")
    assert import_command.import_model(options) == 0
    assert asked[0] == expected.format(here=tmp_path)
    assert asked[3] == tmp_path / "x.pth"

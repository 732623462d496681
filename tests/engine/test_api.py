"""The interface for scripts: what docs/python.md shows runs as it stands there."""

import re
from pathlib import Path

import pytest

from engine import api

ROOT = Path(__file__).parents[2]


@pytest.mark.real
@pytest.mark.timeout(600)
def test_that_the_examples_of_the_documentation_run_from_top_to_bottom(tmp_path, plain_python):
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    done = plain_python.run(code=program, folder=tmp_path, path=[ROOT])
    assert done.returncode == 0, done.stderr
    assert "class Model(nn.Module)" in done.stdout
    assert (tmp_path / "flowers.safetensors").is_file()


def test_that_every_name_of_the_interface_is_there_and_told(subtests):
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for name in api.__all__:
        with subtests.test(name):
            assert getattr(api, name) is not None
            if name[0].islower():
                assert re.search(rf"`?api\.{name}\b|`{name}", text), "not in docs/python.md"


def test_that_a_name_that_is_not_there_is_refused():
    with pytest.raises(AttributeError):
        api.nothing  # noqa: B018

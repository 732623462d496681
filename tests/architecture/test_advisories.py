"""The check of pinned packages against known advisories finds what it is for."""

from pathlib import Path

import pytest

from tools.check_advisories import problems, read_advisories

ADVISORIES = """
[[advisory]]
package = "Some_Package"
id = "CVE-1"
affected = ">=2,<2.5"
what = "runs code"
"""


def project(wanted: str, pins: list[str]) -> dict:
    return {
        "project": {"dependencies": [wanted]},
        "dependency-groups": {"bench": []},
        "tool": {"uv": {"constraint-dependencies": pins}},
    }


@pytest.fixture
def advisories(tmp_path):
    file = tmp_path / "advisories.toml"
    file.write_text(ADVISORIES, encoding="utf-8")
    return read_advisories(file)


@pytest.mark.parametrize(
    ("wanted", "pins", "installed", "told"),
    [
        ("some-package>=2.5", ["some-package==2.6"], {}, 0),
        ("some-package>=2.5", ["some-package==2.6"], {"some-package": "2.4.1"}, 1),
        ("some-package>=2.5", ["some-package==2.6"], {"another": "2.4.1"}, 0),
        ("some-package>=2.1", ["some-package==2.6"], {}, 1),
        ("some-package>=1", ["some-package==2.4"], {}, 1),
        ("some-package>=2.5", [], {}, 1),
        ("some-package>=2.5", ["some-package>=2.6"], {}, 1),
        ("some-package>=2.7", ["some-package==2.6"], {}, 1),
    ],
)
def test_that_what_is_known_of_a_package_is_told(advisories, wanted, pins, installed, told):
    assert len(list(problems(project(wanted, pins), installed, advisories))) == told


def test_that_versions_with_malware_are_known():
    known = [one for one in read_advisories() if one.package == "lightning"]
    assert all(any(one.affected.contains(v) for one in known) for v in ("2.6.2", "2.6.3"))


def test_that_ci_runs_the_check():
    script = Path(__file__).parents[2] / ".ci" / "run"
    assert "tools/check_advisories.py" in script.read_text(encoding="utf-8")

"""The user guides tell the keys, the commands and the files there are."""

import re
from pathlib import Path

import pytest

from engine.graph.templates import templates
from studio.app.features import commands
from studio.cli.parser import build_parser
from studio.help.presenter import present_keyboard
from studio.i18n import Language

DOCS = Path(__file__).parents[3] / "docs"
GUIDES = {"en": DOCS / "guide.md", "zh_CN": DOCS / "guide.zh_CN.md"}


@pytest.fixture(params=GUIDES)
def guide(request, qapp):
    """Return the text of a guide while the program speaks its language."""
    language = Language(qapp)
    language.switch(request.param)
    yield GUIDES[request.param].read_text(encoding="utf-8")
    language.switch("en")


def test_that_the_guide_tells_all_keys_of_the_table_of_commands(guide):
    table = present_keyboard(commands()).partition("\n\n")[2].replace("\n## ", "\n### ")
    assert table in guide, "run python tools/write_keys.py"


def test_that_the_first_run_of_the_guide_names_the_key_of_the_export_workspace(guide):
    (key,) = next(c.keys for c in commands() if c.id == "action.view.export")
    (named,) = re.findall(r"(?m)^4\. .*\*\* ?[（(](Ctrl\+\d)[)）]", guide)
    assert named == key


def test_that_the_guide_tells_all_commands_of_the_command_line(guide):
    commands = build_parser()._subparsers._group_actions[0].choices
    assert set(re.findall(r"main\.py ([a-z-]+)", guide)) == set(commands)


def test_that_links_and_pictures_of_the_guide_lead_somewhere(guide):
    for target in re.findall(r"\]\(([^)#]+)\)", guide):
        assert (DOCS / target).is_file(), target
    headings = re.findall(r"(?m)^#+ (.*)$", guide)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    for anchor in re.findall(r"\]\(#([^)]+)\)", guide):
        assert anchor in anchors


def test_that_the_first_template_is_the_one_the_guide_begins_with(guide):
    first = min(templates(), key=lambda info: info.order)
    assert first.title_in("en") in guide or first.title_in("zh_CN") in guide


def test_that_the_readme_shows_pictures_that_are_there():
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\((docs/[^)#]+)\)", text):
        assert (DOCS.parent / target.rstrip("/")).exists(), target

"""The report of runs: whole, in one file, and nothing in it runs or leads away."""

import re
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.report.content import RunResults, read_content
from engine.report.document import html_page, require_suffix, write_html
from engine.report.gathering import Gathering
from engine.report.wording import Words
from tests.tiny_run import make_run, train

HOSTILE = "<script>alert(1)</script><img src='https://example.com/x' onerror=alert(2)>"
_VOID = {"meta", "img", "br"}


class Page(HTMLParser):
    """Elements, addresses and text of a page; each element must be closed where it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[str] = []
        self.values: list[tuple[str, str]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.values += [(name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append(tag)
        self.values += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def gathered(*runs):
    gathering = Gathering(runs)
    while gathering.request is not None:
        try:
            gathering.take(ask(gathering.request))
        except DiagnosticError as error:
            gathering.fail(error.problems)
    assert gathering.share == 1.0
    return [read_content(*pair) for pair in zip(runs, gathering.results, strict=True)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return a run that has finished, with a note that a browser would take for a script."""
    folder = make_run(tmp_path_factory.mktemp("p"))
    train(folder)
    return folder.describe(HOSTILE, (HOSTILE,))


@pytest.fixture(scope="module")
def content(trained):
    (found,) = gathered(trained)
    return found


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_that_a_report_tells_all_of_a_run_and_nothing_in_it_runs(content, language):
    page = Page(html_page([content], language))
    assert HOSTILE in page.text
    assert "script" not in page.elements
    assert not [value for name, value in page.values if name.startswith("on")]
    sources = [value for name, value in page.values if name in ("src", "href", "xlink:href")]
    assert all(value.startswith("data:") for value in sources)
    words = Words(language)
    for title in ("Overview", "Metrics", "Model", "Curves", "Results", "Recipe", "Data"):
        assert words.plain(title) in page.text
    for title in ("Confusion matrix", "Worst samples", "Environment", "Seed"):
        assert words.plain(title) in page.text
    assert "optimizer.lr" in page.text
    assert "versicolor" in page.text
    assert page.elements.count("svg") >= 3  # the model, loss, accuracy


def test_that_settings_that_differ_from_the_defaults_stand_first(content):
    text = Page(html_page([content], "en")).text
    assert text.index("optimizer.lr") < text.index("All other settings")
    assert text.index("epochs") < text.index("All other settings")


def test_that_no_address_stands_in_it_but_in_what_the_user_wrote(content):
    document = replace(content.document, note="", tags=())
    text = html_page([replace(content, document=document)], "en")
    assert (
        re.findall(r"(?i)(?:https?:|file:|//)[^\s\"<]*", re.sub(r"base64,[^\"]*", "", text)) == []
    )


def test_that_runs_are_compared_side_by_side(content):
    other = replace(content, document=replace(content.document, name="second", note="", tags=()))
    text = Page(html_page([content, other], "en")).text
    assert "Comparison of runs" in text
    assert text.count("Results: ") == 2
    assert text.count("Model: ") == 1  # it is the same


def test_that_a_run_without_a_checkpoint_says_so_in_the_place_of_its_results(tmp_path):
    run = make_run(tmp_path)
    (content,) = gathered(run)
    assert content.results.problems[0].code == "K015"
    page = Page(html_page([content], "en"))
    assert "problem" in [value for name, value in page.values if name == "class"]
    assert "Nothing has been measured yet." in page.text


def test_that_a_damaged_record_is_told_and_the_recipe_is_there(trained, tmp_path):
    run = make_run(tmp_path)
    (run.path / "events.db").write_bytes(b"no database at all" * 400)
    content = read_content(run, RunResults())
    assert content.problems
    page = Page(html_page([content], "en"))
    assert "problem" in [value for name, value in page.values if name == "class"]
    assert "optimizer.lr" in page.text


def test_that_no_half_report_stays(content, tmp_path):
    with pytest.raises(DiagnosticError) as raised:
        write_html(tmp_path / "nowhere" / "r.html", [content], "en")
    assert raised.value.problems[0].code == "P004"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DiagnosticError) as raised:
        require_suffix(tmp_path / "report.docx")
    assert raised.value.problems[0].code == "X050"


def test_that_pictures_are_shown_as_pictures(tmp_path):
    from engine.project import Project
    from engine.spec.fields import set_text

    project = Project.create(tmp_path / "digits", "digits-mlp")
    spec = set_text(set_text(project.spec, "epochs", "1"), "device", "cpu")
    run = make_run(project.path, project.graph)
    run = type(run)(run.path, replace(run.document, spec=spec))
    run.write_document()
    train(run)
    (content,) = gathered(run)
    page = Page(html_page([content], "en"))
    assert page.elements.count("img") == 12
    assert "data:image/png;base64," in html_page([content], "en")

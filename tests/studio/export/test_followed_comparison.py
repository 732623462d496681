"""A comparison with a file of weights that stays on the Export page while the model is edited."""

import pytest
from PySide6.QtWidgets import QLabel

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.node_state.mute import MuteNodes
from engine.query.weights.request import CompareCheckpoint
from engine.runtime import CheckpointComparison
from studio.export.comparison import ComparisonController

FILE = "/somewhere/other.pt"


def fitting(count: int) -> CheckpointComparison:
    return CheckpointComparison(file="other.pt", matching=count)


@pytest.fixture
def page(opened, host, qtbot):
    """Return the Export page with a comparison; each answer counts what was compared so far."""
    host.own[CompareCheckpoint] = lambda _: fitting(100 + len(asked(host)))
    opened.window.show_workspace("export")
    page = opened.window.page("export")
    opened.window.findChild(ComparisonController).compare(FILE)
    qtbot.waitUntil(lambda: "101" in verdict(page))
    return page


def asked(host) -> list[CompareCheckpoint]:
    return [request for request in host.requests if isinstance(request, CompareCheckpoint)]


def verdict(page) -> str:
    return page.findChild(QLabel, "export.verdict").text()


def edit(opened, *, is_muted: bool = True) -> None:
    opened.session.edit(MuteNodes(ids=("hidden1",), muted=is_muted), "Mute")


def test_that_the_comparison_follows_an_edit(opened, page, host, qtbot):
    edit(opened)
    assert "101" in verdict(page)  # without a word in between
    qtbot.waitUntil(lambda: "102" in verdict(page))
    assert asked(host)[-1].file == FILE
    assert asked(host)[-1].graph is opened.session.graph


def test_that_many_edits_are_compared_together(opened, page, host, qtbot):
    for number in range(8):
        edit(opened, is_muted=number % 2 == 0)
    qtbot.waitUntil(lambda: asked(host)[-1].graph is opened.session.graph)
    qtbot.waitUntil(lambda: f"{100 + len(asked(host))}" in verdict(page))
    assert len(asked(host)) <= 4


def test_that_an_answer_about_an_older_model_is_not_shown(opened, page, host, qtbot):
    host.is_holding = True
    edit(opened)
    held = len(asked(host))
    edit(opened, is_muted=False)
    qtbot.waitUntil(lambda: len(asked(host)) == held + 1)
    old, new = (f for request, f in host.held if isinstance(request, CompareCheckpoint))
    new.set_result(fitting(777))
    qtbot.waitUntil(lambda: "777" in verdict(page))
    old.set_exception(DiagnosticError(Diagnostic(code="X021", params={"file": "older.pt"})))
    qtbot.wait(50)
    assert "777" in verdict(page)


def test_that_nothing_is_compared_while_the_page_is_hidden(opened, page, host, qtbot):
    opened.window.show_workspace("model")
    before = len(asked(host))
    edit(opened)
    qtbot.wait(400)
    assert len(asked(host)) == before
    opened.window.show_workspace("export")
    qtbot.waitUntil(lambda: f"{100 + before + 1}" in verdict(page))


def test_that_the_comparison_is_left_with_another_project_and_kept_by_saving(
    opened, page, tmp_path
):
    edit(opened)
    opened.bench.actions.action("action.file.save").trigger()
    assert page.differences.isVisible()
    opened.bench.project.create(tmp_path / "next", "iris-mlp")
    opened.window.show_workspace("export")
    assert not page.differences.isVisible()
    assert page.contents.isVisible()

"""The Attention page in the window; the weights come from a host that is played."""

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from engine.diagnostics import DiagnosticError
from engine.query.attention.request import AttentionLayer, AttentionReport, ReadAttention
from engine.query.results.request import DescribeModel, Predict
from engine.spec.vocabulary import MARKS
from studio.inspect.attention.page import AttentionPage
from studio.inspect.attention.presenter import AttentionState, present_attention
from studio.inspect.playground.page import PlaygroundPage
from studio.view.token_text import token_label
from tests.studio.inspect.playground.test_writing import ANSWER, INPUTS
from tests.studio.inspect.results.test_results import begin, front

HEADS, QUICK_MS = 3, 30_000


def layer_of(name: str, count: int) -> AttentionLayer:
    return AttentionLayer(
        name=name,
        heads=HEADS,
        rows=count,
        columns=count,
        height=count,
        width=count,
        overview=bytes(HEADS * count * count),
    )


def told(request: ReadAttention) -> AttentionReport:
    """Return weights that are larger the later the layer and the head."""
    tokens = tuple(next(iter(request.texts.values())))
    count = len(tokens)
    weights = np.tril(np.full((count, count), 0.1 * (1 + 3 * request.layer + request.head)))
    return AttentionReport(
        checkpoint="step.ckpt",
        step=7,
        layers=(layer_of("first", count), layer_of("second", count)),
        layer=request.layer,
        head=request.head,
        rows=tokens,
        columns=tokens,
        weights=weights.astype(np.float32).tobytes(),
        is_causal=True,
    )


@pytest.fixture
def asked() -> list[ReadAttention]:
    return []


@pytest.fixture
def page(opened, host, qtbot, asked) -> AttentionPage:
    def answer(request: ReadAttention) -> AttentionReport:
        asked.append(request)
        return told(request)

    host.own |= {DescribeModel: INPUTS, ReadAttention: answer, Predict: ANSWER}
    begin(opened, qtbot)
    page = front(opened, "attention", AttentionPage)
    qtbot.waitUntil(lambda: bool(page.title.text()), timeout=QUICK_MS)
    return page


@pytest.mark.real
@pytest.mark.row("S218")
def test_that_a_typed_text_is_read_with_its_tokens_along_both_sides(page, qtbot, asked):
    assert asked[0].texts == {"text": "abab"}, "the sample"
    page.edits[0].setPlainText("a b\na")
    qtbot.waitUntil(lambda: len(page.matrix.view.rows) == 5, timeout=QUICK_MS)
    assert asked[-1].texts == {"text": "a b\na"}
    assert page.matrix.view.rows == page.matrix.view.columns == ("a", "␣", "b", "↵", "a")
    assert page.title.text() == "first · head 1 of 3"
    assert "Causal" in page.note.text()
    assert "step 7" in page.note.text()


@pytest.mark.real
def test_that_arrow_keys_choose_layer_and_head(page, qtbot, asked):
    qtbot.keyClick(page.heads, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: page.title.text() == "second · head 1 of 3", timeout=QUICK_MS)
    qtbot.keyClick(page.heads, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: page.title.text() == "second · head 2 of 3", timeout=QUICK_MS)
    assert (asked[-1].layer, asked[-1].head) == (1, 1)
    assert page.heads.current == (1, 1)
    assert float(page.matrix.view.weights[0, 0]) == pytest.approx(0.5)


@pytest.mark.real
def test_that_what_is_wrong_is_told_and_a_model_without_attention_says_so(page, host, qtbot):
    host.own[ReadAttention] = DiagnosticError.of("V002", field="text", given=1, wanted=2)
    page.edits[0].setPlainText("aa")
    qtbot.waitUntil(page.error.isVisible, timeout=QUICK_MS)
    host.own[ReadAttention] = DiagnosticError.of("R580")
    page.edits[0].setPlainText("aaa")
    qtbot.waitUntil(page.empty.isVisible, timeout=QUICK_MS)
    assert not page.matrix.isVisible()


@pytest.mark.real
def test_that_the_playground_leads_to_the_attention_of_its_text(
    opened, host, qtbot, asked, monkeypatch
):
    monkeypatch.setattr("studio.inspect.playground.controller.attends", lambda graph: True)
    host.own |= {DescribeModel: INPUTS, Predict: ANSWER}
    host.own[ReadAttention] = lambda request: asked.append(request) or told(request)
    begin(opened, qtbot)
    playground = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(playground.writing.attention.isVisible, timeout=QUICK_MS)
    playground.findChild(object, "playground.entry.text.0").setText("bba")
    playground.writing.attention.click()
    page = opened.window.findChild(AttentionPage)
    qtbot.waitUntil(page.isVisible, timeout=QUICK_MS)
    qtbot.waitUntil(lambda: page.matrix.view.rows == tuple("bba"), timeout=QUICK_MS)
    assert asked[-1].texts == {"text": "bba"}


def test_that_spaces_and_line_breaks_are_seen_and_marks_stay():
    assert list(map(token_label, (" ", "\n", "\t", "a", " the", MARKS[0]))) == [
        *("␣", "↵", "⇥", "a", "␣the", MARKS[0])
    ]


def test_that_weights_without_names_have_numbers():
    request = ReadAttention(run_folder="", texts={"text": "ab"})
    report = told(request)
    state = AttentionState(has_run=True, inputs=INPUTS, report=replace(report, rows=()))
    view = present_attention(state, "en")
    assert view.matrix.rows == ("1", "2")
    assert view.matrix.columns == ("a", "b")
    assert view.empty is None


@pytest.mark.row("N20")
def test_that_states_stand_behind_their_tokens_and_what_follows_them():
    report = told(ReadAttention(run_folder="", texts={"text": "a "}))
    report = replace(
        report,
        layers=(replace(report.layers[0], is_state=True),),
        columns=(),
        predicted=("\n", "b"),
        is_causal=False,
    )
    view = present_attention(AttentionState(has_run=True, inputs=INPUTS, report=report), "en")
    assert view.matrix.is_signed
    assert view.matrix.rows == ("a → ↵", "␣ → b")
    assert view.matrix.columns == ("1", "2")
    assert view.heads[0].name == "first · states"
    assert "adds up" not in view.note

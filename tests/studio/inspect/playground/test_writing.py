"""Generation in the playground: a text comes a few tokens at a time, and can be stopped."""

from threading import Event

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.generation.request import Beam, Generate, GenerationStep
from engine.query.results.request import DescribeModel, ModelInput, ModelInputs, Predict, Prediction
from engine.spec.data import FieldInfo
from studio.inspect.playground.answer import present_answer
from studio.inspect.playground.page import PlaygroundPage
from tests.studio.inspect.results.test_results import begin, front

LETTERS = FieldInfo(
    name="text",
    role="input",
    kind="sequence",
    shape=(4,),
    dtype="int64",
    words=("<pad>", "<unk>", "a", "b"),
    unit="characters",
)
INPUTS = ModelInputs(
    step=7,
    fields=(ModelInput(info=LETTERS, low=0, high=3, example=(2.0, 3.0, 2.0, 3.0), text="abab"),),
    classes=LETTERS.words,
    task="classification",
)
ANSWER = Prediction(step=7, values=(0.0,), following=(0.0, 0.0, 0.4, 0.6), continued="ab")


def written(request: Generate) -> GenerationStep:
    """Return the text of a request with another letter."""
    numbers = (*request.written, 2 + len(request.written) % 2)
    text = "".join("ab"[number - 2] for number in numbers)
    return GenerationStep(
        checkpoint="step.ckpt",
        step=7,
        before=request.texts["text"],
        text=text,
        written=numbers,
        is_done=len(numbers) == request.sampling.tokens,
    )


@pytest.fixture
def asked() -> list[Generate]:
    return []


@pytest.fixture
def page(opened, host, qtbot, asked) -> PlaygroundPage:
    def answer(request: Generate) -> GenerationStep:
        asked.append(request)
        return written(request)

    host.own |= {DescribeModel: INPUTS, Predict: ANSWER, Generate: answer}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(page.writing.isVisible, timeout=30_000)
    return page


def test_that_lines_of_a_text_stand_in_one_with_marks_between_them():
    text, _ = present_answer(INPUTS, replace(ANSWER, continued="ab\nba\n"))
    assert text == "ab ⏎ ba", "each as a line of its own would make the page higher than the window"


@pytest.mark.row("P19")
def test_that_a_text_is_written_with_the_settings_until_it_is_done(page, qtbot, asked):
    panel = page.writing
    panel.temperature.setValue(0.5)
    panel.top_k.setValue(3)
    panel.seed.setValue(11)
    panel.tokens.setValue(3)
    panel.stop.setText("x")
    panel.start.click()
    qtbot.waitUntil(lambda: panel.text.toPlainText() == "abababa", timeout=30_000)
    qtbot.waitUntil(panel.start.isEnabled, timeout=30_000)
    assert not panel.cancel.isEnabled()
    sampling = asked[0].sampling
    assert (sampling.temperature, sampling.top_k, sampling.seed) == (0.5, 3, 11)
    assert (sampling.tokens, sampling.stop) == (3, "x")
    assert [request.written for request in asked] == [(), (2,), (2, 3)]
    assert {request.checkpoint for request in asked[1:]} == {"step.ckpt"}, "one set of weights"
    assert "3 tokens" in panel.note.text()


def test_that_a_beam_search_shows_all_its_texts_and_draws_nothing(page, host, qtbot, asked):
    texts = ("ab", "aa")

    def found(request: Generate) -> GenerationStep:
        asked.append(request)
        beams = tuple(Beam(text=text, log_probability=-2.0, length=2) for text in texts)
        return replace(written(request), text="ab", beams=beams, is_done=len(asked) == 2)

    host.own[Generate] = found
    panel = page.writing
    panel.beams.setValue(2)
    assert not panel.temperature.isEnabled()
    assert not panel.seed.isEnabled()
    panel.start.click()
    qtbot.waitUntil(lambda: len(asked) == 2 and panel.start.isEnabled(), timeout=30_000)
    assert asked[0].sampling.beams == 2
    assert [beam.text for beam in asked[1].beams] == list(texts), "it goes on with what it has"
    assert panel.text.toPlainText().endswith("ab")
    assert [line.split()[-1] for line in panel.found.toPlainText().splitlines()] == list(texts)
    panel.beams.setValue(1)
    assert panel.temperature.isEnabled()


def test_that_stopping_keeps_what_was_written_and_asks_no_more(page, host, qtbot, asked):
    is_held = Event()

    def slowly(request: Generate) -> GenerationStep:
        asked.append(request)
        if len(asked) == 2:
            page.writing.cancel.click()
            is_held.set()
        return written(request)

    host.own[Generate] = slowly
    page.writing.start.click()
    qtbot.waitUntil(is_held.is_set, timeout=30_000)
    qtbot.waitUntil(page.writing.start.isEnabled, timeout=30_000)
    qtbot.wait(50)
    assert len(asked) == 2
    assert page.writing.text.toPlainText() == "ababa"


def test_that_a_failure_is_told_in_the_panel_and_the_model_can_be_asked_again(page, host, qtbot):
    host.own[Generate] = DiagnosticError(Diagnostic(code="P070"))
    page.writing.start.click()
    qtbot.waitUntil(page.writing.error.isVisible, timeout=30_000)
    assert "no text to continue" in page.writing.error.text()
    assert page.writing.start.isEnabled()


def test_that_a_model_that_scores_no_next_token_offers_no_generation(opened, host, qtbot):
    host.own |= {DescribeModel: INPUTS, Predict: replace(ANSWER, values=(0.1,) * 4, following=())}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(page.answer.text()), timeout=30_000)
    assert not page.writing.isVisible()

"""A sentence in the playground: typed in words, or, without a vocabulary, as numbers of words."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel, QLineEdit

from engine.query.results.request import (
    DescribeModel,
    ModelInput,
    ModelInputs,
    Predict,
    Prediction,
)
from engine.query.results.text_tokens import TextTokens
from engine.spec.data import FieldInfo
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.playground.presenter import (
    EntryError,
    entries,
    example_texts,
    present_reading,
    typed_texts,
    typed_values,
)
from tests.studio.inspect.results.test_results import begin, front

NUMBERS = FieldInfo(name="sequence", role="input", kind="sequence", shape=(4,), dtype="int64")
INPUTS = ModelInputs(
    step=1,
    fields=(ModelInput(info=NUMBERS, low=0, high=999, example=(7.0, 0.0, 999.0, 12.0)),),
)
WORDS = FieldInfo(
    name="sentence",
    role="input",
    kind="sequence",
    shape=(4,),
    dtype="int64",
    words=("<pad>", "<unk>", "the", "sea", "wind"),
)
SUBWORDS = ModelInputs(
    step=1,
    fields=(
        ModelInput(
            info=replace(WORDS, name="text", words=("a", "sea", "<pad>"), unit="bpe", padding=2),
            low=0,
            high=2,
            example=(0.0, 1.0, 2.0, 2.0),
            text="a sea",
        ),
    ),
    classes=("calm", "storm"),
    task="classification",
)
SENTENCES = ModelInputs(
    step=1,
    fields=(ModelInput(info=WORDS, low=0, high=4, example=(2.0, 3.0, 0.0, 0.0), text="The sea."),),
    classes=("calm", "storm"),
    task="classification",
)


@pytest.mark.row("P19")
def test_that_words_without_a_vocabulary_are_one_line_of_their_numbers(qapp):
    (line,) = entries(INPUTS)
    assert "4 word indices" in line.help
    assert "999" in line.help
    assert example_texts(INPUTS) == ("7 0 999 12",)
    assert typed_values(INPUTS, ("1, 2 3 4",)) == {"sequence": (1.0, 2.0, 3.0, 4.0)}
    assert present_reading(INPUTS, ("1 2 3 4",)).text == ""


@pytest.mark.parametrize("text", ["1 2 3", "1 2 3 word", ""])
def test_that_numbers_that_do_not_fit_are_told(qapp, text):
    with pytest.raises(EntryError):
        typed_values(INPUTS, (text,))


@pytest.mark.parametrize(
    ("text", "told"),
    [("1 nan 3 4", "“nan” .* not a finite number"), ("1 2", "needs 4 numbers, not 2")],
)
def test_that_it_is_told_what_is_wrong_with_numbers(qapp, text, told):
    with pytest.raises(EntryError, match=told):
        typed_values(INPUTS, (text,))


@pytest.mark.row("P19")
def test_that_a_sentence_is_typed_in_words_and_told_how_it_is_read(qapp):
    assert example_texts(SENTENCES) == ("The sea.",)
    assert typed_values(SENTENCES, ("The wind!",)) == {"sentence": (2, 4, 0, 0)}
    known = present_reading(SENTENCES, ("The wind!",))
    assert known.text == "All words are in the vocabulary."
    assert known.numbers == "the 2 · wind 4 · 2 × <pad> 0"
    other = present_reading(SENTENCES, ("the whale saw the sea",))
    assert "encoded as <unk>: whale, saw" in other.text
    assert "first 4 of 5" in other.text
    assert "kraken" not in present_reading(SENTENCES, ("the sea the wind kraken",)).text
    assert other.numbers == "the 2 · whale 1 · saw 1 · the 2"
    for text in ("", "?!"):
        assert present_reading(SENTENCES, (text,)).text == ""
        with pytest.raises(EntryError, match="no word"):
            typed_values(SENTENCES, (text,))


def test_that_a_text_of_characters_is_told_as_characters(qapp):
    info = replace(WORDS, unit="characters", words=("<pad>", "<unk>", "a", "b"))
    inputs = replace(SENTENCES, fields=(replace(SENTENCES.fields[0], info=info),))
    assert present_reading(inputs, ("ab",)).text == "All characters are in the vocabulary."
    assert "4 of 5 tokens" in present_reading(inputs, ("ababa",)).text


@pytest.mark.row("P19")
def test_that_a_language_model_is_given_a_text_whole_and_reads_its_end(qapp):
    inputs = replace(SENTENCES, continues="sentence")
    text = "the wind the sea the sea"
    assert typed_values(inputs, (text,)) == {}
    assert typed_texts(inputs, (text,)) == {"sentence": text}
    reading = present_reading(inputs, (text,))
    assert "Only the last 4 of 6 tokens are used" in reading.text
    assert reading.numbers == "the 2 · sea 3 · the 2 · sea 3"
    assert "last 4 tokens" in entries(inputs)[0].help
    with pytest.raises(EntryError, match="no word"):
        typed_texts(inputs, ("",))


@pytest.mark.row("P19")
def test_that_the_answer_follows_a_sentence_as_it_is_typed(opened, host, qtbot):
    asked = []

    def answer(request: Predict) -> Prediction:
        asked.append(request.values["sentence"])
        calm = 1.0 if 3 in request.values["sentence"] else 0.25
        return Prediction(step=1, values=(calm, 1 - calm))

    host.own = {DescribeModel: SENTENCES, Predict: answer}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: page.answer.text() == "calm  100%")
    assert page.texts() == ("The sea.",)
    line = page.findChild(QLineEdit, "playground.entry.sentence.0")
    line.selectAll()
    qtbot.keyClicks(line, "the wind howls")
    qtbot.waitUntil(lambda: bool(asked) and asked[-1] == (2, 4, 1, 0))
    qtbot.waitUntil(lambda: page.answer.text() == "storm  75%")
    reading = page.findChild(QLabel, "playground.reading")
    assert "howls" in reading.text()
    assert "wind 4" in reading.toolTip()
    line.clear()
    error = page.findChild(QLabel, "playground.error")
    qtbot.waitUntil(lambda: "Type a sentence" in error.text())
    assert not reading.isVisible()
    assert page.answer.text() == ""  # no answer to something else


@pytest.mark.row("P19")
def test_that_a_text_in_subwords_is_cut_where_the_tokenizer_is(opened, host, qtbot):
    asked = []

    def answer(request: Predict) -> Prediction:
        asked.append((request.texts, request.values))
        numbers = tuple(0 if letter == "a" else 1 for letter in request.texts["text"])
        words = tuple(request.texts["text"])
        tokens = {"text": TextTokens(words=words, numbers=numbers)}
        return Prediction(step=1, values=(0.25, 0.75), tokens=tokens)

    host.own = {DescribeModel: SUBWORDS, Predict: answer}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(asked))
    line = page.findChild(QLineEdit, "playground.entry.text.0")
    line.selectAll()
    qtbot.keyClicks(line, "ab")
    reading = page.findChild(QLabel, "playground.reading")
    qtbot.waitUntil(lambda: reading.toolTip() == "a 0 · b 1 · 2 × <pad> 2")
    assert asked[-1] == ({"text": "ab"}, {})
    assert reading.text() == "2 tokens."
    line.selectAll()
    qtbot.keyClicks(line, "aabba")
    qtbot.waitUntil(lambda: "first 4 of 5 tokens" in reading.text())
    line.clear()
    error = page.findChild(QLabel, "playground.error")
    qtbot.waitUntil(lambda: "Type a sentence" in error.text())

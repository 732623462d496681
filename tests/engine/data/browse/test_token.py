"""Tokens of a text as a model reads them, with what it does not know or does not get."""

import pytest

from engine.data.browse.token import read_tokens
from engine.spec.data import FieldInfo
from engine.spec.vocabulary import MARKS, SENTENCE_MARKS


def field(*words: str, length: int = 4, **changes) -> FieldInfo:
    return FieldInfo(
        name="text",
        role="input",
        kind="sequence",
        shape=(length,),
        dtype="int64",
        words=(*MARKS, *words),
        **changes,
    )


def told(info: FieldInfo, text: str):
    numbers = info.filled(
        info.vocabulary.encode(text, info.shape[0])[: len(info.vocabulary.tokens(text))]
    )
    read = read_tokens(info, numbers, text)
    return [(each.text, each.number, each.is_unknown) for each in read.tokens], read.cut


def test_that_an_unknown_word_is_told_as_it_is_written_and_padding_is_not():
    tokens, cut = told(field("cat", "sat"), "The cat sat")
    assert tokens == [("the", 1, True), ("cat", 2, False), ("sat", 3, False)]
    assert cut == 0


def test_that_what_is_behind_the_length_is_counted():
    tokens, cut = told(field("a", "b", length=2), "a b b a dog")
    assert [text for text, _, _ in tokens] == ["a", "b"]
    assert cut == 3


def test_that_the_mark_of_a_start_moves_no_word():
    info = field(*SENTENCE_MARKS, "cat", start=2)
    tokens, cut = told(info, "zebra cat")
    assert tokens == [("<start>", 2, False), ("zebra", 1, True), ("cat", 4, False)]
    assert cut == 0


@pytest.mark.parametrize("text", ["", "cat"])
def test_that_an_unknown_token_without_its_text_has_the_name_of_all_unknown_ones(text):
    read = read_tokens(field("cat"), (1, 1, 0, 0), text)
    assert read.tokens[1].text == MARKS[1]
    assert read.tokens[1].is_unknown


def test_that_subwords_are_told_as_the_tokenizer_has_them():
    info = field("ca", "t", unit="bpe")
    assert [each.text for each in read_tokens(info, (2, 3, 0, 0), "cat").tokens] == ["ca", "t"]

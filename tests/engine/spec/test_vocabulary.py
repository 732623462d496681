"""Words, their numbers, and what is not known."""

from hypothesis import given
from hypothesis import strategies as st

from engine.spec.vocabulary import MARKS, PADDING, UNKNOWN, Vocabulary, words_of

KNOWN = Vocabulary.of(("The sea, the SEA!", "it's the wind"))


def test_that_words_are_numbered_by_how_often_they_come_up_after_the_two_marks():
    assert KNOWN.words == ("<pad>", "<unk>", "the", "sea", "it's", "wind")
    assert Vocabulary.of(("the sea", "the wind"), least=2).words == (*MARKS, "the")


def test_that_a_sentence_is_cut_or_filled_up_and_unknown_words_are_told():
    assert KNOWN.encode("The wind sings.", 5) == (2, 5, UNKNOWN, PADDING, PADDING)
    assert KNOWN.encode("the the the sea", 3) == (2, 2, 2)
    assert KNOWN.encode("", 2) == (PADDING, PADDING)
    assert KNOWN.unknown("Sing, wind, sing <pad>") == ("sing", "pad")
    assert KNOWN.decode((2, 5, UNKNOWN, PADDING, 99)) == ("the", "wind", *MARKS[::-1], "<unk>")


@given(st.lists(st.text(max_size=30), max_size=8), st.text(max_size=40), st.integers(1, 9))
def test_that_any_text_becomes_numbers_of_the_vocabulary(texts, text, length):
    vocabulary = Vocabulary.of(texts)
    numbers = vocabulary.encode(text, length)
    assert len(numbers) == length
    assert all(0 <= number < len(vocabulary.words) for number in numbers)
    if not vocabulary.unknown(text):
        shown = vocabulary.decode(numbers)
        assert list(shown[: len(words_of(text))]) == words_of(text)[:length]

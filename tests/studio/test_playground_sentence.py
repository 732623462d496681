"""A sentence in the playground: the numbers of its words in a row."""

import pytest

from engine.runs.result import ModelInput, ModelInputs
from engine.spec.data import FieldInfo
from studio.presenters.playground import EntryError, entries, example_texts, typed_values

WORDS = FieldInfo(name="sequence", role="input", kind="sequence", shape=(4,), dtype="int64")
INPUTS = ModelInputs(
    checkpoint="last",
    step=1,
    fields=(ModelInput(info=WORDS, low=0, high=999, example=(7.0, 0.0, 999.0, 12.0)),),
)


@pytest.mark.row("P19")
def test_that_a_sentence_is_one_line_of_numbers_of_words(qapp):
    (line,) = entries(INPUTS)
    assert "4 words" in line.help
    assert "999" in line.help
    assert example_texts(INPUTS) == ("7 0 999 12",)
    assert typed_values(INPUTS, ("1, 2 3 4",)) == {"sequence": (1.0, 2.0, 3.0, 4.0)}


@pytest.mark.parametrize("text", ["1 2 3", "1 2 3 word", ""])
def test_that_a_sentence_that_does_not_fit_is_told(qapp, text):
    with pytest.raises(EntryError):
        typed_values(INPUTS, (text,))

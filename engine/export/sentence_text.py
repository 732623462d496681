"""The lines of an exported file that read a sentence as the model was trained to."""

import json
from collections.abc import Sequence

from engine.spec.data import FieldInfo
from engine.spec.vocabulary import PADDING, UNKNOWN, WORD_PATTERN

_ENCODING = '''
{VOCABULARIES} = {{{words}
}}


def {encode}(sentence, field={first}):
    """Return the numbers of the words of a sentence as a batch of one, int64.

    A number is a word's place in its vocabulary: {padding} fills the sentence up, {unknown} is a
    word that the training data does not hold or hardly.
    """
    words, length = {VOCABULARIES}[field]
    numbers = {{word: number for number, word in enumerate(words)}}
    found = [numbers.get(word, {unknown}) for word in {findall}({pattern}, sentence.lower())]
    return torch.tensor([(found + [{padding}] * length)[:length]])
'''


def example_text(field: FieldInfo, encode: str) -> str:
    """Return a call of the function for a field."""
    return f"{encode}({json.dumps('A sentence.')}, {json.dumps(field.name)})"


def sentence_text(fields: Sequence[FieldInfo], names: dict[str, str], findall: str) -> str:
    """Return the vocabularies of the fields and the function that goes by them; ``names`` are what
    things are called in the file, ``findall`` what ``re.findall`` is.
    """
    words = "".join(
        f"\n    {json.dumps(field.name)}: ({json.dumps(field.words)}, {field.shape[0]}),"
        for field in fields
    )
    return _ENCODING.format(
        words=words,
        first=json.dumps(fields[0].name),
        findall=findall,
        pattern=json.dumps(WORD_PATTERN),
        padding=PADDING,
        unknown=UNKNOWN,
        **names,
    )

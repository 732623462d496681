"""Text of an exported file that encodes sentences as for training."""

import json
from collections.abc import Sequence
from string import Template

from engine.spec.data import FieldInfo
from engine.spec.vocabulary import PADDING, UNKNOWN, WORD_PATTERN

_ENCODING = Template('''
$VOCABULARIES = {$words
}


def $encode(sentence, field=$first):
    """Return a sentence as an int64 tensor of word indices with batch size 1.

    Index $padding is padding, index $unknown stands for words outside the vocabulary.
    """
    words, length = $VOCABULARIES[field]
    indices = {word: index for index, word in enumerate(words)}
    encoded = [indices.get(word, $unknown) for word in $findall($pattern, sentence.lower())]
    return torch.tensor([(encoded + [$padding] * length)[:length]])
''')


def example_text(field: FieldInfo, encode: str) -> str:
    """Return a call that encodes an example sentence for a field."""
    return f"{encode}({json.dumps('A sentence.')}, {json.dumps(field.name)})"


def sentence_text(fields: Sequence[FieldInfo], names: dict[str, str], findall: str) -> str:
    """Return the vocabularies of the fields and the function that encodes a sentence; ``names`` are
    the names of both in the file, ``findall`` is that of ``re.findall``.
    """
    words = "".join(
        f"\n    {json.dumps(field.name)}: ({json.dumps(field.words)}, {field.shape[0]}),"
        for field in fields
    )
    return _ENCODING.substitute(
        words=words,
        first=json.dumps(fields[0].name),
        findall=findall,
        pattern=json.dumps(WORD_PATTERN),
        padding=PADDING,
        unknown=UNKNOWN,
        **names,
    )

"""Text of the functions that turn a sentence into numbers and back, as the data of a run did."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Template

from engine.spec.data import FieldInfo
from engine.spec.vocabulary import MARKS, SENTENCE_MARKS, UNKNOWN, WORD_PATTERN

_VOCABULARY = Template('''
$VOCABULARIES = {$words
}


def $encode(sentence, field=$first):
    """Return a sentence as an int64 tensor of token indices with batch size 1.

    Index 0 is padding, index $unknown stands for what is not in the vocabulary.
    """
    words, length$begin = $VOCABULARIES[field]
    indices = {word: index for index, word in enumerate(words)}
    sentence = $letters
    encoded = $begun[indices.get(token, $unknown) for token in $split]
    return torch.tensor([$filled])


def $decode(indices, field=$first):
    """Return the sentence that token indices stand for, without padding and marks."""
    words = $VOCABULARIES[field][0]
    numbers = torch.as_tensor(indices).flatten().tolist()
    tokens = [words[number] for number in numbers if words[number] not in $marks]
    return $join
''')
_TOKENIZER = Template('''
$VOCABULARIES = {$files
}


@$cache
def $tokenizer(file):
    """Return the tokenizer in a file beside this one."""
    return $Tokenizer.from_file(str($Path(__file__).with_name(file)))


def $encode(sentence, field=$first):
    """Return a sentence as an int64 tensor of token indices with batch size 1, padded."""
    file, length, padding$begin = $VOCABULARIES[field]
    encoded = $begun$tokenizer(file).encode(sentence, add_special_tokens=False).ids
    return torch.tensor([$filled])


def $decode(indices, field=$first):
    """Return the sentence that token indices stand for, without padding and marks."""
    return $tokenizer($VOCABULARIES[field][0]).decode(torch.as_tensor(indices).flatten().tolist())
''')
_BYTE_NAMES = 'chr(b) if 0x20 < b < 0x7F else f"0x{b:02x}"'
_SPLIT = {
    "characters": "list(sentence)",
    "bytes": f"({_BYTE_NAMES} for b in sentence.encode())",
}
_JOIN = {
    "words": '" ".join(tokens)',
    "characters": '"".join(tokens)',
    "bytes": "bytes(ord(t) if len(t) == 1 else int(t, 16) for t in tokens)"
    '.decode("utf-8", "replace")',
}
_PLAIN = '"".join(c for c in {normalize}("NFD", sentence) if {category}(c) != "Mn").lower()'
_LETTERS = {"all": "sentence", "lowercase": "sentence.lower()", "ascii": _PLAIN}

Imported = Callable[[str, str], str]
"""Says what a name of a module is called in the file."""


def example_text(field: FieldInfo, encode: str) -> str:
    """Return a call that encodes an example sentence for a field."""
    return f"{encode}({json.dumps('A sentence.')}, {json.dumps(field.name)})"


def token_text(
    fields: Sequence[FieldInfo],
    files: Mapping[str, str],
    names: dict[str, str],
    imported: Imported,
) -> str:
    """Return what the sentences of the fields consist of, and the functions that encode and decode
    one; ``names`` are what these are called. All texts of a data set are cut alike; those of
    subwords by the tokenizers in ``files``, by field.
    """
    starts = [[] if each.start is None else [each.start] for each in fields]
    begin, begun = (", begin", "begin + ") if any(starts) else ("", "")
    words = {
        **names,
        "first": json.dumps(fields[0].name),
        "begin": begin,
        "begun": begun,
    }
    ends = [f", {start}" if begin else "" for start in starts]
    words["filled"] = _filled(fields, "padding" if fields[0].unit == "bpe" else "0")
    if fields[0].unit == "bpe":
        lines = [
            f"{files[each.name]!r}, {each.tokens}, {each.padding}{end}"
            for each, end in zip(fields, ends, strict=True)
        ]
        return _TOKENIZER.substitute(
            words,
            files=_entries(fields, lines),
            cache=imported("functools", "cache"),
            Tokenizer=imported("tokenizers", "Tokenizer"),
            Path=imported("pathlib", "Path"),
        )
    lines = [
        f"{json.dumps(each.words)}, {each.tokens}{end}"
        for each, end in zip(fields, ends, strict=True)
    ]
    return _VOCABULARY.substitute(
        words,
        words=_entries(fields, lines),
        split=_split(fields[0], imported),
        join=_JOIN[fields[0].unit],
        letters=_letters(fields[0], imported),
        marks=(*MARKS, *SENTENCE_MARKS),
        unknown=UNKNOWN,
    )


def _filled(fields: Sequence[FieldInfo], padding: str) -> str:
    """Return the expression for the indices of a sentence with its padding."""
    fixed, own = f"(encoded + [{padding}] * length)[:length]", f"encoded[:length] or [{padding}]"
    names = tuple(field.name for field in fields if field.longest)
    if len(names) == len(fields):
        return own
    return f"{own} if field in {names!r} else {fixed}" if names else fixed


def _split(field: FieldInfo, imported: Imported) -> str:
    split = _SPLIT.get(field.unit)
    if split is not None:
        return split
    return f"{imported('re', 'findall')}({json.dumps(WORD_PATTERN)}, sentence.lower())"


def _letters(field: FieldInfo, imported: Imported) -> str:
    letters = _LETTERS[field.letters]
    if "{normalize}" not in letters:
        return letters
    return letters.format(
        normalize=imported("unicodedata", "normalize"),
        category=imported("unicodedata", "category"),
    )


def _entries(fields: Sequence[FieldInfo], lines: Iterable[str]) -> str:
    pairs = zip(fields, lines, strict=True)
    return "".join(f"\n    {json.dumps(field.name)}: ({line})," for field, line in pairs)

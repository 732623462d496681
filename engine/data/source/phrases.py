"""Short English phrases and their French translations, made by a small grammar: a sample for each
word of a translation, for decoders that read the word before and say the next, or for each phrase.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice

import torch
from msgspec.structs import replace
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.source.field import TensorField, label_field, word_field
from engine.data.source.parameter import check_size, int_param
from engine.data.source.tensors import TensorSource
from engine.data.source.text import text_field
from engine.data.source.text_file import PLAIN_WORDS, paired_texts
from engine.data.source.text_samples import TextSource

START, END = "<sos>", "<eos>"
"""The word before the first of a translation, and the one after its last."""

_SUBJECTS = (  # English, French, person (0 to 5), feminine
    ("i", "je", 0, False), ("you", "tu", 1, False), ("he", "il", 2, False),
    ("she", "elle", 2, True), ("we", "nous", 3, False), ("they", "ils", 5, False),
    ("the boy", "le garçon", 2, False), ("the girl", "la fille", 2, True),
    ("the teacher", "le professeur", 2, False), ("the friends", "les amis", 5, False),
    ("my brother", "mon frère", 2, False), ("my sister", "ma sœur", 2, True),
)  # fmt: skip
_TO_BE = (("am", "suis"), ("are", "es"), ("is", "est"), ("are", "sommes"), ("are", "êtes"),
          ("are", "sont"))  # fmt: skip
_VERBS = (  # English with and without s, French by person
    ("see", "sees", ("vois", "vois", "voit", "voyons", "voyez", "voient")),
    ("want", "wants", ("veux", "veux", "veut", "voulons", "voulez", "veulent")),
    ("take", "takes", ("prends", "prends", "prend", "prenons", "prenez", "prennent")),
    ("choose", "chooses",
     ("choisis", "choisis", "choisit", "choisissons", "choisissez", "choisissent")),
)  # fmt: skip
_FEELINGS = (  # English, French: masculine, feminine, plural
    ("tired", "fatigué", "fatiguée", "fatigués"), ("happy", "content", "contente", "contents"),
    ("tall", "grand", "grande", "grands"), ("small", "petit", "petite", "petits"),
    ("ready", "prêt", "prête", "prêts"), ("sad", "triste", "triste", "tristes"),
)  # fmt: skip
_DEGREES = (("", ""), ("very", "très"), ("always", "toujours"), ("often", "souvent"))
_THINGS = (  # English, French, feminine
    ("book", "livre", False), ("bread", "pain", False), ("car", "voiture", True),
    ("house", "maison", True), ("hat", "chapeau", False), ("table", "table", True),
    ("flower", "fleur", True), ("boat", "bateau", False),
)  # fmt: skip
_COLORS = (  # English, French: masculine, feminine
    ("", "", ""), ("green", "vert", "verte"), ("black", "noir", "noire"), ("red", "rouge", "rouge"),
    ("blue", "bleu", "bleue"), ("white", "blanc", "blanche"),
)  # fmt: skip

Draw = Callable[[int], int]  # a whole number below the one given


@dataclass(frozen=True, kw_only=True)
class PhraseSource(TensorSource):
    """Words of translations; ``phrase`` (int64) is the number of the phrase of each, a column to
    keep them together by.
    """

    phrase: Tensor

    @override
    def column(self, name: str) -> Tensor | None:
        return self.phrase if name == "phrase" else super().column(name)

    @property
    @override
    def column_names(self) -> tuple[str, ...]:
        return (*super().column_names, "phrase")

    @override
    def text(self, name: str, index: int) -> str:
        if name != "previous":
            return super().text(name, index)
        values = self.column("previous")
        assert values is not None
        return (*french_words(), START)[int(values[index])]


def load_phrases(params: Mapping[str, Value]) -> PhraseSource:
    """Return a sample for each word of the French: ``sequence`` (numbers of the English words,
    int64, of shape (length,)), ``previous`` (the French word before, by its class, or the number
    after the last class at the start) and ``label``, the French word.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    samples, length = int_param(params, "samples"), int_param(params, "length")
    check_size(samples * (length + 3))
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    numbers = {word: number for number, word in enumerate((*french_words(), START))}
    english: list[str] = []
    rows: list[tuple[int, int, int]] = []
    for number, (text, translation) in enumerate(_drawn(generator)):
        words = translation.split()
        for before, word in zip((START, *words), (*words, END), strict=True):
            rows.append((number, numbers[before], numbers[word]))
            english.append(text)
        if len(rows) >= samples:
            break
    phrase, previous, label = torch.tensor(rows[:samples], dtype=torch.int64).T.contiguous()
    before = word_field("previous", previous)
    fields = (
        text_field("sequence", english[:samples], length),
        TensorField(
            info=replace(before.info, lowest=0, highest=len(numbers) - 1), values=before.values
        ),
        label_field(label, french_words()),
    )
    return PhraseSource(task="classification", fields=fields, phrase=phrase)


def load_phrase_pairs(params: Mapping[str, Value]) -> TextSource:
    """Return a sample for each different one of ``samples`` phrases: ``source``, ``previous`` and
    ``target`` (numbers of words, int64, of shape (length,)), as of a file of pairs.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    samples, length = int_param(params, "samples"), int_param(params, "length")
    check_size(3 * samples * length)
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    drawn = dict.fromkeys(islice(_drawn(generator), samples))
    text = "".join(f"{english}\t{french}\n" for english, french in drawn)
    return paired_texts({**PLAIN_WORDS, "length": length}, text.replace("n' ", "n'"))


@cache
def french_words() -> tuple[str, ...]:
    """Return all words of the translations in alphabetical order, with the end of a phrase."""
    words = {word for _, french, _, _ in _SUBJECTS for word in french.split()}
    words |= {french for _, french in (*_TO_BE, *_DEGREES)}
    words |= {form for *_, forms in _VERBS for form in forms}
    words |= {form for _, *forms in (*_FEELINGS, *_COLORS) for form in forms}
    words |= {french for _, french, _ in _THINGS}
    unused = {"", "êtes", *(forms[4] for *_, forms in _VERBS)}  # "vous": nobody is addressed so
    return (*sorted((words | {"ne", "n'", "pas", "un", "une"}) - unused), END)


def _drawn(generator: torch.Generator) -> Iterator[tuple[str, str]]:
    """Yield phrases with their translations without end."""

    def draw(count: int) -> int:
        return int(torch.randint(count, (), generator=generator))

    while True:
        yield (_state, _act)[draw(2)](draw)


def _state(draw: Draw) -> tuple[str, str]:
    """Return who is how: "she is not tired", "elle n' est pas fatiguée"."""
    who, subject, person, is_feminine = _SUBJECTS[draw(len(_SUBJECTS))]
    to_be, be = _TO_BE[person]
    feeling, *forms = _FEELINGS[draw(len(_FEELINGS))]
    form = forms[2] if person > 2 else forms[is_feminine]
    if draw(3) == 0:
        ne = "n'" if be.startswith("e") else "ne"
        return f"{who} {to_be} not {feeling}", f"{subject} {ne} {be} pas {form}"
    degree, french = _DEGREES[draw(len(_DEGREES))]
    return _joined(who, to_be, degree, feeling), _joined(subject, be, french, form)


def _act(draw: Draw) -> tuple[str, str]:
    """Return who does what: "we take a red book", "nous prenons un livre rouge"."""
    who, subject, person, _ = _SUBJECTS[draw(len(_SUBJECTS))]
    plain, third, forms = _VERBS[draw(len(_VERBS))]
    thing, french, is_feminine = _THINGS[draw(len(_THINGS))]
    color, *colors = _COLORS[draw(len(_COLORS))]
    is_known = draw(2) == 0
    article = ("le", "la")[is_feminine] if is_known else ("un", "une")[is_feminine]
    english = _joined(
        who, third if person == 2 else plain, "the" if is_known else "a", color, thing
    )
    return english, _joined(subject, forms[person], article, french, colors[is_feminine])


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)

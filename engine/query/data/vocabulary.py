"""Vocabulary of a text field, with how often its tokens are read in each part."""

from collections import OrderedDict
from collections.abc import Mapping

import msgspec
import torch
from torch import Tensor

from engine.data.load.load import load_split
from engine.data.load.token_counts import count_tokens, text_fields
from engine.data.source.source import Part, Source
from engine.query.data.request import ListVocabulary
from engine.spec.data import FieldInfo
from engine.spec.vocabulary import MARKS, UNKNOWN, CountedToken, PartTokens, VocabularyReport

_MOST = 10_000  # tokens of an answer
_UNKNOWN = (MARKS[UNKNOWN], "[UNK]")
"""What vocabularies call a token that they do not know."""
_KEPT = 2
_Counts = tuple[tuple[PartTokens, ...], Tensor]
_kept: "OrderedDict[bytes, tuple[tuple[FieldInfo, ...], dict[str, _Counts]]]" = OrderedDict()


def list_vocabulary(request: ListVocabulary) -> VocabularyReport:
    """Return tokens of a text field with their counts; an empty report for data without texts.

    Raises ``DiagnosticError`` where the data cannot be loaded, divided or read.
    """
    source, indices = load_split(request.data, request.code)
    infos = text_fields(source)
    info = next((each for each in infos if each.name == request.field), next(iter(infos), None))
    if info is None:
        return VocabularyReport()
    parts, counts = _counted(request, source, info, indices)
    wanted = request.text.casefold()
    found = [at for at, word in enumerate(info.words) if wanted in word.casefold()]
    numbers = counts.tolist()
    return VocabularyReport(
        fields=tuple(each.name for each in infos),
        field=info.name,
        unit=info.unit,
        size=len(info.words),
        found=len(found),
        tokens=tuple(
            CountedToken(token=info.words[at], number=at, count=numbers[at])
            for at in found[: min(max(request.most, 0), _MOST)]
        ),
        parts=parts,
    )


def _counted(
    request: ListVocabulary, source: Source, info: FieldInfo, indices: Mapping[Part, Tensor]
) -> _Counts:
    """Return the tokens of each part and the counts of the training part, those of before where the
    samples and their numbers are the same.
    """
    told = msgspec.json.encode((request.data, request.code), order="sorted")
    key = told + source.version().encode("utf-8", "surrogateescape")
    infos, known = _kept.pop(key, ((), {}))
    if infos != source.infos:
        known = {}
    _kept[key] = (source.infos, known)
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)
    if info.name not in known:
        known[info.name] = _count(source, info, indices)
    return known[info.name]


def _count(source: Source, info: FieldInfo, indices: Mapping[Part, Tensor]) -> _Counts:
    training = torch.zeros(len(info.words), dtype=torch.int64)
    unknown = [at for at, word in enumerate(info.words) if word in _UNKNOWN]
    parts: list[PartTokens] = []
    for part, index in indices.items():
        counts, read = count_tokens(source, info, index)
        if part == "train":
            training = counts
        parts.append(
            PartTokens(
                part=part,
                tokens=int(counts.sum()),
                unknown=int(counts[unknown].sum()),
                samples=len(index),
                read=read,
            )
        )
    return tuple(parts), training

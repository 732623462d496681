"""Proposal of what tokens texts are cut into, and of how many of them a sample is."""

import re
from collections.abc import Mapping, Sequence

from engine.catalog.spec import Value
from engine.data.source.registry import load_source
from engine.data.source.text_samples import TextSource
from engine.spec.run import Choice

IDEOGRAPH = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
"""Letters of Chinese and Japanese."""

_STEP, _SHORTEST, _LONGEST = 8, 8, 256  # tokens of a text
_LOOKED_AT = 1000  # texts
_WHOLE = 100_000  # tokens: the limit of the setting


def cut_settings(*columns: Sequence[str]) -> dict[str, Value]:
    """Return the settings of texts as words, or as characters where no spaces stand between the
    words of one of the columns, of which the longest of the texts that were looked at fits; a
    column of texts is words.
    """
    texts = [text for column in columns for text in column]
    is_spaced = not any(map(_has_ideographs, columns))
    longest = max(len(text.split()) if is_spaced else len(text) for text in texts)
    longest += 1  # a text that is generated has an end
    length = min(max(-(-longest // _STEP) * _STEP, _SHORTEST), _LONGEST)
    return {"length": length} if is_spaced else {"length": length, "tokens": "characters"}


def cut_of_source(source: Choice, loaded: TextSource, chosen: Mapping[str, Value]) -> Choice:
    """Return the source of texts to classify or to translate with tokens that suit them, where the
    user did not say which; ``loaded`` is the source as it is.
    """
    if "tokens" in chosen or not loaded.samples:
        return source
    if loaded.filtered:  # longer ones were left out
        whole = load_source(Choice(type=source.type, params={**source.params, "length": _WHOLE}))
        loaded = whole if isinstance(whole, TextSource) else loaded
    step = -(-loaded.samples // _LOOKED_AT)
    columns = (
        [loaded.text(column.name, index) for index in range(0, loaded.samples, step)]
        for column in loaded.columns
    )
    cut: dict[str, Value] = {"tokens": "words", **cut_settings(*columns)}
    found = {name: value for name, value in cut.items() if name not in chosen}
    return Choice(type=source.type, params={**source.params, **found})


def _has_ideographs(texts: Sequence[str]) -> bool:
    """Return whether most texts have letters between which no spaces stand."""
    return 2 * sum(bool(IDEOGRAPH.search(text)) for text in texts) > len(texts)

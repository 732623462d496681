"""Short English sentences about a few topics, made by a small grammar, so that there is text to
learn from without a download.
"""

import re
from collections.abc import Callable, Mapping

import torch

from engine.catalog.spec import Value
from engine.data.source.parameter import check_size, int_param, number
from engine.data.source.tensors import TensorSource, labelled
from engine.data.source.text import text_field
from engine.data.source.topic import SHARED, TOPICS, Topic

_GAP = re.compile(r"\{(\w+)\}")
_NUMBERS = 998  # from 2 on: most are rare, and so unknown to the model
_DRAWS = 8  # of a sentence at most: pattern, gaps, and whether its label is wrong

Draw = Callable[[int], int]  # a whole number below the one given


def load_sentences(params: Mapping[str, Value]) -> TensorSource:
    """Return sentences about topics, one a class: ``sentence`` (numbers of words, int64, of shape
    (samples, length)) and ``label``; a share ``noise`` of the labels is that of another topic.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    samples, length = int_param(params, "samples"), int_param(params, "length")
    check_size(samples * (length + _DRAWS))
    topics = TOPICS[: int_param(params, "classes")]
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    label = torch.arange(samples) % len(topics)
    shares = torch.rand(samples, _DRAWS, generator=generator, dtype=torch.float64).tolist()
    texts = [
        _sentence(topics[topic], row) for topic, row in zip(label.tolist(), shares, strict=True)
    ]
    is_wrong = torch.rand(samples, generator=generator) < number(params, "noise")
    shift = torch.randint(1, len(topics), (samples,), generator=generator)
    label = torch.where(is_wrong, (label + shift) % len(topics), label)
    names = tuple(topic.name for topic in topics)
    return labelled((text_field("sentence", texts, length),), label, names)


def _sentence(topic: Topic, shares: list[float]) -> str:
    """Return a sentence; ``shares`` (from 0 to 1) choose pattern and words."""
    remaining = iter(shares)

    def draw(count: int) -> int:
        return int(next(remaining) * count)

    text = topic.patterns[draw(len(topic.patterns))]
    text = _GAP.sub(lambda gap: _filled(topic, gap[1], draw), text)
    return f"{text[0].upper()}{text[1:]}."


def _filled(topic: Topic, gap: str, draw: Draw) -> str:
    if gap == "number":
        return str(2 + draw(_NUMBERS))
    choices = (topic.words.get(gap) or SHARED[gap]).split(",")
    return choices[draw(len(choices))]

"""Attention weights of a checkpoint on a text of the user's own, with the tokens along them."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from engine.diagnostics import DiagnosticError
from engine.inspect.attention import Taken, attention_taken
from engine.inspect.node_path import NodePaths
from engine.query.attention.request import (
    OVERVIEW_SIDE,
    AttentionLayer,
    AttentionReport,
    ReadAttention,
)
from engine.query.generation.answer import generate
from engine.query.generation.request import Generate, Sampling
from engine.query.results.answer import kept_model
from engine.query.results.prediction import sample_batch, sample_values
from engine.query.results.token_writer import TokenWriter, token_writer
from engine.query.trained import Trained
from engine.spec.data import FieldInfo
from engine.spec.vocabulary import MARKS, SENTENCE_MARKS, joined
from engine.train.losses import Outputs
from engine.train.training import Training

_MOST_WRITTEN = 100  # tokens of a text that the model writes by itself
_MOST_SECONDS = 2.0  # for them
_UNDECODED = "\ufffd"
_NOTHING = 1e-6  # a weight that is none
Batch = Mapping[str, Tensor]


@dataclass(frozen=True, kw_only=True)
class _Text:
    """A text that the model reads: its field, the names of its tokens, and how many of them are not
    there to fill it up.
    """

    info: FieldInfo
    tokens: tuple[str, ...]
    count: int


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """Weights of all heads of a place, (heads, rows, columns), without what fills the texts up."""

    name: str
    weights: Tensor
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    is_state: bool = False
    field: str = ""


@dataclass(kw_only=True)
class _Reading:
    """What a forward pass tells: ``layers`` in order, and the one that was asked for."""

    texts: Sequence[_Text]
    dependences: Sequence[frozenset[str]]
    wanted: int
    layers: list[AttentionLayer] = field(default_factory=list[AttentionLayer])
    chosen: _Shown | None = None
    layer: int = 0

    predicted: tuple[str, ...] = ()

    def take(self, taken: Taken) -> None:
        """Keep a small picture of the weights of each head, and all of those asked for."""
        place = len(self.layers)
        known = self.dependences[place] if place < len(self.dependences) else None
        shown = _shown(taken, _sides(self.texts, taken, known))
        self.layers.append(_overview(shown))
        if place in (0, self.wanted):
            self.chosen, self.layer = shown, place


def read_attention(request: ReadAttention) -> AttentionReport:
    """Return where a head of a model looks. Raises :class:`DiagnosticError`: R580 for a model that
    attends to nothing, and as :func:`~engine.query.results.prediction.predict`.
    """
    trained = kept_model(request.run_folder, request.checkpoint)
    training = trained.training
    values, _ = sample_values(training, request.values, request.texts, request.cells, {})
    begun = [info for info in _text_infos(training) if info.start is not None]
    written = ""
    if begun:
        found = generate(_writing(request))
        written = found.text
        for info in begun:
            values[info.name] = info.filled(found.written)
    with trained.in_use():
        reading = _read(trained, sample_batch(training, values), request.layer)
    chosen = reading.chosen
    if chosen is None:
        raise DiagnosticError.of("R580")
    head = request.head if 0 <= request.head < len(chosen.weights) else 0
    weights = chosen.weights[head]
    return AttentionReport(
        checkpoint=trained.info.file,
        step=trained.info.step,
        layers=tuple(reading.layers),
        layer=reading.layer,
        head=head,
        rows=chosen.rows,
        columns=chosen.columns,
        weights=weights.contiguous().numpy().tobytes(),
        is_causal=not chosen.is_state and _is_causal(weights),
        written=written,
        predicted=reading.predicted,
    )


def _writing(request: ReadAttention) -> Generate:
    """Return the request for the likeliest text that a model writes."""
    return Generate(
        run_folder=request.run_folder,
        checkpoint=request.checkpoint,
        texts=request.texts,
        values=request.values,
        cells=request.cells,
        sampling=Sampling(temperature=0.0, tokens=_MOST_WRITTEN),
        seconds=_MOST_SECONDS,
    )


def _read(trained: Trained, batch: Batch, wanted: int) -> _Reading:
    """Return the attention of a forward pass; where two texts are equally long, passes with other
    tokens tell before which places depend on which of them.
    """
    training = trained.training
    texts = [_text(info, batch[info.name][0]) for info in _text_infos(training)]
    lengths = [len(text.tokens) for text in texts]
    paths = NodePaths.of(trained.run.document.graph)
    dependences: list[frozenset[str]] = []
    if len(set(lengths)) < len(lengths):
        dependences = _dependences(training, paths, batch, texts)
    reading = _Reading(texts=texts, dependences=dependences, wanted=wanted)
    with attention_taken(training.model, paths, set(lengths), reading.take):
        outputs = training.model(*[batch[name] for name in training.input_fields])
    writer = token_writer(training, batch)
    chosen = reading.chosen
    if writer is not None and chosen is not None and chosen.field == writer.running.name:
        reading.predicted = _predicted(writer, outputs, len(chosen.rows))
    return reading


def _predicted(writer: TokenWriter, outputs: Outputs, count: int) -> tuple[str, ...]:
    """Return the likeliest token after each of the first ones; none where a model scores none."""
    found: list[str] = []
    for position in range(count):
        scores = writer.scores_in(outputs, position)
        if scores is None:
            return ()
        found.append(_token(writer.target, writer.target.classes[int(scores.argmax())]))
    return tuple(found)


def _dependences(
    training: Training, paths: NodePaths, batch: Batch, texts: Sequence[_Text]
) -> list[frozenset[str]]:
    """Return on which texts the weights of each place depend."""

    def sums(values: Batch) -> list[int]:
        found: list[int] = []

        def take(taken: Taken) -> None:
            found.append(zlib.crc32(taken.weights.detach().float().cpu().numpy().tobytes()))

        with attention_taken(training.model, paths, {len(text.tokens) for text in texts}, take):
            training.model(*[values[name] for name in training.input_fields])
        return found

    before = sums(batch)
    dependences: list[frozenset[str]] = [frozenset()] * len(before)
    for text in texts:
        other = batch[text.info.name].clone()
        other[:, 0] = (other[:, 0] + 1) % len(text.info.words)
        after = sums({**batch, text.info.name: other})
        for place, (first, second) in enumerate(zip(before, after, strict=False)):
            if first != second:
                dependences[place] |= {text.info.name}
    return dependences


def _sides(
    texts: Sequence[_Text], taken: Taken, depends_on: frozenset[str] | None
) -> tuple[_Text | None, _Text | None]:
    """Return the texts along the rows and the columns of weights; None where none is as long.

    Between two equally long ones stands what a model writes in the rows: it looks at the other one,
    or at itself where a text attends to itself. A text that has no say in the weights is neither.
    """
    rows, columns = (
        [text for text in texts if len(text.tokens) == taken.weights.shape[axis]]
        for axis in (-2, -1)
    )
    if depends_on is not None:
        rows, columns = (
            [text for text in side if text.info.name in depends_on] or side
            for side in (rows, columns)
        )
    rows.sort(key=lambda text: text.info.start is None)
    row = rows[0] if rows else None
    if taken.is_state:
        return row, None
    is_self = taken.is_self
    if is_self is None:
        is_self = _is_causal(_heads(taken.weights)[0])
    others = [text for text in columns if text is not row]
    column = row if is_self or not others else others[-1]
    return row, column if column in columns else next(iter(columns), None)


def _heads(weights: Tensor) -> Tensor:
    """Return the weights of a sample as (heads, L, S)."""
    return weights.detach().float().cpu().reshape(-1, *weights.shape[-2:])


def _shown(taken: Taken, sides: tuple[_Text | None, _Text | None]) -> _Shown:
    """Return weights without what fills up the texts, as far as nothing looks there."""
    row, column = sides
    weights = _heads(taken.weights)
    if row is not None:
        weights = weights[:, : row.count]
    count = weights.shape[2] if column is None else column.count
    if bool((weights[:, :, count:].sum(dim=2) > _NOTHING).any()):
        count = weights.shape[2]  # the model looks at what fills the text up
    return _Shown(
        name=taken.name,
        weights=weights[:, :, :count],
        rows=() if row is None else row.tokens[: row.count],
        columns=() if column is None else column.tokens[:count],
        is_state=taken.is_state,
        field="" if row is None else row.info.name,
    )


def _overview(shown: _Shown) -> AttentionLayer:
    heads, rows, columns = shown.weights.shape
    size = (min(rows, OVERVIEW_SIDE), min(columns, OVERVIEW_SIDE))
    small = functional.adaptive_max_pool2d(shown.weights.abs(), size)
    return AttentionLayer(
        name=shown.name,
        heads=heads,
        rows=rows,
        columns=columns,
        height=size[0],
        width=size[1],
        overview=(small / (float(small.max()) or 1.0) * 255)
        .round()
        .to(torch.uint8)
        .numpy()
        .tobytes(),
        is_state=shown.is_state,
    )


def _is_causal(weights: Tensor) -> bool:
    """Return whether no row of square weights looks at a later column."""
    rows, columns = weights.shape
    return rows == columns > 1 and not bool(weights.triu(1).any()) and bool(weights.any())


def _text_infos(training: Training) -> list[FieldInfo]:
    """Return the texts that the model reads."""
    infos = [training.data.info.field(name) for name in training.input_fields]
    return [info for info in infos if info is not None and info.words and info.kind == "sequence"]


def _text(info: FieldInfo, row: Tensor) -> _Text:
    numbers = row.tolist()
    count = len(numbers)
    while count > 1 and numbers[count - 1] == info.padding:
        count -= 1
    names = info.vocabulary.decode(numbers)
    tokens = tuple(_token(info, name) for name in names)
    return _Text(info=info, tokens=tokens, count=count)


def _token(info: FieldInfo, name: str) -> str:
    """Return a token as it stands in the text; as the vocabulary names it where it is no text by
    itself, as a byte of a letter is.
    """
    if name in (*MARKS, *SENTENCE_MARKS):
        return name
    text = joined([name], info.unit)
    return name if not text or _UNDECODED in text else text

"""Input for a trained model as lines and pixels, how it is read, and its answer as bars."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from engine.diagnostics import Diagnostic, sentence
from engine.query.results.request import (
    ModelInput,
    ModelInputs,
    Prediction,
    TypedColumn,
)
from engine.query.results.text_tokens import TextTokens
from engine.spec.vocabulary import (
    MARKS,
    PADDING,
    UNKNOWN,
    Letters,
    TokenUnit,
    Vocabulary,
    joined,
)
from studio.i18n import filled, translate
from studio.inspect.playground.answer import present_answers, present_picture
from studio.inspect.playground.pictures import (
    FurtherPicture,
    further_pictures,
    pad_field,
)
from studio.inspect.playground.played import is_video, played_field
from studio.view.wording import metric_text
from studio.window.page import EmptyView
from widgets.images.view_model import ImageView
from widgets.plots.view_model import BarsView

NO_TOKENS: Mapping[str, TextTokens] = MappingProxyType({})

_SUBWORDS = "bpe"
_MOST_SHOWN = 12  # values of a column
_MOST_LINES = 64  # of one number each; longer fields are one line of many


class EntryError(ValueError):
    """A line that holds no numbers, or no word, told in the user's words."""


@dataclass(frozen=True, kw_only=True)
class EntryView:
    """One line: what it is called, what stands in it, and ``count`` numbers from ``start`` on of
    the field. With a vocabulary (``words``) a sentence stands in it; with a ``column`` the cell of
    a row, which may be one of ``choices``.
    """

    key: str
    title: str
    text: str
    help: str
    field: str
    start: int
    count: int
    words: tuple[str, ...] = ()
    unit: TokenUnit = "words"
    letters: Letters = "all"
    padding: int = PADDING
    column: str = ""
    columns: tuple[str, ...] = ()  # of each row of a series
    choices: tuple[str, ...] = ()
    is_continued: bool = False

    @property
    def is_cut_by_host(self) -> bool:
        """Whether the host makes tokens of the text, which is given as it was typed."""
        return self.is_continued or self.unit == _SUBWORDS

    @property
    def vocabulary(self) -> Vocabulary:
        """How a sentence becomes numbers."""
        return Vocabulary(self.words, self.unit, self.letters)


@dataclass(frozen=True, kw_only=True)
class ReadingView:
    """How typed sentences are read: which words are not known, and the number of each word."""

    text: str = ""
    numbers: str = ""


@dataclass(frozen=True, kw_only=True)
class PlaygroundState:
    """A model and what is put into it. ``inputs`` is None until the host has described the model,
    ``form`` is what the lines (``entries``) and the pad are made for; ``texts`` are typed and
    ``pixels`` drawn, over the ``picture`` that was put on the pad last; ``exact`` are the numbers
    of that picture, which count until it ``is_drawn`` over. ``further`` are the numbers of the
    other pictures, by field, ``files`` what their files are called, and ``pictured`` how they are
    shown. ``played`` are the numbers of the sound or the video that is put in, ``shown`` is its
    picture.
    """

    has_run: bool = False
    problem: Diagnostic | None = None
    inputs: ModelInputs | None = None
    form: ModelInputs | None = None
    entries: tuple[EntryView, ...] = ()
    texts: tuple[str, ...] = ()
    picture: QImage | None = None
    pixels: NDArray[np.float32] | None = None
    exact: tuple[float, ...] = ()
    is_drawn: bool = False
    further: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    pictured: tuple[FurtherPicture, ...] = ()
    played: tuple[float, ...] = ()
    shown: ImageView | None = None
    reading: ReadingView = ReadingView()
    answer: Prediction | None = None
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class PlaygroundView:
    """What the page shows. ``shape`` is that of what is drawn; ``mask`` is the picture with the
    mask, boxes or points that are predicted for it; ``note`` says which weights the answer is of. A
    model that makes samples of noise alone is not ``is_fed``.
    """

    empty: EmptyView | None
    can_take_example: bool
    is_fed: bool
    entries: tuple[EntryView, ...]
    texts: tuple[str, ...]
    shape: tuple[int, int, int] | None
    picture: QImage | None
    picture_name: str
    further: tuple[FurtherPicture, ...]
    played: ImageView | None
    is_video: bool
    reading: ReadingView
    batch: str
    answer: str
    bars: BarsView
    mask: ImageView | None
    note: str
    error: str


def present_playground(state: PlaygroundState, language: str) -> PlaygroundView:
    """Return the page."""
    form, answer = state.form, state.answer
    drawn = pad_field(form) if form is not None else None
    text, bars, mask = "", BarsView(labels=(), values=()), None
    note = translate("Playground", "eval mode, no gradients")
    if form is not None and answer is not None:
        text, bars = present_answers(form, answer)
        mask = present_picture(form, answer, state.pixels)
        of_step = translate("Playground", "weights of step {step}, eval mode, no gradients")
        note = of_step.format(step=f"{answer.step:,}")
    return PlaygroundView(
        empty=_why_empty(state, language),
        can_take_example=state.has_run,
        is_fed=form is None or not form.makes_samples,
        entries=state.entries,
        texts=state.texts,
        shape=drawn.info.shape if drawn is not None else None,  # pyright: ignore[reportArgumentType] - that of an image
        picture=state.picture,
        picture_name=drawn.info.name if drawn is not None and state.pictured else "",
        further=state.pictured,
        played=state.shown,
        is_video=form is not None and is_video(form),
        reading=state.reading,
        batch=batch_text(form) if form is not None else "",
        answer=text,
        bars=bars,
        mask=mask,
        note=note,
        error=state.error,
    )


def _why_empty(state: PlaygroundState, language: str) -> EmptyView | None:
    if not state.has_run:
        text = translate(
            "Playground",
            "Draw, drop an image, a sound or a video, or type numbers or a sentence, and see what "
            "the trained model predicts. The first checkpoint is saved after the first "
            "epoch.",
        )
        title = translate("Playground", "No model yet")
        return EmptyView(title, text, translate("Playground", "Start training"))
    if state.problem is not None:
        text = sentence(state.problem, language)
        return EmptyView(translate("Playground", "Nothing to try"), text)
    if state.inputs is None:
        return EmptyView(translate("Playground", "Opening the model…"))
    return None


def entries(inputs: ModelInputs) -> tuple[EntryView, ...]:
    """Return the lines for all fields that are neither drawn nor played, those of the columns of a
    table for what is made of its cells.
    """
    others = (pad_field(inputs), played_field(inputs), *further_pictures(inputs))
    typed = (field for field in inputs.fields if field.info.name not in inputs.row_fields)
    cells = (_cell_entry(number, column) for number, column in enumerate(inputs.columns))
    return (
        *(
            _continued(entry) if field.info.name == inputs.continues else entry
            for field in typed
            if field not in others
            for entry in _entries(field)
        ),
        *cells,
    )


def _continued(entry: EntryView) -> EntryView:
    text = translate(
        "Playground",
        "A text that the model continues. Its last {count} tokens are used, of a vocabulary of "
        "{known}.",
    )
    known = f"{len(entry.words) - len(MARKS):,}"
    return replace(entry, is_continued=True, help=text.format(count=entry.count, known=known))


def _cell_entry(number: int, column: TypedColumn) -> EntryView:
    texts = {
        "number": translate("Playground", "A number, written as in the file. Empty: missing"),
        "date": translate("Playground", "A date, written as in the file. Empty: missing"),
        "binary": translate("Playground", "One of two values: {values}. Empty: missing"),
    }
    text = translate("Playground", "A category: {values}. Any other is unknown to the model")
    shown = ", ".join(column.choices[:_MOST_SHOWN])
    shown += ", …" if len(column.choices) > _MOST_SHOWN else ""
    return EntryView(
        key=f"column.{number}",
        title=column.name,
        text=column.text,
        help=texts.get(column.kind, text).format(values=shown),
        field="",
        start=0,
        count=1,
        column=column.name,
        choices=column.choices,
    )


def _sentence_entry(field: ModelInput) -> EntryView:
    text = translate(
        "Playground",
        "A sentence. The first {count} words are used, each encoded as its index in the "
        "vocabulary of the training data ({known} words); other words are unknown.",
    )
    info = field.info
    if info.unit == _SUBWORDS:
        text = translate(
            "Playground",
            "A text. Its first {count} tokens are used, of a vocabulary of {known}.",
        )
    return EntryView(
        key=f"{info.name}.0",
        title=info.name,
        text=field.text,
        help=text.format(count=len(field.example), known=f"{len(info.words) - len(MARKS):,}"),
        field=info.name,
        start=0,
        count=len(field.example),
        words=info.words,
        unit=info.unit,
        letters=info.letters,
        padding=info.padding,
    )


def _entries(field: ModelInput) -> list[EntryView]:
    if field.info.words:
        return [_sentence_entry(field)]
    info, size = field.info, len(field.example)
    is_short = size <= _MOST_LINES and info.kind != "sequence"
    starts = range(size) if is_short else range(1)
    count = 1 if is_short else size
    names = info.columns if len(info.columns) == size else ()
    low, high = metric_text(field.low), metric_text(field.high)
    text = translate("Playground", "{count} numbers, in the data from {low} to {high}")
    if count == 1:
        text = translate("Playground", "A number, in the data from {low} to {high}")
    if info.kind == "sequence" and info.dtype.startswith("int"):
        text = translate(
            "Playground",
            "A sentence as {count} word indices, in the data from {low} to {high}",
        )
    return [
        EntryView(
            key=f"{info.name}.{start}",
            title=(names[start] if names and is_short else _title(info.name, start, size, count)),
            text=_text(field.example[start : start + count]),
            help=text.format(count=count, low=low, high=high),
            field=info.name,
            start=start,
            count=count,
            columns=field.columns,
        )
        for start in starts
    ]


def batch_text(inputs: ModelInputs) -> str:
    """Return how a single sample goes into a model that expects a batch."""
    shapes = [
        "×".join(map(str, (1, *field.info.shape))) for field in inputs.fields if field.info.shape
    ]
    text = translate(
        "Playground", "A single sample is passed as a batch of size 1, {shapes}: unsqueeze(0)"
    )
    return text.format(shapes=", ".join(shapes)) if shapes else ""


def example_texts(inputs: ModelInputs) -> tuple[str, ...]:
    """Return the sample of the data for all lines."""
    return tuple(entry.text for entry in entries(inputs))


def typed_texts(inputs: ModelInputs, texts: Sequence[str]) -> dict[str, str]:
    """Return the lines with texts that only the host can cut, by field. Raises
    :class:`EntryError` for one without a letter.
    """
    typed = zip(entries(inputs), texts, strict=True)
    found = {entry.field: (entry, text) for entry, text in typed if entry.is_cut_by_host}
    for entry, text in found.values():
        if not (text if entry.is_continued else text.strip()):
            raise _no_words(entry)
    return {name: text for name, (_, text) in found.items()}


def whole_texts(inputs: ModelInputs, texts: Sequence[str]) -> dict[str, str]:
    """Return all lines with sentences as they were typed, by field."""
    typed = zip(entries(inputs), texts, strict=True)
    return {entry.field: text for entry, text in typed if entry.words}


def typed_values(inputs: ModelInputs, texts: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return the numbers in the lines by field, those of its words for a sentence. Raises
    :class:`EntryError`.
    """
    numbers: dict[str, list[float]] = {}
    for entry, text in zip(entries(inputs), texts, strict=True):
        if entry.is_cut_by_host or entry.column:
            continue
        values = _typed_words(entry, text) if entry.words else _typed_numbers(entry, text)
        numbers.setdefault(entry.field, []).extend(values)
    return {name: tuple(values) for name, values in numbers.items()}


def typed_cells(inputs: ModelInputs, texts: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row in the lines, by column; the host reads them."""
    typed = zip(entries(inputs), texts, strict=True)
    return {entry.column: text for entry, text in typed if entry.column}


def present_reading(
    inputs: ModelInputs, texts: Sequence[str], cut: Mapping[str, TextTokens] = NO_TOKENS
) -> ReadingView:
    """Return how the sentences among the lines are read; empty where there is none. ``cut`` are the
    tokens of those that the host has cut.
    """
    lines: list[str] = []
    numbers: list[str] = []
    for entry, text in zip(entries(inputs), texts, strict=True):
        if entry.unit == _SUBWORDS:
            if entry.field in cut:
                _add_subwords(entry, cut[entry.field], lines, numbers)
            continue
        vocabulary = entry.vocabulary
        words = vocabulary.tokens(text) if entry.words else []
        if not words:
            continue
        used = words[-entry.count :] if entry.is_continued else words[: entry.count]
        start = joined(used, entry.unit)
        unknown = vocabulary.unknown(start)
        if unknown:
            line = translate("Playground", "Not in the vocabulary, encoded as {mark}: {words}.")
            lines.append(line.format(mark=MARKS[UNKNOWN], words=", ".join(unknown)))
        elif entry.unit == "words":
            lines.append(translate("Playground", "All words are in the vocabulary."))
        elif entry.unit == "characters":
            lines.append(translate("Playground", "All characters are in the vocabulary."))
        if len(words) > entry.count:
            line = translate("Playground", "Only the first {count} of {given} tokens are used.")
            if entry.unit == "words":
                line = translate("Playground", "Only the first {count} of {given} words are used.")
            line = _only_last() if entry.is_continued else line
            lines.append(line.format(count=entry.count, given=len(words)))
        read = vocabulary.encode(start if entry.is_continued else text, entry.count)
        numbers += [f"{word} {number}" for word, number in zip(used, read, strict=False)]
        filling = read.count(PADDING)
        numbers += [f"{filling} × {MARKS[PADDING]} {PADDING}"] if filling else []
    return ReadingView(text=" ".join(lines), numbers=" · ".join(numbers))


def _add_subwords(
    entry: EntryView, tokens: TextTokens, lines: list[str], numbers: list[str]
) -> None:
    given = len(tokens.words)
    line = translate("Playground", "{given} {given|token|tokens}.")
    lines.append(filled(line, given=given))
    if given > entry.count:
        line = translate("Playground", "Only the first {count} of {given} tokens are used.")
        line = _only_last() if entry.is_continued else line
        lines.append(line.format(count=entry.count, given=given))
    shown = list(zip(tokens.words, tokens.numbers, strict=True))
    shown = shown[-entry.count :] if entry.is_continued else shown[: entry.count]
    numbers += [f"{word} {number}" for word, number in shown]
    filling = entry.count - given
    numbers += [f"{filling} × {entry.words[entry.padding]} {entry.padding}"] if filling > 0 else []


def _only_last() -> str:
    return translate("Playground", "Only the last {count} of {given} tokens are used.")


def _no_words(entry: EntryView) -> EntryError:
    message = translate("Playground", "“{title}” contains no words. Type a sentence.")
    return EntryError(message.format(title=entry.title))


def _typed_words(entry: EntryView, text: str) -> tuple[int, ...]:
    if not entry.vocabulary.tokens(text):
        raise _no_words(entry)
    return entry.vocabulary.encode(text, entry.count)


def _typed_numbers(entry: EntryView, text: str) -> list[float]:
    words = text.replace(",", " ").split()
    try:
        values = [float(word) for word in words]
    except ValueError as error:
        message = translate("Playground", "“{text}” in “{title}” is not a number.")
        wrong = next((word for word in words if not _is_number(word)), text)
        raise EntryError(message.format(text=wrong, title=entry.title)) from error
    if len(values) != entry.count:
        message = translate(
            "Playground", "“{title}” needs {count} {count|number|numbers}, not {given}."
        )
        raise EntryError(filled(message, title=entry.title, count=entry.count, given=len(values)))
    if not all(map(math.isfinite, values)):
        message = translate("Playground", "“{text}” in “{title}” is not a finite number.")
        wrong = words[[math.isfinite(value) for value in values].index(False)]
        raise EntryError(message.format(text=wrong, title=entry.title))
    return values


def _title(name: str, start: int, size: int, count: int) -> str:
    return name if count > 1 or size == 1 else f"{name} [{start}]"


def _text(values: Sequence[float]) -> str:
    return " ".join(f"{value:.6g}" for value in values)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True

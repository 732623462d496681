"""Samples that are texts: the lines of a file, cut into tokens as the data of a run is."""

from pathlib import Path

import torch
from torch import Tensor

from engine.data.load.form_lookup import text_form
from engine.data.read.encoding import detect_encoding
from engine.data.read.stream import opened_text, unusual_lines
from engine.query.predicting.given import GivenData, GivenSample, Samples, given_inputs
from engine.spec.data import FieldInfo
from engine.train.training import Training

_SAMPLE = 1 << 18


class TextReader:
    """What cuts texts for one input of a model."""

    def __init__(self, training: Training, info: FieldInfo) -> None:
        self._info = info
        self._tokenizer = training.data.source.tokenizers().get(info.name)
        self._vocabulary = info.vocabulary

    def value(self, text: str) -> Tensor:
        """Return the numbers of the tokens of a text, as a sample has them."""
        if self._tokenizer is None:
            numbers = self._vocabulary.encode(text, self._info.tokens)
            count = min(len(self._vocabulary.tokens(text)), len(numbers))
            return torch.tensor(self._info.filled(numbers[:count]))
        return torch.tensor(self._info.filled(self._tokenizer.encode([text])[0].tolist()))

    def values(self, text: str) -> dict[str, Tensor]:
        """Return the input of a sample with a text."""
        return {self._info.name: self.value(text)}


def is_text(training: Training, info: FieldInfo) -> bool:
    """Return whether an input is a text."""
    is_cut = info.name in training.data.source.tokenizers() or bool(info.words)
    return is_cut and info.kind == "sequence"


def lines_at(path: Path, training: Training, encoding: str) -> GivenData:
    """Return the lines of a text that are not blank, a sample each; of lines with tabs the columns
    that have the text in the data of the run. Raises as reading of lines does.
    """
    (info,) = given_inputs(training)
    reader = TextReader(training, info)
    if not encoding:
        encoding = detect_encoding(unusual_lines(path, _SAMPLE), path)
    column = _text_column(training)

    def samples() -> Samples:
        with opened_text(path, encoding) as lines:
            for number, line in enumerate(lines, start=1):
                written = line.rstrip("\r\n").removeprefix("\ufeff" if number == 1 else "")
                if written and not written.isspace():
                    text, truth = _divided(written, column)
                    truths = () if column is None else (truth,)
                    yield GivenSample(str(number), reader.values(text), truths)

    return GivenData(0, samples(), () if column is None else ("truth",))


def _text_column(training: Training) -> int | None:
    """Return which column of lines with tabs has the text that a model reads; None where lines have
    no columns.
    """
    form = text_form(training.data.source)
    return None if form is None else form.column


def _divided(line: str, column: int | None) -> tuple[str, str]:
    """Return the text of a line and what is beside it."""
    if column is None or "\t" not in line:
        return line, ""
    first, _, rest = line.partition("\t")
    second = rest.partition("\t")[0]
    return (first, second) if column == 0 else (second, first)

"""Views of predicted sequences: tokens as text, and how often each position is right."""

import math

import numpy as np

from engine.query.results.request import ResultReport, SequenceSample, SequenceSamples
from engine.spec.vocabulary import SENTENCE_MARKS
from studio.i18n import translate
from widgets.images.view_model import ImageView
from widgets.plots.view_model import XyLine, XyView
from widgets.tables.view_model import ColumnView, RowView, TableData


def present_sequences(
    report: ResultReport, sequences: SequenceSamples
) -> TableData | tuple[ImageView, ...]:
    """Return samples as rows: what should follow beside what the model says, and the loss; texts
    about pictures below these.
    """
    if sequences.samples and sequences.samples[0].pixels:
        return tuple(map(_captioned, sequences.samples))
    columns = (
        ColumnView(key="index", title=translate("Results", "No."), kind="count"),
        ColumnView(key="truth", title=translate("Results", "Target"), kind="text", width=36),
        ColumnView(
            key="prediction",
            title=translate("Results", "Prediction"),
            kind="text",
            width=36,
            help=translate(
                "Results",
                "The most likely token at each position, given the true tokens before it",
            ),
        ),
        ColumnView(
            key="right",
            title=translate("Results", "Right"),
            kind="percent",
            help=translate("Results", "Fraction of the tokens that are right; padding is left out"),
        ),
        ColumnView(key="loss", title=translate("Results", "Loss"), kind="number"),
        ColumnView(key="text", title=translate("Results", "Input"), kind="text", width=36),
    )
    rows = tuple(
        RowView(
            id=str(sample.index),
            cells=(
                sample.index,
                sample.truth,
                sample.prediction,
                None if math.isnan(share := report.hits[sample.number]) else share,
                report.losses[sample.number],
                sample.text,
            ),
            icon="" if sample.truth == sample.prediction else "close",
        )
        for sample in sequences.samples
    )
    empty = translate("Results", "No matching samples.")
    return TableData(columns=columns, rows=rows, empty_text=empty)


def _captioned(sample: SequenceSample) -> ImageView:
    """Return a picture with what the model writes about it above what is true."""
    truth = sample.truth.removesuffix(SENTENCE_MARKS[1]).rstrip()
    return ImageView(
        pixels=np.frombuffer(sample.pixels, np.uint8).reshape(sample.picture_size),
        label=sample.written or "–",
        sublabel=translate("Results", "Target: {text}").format(text=truth),
        is_captioned=True,
    )


def present_positions(report: ResultReport) -> XyView:
    """Return how often the token at each position is right."""
    label = translate("Results", "Fraction right")
    line = XyLine(
        name="positions",
        label=label,
        x=np.arange(1, len(report.positions) + 1, dtype=np.float64),
        y=np.asarray(report.positions, np.float64),
    )
    return XyView(
        lines=(line,), x_label=translate("Results", "Position in the sequence"), y_label=label
    )

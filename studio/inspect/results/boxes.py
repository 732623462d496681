"""Views of found boxes: how well each class is found, and pictures with boxes over them."""

import numpy as np

from engine.query.results.request import BoxSample, BoxSamples, ResultReport
from studio.i18n import filled, listed, translate
from studio.view.found_boxes import box_view
from studio.view.wording import metric_text
from widgets.images.view_model import ImageView
from widgets.tables.view_model import ColumnView, RowView, TableData


def present_averages(report: ResultReport) -> TableData:
    """Return how well the boxes of each class are found."""
    rows = tuple(
        RowView(
            id=str(index),
            cells=(
                score.name,
                score.average_precision,
                score.average_precision_50,
                score.precision,
                score.recall,
                None if score.score is None else round(score.score, 2),
                score.support,
            ),
        )
        for index, score in enumerate(report.scores)
    )
    return TableData(columns=_columns(), rows=rows)


def _columns() -> tuple[ColumnView, ...]:
    at_best = translate("Results", "at the score where F1 is highest")
    return (
        ColumnView(key="class", title=translate("Results", "Label of the class")),
        ColumnView(
            key="map",
            title="AP",
            kind="percent",
            help=translate(
                "Results",
                "Average precision as COCO has it: the mean over overlaps (IoU) of 0.50 to 0.95",
            ),
        ),
        ColumnView(
            key="map_50",
            title="AP 50",
            kind="percent",
            help=translate("Results", "Average precision where an IoU of 0.50 makes a hit"),
        ),
        ColumnView(
            key="precision",
            title=translate("Results", "Precision"),
            kind="percent",
            help=_joined(
                translate("Results", "Fraction of the found boxes that are hits"), at_best
            ),
        ),
        ColumnView(
            key="recall",
            title=translate("Results", "Recall"),
            kind="percent",
            help=_joined(translate("Results", "Fraction of the true boxes that are hit"), at_best),
        ),
        ColumnView(
            key="score",
            title=translate("Results", "Score"),
            kind="number",
            help=translate("Results", "Score from which on boxes count where F1 is highest"),
        ),
        ColumnView(key="support", title=translate("Results", "True boxes"), kind="count"),
    )


def present_boxes(report: ResultReport, boxes: BoxSamples) -> tuple[ImageView, ...]:
    """Return samples as images that true and found boxes can be laid over."""
    return tuple(_image(report, sample) for sample in boxes.samples)


def _image(report: ResultReport, sample: BoxSample) -> ImageView:
    count = report.box_counts[sample.number]
    text = translate("Results", "#{index}, {count} {count|box|boxes}")
    loss = translate("Results", "loss {loss}")
    return ImageView(
        pixels=np.frombuffer(sample.pixels, np.uint8).reshape(sample.picture_size),
        label=loss.format(loss=metric_text(report.losses[sample.number])),
        sublabel=filled(text, index=sample.index, count=f"{count:,}"),
        overlay=box_view(
            report.classes,
            sample.truth,
            sample.found,
            (sample.true_shapes, sample.found_shapes),
            sample.picture_size[1:],
        ),
    )


def _joined(text: str, condition: str) -> str:
    return listed((text, condition))

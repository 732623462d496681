"""Views of predicted masks: how well each class is covered, and pictures with masks over them."""

import math

import numpy as np

from engine.query.results.mask_sample import MaskSamples
from engine.query.results.request import ResultReport
from studio.i18n import translate
from widgets.images.view_model import ImageView, MaskView
from widgets.tables.view_model import ColumnView, RowView, TableData


def present_overlaps(report: ResultReport) -> TableData:
    """Return how well the area of each class is covered, as pixels."""
    columns = (
        ColumnView(key="class", title=translate("Results", "Label of the class")),
        ColumnView(
            key="iou",
            title="IoU",
            kind="percent",
            help=translate(
                "Results", "Pixels that predicted and true area share, over those of either"
            ),
        ),
        ColumnView(
            key="dice",
            title="Dice",
            kind="percent",
            help=translate(
                "Results", "Twice the pixels that both areas share, over the sum of both (F1)"
            ),
        ),
        ColumnView(
            key="precision",
            title=translate("Results", "Precision"),
            kind="percent",
            help=translate("Results", "Fraction of the predicted area that is correct"),
        ),
        ColumnView(
            key="recall",
            title=translate("Results", "Recall"),
            kind="percent",
            help=translate("Results", "Fraction of the true area that was found"),
        ),
        ColumnView(key="support", title=translate("Results", "Pixels"), kind="count"),
    )
    rows = tuple(
        RowView(
            id=str(index),
            cells=(
                score.name,
                score.iou,
                score.f1,
                score.precision,
                score.recall,
                score.support,
            ),
        )
        for index, score in enumerate(report.scores)
    )
    return TableData(columns=columns, rows=rows)


def present_masks(report: ResultReport, masks: MaskSamples) -> tuple[ImageView, ...]:
    """Return samples as images that true and predicted masks can be laid over."""
    return tuple(
        ImageView(
            pixels=np.frombuffer(sample.pixels, np.uint8).reshape(sample.picture_size),
            label=translate("Results", "IoU {iou}").format(iou=_iou_text(report, sample.number)),
            sublabel=f"#{sample.index}",
            overlay=MaskView(
                classes=report.classes,
                truth=np.frombuffer(sample.truth, np.int16).reshape(sample.size),
                prediction=np.frombuffer(sample.prediction, np.int16).reshape(sample.size),
            ),
        )
        for sample in masks.samples
    )


def _iou_text(report: ResultReport, number: int) -> str:
    iou = report.ious[number]
    return "–" if math.isnan(iou) else f"{iou:.0%}"

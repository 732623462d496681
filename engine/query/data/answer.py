"""Descriptions and samples of data."""

from engine.data.load.load import load_data
from engine.data.preview import describe, preview
from engine.data.source.registry import load_source
from engine.data.transform.preview import preview_sample
from engine.query.data.request import DescribeData, PreviewData, PreviewTransforms
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.transform_preview import TransformPreview


def describe_data(request: DescribeData) -> DataInfo:
    """Return fields, task, samples and parts of the chosen data."""
    return describe(request.data)


def preview_data(request: PreviewData) -> PreviewInfo:
    """Return some samples of a part as they are before normalisation."""
    return preview(load_data(request.data), request.split, request.start, request.count)


def preview_transforms(request: PreviewTransforms) -> TransformPreview:
    """Return a sample after each transform; the nearest one where there is none of that number."""
    source = load_source(request.data.source)
    return preview_sample(
        request.data.transforms,
        source,
        min(max(request.index, 0), source.samples - 1),
        seed=request.seed,
        draw=request.draw,
        is_training=request.split == "train",
    )

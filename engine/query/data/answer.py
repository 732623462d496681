"""Descriptions and samples of data."""

from engine.data.load.load import load_data
from engine.data.preview import describe, preview
from engine.query.data.request import DescribeData, PreviewData
from engine.spec.data import DataInfo, PreviewInfo


def describe_data(request: DescribeData) -> DataInfo:
    """Return fields, task, samples and parts of the chosen data."""
    return describe(request.data)


def preview_data(request: PreviewData) -> PreviewInfo:
    """Return some samples of a part as they are before normalisation."""
    return preview(load_data(request.data), request.split, request.start, request.count)

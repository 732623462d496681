"""Questions about data."""

from engine.query.request import Request, Split
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.run import DataSpec


class DescribeData(Request[DataInfo], frozen=True, kw_only=True, tag="DescribeData"):
    """Fields, task, samples and splits of the chosen data."""

    data: DataSpec

    answer_type = DataInfo
    handler = "engine.query.data.answer.describe_data"


class PreviewData(Request[PreviewInfo], frozen=True, kw_only=True, tag="PreviewData"):
    """Some samples of one part, the first ``count`` from ``start`` on."""

    data: DataSpec
    split: Split = "train"
    start: int = 0
    count: int = 64

    answer_type = PreviewInfo
    handler = "engine.query.data.answer.preview_data"
    is_slow = True
    supersedes = True

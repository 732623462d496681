"""Questions about data."""

from engine.query.request import Request, Split
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.data_comparison import DataComparison
from engine.spec.edits_info import EditsInfo
from engine.spec.proposal import ModelSize, Proposal
from engine.spec.run import DataSpec
from engine.spec.transform_preview import TransformPreview


class DescribeData(Request[DataInfo], frozen=True, kw_only=True):
    """Fields, task, samples and splits of the chosen data."""

    data: DataSpec

    handler = "engine.query.data.answer.describe_data"


class ProposeData(Request[Proposal], frozen=True, kw_only=True):
    """How to train on the data at a path: source, split, and a first model of a size. ``target`` is
    the column of a table to predict, empty for the one that looks like it.
    """

    path: str
    target: str = ""
    size: ModelSize = "small"

    handler = "engine.query.data.proposal.propose_data"
    is_slow = True
    supersedes = True


class PreviewData(Request[PreviewInfo], frozen=True, kw_only=True):
    """Some samples of one part, the first ``count`` from ``start`` on."""

    data: DataSpec
    split: Split = "train"
    start: int = 0
    count: int = 64

    handler = "engine.query.data.answer.preview_data"
    is_slow = True
    supersedes = True


class DescribeEdits(Request[EditsInfo], frozen=True, kw_only=True):
    """What the edits of data do, and its version."""

    data: DataSpec

    handler = "engine.query.data.edits.describe_edits"
    is_slow = True
    supersedes = True


class CompareData(Request[DataComparison], frozen=True, kw_only=True):
    """How the data of runs differs from that of the first."""

    run_folders: tuple[str, ...]

    handler = "engine.query.data.comparison.compare_data"
    is_slow = True


class PreviewTransforms(Request[TransformPreview], frozen=True, kw_only=True):
    """Sample ``index`` of the source after each transform of the training, or of the evaluation of
    another part. ``draw`` stands for the epoch: another one draws other random numbers.
    """

    data: DataSpec
    index: int = 0
    draw: int = 0
    seed: int = 0
    split: Split = "train"

    handler = "engine.query.data.answer.preview_transforms"
    is_slow = True
    supersedes = True

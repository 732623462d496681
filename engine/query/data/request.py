"""Questions about data."""

from typing import Literal

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.model.request import Repairs
from engine.query.request import Request, Split
from engine.spec.browse import (
    ColumnValues,
    PictureSheet,
    SampleColumns,
    SampleDetails,
    SampleHead,
    SampleIndices,
    SampleNames,
    SampleQuery,
    SampleWindow,
)
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.data_comparison import DataComparison
from engine.spec.edits_info import EditsInfo
from engine.spec.proposal import Answers, ModelSize, Peek, Proposal
from engine.spec.run import Choice, DataSpec
from engine.spec.statistics import DataStatistics
from engine.spec.table import TableColumns
from engine.spec.transform_preview import BatchPreview, DrawnSamples, TransformPreview
from engine.spec.vocabulary import VocabularyReport


class DescribeData(Request[DataInfo], frozen=True, kw_only=True):
    """Fields, task, samples and splits of the chosen data."""

    data: DataSpec
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.answer.describe_data"
    custom_code = "texts"


class ProposeData(Request[Proposal], frozen=True, kw_only=True):
    """How to train on the data at a path: source, split, and a first model of a size. ``target`` is
    the column of a table to predict, empty for the one that looks like it; ``answers`` are what the
    user says otherwise.
    """

    path: str
    target: str = ""
    size: ModelSize = "small"
    answers: Answers = Answers()

    handler = "engine.query.data.proposal.propose_data"
    is_slow = True
    supersedes = True


class ListTableColumns(Request[TableColumns], frozen=True, kw_only=True):
    """The columns of the table that a source reads."""

    source: Choice

    handler = "engine.query.data.columns.list_table_columns"
    is_slow = True


class PeekData(Request[Peek], frozen=True, kw_only=True):
    """The first few of what lies at a path, without reading the rest: ``count`` from ``start``;
    of a workbook or database of its ``sheet``, empty for the one that looks like a table.
    """

    path: str
    start: int = 0
    count: int = 12
    sheet: str = ""

    handler = "engine.query.data.peek.peek_data"
    is_light = True


class TensorFile(msgspec.Struct, frozen=True, kw_only=True):
    """What the tensors in a file are: samples, or weights of a model; ``either`` where neither
    their names nor their shapes say it.
    """

    holds: Literal["data", "weights", "either"]


class JudgeTensors(Request[TensorFile], frozen=True, kw_only=True):
    """Whether a file of tensors holds data or weights."""

    path: str

    handler = "engine.query.data.tensor_file.judge_tensors"
    is_slow = True


class PreviewData(Request[PreviewInfo], frozen=True, kw_only=True):
    """Some samples of one part, the first ``count`` from ``start`` on."""

    data: DataSpec
    split: Split = "train"
    start: int = 0
    count: int = 64
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.answer.preview_data"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class DescribeStatistics(Request[DataStatistics], frozen=True, kw_only=True):
    """Mean, deviation and ends of the fields of decimal numbers, as a model gets them before they
    are normalised.
    """

    data: DataSpec
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.answer.describe_statistics"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class DescribeEdits(Request[EditsInfo], frozen=True, kw_only=True):
    """What the edits of data do, and its version."""

    data: DataSpec
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.edits.describe_edits"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class NameEdits(Request[SampleNames], frozen=True, kw_only=True):
    """The names by which edits know samples that are called by ``names``; those of samples that are
    not there as they are.
    """

    data: DataSpec
    names: tuple[str, ...]
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.edits.name_edits"
    custom_code = "texts"
    is_slow = True


class CompareData(Request[DataComparison], frozen=True, kw_only=True):
    """How the data of runs differs from that of the first. Of each run are named ``count`` samples
    that differ, from number ``start`` on.
    """

    run_folders: tuple[str, ...]
    start: int = 0
    count: int = 100

    handler = "engine.query.data.comparison.compare_data"
    custom_code = "runs"
    is_slow = True


class PreviewTransforms(Request[TransformPreview], frozen=True, kw_only=True):
    """Sample ``number`` (from 0) of a part after each transform of the training, or of the
    evaluation of another part. ``draw`` stands for the epoch: another one draws other random
    numbers.
    """

    data: DataSpec
    number: int = 0
    draw: int = 0
    seed: int = 0
    split: Split = "train"
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.answer.preview_transforms"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class DrawSamples(Request[DrawnSamples], frozen=True, kw_only=True):
    """``count`` samples from all over a part (1 to 64) as the model gets them in training; ``draw``
    as for one.
    """

    data: DataSpec
    split: Split = "train"
    count: int = 12
    draw: int = 0
    seed: int = 0
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.answer.draw_samples"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class ListColumns(Request[SampleColumns], frozen=True, kw_only=True):
    """What the samples of the chosen data can be listed, sorted and searched by. ``predictions``
    names what a checkpoint says about them
    (:class:`~engine.query.results.request.PredictSamples`), empty for nothing; the same below.
    """

    data: DataSpec
    predictions: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.browse.list_columns"
    custom_code = "texts"
    is_slow = True


class PeekSamples(Request[SampleHead], frozen=True, kw_only=True):
    """The first rows of a table, of which no more is read; there are none of other data."""

    source: Choice

    handler = "engine.query.data.browse.peek_samples"
    is_slow = True
    supersedes = True


class BrowseSamples(Request[SampleWindow], frozen=True, kw_only=True):
    """Some rows of the samples that a query lists: ``count`` (at most 1,000) from ``start`` on."""

    data: DataSpec
    query: SampleQuery = SampleQuery()
    start: int = 0
    count: int = 100
    predictions: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.browse.browse_samples"
    custom_code = "texts"
    is_slow = True


class PickSamples(Request[SampleIndices], frozen=True, kw_only=True):
    """The indices in the source of the samples that stand in ``ranges`` (start, end) of a query."""

    data: DataSpec
    query: SampleQuery
    ranges: tuple[tuple[int, int], ...]
    predictions: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.browse.pick_samples"
    custom_code = "texts"
    is_slow = True


class NameSamples(Request[SampleNames], frozen=True, kw_only=True):
    """The names by which edits know samples, by their indices in the source; there is none for
    other numbers.
    """

    data: DataSpec
    indices: tuple[int, ...]
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.browse.name_samples"
    custom_code = "texts"
    is_slow = True


class ListValues(Request[ColumnValues], frozen=True, kw_only=True):
    """What comes up in a column of the samples that a query lists."""

    data: DataSpec
    column: str
    query: SampleQuery = SampleQuery()
    predictions: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.browse.list_values"
    custom_code = "texts"
    is_slow = True


class SampleParts(msgspec.Struct, frozen=True, kw_only=True):
    """How many of some samples are in each part of a run."""

    counts: dict[Split, int]


class FindParts(Request[SampleParts], frozen=True, kw_only=True):
    """In which parts of a run samples of its data (indices in the source) are by now."""

    run_folder: str
    indices: tuple[int, ...]

    handler = "engine.query.data.browse.find_parts"
    custom_code = "run"
    is_slow = True


class TakePictures(Request[PictureSheet], frozen=True, kw_only=True):
    """Pictures of some samples (at most 256) by their indices in the source, no side longer than
    ``side`` (1 to 1024).
    """

    data: DataSpec
    indices: tuple[int, ...]
    side: int = 128
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.browse.take_pictures"
    custom_code = "texts"
    is_slow = True


class LookAtSample(Request[SampleDetails], frozen=True, kw_only=True):
    """All that is known of one sample, by its index in the source; ``side`` as for pictures."""

    data: DataSpec
    index: int
    side: int = 1024
    predictions: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.browse.look_at_sample"
    custom_code = "texts"
    is_slow = True


class ListVocabulary(Request[VocabularyReport], frozen=True, kw_only=True):
    """The vocabulary of a text ``field`` (empty: the first) with counts: at most ``most`` tokens in
    which ``text`` stands, in any letters.
    """

    data: DataSpec
    field: str = ""
    text: str = ""
    most: int = 1000
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.vocabulary.list_vocabulary"
    custom_code = "texts"
    is_slow = True


class PreviewBatch(Request[BatchPreview], frozen=True, kw_only=True):
    """The first samples of the first training batch, blended; ``draw`` stands for the epoch,
    ``number`` for the transform that is shown where one of several is drawn for a batch.
    """

    data: DataSpec
    draw: int = 0
    number: int | None = None
    seed: int = 0
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.answer.preview_batch"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class RepairFile(Request[Repairs], frozen=True, kw_only=True):
    """What repairs a finding about one file of the data, at which a run ended."""

    data: DataSpec
    problem: Diagnostic
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.data.repair.repair_file"
    custom_code = "texts"
    is_slow = True

"""The protocol between the window and its host process: requests, answers and how they are framed.

A frame is four bytes of length (big-endian) and a MessagePack document. The window sends
:class:`Envelope`, the host answers each with one :class:`Reply` of the same number: an answer of
the type that the request names, or the problems that prevented it. All of it loads without torch.
"""

from typing import IO

import msgspec

from engine.diagnostics import Diagnostic
from engine.export.report import (
    CheckpointComparison,
    CheckpointContents,
    ExportReport,
    Renaming,
    WeightsReport,
)
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.graph.repair.case import Fix
from engine.query.distance.request import CompareWeights
from engine.query.doctor.request import CheckUp
from engine.query.gradient.report import GradientReport
from engine.query.installation.request import CheckInstallation
from engine.query.listing.report import ModelListing, WeightPreview
from engine.query.memory.request import EstimateFreezing, EstimateMemory
from engine.query.request import Request, Split
from engine.query.results.request import ResultRequest
from engine.query.trace.request import TraceForward
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.run import DataSpec, RunSpec

MAXIMUM_FRAME_BYTES = 1 << 30


class Gpu(msgspec.Struct, frozen=True, kw_only=True):
    """A graphics processor that torch can use, with its memory in bytes."""

    index: int
    name: str
    memory_bytes: int


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What this machine has. ``devices`` are the words for ``RunSpec.device`` that work here;
    ``threads`` the processor cores that may be used; memory in bytes.
    """

    python: str
    versions: dict[str, str]
    threads: int
    memory_bytes: int
    free_memory_bytes: int
    gpus: tuple[Gpu, ...] = ()
    has_mps: bool = False
    devices: tuple[str, ...] = ("auto", "cpu")


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """The generated class and which line (from 1) belongs to which node id."""

    text: str
    lines: dict[int, str] = {}


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that can be known before a run: the analysis of the graph, the description of the data
    (None when it cannot be made) and every problem of graph, data and specification together.
    """

    analysis: Analysis
    data: DataInfo | None = None
    problems: tuple[Diagnostic, ...] = ()

    def is_ok(self) -> bool:
        """Return whether nothing found blocks a run."""
        return all(problem.severity != "error" for problem in self.problems)


class Repairs(msgspec.Struct, frozen=True, kw_only=True):
    """The fixes of each problem that was asked about, in that order, best first; of fewer problems
    than asked where time ran out.
    """

    fixes: tuple[tuple[Fix, ...], ...] = ()


class LrPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The learning rates at the beginning of some steps, from really stepping the scheduler:
    ``values`` for each group of parameters, the rest first.
    """

    steps: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Loss and metrics of a checkpoint on one part of the data, by series (``test.accuracy``)."""

    run: str
    checkpoint: str
    split: str
    metrics: dict[str, float]
    samples: int = 0


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """The host has loaded torch; how long that took, in seconds."""

    seconds: float


class WarmUp(Request[Ready], frozen=True, kw_only=True, tag="WarmUp"):
    """Load torch and what the first analysis needs."""

    answer_type = Ready


class GetCapabilities(Request[Capabilities], frozen=True, kw_only=True, tag="GetCapabilities"):
    """What the machine has."""

    answer_type = Capabilities


class Analyse(Request[Analysis], frozen=True, kw_only=True, tag="Analyse"):
    """Shapes, dtypes, counts, problems and source of a graph, as a run of a precision has it."""

    graph: Graph
    precision: str = "float32"

    answer_type = Analysis
    supersedes = True


class Check(Request[CheckReport], frozen=True, kw_only=True, tag="Check"):
    """Everything that can be found before a run. Ask it before ``start_run``."""

    graph: Graph
    spec: RunSpec

    answer_type = CheckReport
    supersedes = True


class Repair(Request[Repairs], frozen=True, kw_only=True, tag="Repair"):
    """What mends problems of a document; each fix was tried without values and helps."""

    graph: Graph
    spec: RunSpec
    problems: tuple[Diagnostic, ...]

    answer_type = Repairs
    is_slow = True
    supersedes = True


class FindRemedies(Request[Repairs], frozen=True, kw_only=True, tag="FindRemedies"):
    """What mends findings of the doctor; each remedy was tried on a copy and helps."""

    graph: Graph
    spec: RunSpec
    project: str
    problems: tuple[Diagnostic, ...]

    answer_type = Repairs
    is_slow = True
    supersedes = True


class GetSource(Request[SourceText], frozen=True, kw_only=True, tag="GetSource"):
    """The generated class."""

    graph: Graph

    answer_type = SourceText


class Following(msgspec.Struct, frozen=True, kw_only=True):
    """The graph that a text says, or why it says none. With a graph ``problems`` tell why its model
    became one node.
    """

    graph: Graph | None = None
    problems: tuple[Diagnostic, ...] = ()


class FollowText(Request[Following], frozen=True, kw_only=True, tag="FollowText"):
    """What becomes of a graph when its model has another text than the one that was ``shown``."""

    graph: Graph
    text: str
    shown: str

    answer_type = Following
    supersedes = True


class ListModel(Request[ModelListing], frozen=True, kw_only=True, tag="ListModel"):
    """The text of the module and its weights."""

    graph: Graph

    answer_type = ModelListing
    supersedes = True


class CheckGradient(Request[GradientReport], frozen=True, kw_only=True, tag="CheckGradient"):
    """Whether the backward pass of a node computes the derivatives of its forward pass."""

    graph: Graph
    place: str

    answer_type = GradientReport
    is_slow = True
    supersedes = True


class PreviewWeights(Request[WeightPreview], frozen=True, kw_only=True, tag="PreviewWeights"):
    """The values that the parameters of the layer at a place begin with in a run of that seed and
    the file of weights that it starts from (``RunSpec.weights``, ``RunSpec.renamed``).
    """

    graph: Graph
    place: str
    seed: int
    project: str
    weights: str
    renamed: dict[str, str]

    answer_type = WeightPreview
    is_slow = True
    supersedes = True


class DescribeData(Request[DataInfo], frozen=True, kw_only=True, tag="DescribeData"):
    """Fields, task, samples and splits of the chosen data."""

    data: DataSpec

    answer_type = DataInfo


class PreviewData(Request[PreviewInfo], frozen=True, kw_only=True, tag="PreviewData"):
    """Some samples of one part, the first ``count`` from ``start`` on."""

    data: DataSpec
    split: Split = "train"
    start: int = 0
    count: int = 64

    answer_type = PreviewInfo
    is_slow = True
    supersedes = True


class PreviewLr(Request[LrPreview], frozen=True, kw_only=True, tag="PreviewLr"):
    """The learning-rate curve of a specification; ``steps_per_epoch`` 0: from the data."""

    spec: RunSpec
    steps_per_epoch: int = 0

    answer_type = LrPreview
    is_slow = True
    supersedes = True


class Evaluate(Request[Evaluation], frozen=True, kw_only=True, tag="Evaluate"):
    """Loss and metrics of a checkpoint; ``checkpoint`` is ``best``, ``last`` or a file name."""

    run_folder: str
    checkpoint: str = "best"
    split: Split = "test"

    answer_type = Evaluation
    is_slow = True


class Export(Request[ExportReport], frozen=True, kw_only=True, tag="Export"):
    """Write the weights of a checkpoint in a format, load them back and compare."""

    run_folder: str
    format: str
    output: str
    checkpoint: str = "best"
    overwrite: bool = True

    answer_type = ExportReport
    is_slow = True


class ReadCheckpoint(Request[CheckpointContents], frozen=True, kw_only=True, tag="ReadCheckpoint"):
    """What a file of weights holds."""

    file: str

    answer_type = CheckpointContents
    is_slow = True


class CompareCheckpoint(
    Request[CheckpointComparison], frozen=True, kw_only=True, tag="CompareCheckpoint"
):
    """Which weights of a file fit a graph and which do not."""

    file: str
    graph: Graph

    answer_type = CheckpointComparison
    is_slow = True


class ReportWeights(Request[WeightsReport], frozen=True, kw_only=True, tag="ReportWeights"):
    """How the weights of a file and a graph go together under other names; without ``renaming``
    under those that make the most fit. ``names`` holds by the name of a module what it is called in
    the file, where it was renamed since.
    """

    file: str
    graph: Graph
    renaming: Renaming | None = None
    names: dict[str, str] = msgspec.field(default_factory=dict[str, str])

    answer_type = WeightsReport
    is_slow = True
    supersedes = True


class TakeWeights(Request[CheckpointComparison], frozen=True, kw_only=True, tag="TakeWeights"):
    """Write the weights of a file that fit a graph into a safetensors file, under other names;
    ``names`` as in :class:`ReportWeights`.
    """

    file: str
    graph: Graph
    target: str
    renaming: Renaming = Renaming()
    names: dict[str, str] = msgspec.field(default_factory=dict[str, str])

    answer_type = CheckpointComparison
    is_slow = True


class SavedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor was written to a file."""

    file: str


class SaveTensor(Request[SavedTensor], frozen=True, kw_only=True, tag="SaveTensor"):
    """Write elements, row by row as numpy's type ``stored``, into a file of PyTorch; ``dtype`` is
    what PyTorch calls the type of the tensor that they are of.
    """

    file: str
    shape: tuple[int, ...]
    stored: str
    data: bytes
    dtype: str

    answer_type = SavedTensor
    is_slow = True


AnyRequest = (
    WarmUp
    | GetCapabilities
    | CheckInstallation
    | Analyse
    | Check
    | Repair
    | FindRemedies
    | GetSource
    | FollowText
    | ListModel
    | CheckGradient
    | EstimateMemory
    | EstimateFreezing
    | TraceForward
    | PreviewWeights
    | DescribeData
    | PreviewData
    | PreviewLr
    | Evaluate
    | Export
    | ReadCheckpoint
    | CompareCheckpoint
    | ReportWeights
    | TakeWeights
    | SaveTensor
    | ResultRequest
    | CheckUp
    | CompareWeights
)


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """A request on its way to the host. ``banned`` is what hung or crashed a host before it, by
    name, with the verdict (``engine.custom.watchdog``).
    """

    number: int
    request: AnyRequest
    banned: dict[str, str] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The host's reply to the request of that number: the answer, encoded, or ``problems``."""

    number: int
    answer: bytes = b""
    problems: tuple[Diagnostic, ...] = ()


class FrameError(Exception):
    """The stream does not hold what the protocol says."""


def write_frame(stream: IO[bytes], content: bytes) -> None:
    """Write one frame and flush."""
    stream.write(len(content).to_bytes(4, "big") + content)
    stream.flush()


def read_frame(stream: IO[bytes]) -> bytes | None:
    """Return the next frame, or None at the end of the stream.

    Raises :class:`FrameError` when the stream ends within a frame or a length is absurd.
    """
    head = stream.read(4)
    if not head:
        return None
    length = int.from_bytes(head, "big")
    if len(head) < 4 or length > MAXIMUM_FRAME_BYTES:
        raise FrameError(f"bad frame head {head!r}")
    content = stream.read(length)
    if len(content) < length:
        raise FrameError(f"{len(content)} of {length} bytes")
    return content

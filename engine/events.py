"""Event protocol of a run: events go up, commands go down, as plain values only.

The worker appends events to the run's store (folded by ``runs.state``), window or command line
commands to ``commands.jsonl``, taken at step boundaries: JSON with the class name in ``type``.
"""

from typing import Annotated, Literal

import msgspec

from engine.decoding import json_decoder
from engine.diagnostics import Diagnostic
from engine.files import is_relative_path
from engine.graph.memory_report import MemoryReport
from engine.graph.profile_report import ProfileReport
from engine.spec.data_version import DataVersion
from engine.spec.live import LiveValue
from engine.spec.plane import Plane
from engine.spec.trained_group import TrainedGroup

Clock = Annotated[float, msgspec.Meta(ge=0.0, le=250_000_000_000.0)]
"""Wall-clock seconds that a calendar has, up to the year 9891: a file may be anybody's."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """A thing that happened. ``time`` is wall-clock seconds, a label only; ``elapsed_s`` is the
    training time of the run so far (monotonic, pauses and gaps between resumes left out).
    """

    time: Clock = 0.0
    elapsed_s: float = 0.0


class RunStarted(Event, frozen=True):
    """The worker has built everything and is about to take the first step (also on resume);
    ``epochs``, ``steps`` and ``minutes`` are the length of the run, 0 what does not end it;
    ``data`` is the version of what it trains on, None in records of earlier versions; ``groups``
    are those of the optimizer, where it has several.
    """

    pid: int
    device: str
    threads: int
    epochs: int
    steps_per_epoch: int
    parameters: int
    step: int = 0  # the first step to be taken is step + 1
    resumed_from: str = ""  # checkpoint file name
    versions: dict[str, str] = {}
    data: DataVersion | None = None
    groups: tuple[TrainedGroup, ...] = ()
    steps: int = 0
    minutes: float = 0.0


class StepDone(Event, frozen=True):
    """Progress; may be coalesced on its way to the screen. Curves are in the scalars.

    ``watching`` is the share of the time that looking into steps took lately; ``is_throttled``
    says that statistics are taken less often than wanted, to keep the limit. ``graph_rest_s`` is
    how many seconds of training lie between two live captures of the graph to keep it.
    """

    step: int
    epoch: int
    steps_per_s: float = 0.0
    samples_per_s: float = 0.0
    watching: float = 0.0
    is_throttled: bool = False
    graph_rest_s: float = 0.0


class EpochDone(Event, frozen=True):
    """An epoch ended; ``metrics`` by series name (``train.loss``, ``validation.accuracy``)."""

    epoch: int
    step: int
    metrics: dict[str, float]


class CheckpointSaved(Event, frozen=True):
    """A checkpoint is whole on disk. ``tags`` holds ``last``, ``best``, ``epoch``, ``step``, ..."""

    file: str
    sha256: str
    step: int
    epoch: int
    tags: tuple[str, ...]
    metrics: dict[str, float] = {}


class CheckpointRemoved(Event, frozen=True):
    """An old checkpoint went, after a newer one was verified."""

    file: str


class StateChanged(Event, frozen=True):
    """The run was paused or goes on."""

    state: Literal["running", "paused"]
    step: int


class Evaluated(Event, frozen=True):
    """The validation split was evaluated within an epoch: because the user asked for it
    (``is_asked``), or as the recipe has it; ``metrics`` by series name.
    """

    step: int
    metrics: dict[str, float]
    is_asked: bool = True


class KnobChanged(Event, frozen=True):
    """A value was set in place of ``before``, once ``epoch`` epochs were finished (-1 in records
    of earlier versions): by the user, a replay of another run's changes, or a technique.
    """

    step: int
    name: str
    value: LiveValue
    before: LiveValue = None
    epoch: int = -1
    origin: Literal["user", "replay", "technique"] = "user"


class WatchingChanged(Event, frozen=True):
    """What is watched from a step on, and what it may cost, was set while the run went on; a
    resumed run begins with its recipe again.
    """

    step: int
    statistics: bool
    every_steps: int
    limit: float


class GraphCaptured(Event, frozen=True):
    """The autograd graph of a step is among the artefacts (``file``, relative to them)."""

    step: int
    file: str
    functions: int
    edges: int


class TensorsListed(Event, frozen=True):
    """The names of all tensors that can be looked at are among the artefacts (``file``)."""

    step: int
    file: str


class TensorCaptured(Event, frozen=True):
    """A tensor that was asked for is among the artefacts (see ``runs.tensor_capture``)."""

    step: int
    file: str
    kind: str
    name: str


class DebugValue(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor that can be seen where the debugger stands. ``key`` names it in commands; ``kind``
    is ``variable``, ``parameter``, ``buffer``, ``gradient``, ``incoming`` or ``loss``. The figures
    are of its finite values, None where there are none; ``bad`` counts those that are not finite.
    """

    key: str
    kind: str
    shape: tuple[int, ...]
    dtype: str
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    bad: int = 0


class DebugStopped(Event, frozen=True):
    """The run stands inside step ``step``. ``place`` is the path of the node on the canvas,
    ``line`` that of the model's source, ``layer`` the module and ``function`` the Function of
    autograd, as far as there is one, ``parameter`` the one whose gradient that accumulates.
    ``reason`` is the kind of the breakpoint, or ``step``.
    """

    step: int
    phase: Literal["forward", "loss", "backward", "gradients", "updated"]
    reason: str
    place: str = ""
    line: int = 0
    layer: str = ""
    function: str = ""
    parameter: str = ""
    values: tuple[DebugValue, ...] = ()


class TensorRead(Event, frozen=True):
    """Values of a tensor where the debugger stands: ``values`` from the flat index ``start`` on,
    those that are not finite as words.
    """

    step: int
    key: str
    start: int
    values: tuple[float | str, ...]


class TensorChanged(Event, frozen=True):
    """A tensor was changed by hand inside a step: what follows is not of the recipe alone."""

    step: int
    place: str
    key: str
    expression: str


class MemoryMeasured(Event, frozen=True):
    """What a step kept in memory, counted while it was computed."""

    step: int
    report: MemoryReport


class ProfileTaken(Event, frozen=True):
    """Steps were profiled; the trace of the last one is among the artefacts (``file``, relative to
    them), for ``chrome://tracing`` and Perfetto.
    """

    step: int
    report: ProfileReport
    file: str


class RankShare(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a run since the last comparison: CRC-32 checksum of its weights, the loss of its
    part of the step, its samples a second, and milliseconds a step of waiting for the others.
    """

    checksum: int
    loss: float
    samples_per_s: float = 0.0
    waited_ms: float = 0.0


class RanksCompared(Event, frozen=True):
    """The processes of a run, by rank, told of themselves; ``step`` is that of their weights.
    ``is_sharded``: each has a part of the weights, which there is nothing to compare with.
    """

    step: int
    ranks: tuple[RankShare, ...]
    is_sharded: bool = False

    @property
    def is_equal(self) -> bool:
        """Whether all processes have the same weights, bit by bit."""
        return len({share.checksum for share in self.ranks}) == 1


class Warned(Event, frozen=True):
    """Something the user should know that does not end the run."""

    problem: Diagnostic
    step: int = 0


class RunEnded(Event, frozen=True):
    """The last event of a run, exactly once whatever happens (a resume appends after it).

    ``problem`` tells why a run failed; ``metrics`` are the last values (with the test part's).
    """

    reason: Literal["finished", "stopped", "failed", "died"]
    step: int
    epoch: int
    metrics: dict[str, float] = {}
    problem: Diagnostic | None = None


_Progress = RunStarted | StepDone | EpochDone | Evaluated | StateChanged | Warned | RunEnded
_Kept = CheckpointSaved | CheckpointRemoved | KnobChanged | WatchingChanged
_Watched = GraphCaptured | TensorsListed | TensorCaptured | MemoryMeasured | ProfileTaken
_Debugged = DebugStopped | TensorRead | TensorChanged
RunEvent = _Progress | _Kept | _Watched | _Debugged | RanksCompared


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """A wish of the user, carried out at the next step boundary."""


class Pause(Command, frozen=True):
    """Wait after the step that is running; a checkpoint is written."""


class Resume(Command, frozen=True):
    """Go on after a pause."""


class Step(Command, frozen=True):
    """Take that many steps and pause again."""

    count: int = 1


class Stop(Command, frozen=True):
    """End the run, keeping everything: checkpoint, then the end."""


class SaveCheckpoint(Command, frozen=True):
    """Write a checkpoint now, and keep it."""


class Evaluate(Command, frozen=True):
    """Evaluate the validation split now; the run computes the same as without."""


class MoveCheckpoints(Command, frozen=True):
    """Keep the checkpoints in a folder of their own inside another folder from now on, those that
    are there too: for a disk that takes no more.
    """

    folder: str


class SetValue(Command, frozen=True):
    """Set a value between two steps: a setting by its name (see ``spec.live``), or the length."""

    name: str
    value: LiveValue


class SetWatching(Command, frozen=True):
    """Take statistics of the layers or not, how often, and at what cost (see ``WatchSpec``)."""

    statistics: bool
    every_steps: int
    limit: float


class ListTensors(Command, frozen=True):
    """Tell which tensors can be looked at."""


class CaptureTensor(Command, frozen=True):
    """Look at a tensor (see ``runs.tensor_capture.TensorEntry``): now, or in the next step."""

    kind: Literal[
        "parameter", "gradient", "buffer", "state", "activation", "activation_gradient", "batch",
        "attention",
    ]  # fmt: skip
    name: str


class WatchSurface(Command, frozen=True):
    """Draw what the model answers over a plane of its inputs, every so many seconds; 0: not."""

    every_s: float
    plane: Plane = Plane()


class FreeCache(Command, frozen=True):
    """Give the memory of GPUs that PyTorch keeps for later back to the system."""


class CaptureGraph(Command, frozen=True):
    """Capture the autograd graph of the next step. One of many that are asked for as long as
    somebody looks on (``live``) is left out where it would take more time than watching may.
    """

    live: bool = False


class MeasureMemory(Command, frozen=True):
    """Count what the next step keeps in memory."""


PROFILE_EXTRA = 3
"""Steps of a profile beside those that are timed: warming up, counting operations, the trace."""


class ProfileSteps(Command, frozen=True):
    """Profile the next ``count`` steps, and ``PROFILE_EXTRA`` more."""

    count: int = 5

    @property
    def steps(self) -> int:
        """All of them."""
        return self.count + PROFILE_EXTRA


class Breakpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run stops by itself: before the layer at ``place`` computes (``layer``), before its
    gradient is computed (``backward``), before a Function of that name goes backward
    (``function``; of those made at ``within``, a path of the canvas or a parameter, where it is
    given), at the beginning of step ``value`` (``step``), where a value is not finite
    (``not_finite``), where the loss or the norm of all gradients is above ``value``, or where
    ``condition`` begins to hold in a step (``condition``). Each other kind stops only where its
    ``condition`` (see ``runs.condition``; empty: always) holds.
    """

    kind: Literal[
        "layer", "backward", "function", "step", "not_finite", "loss", "gradient", "condition"
    ]
    place: str = ""
    within: str = ""
    value: float = 0.0
    condition: str = ""
    is_on: bool = True


class SetBreakpoints(Command, frozen=True):
    """Stop at these places, and at none of those given before."""

    breakpoints: tuple[Breakpoint, ...]


class DebugStep(Command, frozen=True):
    """Stop inside a step, at the next place of that kind: before the next layer, Function, step of
    the optimizer, or before the first layer of the next batch or epoch.
    """

    over: Literal["layer", "function", "optimizer", "batch", "epoch"]


class DebugContinue(Command, frozen=True):
    """Go on to the next breakpoint."""


class ReadTensor(Command, frozen=True):
    """Tell values of a tensor where the debugger stands."""

    key: str
    start: int = 0
    count: int = 256


class WriteTensor(Command, frozen=True):
    """Change a tensor where the debugger stands: all of it to an expression of ``x``, its values,
    or the one at the flat index ``at``.
    """

    key: str
    expression: str
    at: int | None = None


DebugCommand = SetBreakpoints | DebugStep | DebugContinue | ReadTensor | WriteTensor
WatchCommand = (
    CaptureGraph
    | SetWatching
    | ListTensors
    | CaptureTensor
    | WatchSurface
    | MeasureMemory
    | ProfileSteps
)
_Steering = Pause | Resume | Step | Stop | SaveCheckpoint | Evaluate | SetValue
RunCommand = _Steering | MoveCheckpoints | FreeCache | WatchCommand | DebugCommand

_event_decoder = json_decoder(RunEvent)
_command_decoder = json_decoder(RunCommand)


def encode_event(event: RunEvent) -> bytes:
    """Return an event as one line of JSON (without the line end)."""
    return msgspec.json.encode(event)


def decode_event(data: bytes | str) -> RunEvent:
    """Return the event of a line. Raises ``msgspec.ValidationError`` on anything else, and where it
    names a file that is not in the folder of the run: the record may be anybody's.
    """
    try:
        event = _event_decoder.decode(data)
    except UnicodeDecodeError as error:
        raise msgspec.ValidationError(str(error)) from error
    file = getattr(event, "file", "")
    if file and not is_relative_path(file):
        raise msgspec.ValidationError(f"{file[:200]!r} is outside of the run")
    return event


def encode_command(command: RunCommand) -> bytes:
    """Return a command as one line of JSON (without the line end)."""
    return msgspec.json.encode(command)


def decode_command(data: bytes | str) -> RunCommand:
    """Return the command of a line. Raises ``msgspec.ValidationError`` on anything else."""
    try:
        return _command_decoder.decode(data)
    except UnicodeDecodeError as error:
        raise msgspec.ValidationError(str(error)) from error

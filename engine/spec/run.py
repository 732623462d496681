"""Run specification: everything that decides what a run computes, as a frozen value.

Fields are reached by dotted name from the command line and from forms (``epochs``,
``optimizer.lr``, ``data.batch_size``); ``fields.py`` does that. Every field has its description in
the catalogue (group ``setting``, key ``run``, ``data``, ``split``, ``clip``, ``checkpoint``,
``group``, ``phase``, ``watch``, ``compute``, ``processes``, ``transform``, ``batch_transform``).
"""

from typing import Literal

import msgspec

from engine.catalog.spec import Value
from engine.spec.curriculum import CurriculumSpec
from engine.spec.data_edits import DataEdits
from engine.spec.technique import (
    AccumulationSpec,
    AveragingSpec,
    DistillationSpec,
    EarlyStoppingSpec,
    GradientNoiseSpec,
    LayerRatesSpec,
    NoDecaySpec,
    PenaltySpec,
    QuantizationSpec,
    TeacherForcingSpec,
    UnfreezingSpec,
    ViewSpec,
)
from engine.spec.transform import BatchTransformSpec, TransformSpec

NO_FUNCTION = "none"
"""What is chosen where a function of the user's code could be, and none is."""
COLLATES = ("stack", "pad")
"""The ways to put samples together that need no function of the user's."""
SAMPLERS = ("uniform", "balanced", "weighted", "bucketed", "curriculum")
"""The ways to draw samples that need no class of the user's."""
TOGETHER = ("ddp", "fsdp")
"""The modes in which several processes train one run."""


class Choice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One catalogue entry and its parameters (only those that differ from the default)."""

    type: str
    params: dict[str, Value] = {}


class SplitSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How the samples are divided into training, validation and test part.

    The fractions sum to 1; ``seed`` draws the samples. ``kind`` ``stratified`` keeps the shares of
    the classes, or of the values of ``column``; ``group`` keeps samples with the same value of
    ``column`` together; ``column`` says the part in words; ``given`` is what the data itself says
    (folders); ``time`` orders by ``column``, the last are the test part; ``sequential`` takes them
    in the order of the source. A part that ``column`` or ``given`` does not name is drawn from the
    training part, by its fraction; ``stratified`` keeps the shares of the classes there, and in
    folds, as the kind of this name does for all samples.

    With ``folds`` the test part is split off first and the rest is divided into so many folds, of
    which number ``fold`` (from 0) is the validation part. With ``group_equal`` samples that are
    equal in all fields go to the same part.
    """

    kind: Literal["random", "stratified", "group", "column", "given", "time", "sequential"] = (
        "random"
    )
    column: str = ""
    train: float = 0.7
    validation: float = 0.15
    test: float = 0.15
    seed: int = 0
    stratified: bool = False
    group_equal: bool = False
    folds: int = 0
    fold: int = 0


class LoaderSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How batches are read (``torch.utils.data.DataLoader``).

    With ``num_workers`` 0 the process that trains reads them itself; else that many processes do,
    each up to ``prefetch_factor`` batches ahead. One that gives no batch for ``timeout_s`` seconds
    hangs (0: it is waited for). With ``persistent_workers`` those of the training stay from one
    epoch to the next. ``multiprocessing_context`` is how they start (auto: fork on Linux, else as
    PyTorch does), ``worker_init_fn`` the function of the user's code (``data.init``) that each runs
    at its start with its number, "none" for none. None of these changes a number of the run.
    """

    num_workers: int = 0
    prefetch_factor: int = 2
    timeout_s: float = 0.0
    persistent_workers: bool = True
    multiprocessing_context: Literal["auto", "fork", "forkserver", "spawn"] = "auto"
    worker_init_fn: str = NO_FUNCTION


class DataSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Which data, how it is split, transformed, batched and normalised.

    ``sampler`` draws the training samples of an epoch: ``uniform`` each once, ``balanced`` every
    class (or value of ``sampler_column``) as often, ``weighted`` by the numbers of
    ``sampler_column``, ``bucketed`` each once, with samples of about the same length in a batch,
    ``curriculum`` the easiest ones first, by the numbers of ``sampler_column``;
    else it is a class of the user's code (``data.RareFirst``), whose order is taken.
    ``batch_sampler`` is a class of the user's code that says which samples each batch of the
    training has, in place of ``sampler``, ``shuffle`` and ``drop_last``; ``batch_size`` is that of
    the evaluation then. "none" for none.
    ``collate`` puts the samples of a batch together: ``stack`` wants one size, ``pad`` fills up to
    the largest of the batch, else it is a function of the user's code (``data.pad_collate``).
    ``padding_info`` is what the model can read of the padding of each input that varies in size,
    as a further field: how long each sample is, or where it is filled up.
    ``transforms`` are applied to each sample one after another; one of ``batch_transforms`` to each
    batch of the training, drawn anew for each. ``edits`` are what the user decided about single
    samples; a project holds them in a file of their own.
    """

    source: Choice = Choice(type="digits")
    split: SplitSpec = SplitSpec()
    batch_size: int = 32
    shuffle: bool = True
    sampler: str = "uniform"
    sampler_column: str = ""
    curriculum: CurriculumSpec = CurriculumSpec()
    batch_sampler: str = NO_FUNCTION
    collate: str = "stack"
    padding_info: Literal["none", "lengths", "mask"] = "none"
    drop_last: bool = False
    normalization: Literal["none", "standard", "minmax"] = "none"
    loader: LoaderSpec = LoaderSpec()
    transforms: tuple[TransformSpec, ...] = ()
    batch_transforms: tuple[BatchTransformSpec, ...] = ()
    edits: DataEdits = DataEdits()

    @property
    def has_custom_batches(self) -> bool:
        """Whether the user's code says which samples each batch of the training has."""
        return self.batch_sampler != NO_FUNCTION


class LossTerm(msgspec.Struct, frozen=True, kw_only=True):
    """One summand of the loss.

    ``inputs`` binds each port of the loss to ``model.<output name>`` or ``data.<field>``; the loss
    is multiplied by ``weight``.
    """

    loss: Choice
    inputs: dict[str, str] = {}
    weight: float = 1.0


class ClipSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Gradient clipping: by total norm, by value, or none."""

    kind: Literal["none", "norm", "value"] = "none"
    limit: float = 1.0


class CheckpointSpec(msgspec.Struct, frozen=True, kw_only=True):
    """When checkpoints are written and which are kept.

    A checkpoint is written at the end of every ``every_epochs``-th epoch and, when ``every_steps``
    is not 0, every that many steps; also on pause, stop and error. Epochs shorter than a second are
    saved about once a second, and always the last one. ``keep_last`` (at least 2) of
    them are kept and the best by ``monitor``.
    """

    every_epochs: int = 1
    every_steps: int = 0
    keep_last: int = 2
    monitor: str = "validation.loss"
    mode: Literal["min", "max"] = "min"


class WatchSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a run looks at by itself: statistics of its layers, and with ``learned`` the step at
    which each training sample of a class was learnt (:mod:`engine.train.learned`).

    Statistics are taken at most every ``every_steps`` steps and four times a second, and seldom
    enough that all looking takes at most the share ``limit`` of the time.
    """

    statistics: bool = True
    every_steps: int = 10
    limit: float = 0.03
    learned: bool = True


class ComputeSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How exactly and how fast a run computes, and how much of the GPUs it may take.

    ``precision`` float64 has weights, data and loss in double precision. float16 and bfloat16 are
    automatic mixed precision (``torch.autocast``), float16 with scaled gradients
    (``torch.amp.GradScaler``); their weights stay float32. ``gpus`` are the numbers of the GPUs
    that a run sees (``0,3``; empty: all); inside it they are counted anew from 0.
    ``memory_limit`` is the share of a GPU's memory that it may take, above 0 and at most 1.
    ``placement`` are parts of the model with devices of their own (``head=cuda:1``; empty: none).
    """

    precision: Literal["float32", "float64", "float16", "bfloat16"] = "float32"
    tf32: bool = False
    cudnn_benchmark: bool = False
    channels_last: bool = False
    compile: bool = False
    pin_memory: bool = False
    gpus: str = ""
    memory_limit: float = 1.0
    placement: str = ""


class ProcessSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How the processes of a run in the modes ddp and fsdp work together.

    When one is lost, all start again from the last checkpoint, at most ``max_restarts`` times. One
    that keeps the others waiting for ``timeout_s`` seconds hangs. ``scale_rate`` multiplies the
    learning rate by the number of processes. ``sync_norms`` has batch norms take their statistics
    over the batch of all processes, on GPUs. ``nnodes`` machines take part, each with ``nproc``
    processes.
    """

    max_restarts: int = 3
    timeout_s: float = 600.0
    scale_rate: bool = False
    sync_norms: bool = False
    nnodes: int = 1


class ParameterGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters that the optimizer treats apart.

    ``match`` names them: beginnings of their names (``fc``, ``layer4.0``) or patterns with a star
    (``*.bias``), separated by commas; a parameter is in the first group that names it. ``params``
    are the settings of the optimizer that are other than for the rest.
    """

    match: str = ""
    params: dict[str, Value] = {}


class ScheduleTerm(msgspec.Struct, frozen=True, kw_only=True):
    """A further scheduler. In series it takes the place of the one before it after ``start`` epochs
    or steps of the run, whichever the schedule is stepped by.
    """

    scheduler: Choice
    start: int = 0


class PhaseRule(msgspec.Struct, frozen=True, kw_only=True):
    """What a phase trains, and when.

    It trains the parameters that ``match`` names (as that of a group), of these only the
    ``matrices`` (two axes) where that is wanted, but none that a phase before it names and trains
    in the same step; one that names none has all that the others of its steps leave. In its steps
    all other parameters are frozen and only the loss terms with the numbers in ``losses`` (from 1,
    separated by commas; empty: all) are computed.

    It is at work from ``start`` epochs on until ``end`` epochs are done (0: to the end of the run).
    With ``steps`` 0 it takes part in every step; those with more take turns, each with so many
    steps in a row, in the order of the phases.
    """

    name: str = ""
    match: str = ""
    parameters: Literal["all", "matrices"] = "all"
    losses: str = ""
    steps: int = 0
    start: int = 0
    end: int = 0


class PhaseSpec(PhaseRule, frozen=True, kw_only=True):
    """A phase with an optimizer of its own. ``scheduler_interval`` as that of a run."""

    optimizer: Choice = Choice(type="Adam")
    scheduler: Choice | None = None
    scheduler_interval: Literal["epoch", "step"] = "epoch"


class RunSpec(msgspec.Struct, frozen=True, kw_only=True):
    """All of a run but the graph.

    ``phase`` is that of its own optimizer, groups and schedules, the first one, which trains all
    parameters in every step as it comes; ``phases`` are further ones.

    ``length`` says what the run ends by: after ``epochs``, after ``steps`` of the optimizer, or
    after ``minutes`` of training (pauses do not count). Besides after each epoch it is validated
    every ``validate_every`` steps (0: not).
    ``non_finite`` says what follows a step whose loss or gradients are NaN or infinite: the end of
    the run, or (``skip``) the next step, as if there had been none, or (``roll_back``) the step
    after the last checkpoint, at half the learning rate.
    ``weights`` is a safetensors file in the project that the model starts from, relative to the
    project; empty: from random numbers. Weights whose name and shape are in the model are taken.
    ``renamed`` holds by the name of a module what it was called when the file was written.
    """

    data: DataSpec = DataSpec()
    losses: tuple[LossTerm, ...] = ()
    optimizer: Choice = Choice(type="Adam")
    groups: tuple[ParameterGroup, ...] = ()
    scheduler: Choice | None = None
    scheduler_interval: Literal["epoch", "step"] = "epoch"
    schedules: tuple[ScheduleTerm, ...] = ()  # beside the scheduler
    schedule_order: Literal["series", "chained"] = "series"
    phase: PhaseRule = PhaseRule()  # the first one
    phases: tuple[PhaseSpec, ...] = ()  # beside it
    metrics: tuple[str, ...] = ("auto",)
    length: Literal["epochs", "steps", "minutes"] = "epochs"
    epochs: int = 10
    steps: int = 1_000
    minutes: float = 10.0
    validate_every: int = 0
    seed: int = 0
    device: str = "auto"
    mode: Literal["process", "thread", "ddp", "fsdp", "dp"] = "process"
    nproc: int = 2  # processes of the modes ddp and fsdp
    threads: int = 0  # 0: cores minus one, at least one
    deterministic: bool = True
    clip: ClipSpec = ClipSpec()
    non_finite: Literal["stop", "skip", "roll_back"] = "stop"
    checkpoint: CheckpointSpec = CheckpointSpec()
    watch: WatchSpec = WatchSpec()
    compute: ComputeSpec = ComputeSpec()
    processes: ProcessSpec = ProcessSpec()
    no_decay: NoDecaySpec = NoDecaySpec()
    layer_rates: LayerRatesSpec = LayerRatesSpec()
    unfreezing: UnfreezingSpec = UnfreezingSpec()
    accumulation: AccumulationSpec = AccumulationSpec()
    averaging: AveragingSpec = AveragingSpec()
    early_stopping: EarlyStoppingSpec = EarlyStoppingSpec()
    penalty: PenaltySpec = PenaltySpec()
    gradient_noise: GradientNoiseSpec = GradientNoiseSpec()
    teacher_forcing: TeacherForcingSpec = TeacherForcingSpec()
    distillation: DistillationSpec = DistillationSpec()
    quantization: QuantizationSpec = QuantizationSpec()
    test_time: ViewSpec = ViewSpec()
    weights: str = ""
    renamed: dict[str, str] = {}

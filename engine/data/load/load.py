"""Loading of a data specification: parts that are ready to train on."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from msgspec.structs import replace
from torch import Tensor

from engine.data.load.blended import BlendedPart
from engine.data.load.edited import apply_edits, check_edits
from engine.data.load.field_column import field_columns
from engine.data.load.field_names import changed_names, field_names
from engine.data.load.fit import DataFit
from engine.data.load.idle_column import idle_columns
from engine.data.load.kept_kinds import as_kept
from engine.data.load.normalization import (
    Scaling,
    fit_scaling,
    image_scaling,
    measured_scaling,
)
from engine.data.load.part import Batch, PartData, StreamedPart, TensorPart, prepared
from engine.data.load.part_counts import count_parts
from engine.data.load.sampler import (
    EpochSampler,
    build_sampler,
    custom_sampler_problems,
    tried_batches,
)
from engine.data.load.statistics import Statistics, known_statistics
from engine.data.load.target_scale import rounding, target_scales
from engine.data.load.worker_start import WorkerStart, worker_start
from engine.data.load.worker_trial import worker_start_problems
from engine.data.source.column import named_columns
from engine.data.source.registry import load_source
from engine.data.source.source import Part, Source
from engine.data.source.tensors import TensorSource
from engine.data.source.value_name import target_names
from engine.data.split.kept import Division, divide
from engine.data.transform.batch import build_batch_transforms
from engine.data.transform.chain import Chain, image_numbers
from engine.data.transform.collate import STACK, Collation, build_collation
from engine.data.transform.plan import PartPlan, TransformPlan, plan_transforms
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.code import code_digest, code_symbol
from engine.spec.choice import NO_CODE, Code
from engine.spec.custom_code import data_code
from engine.spec.data import PADDING_KINDS, PIXEL_KINDS, DataInfo, FieldInfo
from engine.spec.data_path import path_params
from engine.spec.run import Choice, DataSpec
from engine.spec.statistics import FieldStatistics
from engine.spec.transform_outline import enabled_transforms

_SERIES = ("series", "weather")
_DOUBTS = ("D610", "D611", "D703")


@dataclass(frozen=True, kw_only=True)
class LoadedData:
    """A source, split, transformed and normalised; never changed.

    ``training`` is what is trained on, with random transforms and blended batches; ``parts`` are
    all parts as they are looked at and evaluated, the training part too, without those: the same
    object where there are none. ``info`` describes the fields of both. ``indices`` are the
    positions of the samples in the source (int64). ``preparation`` are the transforms of the
    evaluation, None for none, ``scalings`` (by field) the normalisation after them,
    ``statistics`` (by field) what of it was measured by reading samples. ``division`` is how the
    samples were divided, before edits. ``sampler`` draws the
    samples of an epoch, ``worker_start`` is what each process that reads calls first.
    """

    info: DataInfo
    source: Source
    indices: dict[Part, Tensor]
    parts: dict[Part, PartData]
    training: PartData
    division: Division
    scalings: dict[str, Scaling]
    sampler: EpochSampler
    worker_start: WorkerStart | None = None
    preparation: Chain | None = None
    collation: Collation = STACK
    statistics: Statistics = dataclasses.field(default_factory=dict[str, FieldStatistics])

    @property
    def fit(self) -> DataFit:
        """What was learnt from the training part."""
        return DataFit(
            statistics=self.statistics,
            tokenizers=self.source.used_tokenizers(),
            names=field_names(self.source.infos),
            kinds=self.source.column_kinds,
            parts=self.division.kept if self.division.can_change else None,
            difficult=self.sampler.losses,
        )

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What is to be said of samples that came and went since a run divided them."""
        return self.division.problems

    @property
    def doubts(self) -> tuple[Diagnostic, ...]:
        """What is to be said of numbers that may be read as others than they are, and of columns
        that are named and are not there.
        """
        return tuple(each for each in self.info.problems if each.code in _DOUBTS)

    def samples(self, part: Part) -> int:
        """Return the number of samples of a part."""
        return len(self.indices[part])

    def tensors(self, part: Part) -> Batch:
        """Return all values of a part, prepared, each of shape (samples of the part, ...)."""
        return self.parts[part].all()

    def raw(self, indices: Sequence[int]) -> Batch:
        """Return samples by index in the source, as they are evaluated, before normalisation."""
        return prepared(self.source, indices, self.preparation, 0, 0, collation=self.collation)

    def examples(self, part: Part, count: int) -> Batch:
        """Return the first samples of a part, as they are before normalisation."""
        return self.raw(self.indices[part][:count].tolist())


def load_data(
    spec: DataSpec,
    code: Code = NO_CODE,
    known: DataFit | None = None,
    *,
    is_normalized: bool = True,
) -> LoadedData:
    """Return the data of a specification: loaded, checked, split, transformed and normalised.

    Equal specifications give equal values, bit for bit. The normalisation of what is read sample by
    sample needs its statistics: those ``known`` of a run, else those of the training part, as long
    as reading some thousand samples the first time; tokenizers likewise. Without ``is_normalized``
    nothing is. Raises ``DiagnosticError`` (D523 and D524: numbers stand for others than is known).
    """
    known = known or DataFit()
    source, indices, division = _load_divided(spec, code, known)
    collation = build_collation(spec, code)
    plan = plan_transforms(spec.transforms, source, indices, collation, code)
    collation = dataclasses.replace(collation, fields=plan.padding)
    tried = tried_batches(spec, source, indices["train"], code)
    problems = (*_problems(spec, source, indices, plan, code), *tried.problems)
    _require_sound((*problems, *changed_names(known.names, field_names(source.infos))))
    fitted, statistics = {}, {}
    if is_normalized and spec.normalization != "none":
        train = division.learnt_from(indices["train"])
        fitted, statistics = _learnt(spec, source, plan.evaluation, train, known=known, code=code)
    evaluation = all_scalings(plan.evaluation, fitted)
    parts: dict[Part, PartData] = {
        part: _part(source, index, plan.evaluation, evaluation, collation)
        for part, index in indices.items()
    }
    training = parts["train"]
    trained = source.for_training()
    if trained is not source or _steps(plan.training) != _steps(plan.evaluation):
        scalings = all_scalings(plan.training, fitted)
        training = _part(trained, indices["train"], plan.training, scalings, collation)
    return LoadedData(
        info=replace(_described(spec, source, indices, plan, problems), custom_batches=tried.found),
        source=source,
        indices=indices,
        parts=parts,
        training=_blended(training, spec, plan.training),
        division=division,
        scalings=evaluation,
        sampler=build_sampler(spec, source, indices["train"], code).with_losses(known.difficult),
        worker_start=worker_start(spec.loader, code),
        preparation=plan.evaluation.chain,
        collation=collation,
        statistics=statistics,
    )


def load_split(
    spec: DataSpec, code: Code = NO_CODE, known: DataFit | None = None
) -> tuple[Source, dict[Part, Tensor]]:
    """Return the samples, fitted to the training part, and the indices of each part, both as the
    user edited them; with the tokenizers, kinds of columns and parts that are ``known`` of a run.

    Raises ``DiagnosticError`` as the source or the split does.
    """
    return _load_divided(spec, code, known or DataFit())[:2]


def can_change(choice: Choice, code: Code = NO_CODE) -> bool:
    """Return whether a source has files, or code, whose samples may be others later."""
    paths = path_params(choice, code)
    return code_symbol(choice.type) is not None or any(choice.params.get(name) for name in paths)


def _load_divided(
    spec: DataSpec, code: Code, known: DataFit
) -> tuple[Source, dict[Part, Tensor], Division]:
    source = load_source(spec.source, code, known.tokenizers)
    kept = as_kept(spec.source, source, known.kinds, known.names)
    if kept is not None:
        with suppress(DiagnosticError):  # other values are in the column: that is told as such
            source = load_source(kept, code, known.tokenizers)
    division = divide(source, spec.split, known.parts)
    division = dataclasses.replace(division, can_change=can_change(spec.source, code))
    source, indices = apply_edits(spec, source, division.indices, code)
    source = source if spec.collate == "stack" else source.with_sizes()
    return source.fitted(division.learnt_from(indices["train"])), indices, division


def describe_source(
    spec: DataSpec, source: Source, indices: dict[Part, Tensor], code: Code = NO_CODE
) -> DataInfo:
    """Return the description of a source and of its parts (none for a split that is wrong), its
    fields as the transforms leave them.
    """
    plan = plan_transforms(spec.transforms, source, indices, build_collation(spec, code), code)
    tried = tried_batches(spec, source, indices.get("train"), code)
    started = worker_start_problems(spec.loader, code)
    problems = (*_problems(spec, source, indices, plan, code), *tried.problems, *started)
    described = _described(spec, source, indices, plan, problems)
    return replace(described, custom_batches=tried.found)


def _require_sound(problems: Sequence[Diagnostic]) -> None:
    errors = [problem for problem in problems if problem.severity == Severity.ERROR]
    if errors:
        raise DiagnosticError(*errors)


def _problems(
    spec: DataSpec,
    source: Source,
    indices: dict[Part, Tensor],
    plan: TransformPlan,
    code: Code,
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the edits, the values, the transforms and the sampler."""
    found = (*check_edits(spec, code), *source.check(indices), *plan.problems)
    found += tuple(custom_sampler_problems(spec, source, indices.get("train"), code))
    found += tuple(idle_columns(spec, source))
    return (*found, *_useless_buckets(spec, plan), *_without_padding(spec, plan))


def _without_padding(spec: DataSpec, plan: TransformPlan) -> Iterator[Diagnostic]:
    """Yield that nothing tells of the padding, where nothing is padded."""
    has_none = not any(info.kind in PADDING_KINDS for info in plan.training.infos)
    if spec.padding_info != "none" and has_none and not plan.problems:
        yield Diagnostic(code="D550", severity=Severity.WARNING, field="data.padding_info")


def _useless_buckets(spec: DataSpec, plan: TransformPlan) -> Iterator[Diagnostic]:
    """Yield that batches of like length save nothing, where samples are filled up to one length
    before they are put together; own code may put them together otherwise.
    """
    if spec.sampler != "bucketed" or code_symbol(spec.source.type) is not None:
        return
    inputs = [info for info in plan.training.infos if info.role == "input"]
    padded = next((info for info in inputs if info.kind == "sequence"), None)
    if padded is not None and all(size >= 0 for info in inputs for size in info.shape):
        yield Diagnostic(
            code="D319",
            severity=Severity.WARNING,
            field="data.sampler",
            params={"name": padded.name, "length": padded.shape[0]},
        )


def _described(
    spec: DataSpec,
    source: Source,
    indices: dict[Part, Tensor],
    plan: TransformPlan,
    problems: Sequence[Diagnostic],
) -> DataInfo:
    edges, splits = count_parts(source, indices.items())
    is_series = spec.source.type in _SERIES
    scales = target_scales(source, indices.get("train"), is_series=is_series)
    return DataInfo(
        source=spec.source.type,
        samples=source.samples,
        task=source.task,
        fields=plan.training.infos,
        splits=splits,
        problems=(*problems, *_unnormalized(spec, plan), *rounding(scales)),
        columns=named_columns(source),
        file_columns=source.file_columns,
        value_edges=edges,
        target_scales=scales,
        unused=source.unused,
        value_names=target_names(source, plan.evaluation.infos),
        field_columns=field_columns(source),
        is_in_memory=None
        is not _ready_tensors(source.for_training(), plan.training, Collation(spec.collate)),
    )


def _ready_tensors(source: Source, plan: PartPlan, collation: Collation) -> TensorSource | None:
    """Return a source whose samples are in memory and need no work batch by batch; else None."""
    is_made = plan.chain is not None or collation.is_custom
    return source if isinstance(source, TensorSource) and not is_made else None


def _part(
    source: Source,
    index: Tensor,
    plan: PartPlan,
    scalings: dict[str, Scaling],
    collation: Collation,
) -> PartData:
    """Return a part: tensors in memory are prepared once, everything else batch by batch."""
    ready = _ready_tensors(source, plan, collation)
    if ready is None:
        return StreamedPart(source, index, plan.infos, plan.chain, collation, scalings)
    values: Batch = {}
    for field in ready.fields:
        scaling = scalings.get(field.info.name)
        chosen = field.values.index_select(0, index)
        if field.info.kind == "image":
            chosen = image_numbers(chosen)
        values[field.info.name] = scaling.apply(chosen) if scaling else chosen
    return TensorPart(values, len(index))


def _blended(training: PartData, spec: DataSpec, plan: PartPlan) -> PartData:
    blending = build_batch_transforms(spec.batch_transforms, plan.infos)
    return training if blending is None else BlendedPart(training, blending)


def _steps(plan: PartPlan) -> tuple[int, ...]:
    """Return the numbers of the transforms that a part has, its normalisation included."""
    chain = () if plan.chain is None else plan.chain.steps
    norms = {norm.number for norm in plan.norms.values()}
    return (*(step.number for step in chain), -1, *sorted(norms))


def all_scalings(plan: PartPlan, fitted: dict[str, Scaling]) -> dict[str, Scaling]:
    """Return the normalisation of all fields of a part: as fitted, and as its transforms say."""
    axes = {info.name: len(info.shape) - 1 for info in plan.infos}
    return fitted | {name: image_scaling(norm, axes[name]) for name, norm in plan.norms.items()}


def _learnt(
    spec: DataSpec,
    source: Source,
    plan: PartPlan,
    training: Tensor,
    *,
    known: DataFit,
    code: Code,
) -> tuple[dict[str, Scaling], Statistics]:
    """Return the normalisation of the fields, and the statistics of those that are measured."""
    fitted = _fitted_scalings(spec, source, plan, training)
    statistics = _statistics(
        spec, source, plan, training, fitted=fitted, known=known.statistics, code=code
    )
    return fitted | _measured_scalings(spec, plan.infos, statistics), statistics


def _fitted_scalings(
    spec: DataSpec, source: Source, plan: PartPlan, training: Tensor
) -> dict[str, Scaling]:
    """Return the scalings by statistics of the training samples. Those of images are of the values
    in memory: transforms that keep the channels leave their mean about as it is, but for own code.
    """
    scalings: dict[str, Scaling] = {}
    for info, after in zip(source.infos, plan.infos, strict=False):  # without those of the padding
        is_kept = _keeps_channels(info, after)
        is_kept = is_kept and not (plan.chain is not None and plan.chain.may_change(info.name))
        values = source.column(info.name) if is_kept else None
        if values is not None:
            fitted = fit_scaling(spec.normalization, info, values.index_select(0, training))
            if fitted is not None:
                scalings[info.name] = fitted
    return scalings


def _statistics(
    spec: DataSpec,
    source: Source,
    plan: PartPlan,
    training: Tensor,
    *,
    fitted: Mapping[str, Scaling],
    known: Statistics,
    code: Code,
) -> dict[str, FieldStatistics]:
    """Return the statistics of the inputs whose values are not in memory as they are trained on."""
    infos = tuple(
        info
        for info in plan.infos
        if info.can_be_scaled and info.name not in fitted and info.name not in plan.norms
    )
    usable = {
        info.name: known[info.name]
        for info in infos
        if info.name in known and measured_scaling(spec.normalization, info, known[info.name])
    }
    missing = tuple(info for info in infos if info.name not in usable)
    chosen = enabled_transforms(spec.transforms, is_training=False)
    transforms: list[object] = [transform for _, transform in chosen]
    if plan.chain is not None and plan.chain.custom_steps:
        transforms.append(code_digest(data_code(spec, code)))
    is_single = spec.collate != "stack"
    return usable | known_statistics(
        source, training, plan.chain, missing, transforms, is_single=is_single
    )


def _measured_scalings(
    spec: DataSpec, infos: Sequence[FieldInfo], statistics: Statistics
) -> dict[str, Scaling]:
    scalings = {
        info.name: measured_scaling(spec.normalization, info, statistics[info.name])
        for info in infos
        if info.name in statistics
    }
    return {name: scaling for name, scaling in scalings.items() if scaling is not None}


def _keeps_channels(before: FieldInfo, after: FieldInfo) -> bool:
    return not before.has_channels or before.shape[:1] == after.shape[:1]


def _unnormalized(spec: DataSpec, plan: TransformPlan) -> Iterator[Diagnostic]:
    """Yield the images that the chosen normalisation leaves as they are."""
    for info in plan.evaluation.infos if spec.normalization != "none" else ():
        is_image = info.kind in PIXEL_KINDS and info.role == "input"
        if is_image and info.dtype != "float32" and info.name not in plan.evaluation.norms:
            yield Diagnostic(
                code="D108",
                severity=Severity.WARNING,
                field="data.normalization",
                params={"name": info.name, "dtype": info.dtype},
            )

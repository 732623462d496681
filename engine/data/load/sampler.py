"""Samplers: which training samples an epoch has, and in which order, from seed and epoch alone."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.catalog.spec import AUTO
from engine.data.load.loader import BatchPlan
from engine.data.load.order import epoch_generator, epoch_order
from engine.data.source.column import (
    class_column,
    length_column,
    listed_columns,
    number_column,
    read_column,
)
from engine.data.source.custom.batches import SETTING as _BATCH_FIELD
from engine.data.source.custom.batches import CustomBatches, TriedBatches, try_batches
from engine.data.source.custom.order import (
    SETTING,
    CustomOrder,
    TrainingView,
    sampler_problems,
)
from engine.data.source.source import Source
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.code import SAMPLER_PARAM, code_names
from engine.spec.choice import NO_CODE, Code
from engine.spec.length import batches_per_epoch
from engine.spec.run import SAMPLERS, DataSpec
from engine.spec.sampler_rule import WITH_COLUMNS, check_sampler

_WINDOW = 100  # batches among which samples of like length are sought
_FIELD = "data.sampler"
_COLUMN_FIELD = "data.sampler_column"


@dataclass(frozen=True, kw_only=True)
class EpochSampler:
    """Drawing of the training samples; an epoch has as many as the part, whatever draws them.

    ``values`` has one number for each sample of the part: its class (int64) for ``balanced``, its
    weight (float64) for ``weighted``, its length for ``bucketed``, how difficult it is for
    ``curriculum``. ``custom`` is a sampler of the
    user's code, which stands for all of them; ``batches`` one that gives whole batches, of any
    sizes: an epoch has as many samples as they have together.
    """

    spec: DataSpec
    samples: int
    values: Tensor | None = None
    custom: Callable[[int, int], Tensor] | None = None
    batches: CustomBatches | None = None

    @property
    def needs_losses(self) -> bool:
        """Whether it goes by the losses of an earlier run."""
        is_drawn = self.custom is None and self.batches is None
        return is_drawn and self.spec.sampler == "curriculum" and bool(self.spec.curriculum.run)

    @property
    def losses(self) -> tuple[float, ...]:
        """The losses of an earlier run that it goes by, none where they are not known."""
        if not self.needs_losses or self.values is None:
            return ()
        return tuple(self.values.tolist())

    def with_losses(self, losses: Sequence[float]) -> "EpochSampler":
        """Return the sampler with the losses of an earlier run, where it goes by some and they are
        of these samples.
        """
        if not self.needs_losses or len(losses) != self.samples:
            return self
        return dataclasses.replace(self, values=torch.tensor(losses, dtype=torch.float64))

    @property
    def custom_sampler(self) -> CustomOrder | CustomBatches | None:
        """The sampler of the user's code, where one draws."""
        custom = self.custom if isinstance(self.custom, CustomOrder) else None
        return self.batches or custom

    @property
    def drawn_by(self) -> Tensor | None:
        """What the samples are drawn by, one number for each; None where nothing of them counts."""
        return self.values if self.custom_sampler is None else self.custom_sampler.made.labels

    @property
    def count(self) -> int:
        """Number of batches of an epoch."""
        if self.batches is not None:
            return self.batches.count
        size = max(self.spec.batch_size, 1)
        return batches_per_epoch(self.samples, size, drop_last=self.spec.drop_last)

    def batch_samples(self, seed: int, epoch: int, number: int) -> int:
        """Return how many samples batch ``number`` (from 0) of an epoch has."""
        if self.batches is not None:
            return self.batches(seed, epoch).sizes[number]
        size = self.spec.batch_size
        return min(size, self.samples - number * size)

    def plan(self, seed: int, epoch: int, start: int = 0) -> BatchPlan:
        """Return the batches of an epoch, from batch ``start`` on."""
        own = None if self.batches is None else self.batches(seed, epoch)
        return BatchPlan(
            order=self.order(seed, epoch) if own is None else own.positions,
            sizes=() if own is None else own.sizes,
            size=self.spec.batch_size,
            seed=seed,
            epoch=epoch,
            drop_last=self.spec.drop_last,
            start=start,
        )

    def order(self, seed: int, epoch: int) -> Tensor:
        """Return the positions (int64) in the part of the samples of an epoch."""
        if self.batches is not None:
            return self.batches(seed, epoch).positions
        if self.custom is not None:
            return self.custom(seed, epoch)
        if self.values is None or not self.samples:
            return epoch_order(self.samples, seed, epoch, shuffle=self.spec.shuffle)
        return self._drawn(self.values, epoch, epoch_generator(seed, epoch))

    def _drawn(self, values: Tensor, epoch: int, generator: torch.Generator) -> Tensor:
        match self.spec.sampler:
            case "balanced":
                return _balanced(values, generator)
            case "weighted":
                return _weighted(values, generator)
            case "curriculum":
                taken = self.spec.curriculum.taken(len(values), epoch)
                return _easiest(values, taken, generator)
            case _:
                return _bucketed(values, self.spec.batch_size, generator)


def build_sampler(
    spec: DataSpec, source: Source, training: Tensor, code: Code = NO_CODE
) -> EpochSampler:
    """Return the sampler of a specification for the training samples (int64 indices of a source);
    ``code`` is the user's own.

    Raises :class:`DiagnosticError`: R216, R217, D657, R590 or R591 for settings that do not go
    together; D090, D091 or D096 for a column that is missing or has gaps, D604 and D621 for words
    as weights and lengths, D098 for weights that cannot be drawn by, D099 where the lengths of the
    samples are not known; for a class of the user's code D547 where it is not there, and what
    :class:`CustomOrder` raises; likewise D551, and what :class:`CustomBatches` raises.
    """
    if source.is_sequential:
        return EpochSampler(spec=replace(spec, shuffle=False), samples=len(training))
    if spec.has_custom_batches:
        if not _has_batch_sampler(spec, code):
            raise DiagnosticError(_no_batch_sampler(spec))
        view = TrainingView(source, training)
        batches = CustomBatches(spec.batch_sampler, code, view, spec.batch_size)
        return EpochSampler(spec=spec, samples=len(training), batches=batches)
    custom = source.custom_order(training) or _own_order(spec, source, training, code)
    if custom is not None:
        return EpochSampler(spec=spec, samples=len(training), custom=custom)
    problems = list(check_sampler(spec))
    names = listed_columns(source, are_numbers=True)
    if problems and problems[0].code in WITH_COLUMNS and names:
        told = WITH_COLUMNS[problems[0].code]
        raise DiagnosticError.of(told, field=problems[0].field, names=names)
    if problems:
        raise DiagnosticError(*problems)
    drawn = EpochSampler(spec=spec, samples=len(training))
    values = None if drawn.needs_losses else _values(spec, source)
    if values is not None:
        values = values.index_select(0, training)
        if spec.sampler == "weighted":
            _require_weights(values, spec.sampler_column)
    return dataclasses.replace(drawn, values=values)


def custom_sampler_problems(
    spec: DataSpec, source: Source, training: Tensor | None, code: Code
) -> Iterator[Diagnostic]:
    """Yield what is wrong with a sampler of the user's code, as far as that shows within a second:
    D547 where it is not there, D546 where the data is read in an order of its own, and what
    :func:`engine.data.source.custom.order.sampler_problems` returns.
    """
    if spec.sampler in SAMPLERS or spec.has_custom_batches:
        return
    if source.is_sequential or spec.source.params.get(SAMPLER_PARAM, AUTO) != AUTO:
        params: dict[str, str | int | float] = {"name": _class_name(spec)}
        yield Diagnostic(code="D546", severity=Severity.WARNING, field=_FIELD, params=params)
    elif spec.sampler not in code_names(code, "samplers"):
        yield _missing(spec)
    elif training is not None and len(training):
        view = TrainingView(source, training)
        yield from sampler_problems(spec.sampler, code, view, _FIELD)


def tried_batches(
    spec: DataSpec, source: Source, training: Tensor | None, code: Code
) -> TriedBatches:
    """Return what a batch sampler of the user's code shows within a second, and what is wrong with
    it: D551 where it is not there, D556 where the data is read in an order of its own, D557 for a
    sampler of the data that it takes the place of.
    """
    if not spec.has_custom_batches:
        return TriedBatches()
    name: dict[str, str | int | float] = {"name": spec.batch_sampler.rpartition(".")[2][:100]}
    if source.is_sequential:
        idle = Diagnostic(code="D556", severity=Severity.WARNING, field=_BATCH_FIELD, params=name)
        return TriedBatches(problems=(idle,))
    if not _has_batch_sampler(spec, code):
        return TriedBatches(problems=(_no_batch_sampler(spec),))
    if training is None or not len(training):
        return TriedBatches()
    view = TrainingView(source, training)
    tried = try_batches(spec.batch_sampler, code, view, spec.batch_size)
    if spec.source.params.get(SAMPLER_PARAM, AUTO) != AUTO:
        idle = Diagnostic(code="D557", severity=Severity.WARNING, field=SETTING, params=name)
        tried = dataclasses.replace(tried, problems=(*tried.problems, idle))
    return tried


def _has_batch_sampler(spec: DataSpec, code: Code) -> bool:
    return spec.batch_sampler in code_names(code, "batch_samplers")


def _no_batch_sampler(spec: DataSpec) -> Diagnostic:
    name: dict[str, str | int | float] = {"name": spec.batch_sampler[:100]}
    return Diagnostic(code="D551", field=_BATCH_FIELD, params=name)


def _own_order(
    spec: DataSpec, source: Source, training: Tensor, code: Code
) -> Callable[[int, int], Tensor] | None:
    if spec.sampler in SAMPLERS:
        return None
    if spec.sampler not in code_names(code, "samplers"):
        raise DiagnosticError(_missing(spec))
    return CustomOrder(spec.sampler, code, TrainingView(source, training), _FIELD)


def _missing(spec: DataSpec) -> Diagnostic:
    return Diagnostic(code="D547", field=_FIELD, params={"name": spec.sampler[:100]})


def _class_name(spec: DataSpec) -> str:
    return spec.sampler.rpartition(".")[2][:100]


def _values(spec: DataSpec, source: Source) -> Tensor | None:
    name = spec.sampler_column.strip()
    match spec.sampler:
        case "uniform":
            return None
        case "balanced":
            if name:
                return read_column(source, name, _COLUMN_FIELD).codes()
            return class_column(source, _FIELD, "balanced", _COLUMN_FIELD).codes()
        case "weighted" | "curriculum":
            values = number_column(source, name, _COLUMN_FIELD).values.double()
            is_turned = spec.sampler == "curriculum" and spec.curriculum.easiest == "highest"
            return -values if is_turned else values
        case _:
            if name:
                return length_column(source, name, _COLUMN_FIELD).values.double()
            return _lengths(source)


def _lengths(source: Source) -> Tensor:
    """Return how long each sample is: the column ``<field> length`` of an input, or the entries of
    a sequence of numbers from 0 before its padding.
    """
    for info in source.infos:
        if info.role != "input":
            continue
        values = source.column(f"{info.name} length")
        if values is not None:
            return values.flatten()
        sequence = source.column(info.name) if info.kind == "sequence" else None
        if sequence is not None and sequence.ndim == 2:
            positions = torch.arange(1, sequence.shape[1] + 1)
            return torch.where(sequence != 0, positions, 0).amax(dim=1)
    raise DiagnosticError.of("D099", field=_COLUMN_FIELD)


def _require_weights(weights: Tensor, name: str) -> None:
    is_usable = bool((weights.isfinite() & (weights >= 0)).all())
    if not is_usable or (len(weights) and not bool((weights > 0).any())):
        lowest = float(weights.amin())
        raise DiagnosticError.of("D098", field=_COLUMN_FIELD, column=name, lowest=f"{lowest:g}")


def _balanced(classes: Tensor, generator: torch.Generator) -> Tensor:
    """Return as many positions of every class, but for one, each sample of a class as often as the
    others, but for once, in random order.
    """
    count = len(classes)
    shuffled = torch.randperm(count, generator=generator)
    grouped = shuffled[classes[shuffled].argsort(stable=True)]
    sizes = torch.unique_consecutive(classes[grouped], return_counts=True)[1]
    quotas = torch.full_like(sizes, count // len(sizes))
    quotas[torch.randperm(len(sizes), generator=generator)[: count % len(sizes)]] += 1
    starts = sizes.cumsum(0) - sizes
    numbers = torch.arange(count) - (quotas.cumsum(0) - quotas).repeat_interleave(quotas)
    rounds = numbers % sizes.repeat_interleave(quotas)
    drawn = grouped[starts.repeat_interleave(quotas) + rounds]
    return drawn[torch.randperm(count, generator=generator)]


def _weighted(weights: Tensor, generator: torch.Generator) -> Tensor:
    """Return positions drawn with replacement, each with a probability by its weight."""
    possible = (weights > 0).nonzero().flatten()
    ends = weights[possible].cumsum(0)
    drawn = torch.rand(len(weights), generator=generator, dtype=torch.float64) * ends[-1]
    return possible[torch.searchsorted(ends, drawn, right=True).clamp(max=len(possible) - 1)]


def _easiest(difficulty: Tensor, taken: int, generator: torch.Generator) -> Tensor:
    """Return as many positions as there are, of the ``taken`` easiest samples: one pass through
    them after the other, each in an order of its own, the last one cut off. Once all are taken the
    order is the one of shuffling.
    """
    count = len(difficulty)
    if taken >= count:
        return torch.randperm(count, generator=generator)
    easiest = difficulty.argsort(stable=True)[:taken]
    passes = -(-count // taken)
    drawn = [easiest[torch.randperm(taken, generator=generator)] for _ in range(passes)]
    return torch.cat(drawn)[:count]


def _bucketed(lengths: Tensor, size: int, generator: torch.Generator) -> Tensor:
    """Return every position once: batches of about the same length, in random order, one of less
    than ``size`` samples last.
    """
    shuffled = torch.randperm(len(lengths), generator=generator)
    windows = shuffled.split(size * _WINDOW)
    ordered = torch.cat([window[lengths[window].argsort(stable=True)] for window in windows])
    full, rest = divmod(len(ordered), size)
    # The batch that is not full comes from anywhere in the last window, or it would always have
    # the longest of them.
    possible = len(windows[-1]) // size + 1
    cut = int(torch.randint(possible, (), generator=generator)) * size if rest else 0
    cut += len(ordered) - len(windows[-1])
    last, whole = ordered[cut : cut + rest], torch.cat([ordered[:cut], ordered[cut + rest :]])
    batches = whole.reshape(full, size)[torch.randperm(full, generator=generator)]
    return torch.cat([batches.flatten(), last])

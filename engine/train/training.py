"""Model, data, loss and optimizer of a run, built from its graph and specification."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from engine.data.load.fit import DataFit
from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import PartData
from engine.data.source.source import Part
from engine.diagnostics import DiagnosticError
from engine.graph.code import runs_code
from engine.graph.model import Graph
from engine.inspect.probe import Probe
from engine.spec.choice import Code
from engine.spec.judged import judged_outputs
from engine.spec.length import steps_per_epoch
from engine.spec.live import LiveValue
from engine.spec.phase import has_phases, recipe_of
from engine.spec.run import LoaderSpec, RunSpec
from engine.spec.series import monitored_value
from engine.spec.trained_group import TrainedGroup
from engine.train.checkpoint.restored import fitted_optimizer
from engine.train.comparison import Comparison, further_comparisons
from engine.train.compiled import Compiled
from engine.train.devices import limit_memory, make_current, pick_device
from engine.train.learned import LearnedOutputs, build_learned
from engine.train.live.settings import LiveParts, LiveSettings
from engine.train.losses import Batch, LossTerms, Outputs
from engine.train.metrics import EpochMeter
from engine.train.model_data import input_fields, placed_data, used_fields, weighing
from engine.train.model_placement import placed_model, split_over_gpus
from engine.train.phase import Phases, build_phases
from engine.train.precision import (
    Network,
    Precision,
    loss_in_precision,
)
from engine.train.ranks.world import ALONE, World
from engine.train.retrieval import QUERY, part_queries
from engine.train.schedule import Schedule
from engine.train.technique.base import Technique
from engine.train.technique.grouping import Grouping
from engine.train.technique.registry import SKIPPING, TEACHER_FORCING, build_techniques
from engine.train.technique.skipping import Skipping
from engine.train.technique.teacher_forcing import TeacherForcing, reading_of

_IMAGES = 4  # axes of a batch of them


class TrainingState(NamedTuple):
    """State dictionaries of all that training changes: a checkpoint holds them, and rank 0 gives
    them to the other ranks at the start.
    """

    model: dict[str, Tensor]
    optimizer: dict[str, object]
    scheduler: dict[str, object]
    scaler: dict[str, object]
    techniques: dict[str, object]
    live: dict[str, LiveValue]
    phases: dict[str, object]
    learned: dict[str, object]


@dataclass(frozen=True, kw_only=True)
class Training:
    """Model, data, loss, optimizer and schedule of one run, on one device.

    ``input_fields`` are the data fields passed to the model, in the order of its inputs.
    ``network`` is what goes forward in training: the model, or what ``world`` put around it;
    ``compiled`` or ``split`` is used instead in steps without observers, where the run asks for it.
    ``phases`` have the optimizers and their schedules; ``code`` is the user's own.
    ``comparison`` is that of the first term of the loss, ``others`` those of further outputs.
    """

    spec: RunSpec
    model: nn.Module
    network: nn.Module
    data: LoadedData
    input_fields: tuple[str, ...]
    device: torch.device
    loss: LossTerms
    phases: Phases
    comparison: Comparison
    others: dict[str, Comparison] = dataclass_field(default_factory=dict)
    precision: Precision
    compiled: Compiled | None = None
    split: nn.DataParallel[nn.Module] | None = None
    world: World = ALONE
    probe: Probe = dataclass_field(default_factory=Probe)
    techniques: dict[str, Technique] = dataclass_field(default_factory=dict)
    live: LiveSettings
    code: Code

    @property
    def part_names(self) -> list[str]:
        """The names of the parts of the loss that have curves of their own, without the split."""
        more = (one.part_names() for one in self.techniques.values())
        return [*self.loss.part_names, *(name for names in more for name in names)]

    @cached_property
    def learned(self) -> LearnedOutputs | None:
        """What notes since which step each sample is predicted rightly, where the run is to."""
        return build_learned(
            self.spec, self.data, {"": self.comparison, **self.others}, self.world.size
        )

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer of the first phase."""
        return self.phases.first.optimizer

    @property
    def schedule(self) -> Schedule:
        """The schedule of the first phase."""
        return self.phases.first.schedule

    @property
    def groups(self) -> tuple[TrainedGroup, ...]:
        """The parameter groups of all optimizers."""
        return self.phases.groups

    def state(self) -> TrainingState:
        """Return the state as it is; its tensors change with the next step."""
        return TrainingState(
            model=self.evaluated_model().state_dict(),
            optimizer=self.optimizer.state_dict(),
            scheduler=self.schedule.state_dict(),
            scaler=self.precision.state_dict(),
            techniques={name: one.state_dict() for name, one in self.techniques.items()},
            live=self.live.state_dict(),
            phases=self.phases.state_dict(),
            learned={} if self.learned is None else self.learned.state_dict(),
        )

    def evaluated_model(self) -> nn.Module:
        """Return the model that is evaluated: an average of the one that trains, where the run
        takes it.
        """
        model = self.model
        for technique in self.techniques.values():
            model = technique.evaluated(model)
        return model

    def load_state(self, state: TrainingState) -> None:
        """Go on from a state. What PyTorch raises for one of another model or optimizer is of many
        types; besides, raises :class:`ValueError`.
        """
        self.live.load_state_dict(state.live)
        self.model.load_state_dict(state.model)
        self.optimizer.load_state_dict(fitted_optimizer(self.optimizer, state.optimizer))
        self.schedule.load_state_dict(state.scheduler)
        self.precision.load_state_dict(state.scaler)
        self.phases.load_state_dict(state.phases)
        for name, technique in self.techniques.items():
            technique.load_state_dict(state_of(state.techniques, name))
        if self.learned is not None:
            self.learned.load_state_dict(state.learned)

    @property
    def skipping(self) -> Skipping | None:
        """The count of the steps left out, where the run leaves out those that are not finite."""
        found = self.techniques.get(SKIPPING)
        return found if isinstance(found, Skipping) else None

    @property
    def steps_per_epoch(self) -> int:
        """Number of steps of the optimizer in an epoch."""
        return steps_per_epoch(self.data.sampler.count, self.spec)

    def step_number(self, epoch: int, batch: int) -> int:
        """Return the number, from 0 over the whole run, of the step that begins with a batch."""
        return epoch * self.steps_per_epoch + batch // self.spec.accumulation.batches

    def step_sizes(self, epoch: int, start: int) -> tuple[int, ...]:
        """Return the samples, over all processes, of each batch of the step that begins with batch
        ``start`` of an epoch; none at its end.
        """
        sampler, seed = self.data.sampler, self.spec.seed
        end = min(start + self.spec.accumulation.batches, sampler.count)
        return tuple(sampler.batch_samples(seed, epoch, number) for number in range(start, end))

    def epoch_batches(self, epoch: int, start: int) -> Iterator[dict[str, Tensor]]:
        """Yield the training batches of an epoch on the device, from batch ``start`` on."""
        plan = self.data.sampler.plan(self.spec.seed, epoch, start)
        return self._batches(self._epoch_loader, self.data.training, plan)

    def part_batches(self, part: Part) -> Iterator[dict[str, Tensor]]:
        """Yield all samples of a part on the device, in order."""
        data = self.data.parts[part]
        plan = BatchPlan(order=torch.arange(len(data)), size=self.spec.data.batch_size)
        batches, queries = self.batches_of(data, plan), part_queries(self.spec, self.data, part)
        if queries is None:
            return batches
        shares = (self.world.local_indices(rows) for rows in plan.order.split(plan.size))
        return ({**batch, QUERY: queries[next(shares)]} for batch in batches)

    def batches_of(self, data: PartData, plan: BatchPlan) -> Iterator[dict[str, Tensor]]:
        """Yield the batches of a plan over samples that are prepared for the model."""
        return self._batches(self._loader(data), data, plan)

    def placed_batch(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return a batch that was made outside of the data, prepared, as the model takes it: on the
        device, in the memory format of the model.
        """
        moved = self._moved(iter((batch,)))
        return next(self._channels_last(moved) if self.spec.compute.channels_last else moved)

    def batch_samples(self, part: Part, number: int) -> int:
        """Return how many samples batch ``number`` (from 0) of a part has in evaluation, over all
        processes.
        """
        size = self.spec.data.batch_size
        return min(size, self.data.samples(part) - number * size)

    def as_data(self, field: str, values: Tensor) -> Tensor:
        """Return values that stand in for a field, on the device and in the numbers of the run."""
        return values.to(self.device, self.data.parts["train"].form(field).dtype)

    def normalized(self, field: str, values: Tensor) -> Tensor:
        """Return values of a field, (samples, ...), as the model takes them: normalised as the data
        is, on the device and in the numbers of the run.
        """
        scaling = self.data.scalings.get(field)
        return self.as_data(field, scaling.apply(values) if scaling else values)

    def denormalized(self, field: str, values: Tensor) -> Tensor:
        """Return values of a field, (samples, ...), that the model made in the numbers of the data:
        float32 in the memory of the processor.
        """
        made = values.float().cpu()
        scaling = self.data.scalings.get(field)
        return scaling.undo(made) if scaling else made

    def forward_network(self) -> Network:
        """Return what the next training step calls forward. Hooks do not run in compiled code, and
        see only parts of a batch that is split over GPUs.
        """
        if not self.probe.is_idle:
            return self.network
        return self.compiled or self.split or self.network

    def new_meter(self) -> EpochMeter:
        """Return a meter for a part."""
        return self._meter(self.spec.metrics)

    def epoch_meter(self) -> EpochMeter:
        """Return a meter for the steps of an epoch, in which no boxes are found."""
        return self._meter(() if self.comparison.boxes is not None else self.spec.metrics)

    def _meter(self, metrics: Sequence[str]) -> EpochMeter:
        judged = judged_outputs(self.spec, self.code)
        others = {
            each.name: EpochMeter(
                each.chosen_of(metrics), self.others[each.name], self.device, code=self.code
            )
            for each in judged
            if each.name in self.others
        }
        names, place = judged[0].chosen_of(metrics), (self.device, self.world, self.code)
        return EpochMeter(names, self.comparison, *place, others=others)

    def judging(self, output: str) -> "Training":
        """Return the same with one output that is compared with the data, of the name that it has
        among the ``others`` (empty: the first one), and its term as the loss; itself where there
        is one alone. Raises :class:`DiagnosticError` V025 where it is compared with nothing.
        """
        if output and output not in self.others:
            known = ", ".join(self.others) or "–"
            raise DiagnosticError.of("V025", output=output, known=known)
        if not self.others:
            return self
        chosen = next(one for one in judged_outputs(self.spec, self.code) if one.name == output)
        comparison = self.others.get(output, self.comparison)
        return replace(self, comparison=comparison, others={}, loss=self.loss.only(chosen.term))

    def monitored(self, metrics: dict[str, float]) -> float | None:
        """Return the value that best checkpoints and schedules go by."""
        return monitored_value(self.spec.checkpoint.monitor, metrics)

    def rates(self) -> list[float]:
        """Return the learning rates of the groups, those of equal ones once."""
        return self.phases.rates()

    def has_finite_weights(self) -> bool:
        """Return whether no parameter or buffer of the model is NaN or infinite."""
        return self.world.agree(holds=not self.non_finite_weight())

    def non_finite_weight(self) -> str:
        """Return the name of the first parameter or buffer of the model that this process has and
        that is NaN or infinite; nothing where there is none.
        """
        local = {
            name: self.world.to_local(value) for name, value in self.model.state_dict().items()
        }
        checked = [name for name, value in local.items() if value.is_floating_point()]
        if not checked:
            return ""
        # To read each would wait for the device that many times.
        finite = [torch.isfinite(local[name]).all().to(self.device) for name in checked]
        flags: list[bool] = torch.stack(finite).tolist()
        return next((name for name, is_so in zip(checked, flags, strict=True) if not is_so), "")

    def shard(self) -> None:
        """Shard the weights, where each rank keeps a part."""
        self.world.shard(self.model, self.optimizer, self.device)

    def _batches(
        self, loader: PartLoader, part: PartData, plan: BatchPlan
    ) -> Iterator[dict[str, Tensor]]:
        resident = all(part.form(name).device == self.device for name in part.names)
        if resident:
            plan = replace(plan, order=plan.order.to(self.device))
        if self.world.size > 1:
            plan = replace(plan, select=self.world.local_indices)
        host_batches = loader.batches(plan)
        moved = host_batches if resident else self._moved(host_batches)
        return self._channels_last(moved) if self.spec.compute.channels_last else moved

    @cached_property
    def _epoch_loader(self) -> PartLoader:
        """The loader of the epochs, whose workers stay."""
        return self._loader(self.data.training, is_persistent=True)

    def _loader(self, data: PartData, *, is_persistent: bool = False) -> PartLoader:
        is_resident = any(not data.form(name).is_cpu for name in data.names)
        return PartLoader(
            data,
            LoaderSpec() if is_resident else self.spec.data.loader,
            pin_memory=self._is_pinned and not is_resident,
            is_persistent=is_persistent,
            worker_start=self.data.worker_start,
        )

    @property
    def _is_pinned(self) -> bool:
        return self.spec.compute.pin_memory and self.device.type == "cuda"

    def _moved(self, host_batches: Iterator[dict[str, Tensor]]) -> Iterator[dict[str, Tensor]]:
        for batch in host_batches:
            yield {
                name: values.to(self.device, non_blocking=True) for name, values in batch.items()
            }

    def _channels_last(
        self, host_batches: Iterator[dict[str, Tensor]]
    ) -> Iterator[dict[str, Tensor]]:
        """Convert images to the memory format of the model's weights."""
        for batch in host_batches:
            yield {
                name: values.contiguous(memory_format=torch.channels_last)
                if values.ndim == _IMAGES
                else values
                for name, values in batch.items()
            }


def state_of(states: dict[str, object], name: str) -> dict[str, object]:
    """Return the state of a technique. Raises :class:`KeyError` or :class:`TypeError` without."""
    state = states[name]
    if not isinstance(state, dict):
        raise TypeError(name)
    return state


def named(part: str, values: dict[str, float]) -> dict[str, float]:
    """Return values under the names of a part (``validation.loss``)."""
    return {f"{part}.{name}": value for name, value in values.items()}


def build_training(
    graph: Graph,
    spec: RunSpec,
    model: nn.Module,
    world: World = ALONE,
    *,
    known: DataFit | None = None,
    more_fields: Collection[str] = (),
    kept: LoadedData | None = None,
) -> Training:
    """Put together what trains a model; the global random state should be seeded before. Of several
    processes all have to come here. ``known`` is what a run has learnt from its data so far, and
    ``more_fields`` are read beside model and loss; ``kept`` stands for its data where that is not
    there. Raises :class:`DiagnosticError` for a misfit.
    """
    device = _device(spec, world)
    model = placed_model(model, spec, device, world)
    loss = _loss(graph, spec, device)
    data = weighing(loss, kept or load_data(spec.data, graph.code, known))
    data = placed_data(data, used_fields(graph, loss, data, more_fields), device, spec)
    phases = build_phases(graph, spec, model, _steps(data, spec), world.size)
    techniques = build_techniques(spec, model)
    network = world.wrap(model, is_fixed=_is_fixed(graph, spec))
    parts = live_parts(graph, spec, model, loss, phases, techniques, world)
    fields = [data.info.named(each) for each in data.info.fields]
    first = Comparison(loss.terms[0], fields)
    training = Training(
        spec=spec,
        model=model,
        network=network,
        data=data,
        input_fields=input_fields(graph),
        device=device,
        loss=loss,
        phases=phases,
        comparison=first,
        others=further_comparisons(spec, loss, first, fields, graph.code),
        precision=Precision(spec.compute, device),
        compiled=Compiled(network, device) if spec.compute.compile else None,
        split=split_over_gpus(network, device) if spec.mode == "dp" else None,
        world=world,
        techniques=techniques,
        live=LiveSettings(spec, parts, graph.code),
        code=graph.code,
    )
    return _reading(training)


def live_parts(  # noqa: PLR0917 - the parts that there are
    graph: Graph,
    spec: RunSpec,
    model: nn.Module,
    loss: LossTerms,
    phases: Phases,
    techniques: dict[str, Technique],
    world: World = ALONE,
) -> LiveParts:
    """Return what can be changed of a training while it goes on."""
    recipes = [recipe_of(spec, index) for index in range(len(phases.all))]
    return LiveParts(
        model=model,
        phases=phases,
        loss=loss,
        techniques=techniques,
        groupings=tuple(Grouping.of(recipe, graph, model) for recipe in recipes),
        processes=world.size,
    )


def _reading(training: Training) -> Training:
    """Have teacher forcing, where a run has it, know the text that its model reads."""
    technique = training.techniques.get(TEACHER_FORCING)
    if not isinstance(technique, TeacherForcing):
        return training

    def forward(batch: Batch) -> Outputs:
        inputs = [batch[field] for field in training.input_fields]
        return training.precision.forward(training.model, inputs)

    infos = [training.data.info.field(name) for name in training.input_fields]
    technique.begin(reading_of(infos, training.comparison, forward, training.world))
    return training


def _device(spec: RunSpec, world: World) -> torch.device:
    device = world.device(pick_device(spec.device))
    make_current(device)
    limit_memory(device, spec.compute.memory_limit)
    return device


def _loss(graph: Graph, spec: RunSpec, device: torch.device) -> LossTerms:
    names = [node.name for node in graph.nodes.values() if node.type == "Output"]
    return loss_in_precision(LossTerms(spec.losses, names, device, graph.code), spec.compute)


def _is_fixed(graph: Graph, spec: RunSpec) -> bool:
    """Return whether each step of a run computes the same."""
    is_other = runs_code(graph) or spec.compute.compile or has_phases(spec)
    return not (is_other or spec.accumulation.batches > 1)


def _steps(data: LoadedData, spec: RunSpec) -> int:
    """Return the steps of an epoch. Raises :class:`DiagnosticError` R121 or R122 where there are
    none.
    """
    samples = data.samples("train")
    if not samples:
        raise DiagnosticError.of("R121", field="data.split.train")
    steps = steps_per_epoch(data.sampler.count, spec)
    if not steps:
        raise DiagnosticError.of(
            "R122", field="data.batch_size", samples=samples, batch=spec.data.batch_size
        )
    return steps

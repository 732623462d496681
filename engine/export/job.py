"""What is exported: the trained model of a run, built from its graph and one of its checkpoints."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace
from torch import Tensor, nn

from engine.catalog.spec import EntryGroup, Value
from engine.data.load.fit import read_fit
from engine.data.load.load import LoadedData, load_data
from engine.data.load.normalization import Scaling
from engine.data.source.row_form import ROW_FIELDS
from engine.data.transform.container_step import ContainerStep
from engine.data.transform.step import Step
from engine.diagnostics import DiagnosticError
from engine.export.load import apply_weights, compare_weights
from engine.export.name_text import is_named
from engine.export.prepare_text import FieldTransform, chance_text
from engine.export.read_text import InputReading
from engine.export.verify import random_batches
from engine.export.written import Tell, tell_nobody
from engine.graph.model import Graph, Node
from engine.model.module import to_module
from engine.model.source import to_source
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import CheckpointInfo, RunState
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.spec.choice import NO_CODE, Code, chosen_entry
from engine.spec.data import BOX_KINDS, PIXEL_KINDS, FieldInfo
from engine.spec.run import TOGETHER, Choice, RunSpec
from engine.spec.transform import TransformSpec, is_custom
from engine.train.checkpoint.file import Checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.precision import in_precision, model_in_precision
from engine.train.technique.quantization import fake_quantization, restore
from engine.train.technique.registry import QUANTIZATION
from engine.train.training import state_of

_DEFAULTS = RunSpec()
_IMAGE_AXES = 3


@dataclass(frozen=True, kw_only=True)
class ExportJob:
    """A trained model on its way out.

    ``module`` holds the weights and is in evaluation mode on the CPU; ``source`` is its class;
    ``scalings`` says, for each input in order, how its data was brought to scale (None: not);
    ``transforms`` are what evaluation does to the images and sounds among the inputs before that,
    in order;
    ``sentences`` are the fields that are texts, with their vocabularies, ``tokenizers`` the
    contents of what cuts those of subwords, by field; ``masks`` name the targets with a class for
    each pixel, ``boxes`` those with true boxes and their classes, ``object_masks`` the one with
    their masks (empty: none); ``named`` are the fields whose
    classes, columns or categories have names;
    ``readings`` say how each input, in order, is read of a raw sample, none where the data are
    gone; ``data`` are these data, where they are there;
    ``title`` names run and checkpoint; ``spec`` is what it was trained with; ``run`` is the folder
    of the run; ``quantization`` is the state of its quantization-aware training, which ``module``
    does not compute with (empty: none); ``tell`` is told the stages of a format that takes long.
    """

    title: str
    graph: Graph
    source: str
    module: nn.Module
    spec: RunSpec = _DEFAULTS
    run: Path = Path()
    scalings: tuple[Scaling | None, ...] = ()
    transforms: tuple[FieldTransform, ...] = ()
    sentences: tuple[FieldInfo, ...] = ()
    tokenizers: Mapping[str, str] = field(default_factory=dict[str, str])
    masks: tuple[str, ...] = ()
    boxes: tuple[str, ...] = ()
    object_masks: str = ""
    named: tuple[FieldInfo, ...] = ()
    readings: tuple[InputReading, ...] = ()
    data: LoadedData | None = None
    quantization: Mapping[str, object] = field(default_factory=dict[str, object])
    tell: Tell = tell_nobody

    def weights(self) -> dict[str, Tensor]:
        """Return the parameters and buffers by name, each contiguous."""
        return {name: value.contiguous() for name, value in self.module.state_dict().items()}

    def empty_module(self) -> nn.Module:
        """Return the same model with fresh weights."""
        return model_in_precision(to_module(self.graph), self.spec.compute)

    def rounded_module(self) -> nn.Module:
        """Return the model as the run evaluates it: rounded where it was trained so."""
        if not self.quantization:
            return self.module
        module = copy.deepcopy(self.module)
        restore(fake_quantization(self.spec.quantization, module), self.quantization)
        return module

    def random_batches(self) -> list[tuple[Tensor, ...]]:
        """Return inputs to compare two models with, in the numbers of the run."""
        compute = self.spec.compute
        return [tuple(in_precision(x, compute) for x in b) for b in random_batches(self.graph)]


def load_trained(run: RunFolder, wanted: str = "best") -> tuple[nn.Module, CheckpointInfo]:
    """Return the model of a run with the weights of a checkpoint, in evaluation mode on the CPU.

    The class is generated from the graph again: a ``model.py`` that came with a project is never
    run. Raises :class:`DiagnosticError` with what is wrong with checkpoint or graph.
    """
    module, info, _ = _loaded(run, wanted)
    return module, info


def _loaded(run: RunFolder, wanted: str) -> tuple[nn.Module, CheckpointInfo, Checkpoint]:
    info = find_checkpoint(run, wanted)
    content = open_checkpoint(run, info.file)
    weights = content.model
    module = model_in_precision(to_module(run.document.graph), run.document.spec.compute)
    comparison = compare_weights(weights, module, info.file)
    if not comparison.fits():
        raise DiagnosticError(*comparison.problems)
    apply_weights(weights, module)
    return module.eval(), info, content


def build_job(run_folder: Path, wanted: str) -> tuple[ExportJob, CheckpointInfo]:
    """Put together what is exported of a run. Raises :class:`DiagnosticError`."""
    run = RunFolder.open(run_folder)
    module, info, content = _loaded(run, wanted)
    data = _RunData(run)
    sentences, tokenizers = _sentences(data)
    fields = data.fields if data.has_images else ()
    job = ExportJob(
        title=f"{run.project.name}, {run.id}, {info.file}",
        graph=run.document.graph,
        source=to_source(run.document.graph),
        module=module,
        spec=_trained_spec(run),
        run=run_folder,
        scalings=_scalings(data),
        transforms=_transforms(data),
        sentences=sentences,
        tokenizers=tokenizers,
        masks=tuple(each.name for each in fields if (each.kind, each.role) == ("mask", "target")),
        boxes=tuple(each.name for kind in BOX_KINDS for each in fields if each.kind == kind),
        object_masks=next((each.name for each in fields if each.kind == "box_masks"), ""),
        named=_named(data),
        readings=_readings(data),
        data=data.loaded if data.fields else None,
        quantization=_rounding(run, content),
    )
    return job, info


def _rounding(run: RunFolder, content: Checkpoint) -> dict[str, object]:
    """Return the state of quantization-aware training; empty for a run without."""
    if not run.document.spec.quantization.bits:
        return {}
    return state_of(content.techniques, QUANTIZATION)


def _trained_spec(run: RunFolder) -> RunSpec:
    """Return what a run was trained with: one that ends by steps or time, with the steps it took,
    which may be more than at first; one of several processes, with the learning rate that they had.
    """
    spec = _with_scaled_rate(run.document.spec)
    if spec.length == "epochs":
        return spec
    try:
        state = read_state(run)
    except DiagnosticError:  # its record is gone
        state = RunState()
    steps = state.steps if spec.length == "steps" else state.step
    return replace(spec, length="steps", steps=steps or spec.steps)


def _with_scaled_rate(spec: RunSpec) -> RunSpec:
    """Return a recipe with the learning rates of all its processes, where they are scaled."""
    factor = spec.nproc * spec.processes.nnodes
    if not spec.processes.scale_rate or spec.mode not in TOGETHER:
        return spec
    groups = tuple(replace(group, params=_scaled(group.params, factor)) for group in spec.groups)
    optimizers = [_scaled_default(each, factor) for each in _optimizers(spec)]
    further = zip(spec.phases, optimizers[1:], strict=True)
    phases = tuple(replace(phase, optimizer=own) for phase, own in further)
    return replace(spec, optimizer=optimizers[0], groups=groups, phases=phases)


def _optimizers(spec: RunSpec) -> list[Choice]:
    return [spec.optimizer, *(phase.optimizer for phase in spec.phases)]


def _scaled_default(choice: Choice, factor: int) -> Choice:
    """Return an optimizer with a multiple of its learning rate, that of the catalogue too."""
    entry = chosen_entry(EntryGroup.OPTIMIZER, choice)
    rate = None if entry is None else entry.value(choice.params, "lr")
    if not isinstance(rate, int | float):
        return choice
    return replace(choice, params={**choice.params, "lr": factor * rate})


def _scaled(params: dict[str, Value], factor: int) -> dict[str, Value]:
    rate = params.get("lr")
    return {**params, "lr": factor * rate} if isinstance(rate, int | float) else params


class _RunData:
    """The data of a run, read once and only where they are needed."""

    def __init__(self, run: RunFolder) -> None:
        self.run = run
        self.inputs = _inputs(run)

    @cached_property
    def loaded(self) -> LoadedData:
        """The data. Raises :class:`DiagnosticError` where they are gone."""
        spec, code = self.run.document.spec.data, self.run.document.graph.code
        return load_data(spec, code, read_fit(self.run.artefacts))

    @cached_property
    def fields(self) -> tuple[FieldInfo, ...]:
        """The fields of the data; none where they are gone."""
        try:
            return self.loaded.info.fields
        except DiagnosticError:
            return ()

    @property
    def has_images(self) -> bool:
        """Whether an input has the axes of an image, so that the model may predict masks or
        boxes.
        """
        shapes = [node.params.get("shape") for node in self.inputs]
        return any(isinstance(shape, tuple) and len(shape) == _IMAGE_AXES for shape in shapes)


def _readings(data: _RunData) -> tuple[InputReading, ...]:
    """Return how the inputs are read, none where the data are gone or an input is no field."""
    if not data.fields:
        return ()
    source = data.loaded.source
    infos = {info.name: info for info in source.infos}
    names = [str(node.params.get("field", "")) for node in data.inputs]
    padding = {
        field.info.name: InputReading(field=field.info, key=name, axes=field.axes)
        for name, field in data.loaded.collation.fields.items()
        if name in names and not _is_transformed(data.loaded, name)
    }
    if len(set(names)) < len(names) or not set(names) <= {*infos, *padding}:
        return ()
    row = source.row_form
    return tuple(
        padding.get(name)
        or InputReading(
            field=infos[name],
            key=source.column_of(name),
            form=row
            if row is not None and name in ROW_FIELDS
            else source.file_form(name) or source.array_form(name),
            is_text=bool(infos[name].words),
            columns=source.value_names(name),
        )
        for name in names
    )


def _is_transformed(data: LoadedData, name: str) -> bool:
    """Return whether evaluation changes the samples of a field, perhaps their size."""
    return data.preparation is not None and name in data.preparation.kinds


def _inputs(run: RunFolder) -> list[Node]:
    return [node for node in run.document.graph.nodes.values() if node.type == "Input"]


def _sentences(data: _RunData) -> tuple[tuple[FieldInfo, ...], dict[str, str]]:
    """Return the texts among the inputs, and the tokenizers of those of subwords; data is only read
    where such may come in.
    """
    whole = [node for node in data.inputs if node.params.get("dtype") == "int64"]
    names = [node.params.get("field") for node in whole]
    if not names:
        return (), {}
    loaded = data.loaded
    found = tuple(each for each in loaded.info.fields if each.words and each.name in names)
    tokenizers = loaded.source.tokenizers()
    cut = {each.name: tokenizers[each.name].content for each in found if each.name in tokenizers}
    return found, cut


def _named(data: _RunData) -> tuple[FieldInfo, ...]:
    """Return the fields that have names for what the model reads and gives."""
    read = {node.params.get("field") for node in data.inputs}
    return tuple(
        each
        for each in data.fields
        if is_named(each) and (each.role == "target" or each.name in read)
    )


def _transforms(data: _RunData) -> tuple[FieldTransform, ...]:
    spec = data.run.document.spec.data
    if not spec.transforms:
        return ()
    chain = data.loaded.preparation
    if chain is None:
        return ()
    inputs = {str(node.params.get("field", "")) for node in data.inputs}
    kinds = {
        name: kind
        for name, kind in chain.kinds.items()
        if kind in (*PIXEL_KINDS, "sound") and name in inputs
    }
    code = data.run.document.graph.code
    found = (
        _field_transform(step, name, kind, spec.transforms, code)
        for name, kind in kinds.items()
        for step in chain.steps
    )
    return tuple(each for each in found if each is not None)


def _field_transform(
    step: Step, name: str, kind: str, transforms: Sequence[TransformSpec], code: Code
) -> FieldTransform | None:
    """Return a step, with what it holds, as it changes a field; None where it does not."""
    if not step.changes(name, kind):
        return None
    chosen = transforms[step.number]
    held = step.steps if isinstance(step, ContainerStep) else ()
    return FieldTransform(
        field=name,
        kind=kind,
        type=chosen.type,
        params=chosen.params,
        code=code if is_custom(chosen.type) else NO_CODE,
        steps=tuple(_field_transform(each, name, kind, transforms, code) for each in held),
        chance=chance_text(step) if isinstance(step, ContainerStep) else "",
    )


def _scalings(data: _RunData) -> tuple[Scaling | None, ...]:
    fields = [str(node.params.get("field", "")) for node in data.inputs]
    spec = data.run.document.spec.data
    if spec.normalization == "none" and not spec.transforms:  # nothing has to be read for that
        return tuple(None for _ in fields)
    return tuple(data.loaded.scalings.get(name) for name in fields)

"""Python file with a class that can go on training: it holds the model's loss, metric, optimizer,
learning rate schedule and precision.
"""

from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import NamedTuple

from engine.catalog.code.target import is_custom
from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, PortContent
from engine.data.transform.batch import BatchTransforms
from engine.diagnostics import DiagnosticError
from engine.export.box_text import BOX_NAMES, SHAPE_NAMES
from engine.export.counting import ACCURACY, OVERLAP, PRECISION, CountedOutputs, counting
from engine.export.forcing_text import FORCING_NAMES, with_forcing
from engine.export.forward_text import fields_of, forward_text
from engine.export.group_text import GroupText, group_text
from engine.export.ignored_text import IGNORED_NAMES
from engine.export.job import ExportJob
from engine.export.length_text import length_text
from engine.export.library_text import Library
from engine.export.loader_text import loader_files, loader_text
from engine.export.loss_text import (
    LossText,
    choice_items,
    compared_fields,
    criteria,
    loss_lines,
    weight_methods,
)
from engine.export.mask_text import MASK_NAMES
from engine.export.metric_text import METRIC_NAMES, custom_metrics, metric_files, metric_text
from engine.export.output_text import OUTPUT_NAMES, OutputText
from engine.export.phase_text import (
    PhaseText,
    phase_text,
    schedule_and_step,
)
from engine.export.python_file import source_text, write_text
from engine.export.quantization_text import ranges_text, with_quantization
from engine.export.run_file import RunFiles
from engine.export.sampler_text import dataset_files
from engine.export.schedule_text import follows_results, steps_of_epoch
from engine.export.source_parts import SourceParts
from engine.export.teacher_text import TeacherFile
from engine.export.technique_text import TechniqueText, technique_text
from engine.export.view_text import ALONE, OVER, over_text
from engine.export.weight_text import (
    WEIGHT_NAMES,
)
from engine.graph.code import code_symbol, needed_files, used_files
from engine.spec.choice import entry_of_key
from engine.spec.data import IGNORED
from engine.spec.judged import judged_outputs
from engine.spec.phase import has_phases, phase_list
from engine.spec.run import RunSpec
from engine.spec.sample_weight import has_weights
from engine.spec.series import custom_metric_of
from engine.syntax.format import (
    INDENT,
    Expression,
    call,
    list_of,
    statement,
)
from engine.train.precision import is_double
from engine.train.technique.unfreezing import release

_CLASS_INDICES = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_BINARY = (PortContent.BINARY_LOGITS, PortContent.PROBABILITIES)
_OF_MASKS = ("mask_map", "mask_map_50", "mask_map_75")
_COMPARED = ("input", "target")
_ERROR = "mean absolute error"
_LOSS_ALONE = "loss, as there is no single target to compare with"
_CLASS = Template('''
class $name($model):
    """The model together with its loss, metric and optimizer.

    A batch is a dictionary with the keys $fields.
    """

    def __init__(self):
        super().__init__()
$init
$group_index$phase_methods$make_scheduler$techniques
    def forward_batch(self, batch):
        """Return the outputs of the model for a batch."""
$forward

    def loss_func(self, outputs, batch$terms):
        """Return the loss of a batch."""
$loss

    def metric_func(self, outputs, batch):
        """Return the $metric_name."""
$metric

    def train_step(self, $taken):
        """$task"""
        self.train()
$step

    @torch.no_grad()
    def evaluate(self, batches):
        """Return the mean loss and metric over an iterable of batches."""
        self.eval()
        results = []$metrics_begin
        for batch in batches:
            outputs = $answer
            loss = self.loss_func(outputs, batch)
            results.append(self.batch_result(loss, outputs, batch))$metrics_each
        return self.average(results)$metrics_result

    def fit(self, batches, $unit=$count$validation):
        """Train on an iterable of batches; return the mean loss and metric of each epoch."""
${before}        history = []
        for $epoch in range(epochs):$before_steps
            results = []
            $calls$after_step$midway$after_steps
            history.append(self.average(results))$after_epoch
$ending        return history

    def batch_result(self, loss, outputs, batch):
        """Return the loss, the metric and the number of samples of a batch."""
        return {
            "loss": loss.item(),
            "metric": self.metric_func(outputs, batch).item(),
            "samples": len($first),$more
        }
$average$over_views$metric_methods$data_loader''')
_AVERAGE = '''
    @staticmethod
    def average(results):
        """Return the loss and metric of several batches, averaged over their samples."""
        samples = sum(result["samples"] for result in results)
        return {
            key: sum(result[key] * result["samples"] for result in results) / samples
            for key in ("loss", "metric")
        }
'''
_LABELS = """\
        labels = {0}
        if labels.is_floating_point():  # of samples that are blended
            labels = labels.argmax(1)
"""
_OWN_NAMES = frozenset(
    {
        *("optimizer", "criteria", "scaler", "group_index", "make_scheduler", "forward_batch"),
        *("loss_func", "metric_func", "train_step", "evaluate", "fit", "pad", "data_loader"),
        *("batch_result", "average", "penalized", "add_gradient_noise", "steps"),
        *("averaged", "update_norms", "unfreeze", "held"),
        *("phase_parameters", "trained_by", "phases_at"),
        *("train_only", "terms_of", "optimizers", "answers", "distilled"),
        *("quantization", "over_views"),
    }
)


class _Parts(NamedTuple):
    """What the text of the class is made of, and with: ``blends`` mix the samples of a batch, and
    ``library`` writes what it takes of the engine.
    """

    terms: Sequence[LossText]
    source: SourceParts
    blends: BatchTransforms | None
    library: Library


def write_training_class(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights and the file with the class that trains itself, both compared, a list of
    the samples of the run, and how they are used in words.

    Returns the files and the largest difference. Raises :class:`DiagnosticError` as
    :func:`write_training_code`.
    """
    written = write_training_code(job, output)
    return (*written.files, written.run.write_readme(written.files)), written.difference


class TrainingCode(NamedTuple):
    """What was written: the files, the largest difference, and how the run is told in words."""

    files: tuple[Path, ...]
    difference: float
    run: RunFiles


def write_training_code(job: ExportJob, output: Path) -> TrainingCode:
    """Write the weights, the file with the class that trains itself, and the list of the samples.

    Raises :class:`DiagnosticError`: X033 for what the class cannot carry (a run without a loss, a
    layer of the name of one of its methods), U005 and U006 where own losses and the model have
    different things of one name, U012, U013 and U027 for own losses that cannot be made, else as
    ``write_python``.
    """
    _require_plain(job)
    terms = [LossText(job, term) for term in job.spec.losses]
    own = custom_files(job)
    weights = output.with_suffix(".pt").name
    run = RunFiles(job, output, compared_fields(job.spec))
    follows = follows_validation(job.spec)

    def text_of_run(source: SourceParts, library: Library) -> str:
        return run.text(source, library, has_validation=follows)

    teacher = TeacherFile(job, output)

    def extend(source: SourceParts) -> str:
        source.imported("torch", "nn")
        library = Library(source)
        text = _class_text(job, _Parts(terms, source, run.blends, library))
        text = ranges_text(job, source) + library.text() + text
        return teacher.function(source) + text + teacher.methods(source, run.blends)

    text = source_text(job, weights, extend, own, text_of_run)
    files, difference = write_text(job, output, text, job.rounded_module())
    files = (*files, *teacher.write())
    return TrainingCode((*files, *run.write_samples()), difference, run)


def follows_validation(spec: RunSpec) -> bool:
    """Return whether a training goes by what validation gives."""
    return _follows_results(spec) and not spec.checkpoint.monitor.startswith("train.")


def custom_files(job: ExportJob) -> dict[str, str]:
    """Return the files of own code that the losses, the metrics and the loader need and the model
    does not, in order.
    """
    code = job.graph.code
    places = [code_symbol(term.loss.type) for term in job.spec.losses]
    files = [place.file for place in places if place is not None]
    files += metric_files(job.spec, code)
    needed = needed_files(code, [*files, *loader_files(job.spec), *dataset_files(job.data)])
    known = used_files(job.graph)
    return {file: code[file] for file in needed if file not in known}


def _require_plain(job: ExportJob) -> None:
    spec = job.spec
    losses = [term.loss.type for term in spec.losses]
    found = [key for key in losses if entry_of_key(EntryGroup.LOSS, key, job.graph.code) is None]
    found += [] if spec.losses else ["loss"]
    names = _OWN_NAMES | (MASK_NAMES if job.masks else frozenset())
    names |= (
        IGNORED_NAMES
        if any("ignore_index" in one.loss.params for one in spec.losses)
        else frozenset()
    )
    names |= WEIGHT_NAMES if has_weights(spec.data) else frozenset()
    names |= METRIC_NAMES if custom_metrics(spec, job.graph.code) else frozenset()
    names |= OUTPUT_NAMES if judged_outputs(spec, job.graph.code)[1:] else frozenset()
    names |= FORCING_NAMES if job.spec.teacher_forcing.is_on else frozenset()
    names |= BOX_NAMES if job.boxes else frozenset()
    names |= SHAPE_NAMES if job.object_masks else frozenset()
    found += [name for name, _ in job.module.named_children() if name in names]
    if found:
        raise DiagnosticError.of("X033", what=", ".join(found))


def _class_text(job: ExportJob, parts: _Parts) -> str:
    terms, source, blends, library = parts
    fields = fields_of(job)
    keys = [f"``{key}``" for key in dict.fromkeys([*fields, *compared_fields(job.spec)])]
    is_blended = blends is not None
    counted = counting(job, _counted_outputs(terms[0], is_blended=is_blended), source)
    name, metric = counted[:2] if counted else _metric(terms[0], is_blended=is_blended)
    others = OutputText(job, terms)
    key = _monitored_key(job, name, others)
    techniques = _techniques(job, terms[0], key, source, library)
    length = length_text(job.spec, steps_of_epoch(job.spec))
    validation, monitored = _monitored(job.spec, techniques.evaluated)
    first = f'batch["{fields[0]}"]'
    phases = phase_text(job) if has_phases(job.spec) else None
    groups = _group_texts(job, source)
    schedule, step = schedule_and_step(job, techniques, phases, source, (key, first))
    techniques = techniques if phases is None else techniques._replace(epoch="epoch")
    has_terms = phases is not None and bool(phases.terms)
    return _CLASS.substitute(
        name=source.names["TrainableModel"],
        model=source.model,
        fields=" and ".join(filter(None, [", ".join(keys[:-1]), keys[-1]])),
        init="\n".join(_init(job, terms, techniques, _made(job, groups, phases))),
        phase_methods="" if phases is None else phases.methods,
        terms=", terms=None" if has_terms else "",
        group_index="".join(each.method for each in groups),
        make_scheduler=schedule.method,
        techniques=techniques.methods,
        forward=forward_text(job, fields, source, blends),
        loss="\n".join(loss_lines(terms, has_terms=has_terms, is_wide=is_double(job.spec.compute))),
        metric_name=name,
        metric=metric,
        **step._asdict(),
        unit=length.unit,
        count=_count(job.spec, has_end=bool(techniques.stop or techniques.before_steps)),
        validation=validation,
        before=length.before + schedule.creation + techniques.waiting,
        after_step=techniques.after_step + schedule.after_step + length.after_step,
        midway=length.midway,
        **techniques.of_epochs(),
        after_epoch=monitored + schedule.after_epoch + techniques.stop,
        first=first,
        more=others.more("" if counted is None else counted.more),
        average=others.methods(_AVERAGE if counted is None else counted.methods)
        + weight_methods(terms),
        **metric_text(job, terms).evaluation(),
        answer=OVER if job.spec.test_time.is_on else ALONE,
        over_views=over_text(job.spec, job.graph.code, terms[0].outputs, library),
        data_loader=loader_text(job, source, compared_fields(job.spec)),
    )


def _techniques(
    job: ExportJob, term: LossText, key: str, source: SourceParts, library: Library
) -> TechniqueText:
    """Return the parts that deal with techniques; what is unfrozen later is trained."""
    release(job.module, job.spec)
    text = with_forcing(technique_text(job.spec, key, source), job, term)
    return with_quantization(text, job.spec, library)


def _count(spec: RunSpec, *, has_end: bool) -> int:
    """Return how long ``fit`` trains where it is not told; ``has_end``: what it does depends on
    that.
    """
    if spec.length == "steps":
        return spec.steps
    return spec.epochs if spec.scheduler is not None or has_end else 1


def _init(
    job: ExportJob, terms: Sequence[LossText], techniques: TechniqueText, made: Sequence[str]
) -> list[str]:
    """Return the lines that make what the class trains with; ``made`` make what trains it."""
    wide = [f"{INDENT * 2}self.double()"] if is_double(job.spec.compute) else []
    made = [*techniques.released, *made]
    return [*wide, *criteria(terms), *made, *_scaler(job.spec), *techniques.init]


def _group_texts(job: ExportJob, source: SourceParts) -> list[GroupText]:
    """Return the parameter groups of each optimizer."""
    if not has_phases(job.spec):
        return [group_text(job, source)]
    return [group_text(job, source, index) for index in range(len(phase_list(job.spec)))]


def _made(job: ExportJob, groups: Sequence[GroupText], phases: PhaseText | None) -> list[str]:
    if phases is None:
        return _optimizer(job, groups[0])
    lines = [line for each in groups for line in each.lines]
    return [*phases.init, *lines, *_optimizers(job, groups)]


def _counted_outputs(term: LossText, *, is_blended: bool) -> CountedOutputs:
    """Return what the first term of the loss compares, where that is counted over all samples."""
    contents = {port.name: port.content for port in term.entry.inputs}
    return CountedOutputs(
        outputs=term.outputs,
        bound=term.bound,
        target=term.term.inputs.get("target", "").removeprefix("data."),
        ignored=term.term.loss.params.get("ignore_index", IGNORED),
        is_custom=is_custom(term.entry.target),
        has_classes=not is_blended and contents.get("target") in _CLASS_INDICES,
    )


def _optimizer(job: ExportJob, groups: GroupText) -> list[str]:
    choice = job.spec.optimizer
    entry = catalog().entry(EntryGroup.OPTIMIZER, choice.type)
    assert entry is not None  # a run was made with it
    trained = "self.parameters()"
    if groups.lines:
        trained = "groups"
    elif any(not parameter.requires_grad for parameter in job.module.parameters()):
        trained = "[p for p in self.parameters() if p.requires_grad]"
    items: list[Expression] = [trained, *choice_items(entry, choice)]
    return [*groups.lines, *statement("self.optimizer = ", call(entry.target, items), depth=2)]


def _optimizers(job: ExportJob, groups: Sequence[GroupText]) -> list[str]:
    """Return the lines that make the optimizers of all phases."""
    made: list[Expression] = []
    for index, (rule, group) in enumerate(zip(phase_list(job.spec), groups, strict=True)):
        entry = catalog().entry(EntryGroup.OPTIMIZER, rule.optimizer.type)
        assert entry is not None  # a run was made with it
        trained = f"groups_{index + 1}" if group.lines else f"self.trained_by[{index}]"
        made.append(call(entry.target, [trained, *choice_items(entry, rule.optimizer)]))
    return statement("self.optimizers = ", list_of(made), depth=2)


def _follows_results(spec: RunSpec) -> bool:
    return follows_results(spec) or spec.early_stopping.patience > 0


def _monitored(spec: RunSpec, evaluated: str) -> tuple[str, str]:
    """Return the parameter of ``fit`` and the line after an epoch for what the run goes by;
    ``evaluated`` is the model that is validated.
    """
    if not _follows_results(spec):
        return "", ""
    line = f"\n{INDENT * 3}monitored = history[-1]"
    if spec.checkpoint.monitor.startswith("train."):
        return "", line
    return (
        ", validation=None",
        f"{line} if validation is None else {evaluated}.evaluate(validation)",
    )


def _monitored_key(job: ExportJob, metric_name: str, others: OutputText) -> str:
    """Return the result that the run goes by. Raises :class:`DiagnosticError` X033 where it goes by
    a metric that the class does not compute.
    """
    if not _follows_results(job.spec):
        return "loss"
    keys = {"loss": "loss"}
    keys |= {"accuracy": "metric"} if metric_name == ACCURACY else {}
    keys |= {"mae": "metric"} if metric_name == _ERROR else {}
    if metric_name == OVERLAP:
        keys |= {"iou": "metric", "dice": "dice", "accuracy": "accuracy"}
    if metric_name == PRECISION:
        keys |= {"map": "metric", "map_50": "map_50", "map_75": "map_75"}
        keys |= {name: name for name in _OF_MASKS} if job.object_masks else {}
    keys |= {name: name for name in others.names}
    part, _, measure = job.spec.checkpoint.monitor.partition(".")
    if part != "train" and custom_metric_of(measure) in custom_metrics(job.spec, job.graph.code):
        return measure  # what evaluate returns has it
    key = keys.get(measure)
    if key is None:
        raise DiagnosticError.of("X033", what=job.spec.checkpoint.monitor)
    return key


def _scaler(spec: RunSpec) -> list[str]:
    if spec.compute.precision != "float16":
        return []
    return [
        f'{INDENT * 2}device = "cuda" if torch.cuda.is_available() else "cpu"',
        f"{INDENT * 2}self.scaler = torch.amp.GradScaler(device)",
    ]


def _metric(term: LossText, *, is_blended: bool) -> tuple[str, str]:
    """Return the name of the metric and the lines that compute it; in training classes may be
    ``blended``.
    """
    compared = [term.bound.get(port) for port in _COMPARED]
    if is_custom(term.entry.target):  # any names, in this order; the kind of values is unknown
        compared = [term.bound.get(port.name) for port in term.entry.inputs[:2]]
    given, target = compared
    fields = [bound for bound in term.term.inputs.values() if bound.startswith("data.")]
    if given is None or target is None or len(fields) > 1:  # of boxes and classes, say
        return _LOSS_ALONE, f"{INDENT * 2}return self.loss_func(outputs, batch)"
    error = f"return ({given} - {target}).abs().mean()"
    accuracy = f"return ({given}.argmax(1) == {target}).float().mean()"
    ports = {port.name: port.content for port in term.entry.inputs}
    if is_custom(term.entry.target):
        lines = (f"if {given}.dim() == {target}.dim():", INDENT + error, accuracy)
        return f"{_ERROR}, or the {ACCURACY} for class indices", "\n".join(
            INDENT * 2 + line for line in lines
        )
    if ports["target"] in _CLASS_INDICES:
        return ACCURACY, (_LABELS.format(target) if is_blended else "") + INDENT * 2 + (
            accuracy.replace(target, "labels") if is_blended else accuracy
        )
    if ports["input"] in _BINARY:
        threshold = "0" if ports["input"] is PortContent.BINARY_LOGITS else "0.5"
        text = f"return (({given} > {threshold}) == ({target} > 0.5)).float().mean()"
        return ACCURACY, INDENT * 2 + text
    return _ERROR, INDENT * 2 + error

"""Forms of the run specification: the recipe of the Train workspace and the choice of data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, Need, ParamKind
from engine.catalog.text import entry_label, entry_summary
from engine.diagnostics import Diagnostic
from engine.graph.code import code_symbol
from engine.graph.model import Graph
from engine.spec.choice import available_entries
from engine.spec.data import DataColumn, DataInfo
from engine.spec.field import Field, values_around
from engine.spec.field_entry import chosen_of_field, entry_of
from engine.spec.fields import fields
from engine.spec.length import LENGTHS
from engine.spec.output import model_outputs
from engine.spec.run import RunSpec
from engine.spec.schedule import ALONE
from engine.spec.series import LATEST, monitored_series
from engine.spec.technique import GROUPINGS, TECHNIQUES
from engine.spec.trained_group import TrainedGroup
from engine.spec.transform import is_random
from engine.spec.transform_outline import levels
from studio.i18n import translate
from studio.view.column import with_columns
from studio.view.form import present_field
from studio.view.grouping import note_of
from studio.view.metric_choice import metrics_view
from studio.view.phase import (
    choice_of_phase,
    is_phase_name,
    phase_fields_of,
    phase_heading,
)
from studio.view.run import series_label
from studio.view.wording import value_text
from widgets.forms.view_model import FieldView, FormView, GroupView

_GROUPS = {
    "data.source": EntryGroup.DATA,
    "optimizer": EntryGroup.OPTIMIZER,
    "scheduler": EntryGroup.SCHEDULER,
}

_BROWSED = {
    "weights": "folder",
    "distillation.teacher": "folder",
    "data.source.kinds": "columns",
    "data.loader.num_workers": "speed",
}
"""The settings that a button helps with, and its icon."""

PINNED = "compute.pin_memory"
"""A setting of how data is read, though a run has it with its others of speed."""

_PARTS = ("data.split.train", "data.split.validation", "data.split.test")


@dataclass(frozen=True, kw_only=True)
class RecipeState:
    """All that the forms of a specification depend on."""

    spec: RunSpec
    graph: Graph
    data: DataInfo | None = None
    problems: Sequence[Diagnostic] = ()
    devices: Sequence[str] = ("auto", "cpu")
    language: str = "en"
    rejected: tuple[tuple[str, str, str], ...] = ()  # field, what was typed, why it cannot be
    groups: tuple[TrainedGroup, ...] = ()  # of the optimizer, once they are known
    described: DataInfo | None = None  # the data as they were last, where they cannot be read now
    file_columns: tuple[DataColumn, ...] = ()  # of the table now, where others were chosen
    live: frozenset[str] = frozenset()  # the fields whose edits take effect in the run that trains


def present_train_form(state: RecipeState) -> FormView:
    """Return the recipe: loss, optimizer, schedule, length, device, clipping, checkpoints."""
    known = fields(state.spec, state.graph.code)
    groups = [
        *(_loss_group(state, known, index) for index in range(len(state.spec.losses) + 1)),
        _phase_group(state, known, 0),
        _group(state, known, "optimizer", translate("Train", "Optimizer"), ("optimizer",)),
        *(_parameter_group(state, known, index) for index in range(len(state.spec.groups) + 1)),
        *(_technique_group(state, known, name) for name in GROUPINGS),
        _group(
            state,
            known,
            "scheduler",
            translate("Train", "Learning rate schedule"),
            _schedule_names(state.spec),
        ),
        *(_phase_group(state, known, index) for index in range(1, len(state.spec.phases) + 2)),
        _group(
            state,
            known,
            "run",
            translate("Train", "Run"),
            (
                "length",
                "epochs",
                "steps",
                "minutes",
                "validate_every",
                "weights",
                "seed",
                "metrics",
                "device",
                "mode",
                "nproc",
                "threads",
                "deterministic",
            ),
        ),
        _group(state, known, "processes", translate("Train", "Several processes"), ("processes",)),
        _group(state, known, "compute", translate("Train", "Precision and speed"), ("compute",)),
        _group(
            state, known, "clip", translate("Train", "Gradient clipping"), ("clip", "non_finite")
        ),
        *(_technique_group(state, known, name) for name in TECHNIQUES if name not in GROUPINGS),
        _group(state, known, "checkpoint", translate("Train", "Checkpoints"), ("checkpoint",)),
        _group(state, known, "watch", translate("Train", "Monitoring"), ("watch",)),
    ]
    return FormView(key="recipe", groups=tuple(group for group in groups if group.fields))


def present_data_form(state: RecipeState) -> FormView:
    """Return the choice of data: source, split, batches."""
    known = fields(state.spec, state.graph.code)
    batches = [
        name
        for name in known
        if name.startswith("data.")
        and not name.startswith(("data.source", "data.split", "data.loader"))
        and not name.startswith(("data.transforms", "data.batch_transforms"))
    ]
    groups = (
        _group(state, known, "source", translate("Data", "Source"), ("data.source",)),
        _group(state, known, "split", translate("Data", "Split"), ("data.split",)),
        _group(state, known, "batches", translate("Data", "Batches"), tuple(batches)),
        _group(
            state,
            known,
            "loader",
            translate("Data", "Reading"),
            ("data.loader", PINNED),
        ),
    )
    return FormView(key="data", groups=tuple(group for group in groups if group.fields))


def present_transform_form(state: RecipeState, prefix: str) -> FormView:
    """Return the settings of the transform at a dotted name (``data.transforms.0``): where it is
    applied, then its parameters. An image is offered where the data has several.
    """
    known = fields(state.spec, state.graph.code)
    entry = chosen_of_field(state.spec, prefix, state.graph.code)
    names = [name for name in known if name.startswith(f"{prefix}.")]
    shared = {f"{prefix}.{name}" for name in ("parts", "field", "enabled", "level")}
    own = _group(state, known, "params", "", [name for name in names if name not in shared])
    kind, _, number = prefix.removeprefix("data.").partition(".")
    is_inside = kind == "transforms" and bool(levels(state.spec.data.transforms)[int(number)])
    parts = () if is_inside else (f"{prefix}.parts",)  # its container says that
    where = _group(state, known, "where", "", [*parts, f"{prefix}.field"])
    pictures = ("image", "mask", "boxes", "sound", "video")
    infos = state.data.fields if state.data else ()
    is_own = entry is not None and entry.is_custom()
    images = [(info.name, info.name) for info in infos if is_own or info.kind in pictures]
    if entry is not None and Need.WHOLE_SAMPLE in entry.needs:
        images = []  # it gets all fields
    everything = ("", translate("Data", "all"))
    views: list[FieldView] = []
    for view in where.fields:
        if view.name.endswith(".parts"):
            step = state.spec.data.transforms[int(prefix.rpartition(".")[2])]
            views.append(replace(view, choices=_part_choices(is_random=is_random(step))))
        elif len(images) > 1 or view.text:
            views.append(replace(view, kind="choice", choices=(everything, *images)))
    return FormView(
        key=f"{prefix}.{entry.key if entry else ''}",
        groups=tuple(g for g in (replace(where, fields=tuple(views)), own) if g.fields),
        title=entry_label(entry, state.language) if entry else "",
        empty_text=translate("Data", "This transform has no settings.") if entry else "",
    )


def _part_choices(*, is_random: bool) -> tuple[tuple[str, str], ...]:
    """Return where a transform can be applied, with what is meant."""
    automatic = translate("Data", "automatic (all parts)")
    if is_random:
        automatic = translate("Data", "automatic (training only)")
    return (
        ("auto", automatic),
        ("train", translate("Data", "training only")),
        ("evaluation", translate("Data", "evaluation only")),
        ("all", translate("Data", "all parts")),
    )


def _group(
    state: RecipeState,
    known: Mapping[str, Field],
    name: str,
    title: str,
    wanted: Iterable[str],
) -> GroupView:
    chosen = [
        field
        for prefix, inside in ((each, f"{each}.") for each in wanted)
        for field_name, field in known.items()
        if field_name == prefix or field_name.startswith(inside)
        if _is_shown(state, known, field)
    ]
    views = tuple(_view(state, field) for field in chosen)
    return GroupView(name=name, title=title, fields=views)


def _technique_group(state: RecipeState, known: Mapping[str, Field], name: str) -> GroupView:
    entry = catalog().entry(EntryGroup.SETTING, name)
    return _group(state, known, name, entry_label(entry, state.language) if entry else "", (name,))


def _is_shown(state: RecipeState, known: Mapping[str, Field], field: Field) -> bool:
    """Return whether a field has an effect, or says something though it has none."""
    if field.name in LENGTHS:
        return field.name == state.spec.length
    info = state.data or state.described
    is_unused = info is not None and field.name in map("data.source.{}".format, info.unused)
    entry = entry_of(state.spec, field.name, state.graph.code) if field.param.when else None
    is_default = field.read(state.spec) == field.param.default
    if not is_default or any(problem.field == field.name for problem in state.problems):
        return True
    if is_unused or entry is None:
        return not is_unused
    values = values_around(field, known, state.spec)
    return entry.matters(field.param, values)


def _schedule_names(spec: RunSpec) -> tuple[str, ...]:
    """Return the fields of the schedules; when they are not in series, none has a start."""
    names = ["scheduler"]
    for index in range(len(spec.schedules)):
        names.append(f"schedules.{index}.scheduler")
        if spec.schedule_order == "series":
            names.append(f"schedules.{index}.start")
    if spec.schedules:
        names.append("schedule_order")
    return (*names, f"schedules.{len(spec.schedules)}.scheduler", "scheduler_interval")


def _loss_group(state: RecipeState, known: Mapping[str, Field], index: int) -> GroupView:
    count = len(state.spec.losses)
    if index == count and count:
        title = ""
    elif count > 1:
        title = translate("Train", "Loss {number}").format(number=index + 1)
    else:
        title = translate("Train", "Loss")
    group = _group(state, known, f"loss{index}", title, (f"losses.{index}",))
    if index < count:
        return group
    label = translate("Train", "Add loss") if count else translate("Train", "Loss")
    return replace(group, fields=tuple(replace(view, label=label) for view in group.fields))


def _parameter_group(state: RecipeState, known: Mapping[str, Field], index: int) -> GroupView:
    """Return a group of parameters; what is on "auto" shows what the optimizer has."""
    is_new = index == len(state.spec.groups)
    title = translate("Train", "Parameter group {number}").format(number=index + 1)
    group = _group(state, known, f"group{index}", "" if is_new else title, (f"groups.{index}",))
    label = translate("Train", "Add parameter group")
    views: list[FieldView] = []
    for view in group.fields:
        name = view.name.rpartition(".")[2]
        rest = known.get(f"optimizer.{name}")
        if name == "match":
            example = translate("Train", "such as head, *.bias")
            views.append(replace(view, label=label, example=example) if is_new else view)
        elif rest is not None:
            value = value_text(rest.read(state.spec))
            views.append(replace(view, resolved=value, is_modified=not view.is_auto))
    return replace(group, fields=tuple(views))


def _phase_group(state: RecipeState, known: Mapping[str, Field], index: int) -> GroupView:
    """Return the settings of a phase; of the number after the last one what adds a phase."""
    is_new = index > len(state.spec.phases)
    title = "" if is_new else phase_heading(state.spec, index)
    names = phase_fields_of(state.spec, index)
    group = _group(state, known, f"phase{index}", title, names)
    if not is_new:
        return group
    view = replace(group.fields[0], label=translate("Train", "Add phase"), help=_phase_help())
    return replace(group, fields=(view,))


def _phase_help() -> str:
    return translate(
        "Train",
        "Train with several optimizers: at the same time, in turns as a GAN does, or one after "
        "the other. Choose the optimizer of the new phase.",
    )


def _with_browse(view: FieldView) -> FieldView:
    """Return the field of a setting with the button that helps with it."""
    if view.name == "weights":
        text = translate("Train", "Choose a file and compare it with the model…")
    elif view.name == "distillation.teacher":
        text = translate("Train", "Choose a run or a checkpoint file…")
    elif view.name == "data.source.kinds":
        text = translate("Data", "Choose kinds and roles in a table of the columns…")
    elif view.name.endswith(".name"):
        text = translate("Train", "Duplicate, move or remove this phase…")
        return replace(view, browse=text, browse_icon="more")
    else:
        text = translate("Data", "Suggest workers and batch size…")
    return replace(view, browse=text, browse_icon=_BROWSED[view.name])


def _view(state: RecipeState, field: Field) -> FieldView:
    own = [problem for problem in state.problems if problem.field == field.name]
    view = present_field(
        field.param,
        field.read(state.spec),
        entry=entry_of(state.spec, field.name, state.graph.code),
        name=field.name,
        problems=own,
        language=state.language,
    )
    if field.name == "metrics":
        view = metrics_view(view, state.spec, state.data, state.graph.code, state.language)
    elif field.name.startswith("losses.") and field.name.endswith(".weight"):
        if field.name.count(".") == 2:  # of the term, not of the loss function
            view = replace(view, label=translate("Train", "Factor"))
    elif field.name in _BROWSED or is_phase_name(field.name):
        view = _with_browse(view)
    elif field.name in ("device", "checkpoint.monitor"):
        view = _with_choices(view, _names(state, field.name))
    elif ".inputs." in field.name:
        view = _binding_view(state, view)
    elif field.param.kind is ParamKind.CHOICE:
        view = _choice_view(view, field, state)
    if field.name in _PARTS and any(problem.code == "R020" for problem in state.problems):
        view = replace(view, is_invalid=True)
    view = with_columns(_with_note(view, state), state.data or state.described, state.file_columns)
    for name, text, reason in state.rejected:
        if name == field.name:
            view = replace(view, text=text, error=reason)
    return view


def _with_note(view: FieldView, state: RecipeState) -> FieldView:
    """Return a field with what its groups are, or that it takes effect in the run that trains."""
    note = note_of(view.name, state.groups) if state.groups else view.note
    if view.name in state.live and not note:
        note = translate("Train", "applies now")
    return replace(view, note=note)


def _choice_view(view: FieldView, field: Field, state: RecipeState) -> FieldView:
    """Show a choice of the catalogue, or of own code, with the labels of its entries."""
    group = EntryGroup.LOSS if field.name.endswith(".loss") else _GROUPS.get(field.name)
    is_further = field.name.startswith("schedules.") and field.name.endswith(".scheduler")
    if is_further:
        group = EntryGroup.SCHEDULER
    group = choice_of_phase(field.name) or group
    if group is None:
        return view
    titles = {
        EntryGroup.DATA: translate("Data", "Data set"),
        EntryGroup.OPTIMIZER: translate("Train", "Method"),
        EntryGroup.SCHEDULER: translate("Train", "Schedule"),
        EntryGroup.LOSS: translate("Train", "Loss function"),
    }
    language = state.language
    entries = {entry.key: entry for entry in available_entries(group, state.graph.code)}
    chosen = entries.get(view.text)
    ordered = sorted(entries.values(), key=lambda entry: not entry.is_custom())
    if group is not EntryGroup.DATA:
        ordered = list(entries.values())
    choices = tuple((entry.key, _choice_title(entry, language)) for entry in ordered)
    help_text = entry_summary(chosen, language) if chosen else _choice_help(group)
    label = titles[group]
    if is_further:
        choices = tuple(each for each in choices if each[0] not in ALONE)
        label = translate("Train", "Then") if chosen else translate("Train", "Add schedule")
        if state.spec.schedule_order == "chained" and chosen:
            label = translate("Train", "And")
    if group is EntryGroup.LOSS:
        browse = translate("Train", "Suggest losses for the target…") if state.data else ""
        view = replace(view, browse=browse, browse_icon="wand")
    return replace(view, label=label, choices=choices, help=help_text, is_modified=False)


def _choice_title(entry: Entry, language: str) -> str:
    """Return what an entry is called; of the project's own data also in which file it is."""
    label = entry_label(entry, language)
    symbol = code_symbol(entry.key) if entry.group is EntryGroup.DATA else None
    if symbol is None:
        return label
    return translate("Data", "{name} ({file})").format(name=label, file=symbol.file)


def _choice_help(group: EntryGroup) -> str:
    """Return what a choice is about, where nothing is chosen yet."""
    return {
        EntryGroup.DATA: translate("Data", "Where the samples come from."),
        EntryGroup.OPTIMIZER: translate("Train", "How the weights are updated after each batch."),
        EntryGroup.SCHEDULER: translate(
            "Train",
            "How the learning rate changes during the run. Choose none to keep it constant.",
        ),
        EntryGroup.LOSS: translate(
            "Train", "The quantity that training minimizes. Several losses are added."
        ),
    }[group]


def _binding_view(state: RecipeState, view: FieldView) -> FieldView:
    """Offer the outputs of the model and the fields of the data."""
    names = [output.binding for output in model_outputs(state.graph).values()]
    names += [f"data.{info.name}" for info in (state.data.fields if state.data else ())]
    help_text = translate(
        "Train", "The input of the loss: an output of the model or a field of the data."
    )
    return replace(
        _with_choices(view, [(name, name) for name in names]), help=help_text, is_modified=False
    )


def _names(state: RecipeState, field: str) -> list[tuple[str, str]]:
    """Return what a field offers that depends on machine or data, as keys and texts."""
    if field == "device":
        return [(name, name) for name in state.devices]
    series = (
        () if state.data is None else monitored_series(state.spec, state.data, state.graph.code)
    )
    latest = (LATEST, translate("Train", "none: the latest is the best"))
    return [*((name, series_label(name)) for name in series), latest]


def _with_choices(view: FieldView, choices: list[tuple[str, str]]) -> FieldView:
    if view.text and all(view.text != key for key, _ in choices):
        choices = [(view.text, view.text), *choices]
    return replace(view, kind="choice", choices=tuple(choices))

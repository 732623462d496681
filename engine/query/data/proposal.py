"""Proposal of source, split and first model for a file or folder of the user."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from torch import Tensor

from engine.catalog.spec import Value
from engine.data.load.load import describe_source, load_split
from engine.data.load.part_statistics import rows_of
from engine.data.read.column_name import TARGETS, WEIGHTS, whole
from engine.data.read.kind import propose_table
from engine.data.read.table import read_head
from engine.data.source.boxes.files import box_files
from engine.data.source.boxes.folder import DetectionFolderSource
from engine.data.source.class_folders import index_of
from engine.data.source.column import label_matrix
from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.registry import load_source
from engine.data.source.series import SeriesSource
from engine.data.source.source import PARTS, Part, Source
from engine.data.source.table_loader import table_options
from engine.data.source.table_plan import TEXTS
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.query.data.class_level import with_class_folders
from engine.query.data.class_memory import with_class_memory
from engine.query.data.columns import table_columns
from engine.query.data.equal_names import equal_names
from engine.query.data.group_column import group_notice
from engine.query.data.label_table import table_over_folders, with_labels
from engine.query.data.mixed_proposal import NamedFiles, mixed_settings
from engine.query.data.notices import with_encoding, with_notices, with_origin
from engine.query.data.request import ProposeData
from engine.query.data.row_role import RowRoles, with_roles
from engine.query.data.series_choice import has_many_gaps
from engine.query.data.source_choice import (
    picture_params,
    read_as,
    readers_of,
    sound_params,
    source_of,
    video_params,
)
from engine.query.data.source_fit import fitted_source, with_params
from engine.query.data.tag_proposal import with_tags
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.defaults import default_spec, usual_metrics
from engine.spec.first_model import first_model
from engine.spec.first_run import NORMALIZED, TABLE_RATE, first_epochs, takes_large_steps
from engine.spec.other_data import LEAST_OF_CLASS
from engine.spec.preset import (
    augmented,
    augmented_sound,
    field_size,
    finds_regions,
    with_imagenet,
    with_photographs,
)
from engine.spec.proposal import Answers, ModelSize, Proposal
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec, SplitSpec
from engine.spec.split_rule import part_of_word
from engine.spec.table import names_text, unused_options
from engine.spec.transform_repair import image_field, sound_field

_MIXED_SIDE = 64  # of pictures beside texts or videos, which take long to learn themselves
_FEW, _MANY = 5_000, 50_000  # samples
_USUAL_BATCH = 32
_FEW_BOXED = 500  # pictures with boxes
_MOST_WORKERS = 4
_LEAST_TIMES = 10  # that rows go on to, of which one says that they are ordered by time
_LONGEST_PATH = 1000  # characters that a setting may have


def propose_data(request: ProposeData) -> Proposal:
    """Return what to train on the data at a path.

    Raises :class:`DiagnosticError`: D150 for what no source can read, D151 for a single picture,
    D540 for a path that no project can keep, and what the source says of it.
    """
    path, answers = _kept(request.path), request.answers
    proposed, over = _chosen(path, request)
    source, loaded, files = _prepared(proposed, request)
    source, loaded, roles = _with_roles(source, loaded, answers)
    told = (*over, *roles.told, *equal_names(loaded, source.params, answers.params))
    source, loaded = _weighed(source, loaded)
    data = DataSpec(source=source)
    time = _time_column(loaded)
    if not request.target and (number := _number_in_time(loaded, time)):
        return _told_of_number(propose_data(replace(request, target=number)), loaded, time)
    split = answers.split or _split(loaded, roles, time)
    told += group_notice(split, roles.group)
    data = replace(data, split=split, batch_size=_batch_size(loaded, split))
    if source.type in NORMALIZED:
        data = replace(data, normalization="standard")
    if source.type.endswith("_folder") or files:
        data = _with_workers(data, loaded.samples)
    data, parts = _divided(data, is_chosen=answers.split is not None)
    info = describe_source(data, *parts)
    if (changed := _with_transforms(data, info, answers)) != data:
        data, info = changed, describe_source(changed, *parts)
    rows = rows_of(loaded)
    info = with_notices(info, path, loaded, request.target, told)
    graph, spec = _first_run(data, info, request.size)
    info = with_encoding(with_origin(info, graph), source, loaded, rows)
    info = with_class_memory(info, graph, spec)
    table = () if rows is None else table_columns(propose_table(rows.table)[0], rows.plan)
    return Proposal(
        spec=spec,
        info=info,
        graph=graph,
        columns=tuple(
            column.name
            for column in table
            if column.role == "target" or column.kind not in ("id", "empty")
        ),
        target=next((column.name for column in table if column.role == "target"), ""),
        table=table,
        sources=tuple(dict.fromkeys((proposed.type, *readers_of(path)))),
        time_column=time if split.kind == "time" and split.column == time else "",
        has_outlines=isinstance(loaded, DetectionFolderSource) and loaded.has_more_outlines,
        has_boxes=source.type == "segmentation_folder" and box_files(path, path) is not None,
        unused=() if rows is None else unused_options(rows.table.format.kind),
    )


def _chosen(path: Path, request: ProposeData) -> tuple[Choice, tuple[Diagnostic, ...]]:
    """Return the source of a path with the table that names its files, and what is told of that."""
    chosen = request.answers.source
    proposed = read_as(path, chosen) if chosen else source_of(path)
    over: tuple[Diagnostic, ...] = ()
    if not (chosen or request.target):
        proposed, over = table_over_folders(proposed, path)
    has_kinds = "kinds" in request.answers.params
    return with_labels(proposed, path, request.target, has_kinds=has_kinds), over


def _with_roles(
    source: Choice, loaded: Source, answers: Answers
) -> tuple[Choice, Source, RowRoles]:
    """Return data of which what only says to what a sample belongs is no input and no class."""
    index = index_of(loaded)
    if index is not None:
        return with_class_folders(source, loaded, index, answers)
    return with_roles(source, loaded, answers.params)


def _kept(path: str) -> Path:
    """Return a path that a project can keep. Raises :class:`DiagnosticError` (D540) for another."""
    if len(path) > _LONGEST_PATH or any(mark in path for mark in "\n\r"):
        raise DiagnosticError.of("D540", field="data.source.path", limit=_LONGEST_PATH)
    return Path(path)


def _prepared(proposed: Choice, request: ProposeData) -> tuple[Choice, Source, NamedFiles]:
    """Return a source as the user and its files want it, its samples, and some files that the
    columns of a table name.
    """
    chosen = request.answers.params | ({"target": request.target} if request.target else {})
    files: NamedFiles = {}
    if proposed.type == "table":
        proposed, files = _with_own_fields(proposed, chosen)
        both = (proposed.params.get("kinds"), chosen.get("kinds"))
        chosen |= {"kinds": ", ".join(str(each) for each in both if each)} if all(both) else {}
    if proposed.type == "series" and (target := chosen.get("target")):
        chosen |= {"targets": target}
    is_told = request.answers.source or "time" not in proposed.params
    try:
        source, loaded = fitted_source(with_params(proposed, chosen), chosen, request.size)
        if is_told or not isinstance(loaded, SeriesSource) or not has_many_gaps(loaded.table):
            return source, loaded, files
    except DiagnosticError:
        if proposed.type != "series" or is_told:
            raise
    # what looks like a series has words, many gaps, or too few rows
    return _prepared(
        replace(proposed, type="table", params={"path": proposed.params["path"]}), request
    )


def _with_workers(data: DataSpec, samples: int) -> DataSpec:
    """Return the choice of data with workers that read its files, where there are some batches."""
    if samples <= data.batch_size:
        return data
    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    return replace(data, loader=LoaderSpec(num_workers=workers))


def _first_run(data: DataSpec, info: DataInfo, size: ModelSize) -> tuple[Graph | None, RunSpec]:
    """Return a model that fits the data, if there is one, and how it is trained."""
    graph = first_model(info, size)
    if graph is None:
        return None, RunSpec(data=data)
    spec = default_spec(info, graph, analyse(graph), data)
    epochs, metrics = first_epochs(info, data.batch_size), usual_metrics(info)
    spec = replace(spec, epochs=epochs, metrics=metrics)
    if takes_large_steps(data):
        spec = replace(spec, optimizer=Choice(type="Adam", params={"lr": TABLE_RATE}))
    return graph, spec


def _with_own_fields(source: Choice, chosen: Mapping[str, Value]) -> tuple[Choice, NamedFiles]:
    """Return a table with columns of files and of sentences as inputs, and some of these files."""
    path = Path(str(source.params["path"]))
    options = table_options(chosen)
    head = read_head(path, options)
    target = chosen.get("target") or source.params.get("target") or ""
    settings, files = mixed_settings(path, head, str(target), options)
    settings = with_tags(settings, head, _chosen_target(source, settings, chosen))
    settings |= sound_params(files.get("sound", ()))
    found = video_params(files.get("video", ())) | picture_params(files.get("image", ()))
    has_texts = any(f"={kind}" in str(settings.get("kinds") or "") for kind in TEXTS)
    if "size" in found and (has_texts or {"image", "video"} <= files.keys()):
        size = found["size"]
        sides = size if isinstance(size, tuple) else (size,)
        fits = all(isinstance(side, int) and side <= _MIXED_SIDE for side in sides)
        found |= {} if fits else {"size": _MIXED_SIDE}
    settings |= found
    return replace(source, params={**source.params, **settings}), files


def _chosen_target(
    source: Choice, settings: Mapping[str, Value], chosen: Mapping[str, Value]
) -> str:
    """Return what is predicted in a table, as the user or its files say; empty for neither."""
    told = (params.get("target") for params in (chosen, settings, source.params))
    return next((str(each) for each in told if each), "")


def _with_transforms(data: DataSpec, info: DataInfo, answers: Answers) -> DataSpec:
    """Return the data with the transforms and the normalisation that the user wants."""
    image, sound = image_field(info), sound_field(info)
    if answers.augmentation is not None and (image is not None or sound is not None):
        heard = () if sound is None else augmented_sound(answers.augmentation, sound)
        seen = () if image is None else augmented(answers.augmentation, image)
        steps = (*heard, *seen)  # a normalisation stays the last
        data = replace(data, transforms=steps)
        if answers.augmentation == "photographs" and image is not None:
            size, keeps_all = field_size(image), finds_regions(info)
            data = with_photographs(data, size, image.shape[0], keeps_all=keeps_all)
    if answers.scaling == "imagenet" and image is not None:
        steps = with_imagenet(data.transforms, image)
        data = replace(data, transforms=steps, normalization="none")
    elif answers.scaling is not None and answers.scaling != "imagenet":
        data = replace(data, normalization=answers.scaling)
    return data


def _split(source: Source, roles: RowRoles, time: str) -> SplitSpec:
    """Return how to divide samples: as the data says, by the column of their parts, by that of
    their folds, in its order, by the column of their time (empty for none), by class, by the file
    that several are about, or at random.
    """
    part = roles.part
    if source.given_parts() is not None and not part:
        return SplitSpec(kind="given", stratified=_is_drawn_by_class(source, part))
    if part:
        stratified = _is_drawn_by_class(source, part)
        return SplitSpec(kind="column", column=part, stratified=stratified)
    if roles.fold:
        return SplitSpec(kind="group", column=roles.fold)
    if time or _is_running(source.infos):
        is_running = _is_running(source.infos)
        return SplitSpec(kind="sequential") if is_running else SplitSpec(kind="time", column=time)
    has_classes = _has_classes(source)
    subject = source.subject if isinstance(source, MixedTableSource) else ""
    group = roles.group or ("" if has_classes else subject)
    if group:
        return SplitSpec(kind="group", column=group)
    return SplitSpec(kind="stratified") if has_classes else SplitSpec()


def _divided(
    data: DataSpec, *, is_chosen: bool
) -> tuple[DataSpec, tuple[Source, dict[Part, Tensor]]]:
    """Return the samples and the parts, with the data that has no empty ones but where these were
    chosen.
    """
    parts = load_split(data)
    while not is_chosen and (filled := _filled(data, parts[1])) != data:
        data, parts = filled, load_split(filled)
    return data, parts


def _filled(data: DataSpec, parts: Mapping[Part, Tensor]) -> DataSpec:
    """Return the data without the sets that nothing is left for, where there are few samples."""
    split = data.split
    if split.kind not in ("random", "stratified", "sequential", "time"):
        return data
    validation = split.validation * bool(len(parts["validation"]))
    test = split.test * bool(len(parts["test"]))
    train = round(1 - validation - test, 6)
    return replace(data, split=replace(split, train=train, validation=validation, test=test))


def _is_drawn_by_class(source: Source, part: str) -> bool:
    """Return whether a set that the data, or its column of the parts, does not name is to have the
    share of each class.
    """
    given = None if part else source.given_parts()
    if given is not None:
        named = set(given.unique().tolist())
    else:
        rows = rows_of(source)
        words = set[str]() if rows is None else {*rows.table.column(part).cells()}
        named = {part_of_word(word) for word in words}
    return not named.issuperset(range(len(PARTS))) and _has_classes(source)


def _has_classes(source: Source) -> bool:
    """Return whether samples have a class each, or labels, and each enough of them to be in all
    sets.
    """
    several = label_matrix(source)
    if several is not None:
        return int(several.sum(dim=0).min()) >= LEAST_OF_CLASS
    label = next((info for info in source.infos if info.kind == "class"), None)
    labels = None if label is None or label.shape else source.column(label.name)
    if labels is None or not labels.numel() or int(labels.min()) < 0:
        return False
    return int(labels.bincount().min()) >= LEAST_OF_CLASS


def _weighed(source: Choice, loaded: Source) -> tuple[Choice, Source]:
    """Return a table whose samples count by the column that is called so, where there is one that
    nobody has said anything else of; other data as they are.
    """
    rows = rows_of(loaded)
    if rows is None or {"weight", "inputs"} & {*source.params}:
        return source, loaded
    inputs = (info.name for info in rows.plan.inputs if whole(info.name) in WEIGHTS)
    name = next(inputs, "")
    if not name or len(rows.plan.inputs) == 1:
        return source, loaded
    weighed = with_params(source, {"weight": names_text([name])})
    try:
        return weighed, load_source(weighed)
    except DiagnosticError:  # it has something else in it
        return source, loaded


def _time_column(source: Source) -> str:
    """Return the column of dates by which the rows of a table are ordered, up or down; empty where
    there is none: by what is known later, nothing earlier is to be foretold.
    """
    rows = rows_of(source)
    if rows is None:
        return ""
    for name, kind in rows.plan.kinds.items():
        days = rows.column(name) if kind == "date" else None
        if days is None or not days.is_floating_point() or bool(days.isnan().any()):
            continue
        steps = days.diff()
        is_ordered = bool((steps >= 0).all()) or bool((steps <= 0).all())
        if is_ordered and int((steps != 0).sum()) >= _LEAST_TIMES:
            return name
    return ""


def _number_in_time(source: Source, time: str) -> str:
    """Return the number to predict in a table that is ordered by time, where words that nobody has
    called a target stand last: which weekday it was is known; empty for other tables.
    """
    rows = rows_of(source)
    if rows is None or not time or len(rows.plan.targets) != 1:
        return ""
    target = rows.plan.targets[0]
    if target.kind != "category" or any(whole(target.name) in names for names in TARGETS):
        return ""
    numbers = [each.name for each in rows.plan.inputs if each.kind == "number"]
    return numbers[-1] if numbers else ""


def _told_of_number(proposal: Proposal, source: Source, time: str) -> Proposal:
    """Return a proposal with why it is not the last column that is predicted."""
    rows = rows_of(source)
    words = "" if rows is None else rows.plan.targets[0].name
    told = Diagnostic.of(
        "D654",
        severity=Severity.HINT,
        field="data.source.target",
        target=proposal.target,
        words=words,
        time=time,
    )
    info = replace(proposal.info, problems=(*proposal.info.problems, told))
    return replace(proposal, info=info)


def _is_running(infos: tuple[FieldInfo, ...]) -> bool:
    """Return whether samples follow one another: rows in time, or what comes next in a text."""
    inputs = [info for info in infos if info.role == "input"]
    if len(inputs) != 1 or inputs[0].kind != "sequence":
        return False
    is_text = any(info.kind == "sequence" for info in infos if info.role == "target")
    return is_text or inputs[0].dtype == "float32"


def _batch_size(source: Source, split: SplitSpec) -> int:
    """Return how many samples make a step: of pictures with boxes few, as torchvision trains its
    detectors, since each has many places to learn from, and takes long.
    """
    samples = source.samples
    if any(info.kind == "boxes" for info in source.infos):
        return 4 if samples < _FEW_BOXED else 16
    training = int(samples * split.train)
    if training < _USUAL_BATCH:  # two steps an epoch at least
        return 1 << (max(training // 2, 1).bit_length() - 1)
    return _USUAL_BATCH if samples < _FEW else 64 if samples < _MANY else 128

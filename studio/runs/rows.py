"""All runs of a project as a table, the curves of some of them together, and one's checkpoints."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.runs.certificate import Certificate
from engine.runs.folder import RunDocument, RunFolder
from engine.runs.record.state import CheckpointInfo, RunState
from engine.runs.record.store import Points, Steps
from engine.spec.fields import fields
from engine.spec.run import RunSpec
from studio.i18n import filled, listed, translate
from studio.view.curve import drawn_names, named_like_phase
from studio.view.recipe_field import field_title
from studio.view.run import (
    chart_empty_text,
    chart_title,
    kind_of,
    part_label,
    series_label,
    status_text,
)
from widgets.plots.view_model import ChartView, SeriesView
from widgets.tables.view_model import ColumnView, RowView, TableData

_ABSENT = object()  # a setting that another choice does not have


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A run as the table needs it. ``sizes`` are the bytes of its checkpoints by file."""

    folder: RunFolder
    state: RunState
    is_alive: bool = False
    sizes: dict[str, int]
    certificate: Certificate | None = None


def present_runs(records: Sequence[RunRecord], shown: Sequence[str]) -> TableData:
    """Return the table; runs whose curves are shown carry their colour. Tags and notes have a
    column where a run has some.
    """
    names = metric_names(records)
    words = annotation_columns(records)
    has_certificates = any(record.certificate is not None for record in records)
    rows = []
    for record in reversed(records):
        document, state = record.folder.document, record.state
        rows.append(
            RowView(
                id=record.folder.id,
                cells=(
                    document.name,
                    status_text(state.status),
                    *((certificate_text(record.certificate),) if has_certificates else ()),
                    *(read(document) for _, _, read in words),
                    state.epoch,
                    *(state.metrics.get(name) for name in names),
                    state.elapsed_s,
                    len(state.checkpoints),
                    document.spec.optimizer.type,
                    state.parameters,
                    document.created,
                ),
                color=shown.index(record.folder.id) if record.folder.id in shown else -1,
            )
        )
    columns = _run_columns(words, names, has_certificates=has_certificates)
    return TableData(
        columns=columns,
        rows=tuple(rows),
        empty_text=translate("Runs", "No runs yet. F5 starts the first one."),
    )


def _run_columns(
    words: Sequence[tuple[str, str, Callable[[RunDocument], str]]],
    names: Sequence[str],
    *,
    has_certificates: bool,
) -> tuple[ColumnView, ...]:
    return (
        ColumnView(key="name", title=translate("Runs", "Run"), width=16),
        ColumnView(key="state", title=translate("Runs", "State")),
        *(
            (ColumnView(key="certificate", title=translate("Runs", "Resume")),)
            if has_certificates
            else ()
        ),
        *(ColumnView(key=key, title=title) for key, title, _ in words),
        ColumnView(key="epochs", title=translate("Runs", "Epochs"), kind="count"),
        *(ColumnView(key=name, title=series_label(name), kind="number") for name in names),
        ColumnView(key="duration", title=translate("Runs", "Duration"), kind="duration"),
        ColumnView(key="checkpoints", title=translate("Runs", "Checkpoints"), kind="count"),
        ColumnView(key="optimizer", title=translate("Runs", "Optimizer")),
        ColumnView(key="parameters", title=translate("Runs", "Parameters"), kind="count"),
        ColumnView(key="created", title=translate("Runs", "Started"), kind="time"),
    )


def tags_text(tags: Sequence[str]) -> str:
    """Return tags as they are shown and typed."""
    return ", ".join(tags)


def read_tags(text: str) -> tuple[str, ...]:
    """Return the tags in what was typed, each once; Chinese commas are commas."""
    parts = (part.strip() for part in text.replace("，", ",").split(","))
    return tuple(dict.fromkeys(part for part in parts if part))


def certificate_text(found: Certificate | None) -> str:
    """Return what the certificate of a run says, short; nothing without one."""
    if found is None:
        return ""
    if found.is_equal:
        return filled(
            translate("Runs", "✓ {steps} {steps|step|steps} certified"), steps=found.steps
        )
    assert found.difference is not None
    return translate("Runs", "✗ differs in step {step}").format(step=found.difference.step)


def annotation_columns(
    records: Sequence[RunRecord],
) -> list[tuple[str, str, Callable[[RunDocument], str]]]:
    """Return key, title and reader of the columns for what the user wrote about runs."""
    columns: list[tuple[str, str, Callable[[RunDocument], str]]] = [
        ("tags", translate("Runs", "Tags"), lambda document: tags_text(document.tags)),
        ("note", translate("Runs", "Notes"), lambda document: " ".join(document.note.split())),
    ]
    documents = [record.folder.document for record in records]
    return [each for each in columns if any(each[2](document) for document in documents)]


def metric_names(records: Sequence[RunRecord]) -> list[str]:
    """Return the measures that some of the runs have, those on the test part first."""
    names = dict.fromkeys(name for record in records for name in record.state.metrics)
    return sorted(
        names, key=lambda name: (not name.startswith("test"), not name.startswith("val"), name)
    )


def _drawn(names: Iterable[str], kind: str, spec: RunSpec) -> list[str]:
    return [name for name in drawn_names(names, spec) if kind_of(name) == kind]


def present_overlay(
    curves: dict[str, dict[str, tuple[Steps, Points]]],
    names: dict[str, str],
    kind: str,
    specs: Mapping[str, RunSpec],
) -> ChartView:
    """Return the curves of several runs in one chart, a colour for each run; of a single one a
    colour for each curve. ``specs`` are their recipes, which name the phases.
    """
    drawn = {run: _drawn(by_name, kind, specs[run]) for run, by_name in curves.items()}
    shown = {name for names_drawn in drawn.values() for name in names_drawn}
    is_plain = len({name.partition(".")[2] for name in shown}) == 1  # the part tells them apart
    is_single = len(curves) == 1  # which the list tells
    series = [
        SeriesView(
            name=f"{run}/{name}",
            label=("" if is_single else f"{names[run]} · ")
            + (
                part_label(name)
                if is_plain and not is_single
                else named_like_phase(specs[run], name) or series_label(name)
            ),
            steps=steps.astype(np.float64),
            values=values,
            color=place if is_single else color,
            dash="dash" if name.startswith("validation") and not is_single else "solid",
            run=run,
        )
        for color, (run, names_drawn) in enumerate(drawn.items())
        for place, name in enumerate(names_drawn)
        for steps, values in (curves[run][name],)
    ]
    return ChartView(
        series=tuple(series),
        title=chart_title(kind),
        empty_text=translate("Runs", "Select runs in the table to compare their curves.")
        if not curves
        else chart_empty_text(kind),
    )


def tag_words() -> dict[str, str]:
    """Return why a checkpoint was written or is kept, by its tag."""
    return {
        "last": translate("Runs", "last"),
        "best": translate("Runs", "best"),
        "epoch": translate("Runs", "end of an epoch"),
        "step": translate("Runs", "step interval"),
        "start": translate("Runs", "start"),
        "pause": translate("Runs", "pause"),
        "stop": translate("Runs", "stop"),
        "knob": translate("Runs", "value change"),
        "asked": translate("Runs", "saved by hand"),
        "error": translate("Runs", "before an error"),
    }


def present_checkpoints(record: RunRecord | None) -> TableData:
    """Return the checkpoints of a run."""
    columns = (
        ColumnView(key="file", title=translate("Runs", "Checkpoint")),
        ColumnView(key="tags", title=translate("Runs", "Saved at")),
        ColumnView(key="step", title=translate("Runs", "Step"), kind="count"),
        ColumnView(key="epoch", title=translate("Runs", "Epoch"), kind="count"),
        ColumnView(key="size", title=translate("Runs", "Size"), kind="size"),
        ColumnView(key="sha256", title="SHA-256", kind="code"),
    )
    empty = translate("Runs", "Select one run to see its checkpoints.")
    if record is None:
        return TableData(columns=columns, empty_text=empty)
    words = tag_words()
    rows = tuple(
        RowView(
            id=info.file,
            cells=(
                info.file,
                listed(words.get(tag, tag) for tag in _tags(info, record.state)),
                info.step,
                info.epoch,
                record.sizes.get(info.file, 0),
                info.sha256[:12],
            ),
        )
        for info in record.state.checkpoints
    )
    return TableData(
        columns=columns, rows=rows, empty_text=translate("Runs", "This run has no checkpoint.")
    )


def present_differences(records: Sequence[RunRecord], language: str) -> TableData:
    """Return in which settings several runs differ, a column for each run."""
    documents = [record.folder.document for record in records]
    read = [
        {
            name: field.read(document.spec)
            for name, field in fields(document.spec, document.graph.code).items()
        }
        for document in documents
    ]
    specs = _with_shared_names([document.spec for document in documents])
    names = list(dict.fromkeys(name for values in read for name in values))
    rows = [
        RowView(
            id=name,
            cells=(
                next(
                    field_title(spec, name, language, document.graph.code)
                    for spec, document, values in zip(specs, documents, read, strict=True)
                    if name in values
                ),
                *("" if name not in values else _value_text(values[name]) for values in read),
            ),
        )
        for name in names
        if any(values.get(name, _ABSENT) != read[0].get(name, _ABSENT) for values in read)
    ]
    return TableData(
        columns=(
            ColumnView(key="setting", title=translate("Runs", "Differences")),
            *(ColumnView(key=r.folder.id, title=r.folder.document.name) for r in records),
        ),
        rows=tuple(rows),
        empty_text=translate("Runs", "These runs have the same settings."),
    )


def _with_shared_names(specs: Sequence[RunSpec]) -> list[RunSpec]:
    """Return specifications whose groups name only what they name in all of them that have so many:
    a group that is another one elsewhere has just its number.
    """
    matches = [
        {spec.groups[index].match for spec in specs if index < len(spec.groups)}
        for index in range(max(len(spec.groups) for spec in specs))
    ]
    return [
        replace(
            spec,
            groups=tuple(
                group if len(matches[index]) == 1 else replace(group, match="")
                for index, group in enumerate(spec.groups)
            ),
        )
        for spec in specs
    ]


def _value_text(value: Value) -> str:
    return str(value) if value is not None else translate("Runs", "none")


def _tags(info: CheckpointInfo, state: RunState) -> list[str]:
    """Return as what a checkpoint is kept: ``best`` and ``last`` are each only one now."""
    tags = [tag for tag in info.tags if tag not in ("best", "last")]
    for tag, chosen in (("best", state.best), ("last", state.last)):
        if chosen is not None and chosen.file == info.file:
            tags.append(tag)
    return tags

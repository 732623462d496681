"""Comparison of the data of runs as a table."""

from collections.abc import Sequence

from engine.spec.data_comparison import (
    DataComparison,
    DataDifference,
    SampleDifference,
    SampleState,
)
from engine.spec.data_version import VERSION_PARTS, DataVersion, VersionPart
from studio.i18n import translate
from studio.runs.rows import RunRecord
from widgets.tables.view_model import Cell, ColumnView, RowView, TableData


def present_data(report: DataComparison, records: Sequence[RunRecord]) -> TableData:
    """Return what of the data is the same as in the first run, and which samples differ."""
    columns = [ColumnView(key="part", title=translate("Comparison", "Data"), width=30)]
    columns += [ColumnView(key=r.folder.id, title=r.folder.document.name) for r in records]
    versions = ["–" if version is None else version.short for version in report.versions]
    rows = [_row("version", translate("Comparison", "Version of the data"), versions)]
    first = report.versions[0]
    for part in VERSION_PARTS:
        cells = [_agreement(part, difference) for difference in report.others]
        rows.append(_row(part, _part_title(part), [_of_first(part, first), *cells]))
    rows += _sample_rows(report.others)
    return TableData(columns=tuple(columns), rows=tuple(rows))


def data_note(report: DataComparison) -> str:
    """Return in a sentence why samples are not compared; empty where they are."""
    if all(other.samples is not None for other in report.others):
        return ""
    return translate(
        "Comparison", "Samples are compared as long as the files of both runs are unchanged."
    )


def _sample_rows(others: Sequence[DataDifference]) -> list[RowView]:
    """Return how many samples differ, as far as that could be found out."""
    samples = [other.samples for other in others]
    if not any(samples):
        return []
    titles = (
        ("only_first", translate("Comparison", "Samples only in the first run")),
        ("only_other", translate("Comparison", "Samples only in this run")),
        ("moved", translate("Comparison", "Samples in another set")),
        ("relabelled", translate("Comparison", "Samples with another class")),
    )
    rows = [
        _row(key, title, ["", *("–" if each is None else getattr(each, key) for each in samples)])
        for key, title in titles
    ]
    return rows + _differing_rows(samples)


def _differing_rows(samples: Sequence[SampleDifference | None]) -> list[RowView]:
    """Return a row for each sample that is named, with what each run has of it."""
    pages = [() if each is None else each.samples for each in samples]
    names = dict.fromkeys(sample.name for page in pages for sample in page)
    by_name = [{sample.name: sample for sample in page} for page in pages]
    rows: list[RowView] = []
    for name in names:
        found = [page.get(name) for page in by_name]
        known = next(sample for sample in found if sample is not None)
        is_relabelled = any(each and each.first_class != each.other_class for each in found)
        cells = [_state_text(known.first, known.first_class if is_relabelled else "")]
        for each in found:
            if each is None:
                cells.append("")
                continue
            cells.append(_state_text(each.other, each.other_class if is_relabelled else ""))
        title = translate("Comparison", "Sample {name}").format(name=name)
        rows.append(_row(f"sample.{name}", title, cells))
    return rows


def _state_text(state: SampleState, label: str) -> str:
    """Return the part that a sample is in, with its class where that matters."""
    texts = {
        "absent": translate("Comparison", "not used"),
        "train": translate("Comparison", "training"),
        "validation": translate("Comparison", "validation"),
        "test": translate("Comparison", "test"),
    }
    return f"{texts[state]} · {label}" if label else texts[state]


def shown_samples(report: DataComparison) -> tuple[int, int]:
    """Return how many differing samples are named, and how many there are, of the run with most."""
    found = [other.samples for other in report.others if other.samples is not None]
    most = max(found, key=lambda each: each.differing, default=None)
    return (0, 0) if most is None else (len(most.samples), most.differing)


def _row(key: str, title: str, cells: Sequence[Cell]) -> RowView:
    return RowView(id=key, cells=(title, *cells))


def _agreement(part: VersionPart, difference: DataDifference) -> str:
    if difference.parts is None:
        return translate("Comparison", "not recorded")
    if part in difference.parts:
        return translate("Comparison", "differs")
    return translate("Comparison", "same")


def _of_first(part: VersionPart, version: DataVersion | None) -> str:
    return translate("Comparison", "not recorded") if version is None else getattr(version, part)


def _part_title(part: VersionPart) -> str:
    titles = {
        "source": translate("Comparison", "Data source and its settings"),
        "files": translate("Comparison", "Contents of the files"),
        "edits": translate("Comparison", "Edits of samples"),
        "split": translate("Comparison", "Split"),
        "transforms": translate("Comparison", "Transforms and normalization"),
    }
    return titles[part]

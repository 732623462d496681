"""Comparison of the data of runs as a table."""

from collections.abc import Sequence

from engine.spec.data_comparison import DataComparison, DataDifference
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
    if any(each is not None and each.names for each in samples):
        names = ["" if each is None else ", ".join(each.names) for each in samples]
        rows.append(_row("names", translate("Comparison", "For example"), ["", *names]))
    return rows


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

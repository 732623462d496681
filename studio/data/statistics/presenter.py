"""Statistics and vocabularies as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.diagnostics import Diagnostic, sentence
from engine.spec.data import DataInfo
from engine.spec.day import DayTexts
from engine.spec.statistics import FieldStatistics, PartStatistics
from engine.spec.vocabulary import VocabularyReport
from studio.data.part_reading import PartReadingState
from studio.i18n import filled, translate
from studio.view.data import left_out_text, split_title
from studio.view.reading import present_reading_samples
from widgets.common.progress import ProgressView
from widgets.tables.view_model import ColumnView, RowView, TableData

_STATISTICS = 4  # mean, deviation and ends
_MOST_ENTRIES = 2000  # of a field, a row for each part


@dataclass(frozen=True, kw_only=True)
class StatisticsState(PartReadingState):
    """The statistics of the parts, None where these were not measured."""

    parts: tuple[PartStatistics, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class StatisticsView:
    """What the tab of the columns shows."""

    summary: str
    table: TableData
    can_measure: bool = False
    has_vocabulary: bool = False
    progress: ProgressView | None = None


@dataclass(frozen=True, kw_only=True)
class VocabularyView:
    """What the tab of the vocabulary shows."""

    table: TableData
    fields: tuple[tuple[str, str], ...] = ()
    field: str = ""
    found: str = ""
    unknown: str = ""


def present_statistics(state: StatisticsState, language: str) -> StatisticsView:
    """Return the statistics of each part as a table."""
    info = state.info
    text = translate("Statistics", "Reading: {done} of {count} samples")
    return StatisticsView(
        summary=_summary(info),
        table=TableData(
            columns=_columns(),
            rows=tuple(_rows(state)),
            empty_text=_why_empty(state, language),
        ),
        can_measure=info is not None and bool(info.splits),
        has_vocabulary=info is not None and info.has_vocabulary,
        progress=present_reading_samples(state.reading, text),
    )


def _summary(info: DataInfo | None) -> str:
    """Return how many samples each part has, and how many are not used."""
    if info is None:
        return ""
    words = [f"{split_title(part.name)} {part.samples:,}" for part in info.splits]
    if info.left_out:
        text = translate("Statistics", "not used: {text}")
        words.append(text.format(text=left_out_text(info)))
    return " · ".join(words)


def _why_empty(state: StatisticsState, language: str) -> str:
    if state.problem is not None:
        return sentence(state.problem, language)
    if state.reading is not None:
        return ""
    if state.parts is None:
        return translate("Statistics", "Not measured yet. Measure reads each sample once.")
    return translate("Statistics", "The fields of these samples have no mean.")


def _columns() -> tuple[ColumnView, ...]:
    return (
        ColumnView(key="name", title=translate("Statistics", "Column")),
        ColumnView(key="part", title=translate("Statistics", "Split")),
        ColumnView(key="mean", title=translate("Statistics", "Mean"), kind="number"),
        ColumnView(
            key="std",
            title=translate("Statistics", "Deviation"),
            kind="number",
            help=translate("Statistics", "Standard deviation of all values, without correction"),
        ),
        ColumnView(key="low", title=translate("Statistics", "Lowest"), kind="number"),
        ColumnView(key="high", title=translate("Statistics", "Highest"), kind="number"),
        ColumnView(
            key="missing",
            title=translate("Statistics", "Missing"),
            kind="count",
            help=translate(
                "Statistics",
                "Samples whose row lacks a value. The figures are of the others, "
                "not of what is filled in.",
            ),
        ),
        ColumnView(
            key="read",
            title=translate("Statistics", "Samples"),
            kind="count",
            help=translate("Statistics", "Samples that were read: of very many large ones some"),
        ),
        ColumnView(
            key="count",
            title=translate("Statistics", "Share"),
            kind="percent",
            help=translate("Statistics", "Share of the samples, or boxes, of the split"),
        ),
    )


def _rows(state: StatisticsState) -> Iterator[RowView]:
    """Yield a row for each column, class and part: those of one column stand together."""
    info = state.info
    if info is None or not state.parts:
        return
    parts = state.parts
    names = list(dict.fromkeys(each.name for part in parts for each in part.fields))
    missing = {(part.part, each.column): each.missing for part in parts for each in part.missing}
    told: set[str] = set()
    for name in names:
        field = info.field(name)
        for at, title in enumerate(_entries(info, name, parts)):
            column = title if field is None or field.columns else name
            told.add(column)
            for part in parts:
                measured = next((each for each in part.fields if each.name == name), None)
                row = _row(title, part, measured, at, missing.get((part.part, column)))
                yield _dated(row) if title in info.date_columns else row
    for column in dict.fromkeys(each.column for part in parts for each in part.missing):
        if column not in told:
            for part in parts:
                yield _row(column, part, None, 0, missing.get((part.part, column)))
    yield from _classes(info)


def _entries(info: DataInfo, name: str, parts: Sequence[PartStatistics]) -> list[str]:
    """Return the names of the entries of a field that were measured."""
    measured = [each for part in parts for each in part.fields if each.name == name]
    count = max(len(each.mean) for each in measured)
    field = info.field(name)
    own = measured[0].columns or (() if field is None else field.entry_names)
    if len(own) == count:
        return list(own[:_MOST_ENTRIES])
    numbers = range(min(count, _MOST_ENTRIES))
    return [name] if count == 1 else [f"{name} [{at}]" for at in numbers]


def _row(
    title: str, part: PartStatistics, measured: FieldStatistics | None, at: int, missing: int | None
) -> RowView:
    numbers: tuple[float | None, ...] = (None,) * _STATISTICS
    if measured is not None and at < len(measured.mean) and not measured.is_empty(at):
        numbers = (measured.mean[at], measured.std[at], measured.low[at], measured.high[at])
    read = part.samples if measured is None else measured.samples
    cells = (title, split_title(part.part), *numbers, missing, read, None)
    return RowView(id=f"{title}\0{part.part}\0{at}", cells=cells)


def _dated(row: RowView) -> RowView:
    """Return the row of a column of dates, which are days since 1970 to the model, with dates."""
    title, part, mean, std, low, high, *others = row.cells
    numbers = [each for each in (mean, std, low, high) if isinstance(each, float)]
    if len(numbers) < _STATISTICS:
        return row
    found = DayTexts.of(*numbers)
    days = filled(translate("Statistics", "{count} d"), count=f"{found.deviation:.4g}")
    return replace(row, cells=(title, part, found.mean, days, found.lowest, found.highest, *others))


def _classes(info: DataInfo) -> Iterator[RowView]:
    """Yield how many samples, or boxes, of each class a part has."""
    target = info.target
    classes = () if target is None else target.classes
    for at, name in enumerate(classes[:_MOST_ENTRIES]):
        for part in info.splits:
            if at < len(part.class_counts):
                count, total = part.class_counts[at], sum(part.class_counts)
                title = translate("Statistics", "class {name}").format(name=name)
                share = count / total if total else None
                cells = (title, split_title(part.name), *(None,) * 5, count, share)
                yield RowView(id=f"class\0{at}\0{part.name}", cells=cells)


def present_vocabulary(
    report: VocabularyReport | None, problem: Diagnostic | None, language: str
) -> VocabularyView:
    """Return tokens as a table, None while they are counted."""
    if problem is not None:
        return VocabularyView(table=TableData(empty_text=sentence(problem, language)))
    if report is None:
        return VocabularyView(table=TableData(empty_text=translate("Statistics", "Counting…")))
    if not report.fields:
        text = translate(
            "Statistics", "These samples have no text with a vocabulary: no tokens are read."
        )
        return VocabularyView(table=TableData(empty_text=text))
    return VocabularyView(
        table=TableData(
            columns=(
                ColumnView(key="number", title=translate("Statistics", "Number"), kind="count"),
                ColumnView(key="token", title=translate("Statistics", "Token"), kind="code"),
                ColumnView(
                    key="count",
                    title=translate("Statistics", "Count"),
                    kind="count",
                    help=translate(
                        "Statistics", "How often the model reads it in an epoch of training"
                    ),
                ),
            ),
            rows=tuple(
                RowView(id=str(each.number), cells=(each.number, _shown(each.token), each.count))
                for each in report.tokens
            ),
            empty_text=translate("Statistics", "No token contains this."),
        ),
        fields=tuple((name, name) for name in report.fields),
        field=report.field,
        found=_found(report),
        unknown=_unknown(report),
    )


def _shown(token: str) -> str:
    return token.replace("\n", "⏎").replace(" ", "␣")


def _found(report: VocabularyReport) -> str:
    shown, found, size = len(report.tokens), report.found, report.size
    if shown < found:
        text = translate("Statistics", "the first {shown} of {found} tokens; {size} altogether")
        return text.format(shown=f"{shown:,}", found=f"{found:,}", size=f"{size:,}")
    if found < size:
        text = translate("Statistics", "{found} of {size} tokens")
        return text.format(found=f"{found:,}", size=f"{size:,}")
    return filled(translate("Statistics", "{count} {count|token|tokens}"), count=f"{size:,}")


def _unknown(report: VocabularyReport) -> str:
    """Return how many tokens of each part have no number of their own."""
    words: list[str] = []
    for part in report.parts:
        share = part.unknown / part.tokens if part.tokens else 0.0
        text = translate("Statistics", "{split}: {unknown} of {tokens} tokens unknown ({share})")
        told = text.format(
            split=split_title(part.part),
            unknown=f"{part.unknown:,}",
            tokens=f"{part.tokens:,}",
            share=f"{share:.1%}",
        )
        if part.read < part.samples:
            some = translate("Statistics", "in {read} of {samples} samples")
            told += " " + some.format(read=f"{part.read:,}", samples=f"{part.samples:,}")
        words.append(told)
    return " · ".join(words)

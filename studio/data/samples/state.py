"""State of the Samples page, and what is shown of it beside the rows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engine.diagnostics import Diagnostic, sentence
from engine.spec.browse import (
    CONFIDENCE,
    CORRECT,
    EDIT,
    FRAMES,
    HEIGHT,
    INDEX,
    IOU,
    LEARNED,
    LOSS,
    PART,
    PREDICTION,
    RATE,
    SECONDS,
    SIZE,
    TAGS,
    WIDTH,
    Cell,
    Condition,
    PartChoice,
    SampleColumn,
    SampleColumns,
    SampleQuery,
    predicted_number,
)
from studio.data.download.presenter import DOWNLOADABLE
from studio.i18n import filled, listed, translate
from studio.view.data import loading_view, split_title
from studio.view.reading import CANCELED
from studio.window.page import EmptyView
from widgets.paged.filter_view import FilterField, FilterValue

EDITED = Condition(column=EDIT, kind="missing", is_not=True)
"""What samples have to be to be among those that the user edited."""
GALLERY, TABLE, TEXT, POINTS = "gallery", "table", "text", "points"
_FEW = 6  # samples that are named by their numbers


@dataclass(frozen=True, kw_only=True)
class SamplesState:
    """What is listed and how. ``total`` samples meet the conditions; ``conditions`` are those of
    the filter, ``search`` is the text that is looked for everywhere. ``is_head`` says that these
    are the first rows alone, until all of them are read.
    """

    listed: SampleColumns | None = None
    form: str = ""
    part: PartChoice = "all"
    sort: str = ""
    is_descending: bool = False
    search: str = ""
    conditions: tuple[Condition, ...] = ()
    total: int | None = None
    selected: int = 0
    is_slow: bool = False
    is_head: bool = False
    problem: Diagnostic | None = None
    lost: str = ""  # the setting with the path that is not there, where that is the problem

    def query(self) -> SampleQuery:
        """Return what the host is asked for."""
        text = self.search.strip()
        found = (Condition(column="", kind="contains", text=text),) if text else ()
        return SampleQuery(
            part=self.part,
            sort=self.sort,
            is_descending=self.is_descending and bool(self.sort),
            conditions=(*found, *self.conditions),
        )


@dataclass(frozen=True, kw_only=True)
class SamplesView:
    """What the page shows around the rows. ``chips`` are the conditions in words."""

    forms: tuple[str, ...]
    form: str
    part: str
    sorts: tuple[tuple[str, str], ...]
    sort: str
    is_descending: bool
    search: str
    fields: tuple[FilterField, ...]
    chips: tuple[str, ...]
    count: str
    selection: str
    empty: EmptyView | None
    is_edited_only: bool = False
    is_reading: bool = False


def forms_of(listed: SampleColumns) -> tuple[str, ...]:
    """Return the forms that samples can be shown in, the one that says most first."""
    first = GALLERY if listed.pictures else POINTS if plane_columns(listed) else ""
    has_texts = any(is_read_text(listed, column) for column in listed.columns)
    return tuple(filter(None, (first, TABLE, TEXT if has_texts else "")))


def is_read_text(listed: SampleColumns, column: SampleColumn) -> bool:
    """Return whether a column has texts to read, which a model reads or is to write."""
    is_file = column.name in listed.pictures
    return column.kind == "text" and bool(column.role) and not is_file


def plane_columns(listed: SampleColumns) -> tuple[int, int] | None:
    """Return which columns are the two numbers that a model reads, where it reads nothing else."""
    inputs = [at for at, column in enumerate(listed.columns) if column.role == "input"]
    if len(inputs) != 2 or any(listed.columns[at].kind != "number" for at in inputs):
        return None
    return inputs[0], inputs[1]


def column_title(column: SampleColumn) -> str:
    """Return what a column is called."""
    own = {
        INDEX: translate("Samples", "No."),
        PART: translate("Samples", "Split"),
        SIZE: translate("Samples", "File size"),
        SECONDS: translate("Samples", "Seconds"),
        RATE: translate("Samples", "Sample rate"),
        FRAMES: translate("Samples", "Frames"),
        WIDTH: translate("Samples", "Width"),
        HEIGHT: translate("Samples", "Height"),
        EDIT: translate("Samples", "Edit"),
        TAGS: translate("Samples", "Tags"),
        LOSS: translate("Samples", "Loss"),
        PREDICTION: translate("Samples", "Prediction"),
        CONFIDENCE: translate("Samples", "Confidence"),
        CORRECT: translate("Samples", "Correct"),
        IOU: translate("Samples", "IoU"),
        LEARNED: translate("Samples", "Learned"),
    }
    if name := predicted_number(column.key):
        return translate("Samples", "Prediction: {name}").format(name=name)
    return own.get(column.key) or column.name


def edit_title(kind: str) -> str:
    """Return how a sample was edited, in a word."""
    titles = {
        "excluded": translate("Samples", "excluded"),
        "relabelled": translate("Samples", "relabeled"),
        "moved": translate("Samples", "moved"),
        "tagged": translate("Samples", "tagged"),
    }
    return titles.get(kind, kind)


def truth_title(truth: str) -> str:
    """Return whether something is so, in a word."""
    titles = {"yes": translate("Samples", "yes"), "no": translate("Samples", "no")}
    return titles.get(truth, truth)


def is_never(column: SampleColumn, cell: Cell) -> bool:
    """Return whether a cell says that a sample was not learned."""
    return column.key == LEARNED and cell == math.inf


def never_title() -> str:
    """Return when a sample was learned that was not, in a word."""
    return translate("Samples", "never")


def part_title(part: str) -> str:
    """Return the name of a choice of parts."""
    return translate("Samples", "All samples") if part == "all" else split_title(part)


def condition_of(value: FilterValue) -> Condition:
    """Return the condition that the filter says."""
    return Condition(
        column=value.key,
        kind=value.kind,
        values=value.values,
        text=value.text,
        low=value.low,
        high=value.high,
        is_not=value.is_not,
    )


def present_samples(state: SamplesState, language: str) -> SamplesView:
    """Return what the page shows around the rows."""
    columns = () if state.listed is None else state.listed.columns
    cheap = [column for column in columns if column.is_cheap]
    order = translate("Samples", "Order of the data")
    sorts = (("", order), *((each.key, column_title(each)) for each in cheap if each.key != INDEX))
    return SamplesView(
        forms=() if state.listed is None else forms_of(state.listed),
        form=TABLE if state.is_head else state.form,
        part=state.part,
        sorts=sorts,
        sort=state.sort,
        is_descending=state.is_descending,
        search=state.search,
        fields=tuple(_field(column) for column in cheap if column.key != INDEX),
        chips=tuple(condition_text(each, columns) for each in state.conditions),
        count=_count(state),
        selection=_selection(state.selected),
        empty=_empty(state, language),
        is_edited_only=EDITED in state.conditions,
        is_reading=state.is_head,
    )


def condition_text(condition: Condition, columns: tuple[SampleColumn, ...]) -> str:
    """Return a condition in words."""
    column = next((each for each in columns if each.key == condition.column), None)
    title = column_title(column) if column is not None else condition.column
    match condition.kind:
        case "is" if condition.column == INDEX and len(condition.values) > _FEW:
            text = translate("Samples", "{count} chosen samples")
            return text.format(count=f"{len(condition.values):,}")
        case "is":
            names = (value_title(condition.column, value) for value in condition.values)
            text = translate("Samples", "{column} is not {value}")
            if not condition.is_not:
                text = translate("Samples", "{column} is {value}")
            return text.format(column=title, value=listed(names))
        case "contains":
            text = translate("Samples", "{column} does not contain “{text}”")
            if not condition.is_not:
                text = translate("Samples", "{column} contains “{text}”")
            return text.format(column=title, text=condition.text)
        case "missing" if condition == EDITED:
            return translate("Samples", "Edited")
        case "missing":
            text = translate("Samples", "{column} is not missing")
            if not condition.is_not:
                text = translate("Samples", "{column} is missing")
            return text.format(column=title)
        case "between":
            return _between_text(title, condition)


def value_title(key: str, value: str) -> str:
    """Return a value of a category as it is shown: parts, edits and truths have titles."""
    return {PART: split_title, EDIT: edit_title, CORRECT: truth_title}.get(key, str)(value)


def _between_text(title: str, condition: Condition) -> str:
    low = "" if condition.low is None else f"{condition.low:g} ≤ "
    high = "" if condition.high is None else f" ≤ {condition.high:g}"
    text = f"{low}{title}{high}"
    if condition.is_not:
        return translate("Samples", "not {condition}").format(condition=text)
    return text


def _field(column: SampleColumn) -> FilterField:
    kind = {
        "category": "category",
        "part": "category",
        "edit": "category",
        "truth": "category",
        "number": "number",
        "size": "number",
    }
    return FilterField(
        key=column.key,
        title=column_title(column),
        kind=kind.get(column.kind, "text"),  # pyright: ignore[reportArgumentType]
    )


def _count(state: SamplesState) -> str:
    if state.is_head and state.total is not None:
        text = translate("Samples", "First {count} rows; reading the whole table…")
        return text.format(count=f"{state.total:,}")
    if state.is_slow:
        return translate("Samples", "Searching…")
    if state.listed is None or state.total is None:
        return ""
    count, total = f"{state.total:,}", f"{state.listed.samples:,}"
    if state.total == state.listed.samples:
        return filled(translate("Samples", "{count} {count|sample|samples}"), count=count)
    text = translate("Samples", "{count} of {total} samples")
    return text.format(count=count, total=total)


def _selection(selected: int) -> str:
    if selected < 1:
        return ""
    return translate("Samples", "{count} selected").format(count=f"{selected:,}")


def _empty(state: SamplesState, language: str) -> EmptyView | None:
    if state.problem is not None:
        title = translate("Data", "Nothing to show")
        if state.lost:
            action = translate("Data", "Locate…")
        elif state.problem.code in CANCELED:
            action = translate("Reading", "Read again")
        elif state.problem.code in DOWNLOADABLE:
            action = translate("Action", "Download data set…")
        else:
            action = translate("Action", "New project for your data…")
        return EmptyView(title=title, text=sentence(state.problem, language), action=action)
    if state.listed is None or state.total is None:
        return loading_view()
    if state.total:
        return None
    if any(_limits(state)):
        return EmptyView(
            title=translate("Samples", "No sample meets the conditions"),
            text=translate("Samples", "Remove a condition, or look for another text."),
            action=translate("Samples", "Remove all conditions"),
        )
    return EmptyView(
        title=translate("Samples", "This split is empty"),
        text=translate("Samples", "Choose another split above, or give it samples at the left."),
    )


def _limits(state: SamplesState) -> Iterator[bool]:
    yield bool(state.search.strip())
    yield bool(state.conditions)

"""View of the reading pane: a sample as texts to read, its columns in short above them."""

from engine.diagnostics import sentence
from engine.spec.browse import (
    CONFIDENCE,
    CORRECT,
    IOU,
    LEARNED,
    LOSS,
    PART,
    PREDICTION,
    Cell,
    SampleColumn,
    SampleColumns,
    SampleDetails,
    predicted_number,
)
from studio.data.samples.presenter import cell_text
from studio.data.samples.reading_pane import ReadingView, TextPiece, TokenText
from studio.data.samples.state import column_title, is_read_text
from studio.i18n import filled, translate

_TOLD = (PART, PREDICTION, CONFIDENCE, CORRECT, LOSS, IOU, LEARNED)
"""The columns that no data has and that stand above a text, besides those to predict."""


def present_reading(listed: SampleColumns, found: SampleDetails, language: str) -> ReadingView:
    """Return a sample as texts to read."""
    columns = list(zip(listed.columns, found.cells, strict=False))
    read = {column.name for column in listed.columns if is_read_text(listed, column)}
    return ReadingView(
        title=translate("Samples", "Sample {number}").format(number=f"{found.index:,}"),
        facts=tuple(
            (column_title(column), cell_text(column, cell))
            for column, cell in columns
            if _is_told(column, cell, read)
        ),
        pieces=tuple(
            _piece(name, found) for name in found.texts if name in read or name in found.tokens
        ),
        problem=sentence(found.problems[0], language) if found.problems else "",
    )


def _is_told(column: SampleColumn, cell: Cell, read: set[str]) -> bool:
    is_target = column.role == "target" and column.name not in read
    is_predicted = column.key in _TOLD or bool(predicted_number(column.key))
    return cell is not None and (is_target or is_predicted)


def _piece(name: str, found: SampleDetails) -> TextPiece:
    tokens = found.tokens.get(name, ())
    return TextPiece(
        name=name,
        text=found.texts[name],
        tokens=tuple(
            TokenText(text=each.text, number=each.number, is_unknown=each.is_unknown)
            for each in tokens
        ),
        summary=_summary(sum(each.is_unknown for each in tokens), len(tokens), found.cut.get(name)),
    )


def _summary(unknown: int, count: int, cut: int | None) -> str:
    """Return what a model reads of a text."""
    words = [filled(translate("Samples", "{count} {count|token|tokens} with numbers"), count=count)]
    if unknown:
        words.append(filled(translate("Samples", "{count} unknown"), count=unknown))
    if cut:
        words.append(filled(translate("Samples", "{count} more not read"), count=cut))
    return " · ".join(words)

"""Attention weights as a matrix with tokens along its sides, and small pictures of all heads."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.diagnostics import Diagnostic, sentence
from engine.query.attention.request import AttentionLayer, AttentionReport
from engine.query.results.request import ModelInput, ModelInputs
from studio.i18n import filled, translate
from studio.view.token_text import token_label
from studio.window.page import EmptyView
from widgets.plots.head_grid import HeadRow
from widgets.plots.token_matrix import TokenMatrixView


@dataclass(frozen=True, kw_only=True)
class AttentionState:
    """A model and the texts (by field) that it reads. ``inputs`` is None until the host has
    described the model; ``chosen`` are layer and head.
    """

    has_run: bool = False
    inputs: ModelInputs | None = None
    problem: Diagnostic | None = None
    texts: tuple[str, ...] = ()
    chosen: tuple[int, int] = (0, 0)
    report: AttentionReport | None = None
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class AttentionView:
    """What the page shows: ``fields`` are the names of the texts, ``scale`` is the largest weight,
    which is the darkest.
    """

    empty: EmptyView | None
    fields: tuple[str, ...]
    texts: tuple[str, ...]
    heads: tuple[HeadRow, ...]
    chosen: tuple[int, int]
    matrix: TokenMatrixView
    title: str
    scale: float
    note: str
    error: str


def text_fields(inputs: ModelInputs) -> tuple[ModelInput, ...]:
    """Return the texts that are typed."""
    return tuple(
        field for field in inputs.fields if field.info.words and field.info.kind == "sequence"
    )


def other_values(inputs: ModelInputs) -> dict[str, tuple[float, ...]]:
    """Return what the sample has for all else that the model reads, by field."""
    typed = {field.info.name for field in text_fields(inputs)}
    return {
        field.info.name: field.example
        for field in inputs.fields
        if field.info.name not in typed and field.info.name not in inputs.row_fields
    }


def other_cells(inputs: ModelInputs) -> Mapping[str, str]:
    """Return the cells that the sample has in the columns of a table."""
    return {column.name: column.text for column in inputs.columns}


def present_attention(state: AttentionState, language: str) -> AttentionView:
    """Return the page."""
    inputs, report = state.inputs, state.report
    fields = () if inputs is None else tuple(each.info.name for each in text_fields(inputs))
    matrix = TokenMatrixView() if report is None else _matrix(report)
    return AttentionView(
        empty=_why_empty(state, language),
        fields=fields,
        texts=state.texts,
        heads=() if report is None else tuple(map(_row, report.layers)),
        chosen=(0, 0) if report is None else (report.layer, report.head),
        matrix=matrix,
        title="" if report is None else _title(report),
        scale=float(np.abs(matrix.weights).max()) if matrix.weights.size else 0.0,
        note="" if report is None else _note(report),
        error=state.error,
    )


def _why_empty(state: AttentionState, language: str) -> EmptyView | None:
    if not state.has_run:
        text = translate(
            "Attention",
            "Type a text and see where each head of the trained model looks in it. The first "
            "checkpoint is saved after the first epoch.",
        )
        title = translate("Attention", "No model yet")
        return EmptyView(title, text, translate("Attention", "Start training"))
    if state.problem is not None:
        text = sentence(state.problem, language)
        return EmptyView(translate("Attention", "No attention"), text)
    if state.inputs is None:
        return EmptyView(translate("Attention", "Opening the model…"))
    if not text_fields(state.inputs):
        text = translate(
            "Attention",
            "This page is for models that read a text. The attention weights of any model, for a "
            "batch of the data, are in Tensors.",
        )
        return EmptyView(translate("Attention", "This model reads no text"), text)
    return None


def _row(layer: AttentionLayer) -> HeadRow:
    shape = (layer.heads, layer.height, layer.width)
    name = layer.name
    if layer.is_state:
        name = translate("Attention", "{layer} · states").format(layer=name)
    return HeadRow(name=name, pictures=np.frombuffer(layer.overview, np.uint8).reshape(shape))


def _matrix(report: AttentionReport) -> TokenMatrixView:
    layer = report.layers[report.layer]
    weights = np.frombuffer(report.weights, np.float32).reshape(-1, layer.columns)
    rows, columns = (
        tuple(map(token_label, tokens)) or tuple(str(number + 1) for number in range(count))
        for tokens, count in ((report.rows, len(weights)), (report.columns, layer.columns))
    )
    if layer.is_state and report.predicted:
        answers = map(token_label, report.predicted)
        rows = tuple(f"{row} → {answer}" for row, answer in zip(rows, answers, strict=True))
    return TokenMatrixView(rows=rows, columns=columns, weights=weights, is_signed=layer.is_state)


def _title(report: AttentionReport) -> str:
    layer = report.layers[report.layer]
    text = translate("Attention", "{layer} · head {head} of {heads}")
    if layer.is_state:
        text = translate("Attention", "{layer} · states after each token")
    if layer.is_state and layer.heads > 1:
        text = translate("Attention", "{layer} · states, direction {head} of {heads}")
    return text.format(layer=layer.name, head=report.head + 1, heads=layer.heads)


def _note(report: AttentionReport) -> str:
    """Return how the matrix is read."""
    lines = [translate("Attention", "Each row adds up to 1: how much its token looks at each.")]
    if report.layers[report.layer].is_state:
        lines = [
            translate("Attention", "A row for each step, a column for each unit of the state.")
        ]
    if report.layers[report.layer].is_state and report.predicted:
        line = translate("Attention", "Behind → stands the likeliest next token.")
        lines.append(line)
    if report.is_causal:
        line = translate("Attention", "Causal: hatched, later tokens are not seen.")
        lines.append(line)
    if report.written:
        line = translate("Attention", "The model wrote: {text}")
        lines.append(line.format(text=report.written))
    step = translate("Attention", "Weights of step {step}, eval mode")
    lines.append(filled(step, step=f"{report.step:,}"))
    return " · ".join(lines)

"""A tensor that was taken out of a run: its facts, and the part of it that is looked at."""

import io
import re
from dataclasses import dataclass, field
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Literal, TypeAlias

from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import place_name
from engine.graph.model import Graph
from engine.runs.record.tensor_capture import CapturedTensor, TensorEntry, as_array
from studio.i18n import filled, translate
from studio.view.word_tick import WordTicks, present_ticks
from studio.view.wording import metric_text
from studio.window.page import EmptyView
from widgets.plots.histogram import HistogramView
from widgets.tables.view_model import Cell, ColumnView, RowView, TableData, TreeData

if TYPE_CHECKING:
    import numpy as np

    from widgets.images.view_model import ImageView
    from widgets.plots.view_model import Floats

_ROWS, _COLUMNS = 500, 40
_IMAGES = 256
_LINE = 100_000
_BINS = 52
_COPIED = 100_000
_OF_CANVAS = ("activation", "activation_gradient")
_PART = re.compile(r"(-?\d+)?(?:(:)(-?\d+)?(?::(-?\d+)?)?)?")
Part = int | slice | EllipsisType


class SliceError(ValueError):
    """The text of a slice is none, or does not fit; the message says why."""


@dataclass(frozen=True, kw_only=True)
class TensorView:
    """What the page shows of a tensor, or of a part of it. ``line`` holds its elements in order;
    ``images`` are the first ones of its ``pictures``.
    """

    title: str
    part: str
    facts: TableData
    histogram: HistogramView
    table: TableData
    images: "tuple[ImageView, ...]"
    pictures: int
    line: "Floats"
    dtype: str
    array: "np.ndarray" = field(compare=False)


Look: TypeAlias = Literal["table", "images", "line"]


@dataclass(frozen=True, kw_only=True)
class TensorsState:
    """What is listed, and the tensor that is looked at. ``listing`` is what can be captured,
    ``files`` are the tensors that were, as file and text; ``file`` is that of ``captured``, empty
    for one of a checkpoint; ``view`` is drawn of it. ``slice_problem`` says what is wrong with the
    ``slice`` that is typed; ``awaited`` is to be captured as soon as there is a run.
    """

    folder: Path = Path()
    model: Graph = field(default_factory=Graph)
    is_running: bool = False
    has_checkpoint: bool = False
    is_opening: bool = False
    problem: Diagnostic | None = None
    listing: TreeData | None = None
    selected: str = ""
    files: tuple[tuple[str, str], ...] = ()
    file: str = ""
    captured: CapturedTensor | None = None
    slice: str = ""
    slice_problem: str = ""
    look: Look = "table"
    view: TensorView | None = None
    awaited: str = ""


@dataclass(frozen=True, kw_only=True)
class TensorsView:
    """What the page shows."""

    empty: EmptyView | None
    can_capture: bool
    is_running: bool
    has_checkpoint: bool
    listing: TreeData | None
    files: tuple[tuple[str, str], ...]
    file: str
    slice: str
    slice_problem: str
    look: Look
    tensor: TensorView | None


def present_tensors(state: TensorsState, language: str) -> TensorsView:
    """Return the page."""
    return TensorsView(
        empty=_why_empty(state, language),
        can_capture=bool(state.selected),
        is_running=state.is_running,
        has_checkpoint=state.has_checkpoint,
        listing=state.listing,
        files=state.files,
        file=state.file,
        slice=state.slice,
        slice_problem=state.slice_problem,
        look=state.look,
        tensor=state.view,
    )


def _why_empty(state: TensorsState, language: str) -> EmptyView | None:
    if state.problem is not None:
        title = translate("Tensors", "The checkpoint cannot be opened")
        return EmptyView(title, sentence(state.problem, language))
    if state.listing is not None or state.captured is not None:
        return None
    if state.is_opening:
        return EmptyView(translate("Tensors", "Opening the checkpoint…"))
    text = translate(
        "Tensors",
        "View any tensor during a run: weights, gradients, optimizer state, "
        "activations and the batch. After a run, you can view the tensors in its "
        "checkpoints.",
    )
    action = "" if state.is_running else translate("Tensors", "Train")
    return EmptyView(translate("Tensors", "No tensors yet"), text, action)


def best_look(shape: tuple[int, ...]) -> Look:
    """Return how a tensor of this shape is seen best."""
    return "line" if len(shape) == 1 else "table" if len(shape) < 3 else "images"


def tensor_id(entry: TensorEntry | CapturedTensor) -> str:
    """Return what stands for a tensor in lists."""
    return f"{entry.kind} {entry.name}"


def kind_title(kind: str) -> str:
    """Return what a kind of tensor is called."""
    return {
        "parameter": translate("Tensors", "Parameter"),
        "gradient": translate("Tensors", "Gradient"),
        "buffer": translate("Tensors", "Buffer"),
        "state": translate("Tensors", "Optimizer state"),
        "activation": translate("Tensors", "Activation"),
        "activation_gradient": translate("Tensors", "Activation gradient"),
        "batch": translate("Tensors", "Batch"),
        "attention": translate("Tensors", "Attention weights"),
    }.get(kind, kind)


def tensor_title(kind: str, name: str, model: Graph) -> str:
    """Return the name of a tensor; that of a node of the canvas for what it computes."""
    return place_name(model, name) if kind in _OF_CANVAS else name


def parse_slice(text: str) -> tuple[Part, ...]:
    """Return the index that a text stands for: ``[0, :, 3]``, ``..., ::2``; empty for all.

    Raises :class:`SliceError` with a sentence.
    """
    inner = text.strip().removeprefix("[").removesuffix("]").strip()
    if not inner:
        return ()
    return tuple(_part(each.strip()) for each in inner.rstrip(",").split(","))


def _part(text: str) -> Part:
    if text == "...":
        return ...
    match = _PART.fullmatch(text)
    if not text or match is None or any(len(each or "") > 18 for each in match.groups()):
        raise SliceError(
            translate(
                "Tensors",
                "“{text}” is not a valid index. Use numbers, start:stop:step or …: [0, :, 3]",
            ).format(text=text)
        )
    start, colon, stop, step = match.groups()
    if colon is None:
        return int(start)
    numbers = [None if each is None else int(each) for each in (start, stop, step)]
    if numbers[2] == 0:
        raise SliceError(translate("Tensors", "The step of a slice cannot be 0."))
    return slice(*numbers)


def take_part(captured: CapturedTensor, text: str) -> "np.ndarray":
    """Return the elements that a slice leaves. Raises :class:`SliceError` with a sentence."""
    import numpy as np

    array = as_array(captured)
    try:
        return np.asarray(array[parse_slice(text)])
    except IndexError as error:
        sentence = translate("Tensors", "The slice does not match the shape {shape}.").format(
            shape=shape_text(captured.shape)
        )
        raise SliceError(sentence) from error


def present_tensor(captured: CapturedTensor, text: str, model: Graph) -> TensorView:
    """Return a tensor, or what a slice leaves of it. Raises :class:`SliceError`."""
    import numpy as np

    array = take_part(captured, text)
    ticks = present_ticks(captured, parse_slice(text))
    name = tensor_title(captured.kind, captured.name, model)
    part = shape_text(array.shape)
    if captured.is_part:
        more = translate("Tensors", "first part of a large tensor")
        part = f"{part} · {more}"
    real = np.abs(array) if np.iscomplexobj(array) else array
    flat = real.ravel()[:_LINE].astype(np.float64)
    images, pictures = _images(real, ticks)
    return TensorView(
        title=f"{kind_title(captured.kind)} · {name}",
        part=part,
        facts=_facts(captured, real),
        histogram=_histogram(real),
        table=_table(array, ticks),
        images=images,
        pictures=pictures,
        line=flat,
        dtype=dict(captured.attributes).get("dtype", ""),
        array=array,
    )


def numpy_text(array: "np.ndarray") -> str | None:
    """Return a tensor as NumPy writes it, to be typed again; None for one that is too large."""
    import numpy as np

    if array.size > _COPIED:
        return None
    if not array.size:  # what NumPy writes of it cannot be read again
        return f"zeros({array.shape}, dtype={array.dtype})"
    with np.printoptions(threshold=_COPIED + 1, floatmode="unique"):
        return repr(array)


def file_bytes(array: "np.ndarray", ending: str) -> bytes:
    """Return the content of a file: ``.npy``, or ``.csv`` with the last axis across."""
    import numpy as np

    content = io.BytesIO()
    if ending == ".csv":
        width = array.shape[-1] if array.ndim > 1 else 1
        np.savetxt(content, array.reshape(-1, width) if array.size else array, "%s", delimiter=",")
    else:
        np.save(content, array)
    return content.getvalue()


def _facts(captured: CapturedTensor, part: "np.ndarray") -> TableData:
    rows = [(f"s.{name}", name, text) for name, text in _statistics(part)]
    rows += [(name, name, text) for name, text in captured.attributes]
    columns = (
        ColumnView(key="name", title=translate("Tensors", "Attribute")),
        ColumnView(key="value", title=translate("Tensors", "Value"), kind="code"),
    )
    views = tuple(RowView(id=key, cells=(name, text)) for key, name, text in rows)
    return TableData(columns=columns, rows=views)


def _statistics(part: "np.ndarray") -> list[tuple[str, str]]:
    import numpy as np

    values = part.astype(np.float64).ravel()
    finite = values[np.isfinite(values)]
    if not finite.size:
        return [(translate("Tensors", "finite elements"), "0")]
    numbers = (
        (translate("Tensors", "mean"), finite.mean()),
        (translate("Tensors", "deviation"), finite.std()),
        (translate("Tensors", "min"), finite.min()),
        (translate("Tensors", "max"), finite.max()),
        (translate("Tensors", "norm"), np.sqrt(np.square(finite).sum())),
    )
    facts = [(title, metric_text(float(value))) for title, value in numbers]
    facts.append((translate("Tensors", "fraction of zeros"), f"{float((finite == 0).mean()):.1%}"))
    if finite.size < values.size:
        share = 1 - finite.size / values.size
        facts.append((translate("Tensors", "NaN or infinite"), f"{share:.1%}"))
    return facts


def _histogram(part: "np.ndarray") -> HistogramView:
    import numpy as np

    values = part.astype(np.float64).ravel()
    finite = values[np.isfinite(values)]
    title = translate("Tensors", "Distribution")
    if not finite.size:
        return HistogramView(title=title)
    low, high = float(finite.min()), float(finite.max())
    bins = _BINS if high > low else 1
    counts, _ = np.histogram(finite, bins=bins)
    return HistogramView(
        title=title,
        detail=f"{finite.size:,}",
        counts=tuple(counts.tolist()),
        low=metric_text(low),
        high=metric_text(high),
        description=filled(
            translate("Tensors", "{count} {count|element|elements} from {low} to {high}"),
            count=f"{finite.size:,}",
            low=metric_text(low),
            high=metric_text(high),
        ),
    )


def _matrix(array: "np.ndarray") -> "np.ndarray":
    """Return the first matrix of an array."""
    if array.ndim < 2:
        return array.reshape(-1, 1)
    return array[(0,) * (array.ndim - 2)] if array.size else array.reshape(0, array.shape[-1])


def _table(array: "np.ndarray", ticks: WordTicks) -> TableData:
    matrix = _matrix(array)[:_ROWS, :_COLUMNS]
    first = (0,) * (array.ndim - 2)
    across, down = ticks.column_words(first), ticks.row_words(first)
    columns = (
        ColumnView(key="row", title="", kind="text" if down else "count"),
        *(
            ColumnView(key=str(at), title=across[at] if across else str(at), kind="number")
            for at in range(matrix.shape[1] if matrix.ndim > 1 else 0)
        ),
    )
    rows = tuple(
        RowView(id=str(at), cells=(down[at] if down else at, *map(_cell, row)))
        for at, row in enumerate(matrix.tolist())
    )
    return TableData(columns=columns, rows=rows, empty_text=translate("Tensors", "No elements"))


def _cell(value: complex | bool) -> Cell:
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, int | float) else str(value)


def _images(part: "np.ndarray", ticks: WordTicks) -> "tuple[tuple[ImageView, ...], int]":
    """Return the first matrices of an array as pictures of one scale, colours where an axis has
    three, and how many there are. Those with words along them each have a scale of its own, and no
    colours; matrices of one element (filters of 1×1) are together one picture.
    """
    import numpy as np

    from widgets.images.view_model import ImageView

    array = part.astype(np.float32)
    has_words = ticks.rows is not None or ticks.columns is not None
    if array.shape[-2:] == (1, 1) and not has_words:
        array = array[..., 0, 0]
    if array.ndim < 2:
        array = array.reshape(1, -1)
    if not array.size:
        return (), 0
    has_colours = array.ndim > 3 and list(array.shape)[-3] == 3 and not has_words
    lead = array.shape[: -3 if has_colours else -2]
    finite = array[np.isfinite(array)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    low, high = (0.0, 0.0) if has_words else (low, high)
    every = array.reshape(-1, *array.shape[len(lead) :])
    pictures = every[:_IMAGES]
    places = [tuple(map(int, np.unravel_index(at, lead))) for at in range(len(pictures))]
    images = tuple(
        ImageView(
            pixels=pixels,
            label=", ".join(map(str, place)),
            minimum=low,
            maximum=high,
            rows=ticks.row_words(place) if has_words else (),
            columns=ticks.column_words(place) if has_words else (),
        )
        for place, pixels in zip(places, pictures, strict=True)
    )
    return images, len(every)


def shape_text(shape: tuple[int, ...] | None) -> str:
    """Return a shape as it is written everywhere; empty for one that is not known."""
    return "" if shape is None else "×".join(map(str, shape)) or translate("Tensors", "scalar")

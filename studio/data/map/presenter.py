"""Views of a map: its points in colours, samples as cards, pictures and rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.spec.browse import SampleColumn
from engine.spec.density import Density
from engine.spec.sample_map import MapColumn
from studio.data.map.density import DENSITY
from studio.data.map.layout import Layout
from studio.data.samples.state import column_title
from studio.i18n import filled, labelled, listed, translate
from studio.view.data import PART_NAMES, split_title
from studio.view.wording import metric_text
from widgets.images.view_model import ImageView
from widgets.plots.curve_data import finite_bounds
from widgets.plots.point_card import CardView
from widgets.plots.view_model import PointsView
from widgets.tables.view_model import ColumnView, RowView, TableData

Listed = tuple[ImageView, ...] | TableData
"""Samples that are selected: as pictures where they are some, else as rows."""

SHOWN = 400  # samples
NEAREST = 10
_COLUMN = "column "  # before the name of a column
_ODD = 0.5  # share of neighbours of another class
_CARD_LINES, _ROW_COLUMNS = 6, 12
_LISTED_CLASSES = 40  # a longer menu would be no help


def colorings(layout: Layout, *, has_density: bool = False) -> tuple[tuple[str, str], ...]:
    """Return what the points can be coloured by; the plane instead where samples are counted."""
    choices: list[tuple[str, str]] = []
    if has_density:
        choices.append((DENSITY, translate("Map", "Samples per cell")))
    if layout.labels is not None:
        choices.append(("class", translate("Map", "Class label")))
    choices.append(("part", translate("Map", "Split")))
    if layout.predictions is not None:
        choices.append(("predicted", translate("Map", "Predicted class")))
    if layout.is_wrong is not None:
        choices.append(("right", translate("Map", "Right or wrong")))
    if layout.oddness is not None:
        choices.append(("odd", translate("Map", "Neighbors of another class")))
    choices += [(f"{_COLUMN}{column.name}", title_of(column)) for column in layout.map.columns]
    return tuple(choices)


def default_color(layout: Layout, wanted: str) -> str:
    """Return what is coloured by: what is wanted if there is such a thing, else what says most."""
    keys = [key for key, _ in colorings(layout)]
    if wanted in keys:
        return wanted
    columns = [f"{_COLUMN}{column.name}" for column in layout.map.columns if not column.key]
    return "class" if "class" in keys else columns[-1] if columns else "part"


def title_of(column: MapColumn) -> str:
    """Return what a column is called: on the Samples page, too, where it is in no field."""
    if not column.key:
        return column.name
    return column_title(SampleColumn(key=column.key, kind="number", name=column.name))


def selections(layout: Layout) -> tuple[tuple[str, str], ...]:
    """Return what can be selected without a pointer."""
    choices = [("all", translate("Map", "All shown"))]
    if layout.is_wrong is not None:
        choices.append(("wrong", translate("Map", "Wrong predictions")))
    if layout.oddness is not None:
        choices.append(("odd", translate("Map", "Most neighbors are of another class")))
    choices += [
        ("nearest", translate("Map", "Nearest to the selection or the focused point")),
        ("invert", translate("Map", "All others")),
        ("none", translate("Map", "Nothing")),
    ]
    if layout.labels is not None:
        text = translate("Map", "Class {name}")
        choices += [
            (f"class {number}", text.format(name=name))
            for number, name in enumerate(layout.map.classes[:_LISTED_CLASSES])
        ]
    return tuple(choices)


def chosen(layout: Layout, key: str, selection: Sequence[int]) -> np.ndarray:
    """Return the positions (int64) of what a choice of :func:`selections` means that does not
    depend on what is seen. ``nearest`` adds the neighbours of what is selected.
    """
    everything = np.arange(len(layout))
    match key.split(" "):
        case ["wrong"] if layout.is_wrong is not None:
            return everything[layout.is_wrong]
        case ["odd"] if layout.oddness is not None:
            return everything[layout.oddness > _ODD]
        case ["nearest"]:
            near = layout.neighbors[list(selection), :NEAREST].flatten()
            return np.unique(np.concatenate((np.asarray(selection, np.int64), near)))
        case ["invert"]:
            return np.setdiff1d(everything, np.asarray(selection, np.int64))
        case ["class", number] if layout.labels is not None:
            return everything[layout.labels == int(number)]
        case _:
            return everything[:0]


def present_layout(layout: Layout, color: str, axes: tuple[str, str] | None = None) -> PointsView:
    """Return the points; their colours say what is chosen. With ``axes`` they lie where two of
    their columns say.
    """
    titles = {column.name: title_of(column) for column in layout.map.columns}
    dates = {column.name for column in layout.map.columns if column.is_date}
    x_label, y_label = (titles[axes[0]], titles[axes[1]]) if axes else _axes(layout)
    classes = np.zeros(len(layout), np.int64)
    labels: tuple[str, ...] = ()
    numbers = span = None
    if color == "part":
        present = sorted(set(layout.parts.tolist()))
        classes = np.searchsorted(np.asarray(present), layout.parts)
        labels = tuple(split_title(PART_NAMES[part]) for part in present)
    elif color == "class" and layout.labels is not None:
        classes, labels = layout.labels, layout.map.classes
    elif color == "predicted" and layout.predictions is not None:
        classes, labels = layout.predictions, layout.classes
    elif color == "right" and layout.is_wrong is not None:
        classes = layout.is_wrong.astype(np.int64)
        labels = (translate("Map", "Right"), translate("Map", "Wrong"))
    elif color == "odd" and layout.oddness is not None:
        numbers, span = layout.oddness, (0.0, 1.0)
    elif (found := _column(layout, color)) is not None:
        column, values = found
        if column.names:
            classes = np.clip(values.astype(np.int64), 0, len(column.names) - 1)
            labels = column.names
        else:
            numbers = values.astype(np.float64)
            span = column.ends or finite_bounds(numbers) or (0.0, 1.0)
    return PointsView(
        xy=layout.xy if axes is None else layout.plane(axes),
        classes=classes,
        labels=labels,
        numbers=numbers,
        span=span,
        x_label=x_label,
        y_label=y_label,
        is_apart=axes is not None,
        reach=None if axes is None else layout.reach(axes),
        dates=(False, False) if axes is None else (axes[0] in dates, axes[1] in dates),
    )


def present_summary(
    layout: Layout, axes: tuple[str, str] | None = None, density: Density | None = None
) -> str:
    """Return how many samples are drawn and, unless they lie by two columns (``axes``), what the
    plane holds of them; how many were counted where there is a ``density``.
    """
    told = layout.map
    if density is not None:
        text = translate("Map", "all {total} samples counted")
        texts = [text.format(total=f"{density.total:,}")]
        if density.missing:
            text = translate("Map", "{count} without a value in these columns")
            texts.append(text.format(count=f"{density.missing:,}"))
        return " · ".join(texts)
    drawn = len(layout) if axes is None else int(np.isfinite(layout.plane(axes)).all(axis=1).sum())
    texts = [
        translate("Map", "{shown} of {total} samples").format(
            shown=f"{drawn:,}", total=f"{told.total:,}"
        )
    ]
    if axes is not None:
        if drawn < len(layout):
            text = translate("Map", "{count} without a value in these columns")
            texts.append(text.format(count=f"{len(layout) - drawn:,}"))
        return " · ".join(texts)
    numbers = translate("Map", "{count} numbers each")
    if told.width > told.features:
        numbers = translate("Map", "{count} numbers each, reduced to {features}")
    texts.append(numbers.format(count=f"{told.width:,}", features=f"{told.features:,}"))
    if not layout.is_tsne:
        text = translate("Map", "the plane holds {share} of the variance")
        texts.append(text.format(share=f"{min(1.0, sum(told.shares)):.0%}"))
    if told.checkpoint:
        texts.append(translate("Map", "model of step {step}").format(step=f"{told.step:,}"))
    if told.unreadable:
        text = translate("Map", "{count} could not be read")
        texts.append(text.format(count=f"{told.unreadable:,}"))
    return " · ".join(texts)


def present_selection(selection: Sequence[int], *, of: int = 0) -> str:
    """Return how many samples are selected, and that it is among points (``of`` so many) where
    there are more samples to be seen.
    """
    if not selection:
        return ""
    if of:
        text = translate("Map", "{count} of {drawn} points drawn at random selected")
        return text.format(count=f"{len(selection):,}", drawn=f"{of:,}")
    text = filled(translate("Map", "{count} {count|sample|samples} selected"), count=len(selection))
    if len(selection) > SHOWN:
        shown = translate("Map", "the first {shown} are listed").format(shown=SHOWN)
        return listed((text, shown))
    return text


def present_card(layout: Layout, position: int) -> CardView:
    """Return what a sample is."""
    lines = [_origin(layout, position)]
    if layout.predictions is not None and layout.is_wrong is not None:
        text = translate("Map", "predicted: {name}")
        lines.append(text.format(name=layout.classes[layout.predictions[position]]))
    if layout.oddness is not None and layout.oddness[position] > 0:
        odd, count = layout.oddness[position], layout.map.neighbor_count
        text = translate("Map", "{odd} of {count} neighbors are of another class")
        lines.append(text.format(odd=round(odd * count), count=count))
    if layout.map.texts:
        lines.append(layout.map.texts[position])
    lines += [
        labelled(title_of(column), _value_text(column, float(values[position])))
        for column, values in layout.columns[:_CARD_LINES]
    ]
    if len(layout.columns) > _CARD_LINES:
        lines.append("…")
    return CardView(
        title=_label(layout, position) or f"#{layout.indices[position]}",
        lines=tuple(lines),
        image=_image(layout, position),
    )


def present_samples(layout: Layout, selection: Sequence[int]) -> Listed:
    """Return the first samples of a selection, as pictures where they are some, else as rows."""
    shown = selection[:SHOWN]
    if layout.pictures is not None:
        images = (_image(layout, position) for position in shown)
        return tuple(image for image in images if image is not None)
    return _rows(layout, shown)


def _rows(layout: Layout, shown: Sequence[int]) -> TableData:
    told = layout.map
    columns = [ColumnView(key="index", title=translate("Data", "No."), kind="count")]
    if layout.labels is not None:
        columns.append(ColumnView(key="class", title=translate("Map", "Class label")))
    if layout.is_wrong is not None:
        columns.append(ColumnView(key="predicted", title=translate("Map", "Predicted class")))
    if layout.oddness is not None:
        title = translate("Map", "Neighbors of another class")
        columns.append(ColumnView(key="odd", title=title, kind="percent"))
    if told.texts:
        columns.append(ColumnView(key="text", title=translate("Map", "Text"), width=48))
    kept = layout.columns[:_ROW_COLUMNS]
    columns += [
        ColumnView(
            key=f"column {at}", title=title_of(each), kind="text" if each.names else "number"
        )
        for at, (each, _) in enumerate(kept)
    ]
    rows: list[RowView] = []
    for position in shown:
        cells: list[str | int | float] = [int(layout.indices[position])]
        if layout.labels is not None:
            cells.append(_label(layout, position))
        if layout.predictions is not None and layout.is_wrong is not None:
            cells.append(layout.classes[layout.predictions[position]])
        if layout.oddness is not None:
            cells.append(float(layout.oddness[position]))
        if told.texts:
            cells.append(told.texts[position])
        cells += [
            _value_text(column, value) if column.names else value
            for column, value in ((each, float(values[position])) for each, values in kept)
        ]
        rows.append(RowView(id=str(position), cells=tuple(cells)))
    return TableData(columns=tuple(columns), rows=tuple(rows))


def _image(layout: Layout, position: int) -> ImageView | None:
    if layout.pictures is None:
        return None
    return ImageView(
        pixels=layout.pictures[position],
        label=_label(layout, position),
        sublabel=f"#{layout.indices[position]}",
    )


def _label(layout: Layout, position: int) -> str:
    """Return the class of a sample; with what is predicted instead of it."""
    if layout.labels is None:
        return ""
    names, label = layout.classes, layout.labels[position]
    text = names[label] if 0 <= label < len(names) else ""
    if layout.predictions is not None and layout.predictions[position] != label:
        return f"{text} → {names[layout.predictions[position]]} ✗"
    return text


def _origin(layout: Layout, position: int) -> str:
    part = int(layout.parts[position])
    number = f"#{layout.indices[position]}"
    return listed((split_title(PART_NAMES[part]), number)) if part >= 0 else number


def _value_text(column: MapColumn, value: float) -> str:
    """Return what is in a column of a sample."""
    names = column.names
    return names[int(value)] if 0 <= int(value) < len(names) else metric_text(value)


def _column(layout: Layout, color: str) -> tuple[MapColumn, NDArray[np.float32]] | None:
    name = color.removeprefix(_COLUMN)
    return next((pair for pair in layout.columns if pair[0].name == name), None)


def _axes(layout: Layout) -> tuple[str, str]:
    """Return what the axes are: none for t-SNE, whose directions mean nothing."""
    if layout.is_tsne:
        return "", ""
    text = translate("Map", "Component {number} ({share} of the variance)")
    first, second = (
        text.format(number=number, share=f"{share:.1%}")
        for number, share in enumerate(layout.map.shares, 1)
    )
    return first, second

"""Cells of the lab: shapes and memory."""

from collections.abc import Iterator, Sequence

from engine.query.lab.request import (
    BroadcastReport,
    EinsumReport,
    IndexReport,
    MemoryReport,
    TensorReport,
)
from studio.i18n import filled, translate
from widgets.cells.view_model import CellBlock, CellRow, CellView, Tone

_WIDE = 16  # cells of a storage in a row


def present_memory(tensor: TensorReport | None) -> tuple[tuple[CellBlock, ...], str]:
    """Return the elements of a tensor above the memory that they lie in, and a sentence."""
    if tensor is None:
        return (), translate("Lab", "Select a tensor in the table to see its memory layout.")
    attributes = dict(tensor.attributes)
    memory = tensor.memory
    if memory is None:
        text = translate("Lab", "{name}: only dense tensors with 1 to 64 elements can be drawn.")
        return (), text.format(name=tensor.name)
    text = translate(
        "Lab",
        "Element [i, j, …] is stored at offset + Σ index · stride. Point to a cell to "
        "highlight it on the other side.",
    )
    facts = "  ".join(
        (
            f"{tensor.name}: shape {tuple(memory.shape)}",
            f"stride {attributes.get('stride()', '')}",
            f"offset {attributes.get('storage_offset()', '')}",
            "contiguous" if tensor.is_contiguous else "not contiguous",
        )
    )
    cells = tuple(
        CellView(text=value, caption=f"#{place}", tone="chosen", key=str(place))
        for value, place in zip(memory.values, memory.places, strict=True)
    )
    above = CellBlock(title=facts, rows=tuple(_rows(cells, memory.shape)))
    return (above, _storage(memory)), text


def _storage(memory: MemoryReport) -> CellBlock:
    used: dict[int, list[str]] = {}
    for number, place in enumerate(memory.places):
        used.setdefault(place, []).append(_index(number, memory.shape))
    cells = [
        CellView(
            text=value,
            caption=f"#{place}",
            tone="chosen" if place in used else "muted",
            key=str(place),
            tooltip=" ".join(used.get(place, ())),
        )
        for place, value in enumerate(memory.cells)
    ]
    rows = tuple(
        CellRow(cells=tuple(cells[start : start + _WIDE])) for start in range(0, len(cells), _WIDE)
    )
    title = filled(
        translate("Lab", "Storage: {count} {count|element|elements} in a row"), count=len(cells)
    )
    return CellBlock(title=title, rows=rows)


def present_broadcast(report: BroadcastReport) -> tuple[CellBlock, ...]:
    """Return the two shapes and their result, aligned at the last axis."""
    if not report.axes and report.problem is not None:
        return ()
    rank = len(report.axes)
    lines = (
        (str(report.left), [axis.left for axis in report.axes]),
        (str(report.right), [axis.right for axis in report.axes]),
        (translate("Lab", "result"), [axis.result for axis in report.axes]),
    )
    rows = []
    for number, (label, sizes) in enumerate(lines):
        cells = [
            _axis_cell(size, axis.result, number, place - rank)
            for place, (size, axis) in enumerate(zip(sizes, report.axes, strict=True))
        ]
        rows.append(CellRow(label=label, cells=tuple(cells)))
    return (CellBlock(title=translate("Lab", "Axes, from the last"), rows=tuple(rows)),)


def _axis_cell(size: int, result: int, line: int, axis: int) -> CellView:
    is_result = line == 2
    tone: Tone = "plain"
    text, caption = str(size), translate("Lab", "axis {number}").format(number=axis)
    if result < 0:
        tone, text = "error", "✗" if is_result else text
    elif not is_result and size != result:
        text = f"1 → {result}" if size == 1 else f"– → {result}"
        tone = "muted"
    elif is_result:
        tone = "chosen"
    return CellView(text=text, caption=caption, tone=tone, key=str(axis))


def present_einsum(report: EinsumReport) -> tuple[tuple[CellBlock, ...], str]:
    """Return the axes of each tensor with their letters, and a sentence with the result."""
    if report.result is None:
        return (), ""
    letters = list(dict.fromkeys(each for part in report.operands for each in part.letters))
    parts = (*report.operands, report.result)
    rows = []
    for part in parts:
        is_result = part is report.result
        label = translate("Lab", "result") if is_result else part.name
        cells = tuple(
            CellView(
                text=letter,
                caption=str(size),
                series=letters.index(letter) if letter in letters else -1,
                key=letter,
            )
            for letter, size in zip(part.letters, part.shape, strict=True)
        )
        scalar = CellView(text=translate("Autograd", "scalar"), tone="chosen")
        rows.append(CellRow(label=label, cells=cells or (scalar,)))
    title = translate(
        "Lab", "Axes by letter: matching letters are multiplied, missing letters are summed over"
    )
    text = ""
    if report.summed:
        text = translate("Lab", "Summed over: {letters}").format(letters=", ".join(report.summed))
    values = " ".join(report.text.split())
    return (CellBlock(title=title, rows=tuple(rows)),), f"{text}   {values}".strip()


def present_index(report: IndexReport) -> tuple[tuple[CellBlock, ...], str]:
    """Return the tensor with what is taken marked, the result below it, and a sentence."""
    if report.problem is not None:
        return (), ""
    chosen = set(report.chosen)
    source = tuple(
        CellView(text=value, tone="chosen" if place in chosen else "muted", key=str(place))
        for place, value in enumerate(report.values)
    )
    taken = tuple(
        CellView(text=value, tone="chosen", key=str(place))
        for value, place in zip(report.result_values, report.chosen, strict=False)
    )
    text = translate("Lab", "A copy. Changing it does not change the tensor.")
    if report.is_view:
        text = translate("Lab", "A view that shares memory. Changing it changes the tensor.")
    before = translate("Lab", "Tensor of shape {shape}").format(shape=report.shape)
    after = translate("Lab", "Result of shape {shape}").format(shape=report.result_shape)
    return (
        CellBlock(title=before, rows=tuple(_rows(source, report.shape))),
        CellBlock(title=after, rows=tuple(_rows(taken, report.result_shape))),
    ), text


def _rows(cells: Sequence[CellView], shape: Sequence[int]) -> Iterator[CellRow]:
    """Break elements into rows by the last axis; the label is the index before it."""
    width = max(shape[-1], 1) if shape else 1
    for start in range(0, len(cells), width):
        label = _index(start // width, shape[:-1]) if len(shape) > 1 else ""
        yield CellRow(cells=tuple(cells[start : start + width]), label=label)


def _index(number: int, shape: Sequence[int]) -> str:
    """Return the index of an element from its number, counted row by row."""
    numbers: list[int] = []
    for size in reversed(shape):
        number, position = divmod(number, size)
        numbers.append(position)
    return f"[{', '.join(map(str, reversed(numbers)))}]"

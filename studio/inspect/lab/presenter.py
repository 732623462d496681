"""Views of an answer of the lab: tables, a picture of the graph, and text."""

import dataclasses
from collections.abc import Iterable

from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Graph
from engine.query.lab.request import LabReport, LineProblem, TensorReport
from studio.i18n import translate
from studio.inspect.graph.presenter import AutogradView, Zoom, present_autograd
from widgets.code.mark import MarkView
from widgets.tables.view_model import ColumnView, RowView, TableData

_SHORT = 60
_LETTERS = 26
NEXT_FUNCTIONS = "grad_fn.next_functions"
LINKS = frozenset({"grad_fn", NEXT_FUNCTIONS})  # attributes that the graph shows
_STRETCH = 1.4  # makes room for the two lines that the nodes get here


def present_tensors(report: LabReport) -> TableData:
    """Return a line for each tensor of the code."""
    counts: dict[int, int] = {}
    for tensor in report.tensors:
        counts[tensor.storage] = counts.get(tensor.storage, 0) + 1
    return TableData(
        columns=_columns(),
        rows=tuple(_row(tensor, counts[tensor.storage]) for tensor in report.tensors),
        empty_text=translate("Lab", "Run code that assigns tensors to variables to see them here."),
    )


def _columns() -> tuple[ColumnView, ...]:
    shared = translate("Lab", "Tensors with the same letter share memory")
    value = translate("Lab", "Value")
    return (
        ColumnView(key="name", title=translate("Lab", "Name"), kind="code", width=8),
        ColumnView(key="shape", title=translate("Lab", "Shape"), width=6),
        ColumnView(key="value", title=value, kind="code", width=9, is_elastic=True),
        ColumnView(key="grad", title="grad", kind="code", width=8, is_elastic=True),
        ColumnView(key="grad_fn", title="grad_fn", kind="code"),
        ColumnView(key="leaf", title=translate("Lab", "Leaf"), kind="flag"),
        ColumnView(key="requires_grad", title="requires_grad", kind="flag"),
        ColumnView(key="version", title="_version", kind="count"),
        ColumnView(key="storage", title=translate("Lab", "Memory"), help=shared),
        ColumnView(key="dtype", title="dtype"),
    )


def _row(tensor: TensorReport, sharing: int) -> RowView:
    letter = _letter(tensor.storage)
    cells = (
        tensor.name,
        _shape(tensor.meta.shape),
        _short(tensor.text),
        _short(tensor.grad) or "None",
        tensor.grad_fn or "None",
        tensor.is_leaf,
        tensor.requires_grad,
        tensor.version,
        letter,
        tensor.meta.dtype,
    )
    return RowView(
        id=tensor.name,
        cells=cells,
        color=tensor.storage if sharing > 1 and not tensor.arrays else -1,
        icon="warning" if tensor.arrays else "",
        tooltip=_alias(tensor) or tensor.text,
    )


def _alias(tensor: TensorReport) -> str:
    """Return what is to be minded of a tensor in the memory of an array, or nothing."""
    if not tensor.arrays:
        return ""
    text = translate(
        "Lab",
        "Shares memory with the NumPy array {names}: changing one in place changes both. "
        "torch.tensor(…) makes a copy.",
    )
    return text.format(names=", ".join(tensor.arrays))


def _letter(storage: int) -> str:
    turn, place = divmod(storage, _LETTERS)
    return chr(ord("A") + place) + (str(turn) if turn else "")


def _shape(shape: Iterable[int]) -> str:
    return "×".join(map(str, shape)) or translate("Autograd", "scalar")


def _short(text: str) -> str:
    """Return the values of a tensor in one line."""
    inside = text.removeprefix("tensor(")
    if inside != text:
        inside = inside.removesuffix(")")
    line = " ".join(inside.split()).replace("[ ", "[")
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"


def present_attributes(tensor: TensorReport | None, others: Iterable[TensorReport]) -> TableData:
    """Return every attribute of a tensor, and who shares its memory; an arrow stands before what
    the graph shows.
    """
    rows: list[tuple[str, str]] = []
    if tensor is not None:
        rows = [(name, " ".join(text.split())) for name, text in tensor.attributes]
        shared = [each.name for each in others if each.storage == tensor.storage]
        sharing = [name for name in shared if name != tensor.name]
        sharing += [translate("Lab", "{name} (NumPy array)").format(name=n) for n in tensor.arrays]
        if sharing:
            rows.insert(1, (translate("Lab", "shares memory with"), ", ".join(sharing)))
    return TableData(
        columns=(
            ColumnView(key="what", title=translate("Lab", "Attribute"), kind="code", width=27),
            ColumnView(key="value", title=translate("Lab", "Value"), kind="code", width=60),
        ),
        rows=tuple(_attribute(name, text) for name, text in rows),
        empty_text=translate("Lab", "Select a tensor to see its attributes."),
    )


def _attribute(name: str, text: str) -> RowView:
    is_link = name in LINKS and text != "None"
    return RowView(
        id=name,
        cells=(name, text),
        icon="arrow-right" if is_link else "",
        tooltip=translate("Lab", "Show in the graph (double-click)") if is_link else text,
    )


def present_graph(report: LabReport, room: tuple[float, float]) -> AutogradView:
    """Return the graph of the root with names, values and the gradients that arrived."""
    if report.graph is None:
        return AutogradView()
    names = {each.function: each.name for each in reversed(report.tensors) if each.function}
    flows = {each.function: each for each in report.flows}
    view = present_autograd(report.graph, Graph(), Zoom.FUNCTIONS, room=room)
    nodes = []
    for node in view.canvas.nodes:
        function = view.members[node.id][0]
        flow = flows.get(function)
        value, gradient = (_short(flow.value), _short(flow.gradient)) if flow else ("", "")
        order = flow.order if flow else 0
        nodes.append(
            dataclasses.replace(
                node,
                y=node.y * _STRETCH,
                title=names.get(function, node.title),
                badge=f"#{order}" if order else "",
                lines=(
                    translate("Lab", "value {text}").format(text=value or "–"),
                    translate("Lab", "gradient {text}").format(text=gradient or "–"),
                ),
            )
        )
    canvas = dataclasses.replace(view.canvas, nodes=tuple(nodes))
    return dataclasses.replace(view, canvas=canvas)


def present_output(report: LabReport) -> str:
    """Return what was printed and what expressions gave, with the number of each line."""
    lines: list[str] = []
    for output in report.outputs:
        for index, text in enumerate(output.text.split("\n")):
            number = str(output.line) if index == 0 else ""
            lines.append(f"{number:>3} {'│' if output.is_printed else '┃'} {text}")
    return "\n".join(lines)


def present_marks(problems: Iterable[LineProblem], language: str) -> tuple[MarkView, ...]:
    """Return the marks at the lines that something is wrong with."""
    return tuple(
        MarkView(
            line=each.line,
            text=sentence(each.problem, language),
            severity=each.problem.severity.value,
        )
        for each in problems
        if each.line
    )


def present_problem(problem: Diagnostic, line: int, language: str) -> str:
    """Return the sentence for a problem with its line, and PyTorch's own words below."""
    text = sentence(problem, language)
    where = translate("Lab", "Line {line}: {text}").format(line=line, text=text) if line else text
    original = problem.detail.strip().partition("\n")[0]
    is_new = original and problem.params.get("problem", "") not in (original, None)
    return f"{where}\n{original}" if is_new and original not in text else where

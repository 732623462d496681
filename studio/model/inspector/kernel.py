"""Sliding window of a convolution or pooling, and the output size by the formulas of PyTorch's
documentation.
"""

import re
from typing import NamedTuple

from engine.catalog.spec import Entry, Value
from engine.graph.analysis import TensorType
from engine.graph.model import Node
from studio.i18n import translate
from studio.view.form import value_of
from widgets.images.sliding_window import SlidingAxis, WindowView

_TYPE = re.compile(r"(?P<kind>Conv|ConvTranspose|MaxPool|AvgPool)(?P<axes>[123])d")
_ONE = SlidingAxis()


class _Axis(NamedTuple):
    """The settings along one axis of the input, and the sizes of both sides."""

    size: int
    out: int
    kernel: int
    stride: int
    dilation: int
    before: int
    after: int
    output_padding: int


def present_kernel(
    entry: Entry, node: Node, arriving: TensorType | None, leaving: TensorType | None
) -> WindowView | None:
    """Return the picture for a layer that has a kernel; None for others, and as long as the sizes
    are not known.
    """
    found = _TYPE.fullmatch(entry.key)
    if found is None or arriving is None or leaving is None:
        return None
    count = int(found["axes"])
    sizes = [each for each in arriving.shape[-count:] if isinstance(each, int)]
    outs = [each for each in leaving.shape[-count:] if isinstance(each, int)]
    if len(sizes) != count or len(outs) != count:
        return None
    axes = [_axis(entry, node, number, sizes[number], outs[number]) for number in range(count)]
    is_transposed = found["kind"] == "ConvTranspose"
    is_rounded_up = any(_values(entry, node, "ceil_mode", 0))
    slide = _stamping if is_transposed else _sliding
    pictured = [slide(axis) for axis in axes[-2:]]
    given, made = translate("Kernel", "Input"), translate("Kernel", "Output")
    return WindowView(
        axes=(pictured[0], pictured[1]) if len(pictured) > 1 else (_ONE, pictured[0]),
        large=_title(made, outs) if is_transposed else _title(given, sizes),
        small=_title(given, sizes) if is_transposed else _title(made, outs),
        lines=tuple(
            _transposed_formula(axis) if is_transposed else _formula(axis, is_up=is_rounded_up)
            for axis in dict.fromkeys(axes)
        ),
    )


def _title(name: str, sizes: list[int]) -> str:
    return f"{name} {'×'.join(map(str, sizes))}"


def _axis(entry: Entry, node: Node, number: int, size: int, out: int) -> _Axis:
    def of(name: str, default: int) -> int:
        values = _values(entry, node, name, default)
        value = values[min(number, len(values) - 1)] if values else default
        return int(value) if isinstance(value, int) else default

    kernel = of("kernel_size", 1)
    is_pool = "Pool" in entry.key
    stride = of("stride", kernel if is_pool else 1)
    dilation = of("dilation", 1)
    before = after = of("padding", 0)
    if "same" in _values(entry, node, "padding", 0):
        total = dilation * (kernel - 1)
        before, after = total // 2, total - total // 2
    return _Axis(size, out, kernel, stride, dilation, before, after, of("output_padding", 0))


def _values(entry: Entry, node: Node, name: str, default: int) -> tuple[Value, ...]:
    param = entry.param(name)
    value = default if param is None else value_of(param, node.params)
    if value is None:
        value = default
    return value if isinstance(value, tuple) else (value,)


def _sliding(axis: _Axis) -> SlidingAxis:
    """Return the kernel over the input: each place gives a cell of the output."""
    reach = (axis.out - 1) * axis.stride + axis.dilation * (axis.kernel - 1) + 1
    return SlidingAxis(
        size=axis.size,
        before=axis.before,
        after=max(axis.after, reach - axis.before - axis.size),  # rounded up it goes beyond
        taps=axis.kernel,
        stride=axis.stride,
        dilation=axis.dilation,
        count=axis.out,
    )


def _stamping(axis: _Axis) -> SlidingAxis:
    """Return the kernel over the output: each cell of the input is spread over a place."""
    reach = (axis.size - 1) * axis.stride + axis.dilation * (axis.kernel - 1) + 1
    return SlidingAxis(
        size=axis.out,
        before=axis.before,
        after=max(reach - axis.before - axis.out, 0),
        taps=axis.kernel,
        stride=axis.stride,
        dilation=axis.dilation,
        count=axis.size,
    )


def _formula(axis: _Axis, *, is_up: bool) -> str:
    padding = f"2·{axis.before}" if axis.before == axis.after else f"{axis.before + axis.after}"
    opening, closing = ("⌈", "⌉") if is_up else ("⌊", "⌋")
    reach = f"{axis.dilation}·({axis.kernel} - 1) - 1"
    inside = f"({axis.size} + {padding} - {reach}) / {axis.stride}"
    return f"{opening}{inside}{closing} + 1 = {axis.out}"


def _transposed_formula(axis: _Axis) -> str:
    reach = f"{axis.dilation}·({axis.kernel} - 1)"
    moved = f"({axis.size} - 1)·{axis.stride} - 2·{axis.before}"
    return f"{moved} + {reach} + {axis.output_padding} + 1 = {axis.out}"

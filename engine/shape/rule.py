"""Rules for what a layer or operator asks of its inputs, in the user's words, before PyTorch is
asked.

PyTorch's messages on the meta device differ from the real ones and three mistakes are not seen
there at all (wrong dtypes of linear layers and products), so the typical ones are checked here.
A rule returns a finding without node and name; both are put in later.
"""

from collections.abc import Callable, Mapping
from math import prod

import torch

from engine.catalog.spec import Entry, EntryGroup, Value
from engine.diagnostics import Diagnostic, Severity
from engine.graph.einsum import equation_fault
from engine.shape.execute import Signal, dtype_name, shown

Values = Mapping[str, Value]
Signals = Mapping[str, Signal]
Rule = Callable[[Entry, Values, Signals], Diagnostic | None]

_AXES = {1: "N, C, L", 2: "N, C, H, W", 3: "N, C, D, H, W"}
_ANY_DTYPE = frozenset(
    """
    AvgPool1d AvgPool2d AvgPool3d ChannelShuffle Embedding EmbeddingBag Flatten Hardtanh Identity
    LPPool1d LPPool2d LPPool3d LocalResponseNorm MaxPool2d MaxPool3d PairwiseDistance PixelShuffle
    PixelUnshuffle ReLU ReLU6 Sigmoid Softsign Tanh Tanhshrink Threshold Unflatten
    """.split()  # noqa: SIM905 - a list of strings would take 25 lines
)
"""Layers that compute with whole numbers as well."""

_FLOAT_OPERATORS = frozenset(
    """
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d gelu glu interpolate log_softmax
    logsigmoid max_pool1d mish rand_like silu softmax softplus std var
    """.split()  # noqa: SIM905
)
_NO_BOOL = frozenset(
    """
    AvgPool1d AvgPool2d AvgPool3d Hardtanh LocalResponseNorm MaxPool2d MaxPool3d PairwiseDistance
    ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d Softsign Tanhshrink Threshold abs
    argmax argmin avg_pool1d avg_pool2d avg_pool3d bmm ceil einsum floor matmul max_pool2d
    max_pool3d median relu round rsub sub topk
    """.split()  # noqa: SIM905
)
_NORMS = frozenset(
    {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "GroupNorm", "LayerNorm"}
)
_PRODUCTS = frozenset({"matmul", "bmm", "mm", "einsum"})
_ELEMENTWISE = frozenset(
    {"add", "sub", "mul", "div", "pow", "maximum", "minimum", "where", "masked_select"}
)
_UNSIZED = frozenset({"masked_select"})
_RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
_BATCH_SECOND = _RECURRENT | frozenset(
    {
        "MultiheadAttention",
        "Transformer",
        "TransformerDecoder",
        "TransformerDecoderLayer",
        "TransformerEncoder",
        "TransformerEncoderLayer",
    }
)
_WEIGHTED = (
    _BATCH_SECOND
    | frozenset({"Linear", "Bilinear", "RNNCell", "LSTMCell", "GRUCell"})
    | frozenset(f"Conv{kind}{count}d" for kind in ("", "Transpose") for count in (1, 2, 3))
)


def find_fault(
    entry: Entry, values: Values, signals: Signals, floating: torch.dtype
) -> Diagnostic | None:
    """Return what certainly will not work in a model whose weights are of a dtype."""
    fault = _rank(entry, values, signals) or _dtype(entry, values, signals, floating)
    if fault is not None:
        return fault
    for rule in _RULES:
        fault = rule(entry, values, signals)
        if fault is not None:
            return fault
    return None


def find_doubts(entry: Entry, values: Values, signals: Signals) -> tuple[Diagnostic, ...]:
    """Return what will work but is hardly meant."""
    doubts = (_batch_place(entry, values, signals), _channel_dropout(entry, signals))
    return tuple(doubt for doubt in doubts if doubt is not None)


def find_unsized(entry: Entry) -> Diagnostic | None:
    """Return what is told of a node whose result has a size that only the numbers decide."""
    if entry.key not in _UNSIZED:
        return None
    return Diagnostic(code="S046", severity=Severity.HINT)


def _fault(code: str, field: str | None = None, **params: str | int) -> Diagnostic:
    return Diagnostic(code=code, field=field, params={**params})


def _main(entry: Entry, signals: Signals) -> Signal | None:
    return signals.get(entry.inputs[0].name) if entry.inputs else None


def _number(values: Values, name: str) -> int:
    value = values.get(name)
    return value if isinstance(value, int) else 0


def _spatial(entry: Entry) -> int:
    key = entry.key
    is_spatial = key.startswith(("Conv", "InstanceNorm", "BatchNorm")) or "pool" in key.lower()
    return int(key[-2]) if is_spatial and key.endswith(("1d", "2d", "3d")) else 0


def _rank(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    del values
    signal = _main(entry, signals)
    count = _spatial(entry)
    if signal is None:
        return None
    rank = len(signal.shape)
    if entry.key in _BATCH_SECOND:
        allowed, axes = {3}, "N, time, features"
    elif count:
        allowed, axes = {count + 2}, _AXES[count]
        if entry.key == "BatchNorm1d":
            allowed.add(2)
        if "pool" in entry.key.lower() and not entry.key.lower().startswith("adaptive"):
            allowed.add(count + 1)  # without channels the batch takes their place, harmlessly
    else:
        return None
    is_unbatched = rank > 0 and not signal.has_batch(0) and not entry.key.startswith("BatchNorm")
    if rank in allowed or (is_unbatched and rank + 1 in allowed):
        return None
    expected = " or ".join(str(number) for number in sorted(allowed))
    return _fault("S005", expected=expected, axes=axes, actual=rank, shape=shown(signal))


def _dtype(
    entry: Entry, values: Values, signals: Signals, floating: torch.dtype
) -> Diagnostic | None:
    mask = signals.get("mask")
    if entry.key in _UNSIZED and mask is not None and dtype_name(mask.dtype) != "bool":
        return _fault("S008", expected="bool", actual=dtype_name(mask.dtype), port="mask")
    if entry.key in ("Embedding", "EmbeddingBag"):
        signal = _main(entry, signals)
        if signal is not None and dtype_name(signal.dtype) not in ("int64", "int32"):
            return _fault("S009", actual=dtype_name(signal.dtype))
        return None
    is_float = entry.group is EntryGroup.LAYER and entry.key not in _ANY_DTYPE
    is_free = (not is_float and entry.key not in _FLOAT_OPERATORS) or "Pad" in entry.key
    has_weights, expected = entry.key in _WEIGHTED, dtype_name(floating)
    for port in entry.inputs:
        signal = signals.get(port.name)
        if signal is None or port.keyword or port.name == "indices":
            continue
        name = dtype_name(signal.dtype)
        is_norm = entry.key in _NORMS and values.get("affine") is not False
        is_mixed = is_norm and (name == "float64") != (expected == "float64")
        if (name == "bool" and entry.key in _NO_BOOL) or is_mixed:
            return _fault("S008", expected=expected, actual=name, port=port.name)
        if is_free:
            continue
        if not signal.dtype.is_floating_point or (has_weights and name != expected):
            return _fault("S008", expected=expected, actual=name, port=port.name)
    return None


def _features(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Compare the number of features or channels that a layer was made for with what arrives."""
    for spec in entry.params:
        expected = values.get(spec.name)
        if not spec.auto or not isinstance(expected, int) or isinstance(expected, bool):
            continue
        signal = signals.get(spec.auto_port or entry.inputs[0].name)
        if signal is None:
            continue
        if not -len(signal.shape) <= spec.auto_axis < len(signal.shape):
            return _no_axis(spec.name, spec.auto_axis, signal, len(signal.shape))
        actual = signal.labels()[spec.auto_axis]
        if actual == expected or entry.key == "PReLU":
            continue
        is_channel = "channels" in spec.name or (
            spec.name == "num_features" and len(signal.shape) > 2
        )
        code = "S004" if is_channel else "S003"
        return _fault(code, spec.name, expected=expected, actual=actual, shape=shown(signal))
    return None


def _division(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Check numbers that must divide each other: groups, heads."""
    del signals
    pairs: list[tuple[str, str, str]] = []
    if entry.key.startswith("Conv"):
        pairs = [("S007", "in_channels", "groups"), ("S007", "out_channels", "groups")]
    elif entry.key == "GroupNorm":
        pairs = [("S007", "num_channels", "num_groups")]
    elif entry.key in _BATCH_SECOND:
        pairs = [("S013", "embed_dim", "num_heads"), ("S013", "d_model", "nhead")]
    for code, whole, part in pairs:
        size, divisor = _number(values, whole), _number(values, part)
        if size > 0 and divisor > 0 and size % divisor:
            return _fault(code, part, size=size, divisor=divisor, param=whole, by=part)
    return None


def _window(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Find a kernel that is larger than what it slides over."""
    count, signal = _spatial(entry), _main(entry, signals)
    sliding = ("Conv1", "Conv2", "Conv3", "MaxPool", "AvgPool", "max_pool", "avg_pool")
    is_sliding = entry.key.startswith(sliding)
    padding = values.get("padding", 0)
    if not is_sliding or not count or signal is None or padding == "same":
        return None
    sides = _each(0 if padding == "valid" else padding, count)
    kernels = _each(values.get("kernel_size"), count)
    dilations = _each(values.get("dilation", 1), count)
    if sides is None or kernels is None or dilations is None:
        return None
    for axis, size in enumerate(signal.shape[-count:]):
        needed = dilations[axis] * (kernels[axis] - 1) + 1
        if size + 2 * sides[axis] < needed:
            return _fault(
                "S006",
                "kernel_size",
                needed=needed,
                size=size + 2 * sides[axis],
                axis=_AXES[count].split(", ")[axis + 2],
                shape=shown(signal),
            )
    return None


def _each(value: Value, count: int) -> tuple[int, ...] | None:
    values = (value,) * count if isinstance(value, int) else value
    if not isinstance(values, tuple):
        return None
    numbers = tuple(item for item in values if isinstance(item, int))
    return numbers if len(numbers) == count else None


def _axis(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Find an axis number that what arrives does not have."""
    is_joining = bool(entry.inputs) and entry.inputs[0].variadic
    signal = next(iter(signals.values()), None) if is_joining else _main(entry, signals)
    if signal is None:
        return None
    extra = 1 if entry.key in ("unsqueeze", "stack") else 0
    rank = max(len(signal.shape) + extra, 1)
    for name in ("dim", "dim0", "dim1", "dims", "start_dim", "end_dim"):
        value = values.get(name)
        axes = value if isinstance(value, tuple) else (value,)
        for axis in axes:
            if isinstance(axis, int) and not -rank <= axis < rank:
                return _no_axis(name, axis, signal, rank)
    return None


def _no_axis(field: str, axis: int, signal: Signal, rank: int) -> Diagnostic:
    return _fault("S016", field, axis=axis, shape=shown(signal), low=-rank, high=rank - 1)


def _joined(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Check that tensors that are put together fit."""
    if entry.key not in ("cat", "stack") or len(signals) < 2:
        return None
    ordered = [signals[port] for port in sorted(signals, key=lambda port: (len(port), port))]
    shapes = "; ".join(shown(signal) for signal in ordered)
    ranks = {len(signal.shape) for signal in ordered}
    if entry.key == "stack":
        return _fault("S018", shapes=shapes) if len({s.shapes for s in ordered}) > 1 else None
    if len(ranks) > 1:
        return _fault("S014", shapes=shapes)
    rank, axis = ranks.pop(), _number(values, "dim")
    if not -rank <= axis < rank:
        return None  # said of the axis
    for other in range(rank):
        if other != axis % rank and len({signal.shape[other] for signal in ordered}) > 1:
            return _fault("S010", axis=axis, other=other, shapes=shapes)
    return None


def _product(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Check matrix products: the same dtype, the inner sizes equal."""
    del values
    if entry.key not in _PRODUCTS or len(signals) < 2:
        return None
    dtypes = sorted({dtype_name(signal.dtype) for signal in signals.values()})
    if len(dtypes) > 1:
        return _fault("S015", dtypes=", ".join(dtypes))
    if entry.key == "einsum":
        return None
    left, right = (signals[port.name] for port in entry.inputs[:2])
    needed = {"bmm": 3, "mm": 2}.get(entry.key, 0)
    for side in (left, right):
        if len(side.shape) != needed if needed else not side.shape:
            expected, rank = str(needed or 1), len(side.shape)
            axes = ", ".join(("N", "rows", "columns")[-max(needed, 1) :])
            return _fault("S005", expected=expected, axes=axes, actual=rank, shape=shown(side))
    columns, rows = left.labels()[-1], right.labels()[-2 if len(right.shape) > 1 else -1]
    if columns == rows:
        return None
    return _fault("S011", left=shown(left), right=shown(right), columns=columns, rows=rows)


def _equation(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Check that the letters of an equation fit the axes of what arrives."""
    if entry.key != "einsum":
        return None
    ordered = [signals[port] for port in sorted(signals, key=lambda port: (len(port), port))]
    return equation_fault(str(values.get("equation")), [signal.labels() for signal in ordered])


def _places(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Check that an axis that is taken apart has as many places as there are outputs."""
    signal, axis = _main(entry, signals), _number(values, "dim")
    if entry.key != "unbind" or signal is None:
        return None
    size = signal.labels()[axis]
    if size == values.get("count"):
        return None
    return _fault("S043", "count", count=_number(values, "count"), size=size, axis=axis)


def _broadcast(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Check element-wise operators: sizes equal or 1, counted from the last axis."""
    del values
    if entry.key not in _ELEMENTWISE or len(signals) < 2:
        return None
    shapes = [signal.labels() for signal in signals.values()]
    for axis in range(1, max(len(shape) for shape in shapes) + 1):
        sizes = {shape[-axis] for shape in shapes if len(shape) >= axis} - {1}
        if len(sizes) > 1:
            text = "; ".join(shown(signal) for signal in signals.values())
            sorted_sizes = sorted(str(size) for size in sizes)
            return _fault(
                "S017", axis=-axis, first=sorted_sizes[0], second=sorted_sizes[1], shapes=text
            )
    return None


def _count(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Check that reshaping keeps the number of elements, and the order of a permute."""
    signal = _main(entry, signals)
    if signal is None:
        return None
    if entry.key == "permute":
        return _order(values, signal)
    if entry.key in ("reshape", "view"):
        return _reshape_count(values, signal)
    if entry.key in ("Unflatten", "unflatten"):
        return _unflatten_count(values, signal)
    return None


def _order(values: Values, signal: Signal) -> Diagnostic | None:
    """Check that an order of axes names each of them once."""
    dims, rank = values.get("dims"), len(signal.shape)
    if not isinstance(dims, tuple):
        return None
    named = {dim % max(rank, 1) for dim in dims if isinstance(dim, int)}
    if len(dims) == len(named) == rank:
        return None
    return _fault("S027", "dims", count=len(named), rank=rank, shape=shown(signal))


def _reshape_count(values: Values, signal: Signal) -> Diagnostic | None:
    shape = values.get("shape", values.get("size"))
    if not isinstance(shape, tuple):
        return None
    sizes = [size for size in shape if isinstance(size, int)]
    known = prod(size for size in sizes if size != -1)
    totals = [prod(part) for part in signal.shapes]
    fits = [total % known == 0 if -1 in sizes and known else total == known for total in totals]
    if all(fits):
        return None
    text = ", ".join(str(size) for size in sizes)
    per_sample = totals[1] - totals[0] if signal.shape and signal.has_batch(0) else totals[0]
    return _fault("S012", "shape", wanted=text, count=per_sample, shape=shown(signal))


def _unflatten_count(values: Values, signal: Signal) -> Diagnostic | None:
    shape, axis = values.get("unflattened_size", values.get("sizes")), _number(values, "dim")
    if not isinstance(shape, tuple) or not -len(signal.shape) <= axis < len(signal.shape):
        return None
    sizes = [size for size in shape if isinstance(size, int)]
    known = prod(size for size in sizes if size != -1)
    size = signal.shape[axis]
    if (size % known == 0) if -1 in sizes and known else size == known:
        return None
    text = ", ".join(str(size) for size in sizes)
    return _fault("S028", None, wanted=text, size=size, axis=axis, shape=shown(signal))


def _chunks(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    """Find chunks of the batch that are no multiple of its size: the halves of ``2*N`` are."""
    signal, axis = _main(entry, signals), _number(values, "dim")
    if entry.key != "chunk" or signal is None:
        return None
    if not -len(signal.shape) <= axis < len(signal.shape) or not signal.has_batch(axis):
        return None
    count = _number(values, "chunks")
    if count > 0 and all(shape[axis] % count == 0 for shape in signal.shapes):
        return None
    return _fault("S045", "dim", count=count, shape=shown(signal))


def _batch_place(entry: Entry, values: Values, signals: Signals) -> Diagnostic | None:
    signal = _main(entry, signals)
    if entry.key not in _BATCH_SECOND or signal is None or len(signal.shape) != 3:
        return None
    place = 0 if values.get("batch_first") is True else 1
    if signal.has_batch(place) or not signal.has_batch(1 - place):
        return None
    doubt = "S023" if place == 1 else "S024"
    return Diagnostic(
        code=doubt,
        severity=Severity.WARNING,
        field="batch_first",
        params={"shape": shown(signal)},
    )


def _channel_dropout(entry: Entry, signals: Signals) -> Diagnostic | None:
    signal = _main(entry, signals)
    ranks = {"Dropout1d": 3, "Dropout2d": 4, "Dropout3d": 5}
    if signal is None or len(signal.shape) == ranks.get(entry.key, len(signal.shape)):
        return None
    return Diagnostic(
        code="S025",
        severity=Severity.WARNING,
        params={"expected": ranks[entry.key], "shape": shown(signal)},
    )


_RULES: tuple[Rule, ...] = (
    _features,
    _division,
    _window,
    _joined,
    _axis,
    _product,
    _equation,
    _places,
    _broadcast,
    _count,
    _chunks,
)

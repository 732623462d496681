"""Repairs of sizes that do not match: features and channels, kernels, reshapes and products."""

from collections.abc import Iterator
from math import gcd, isqrt, prod

from engine.catalog.spec import AUTO, Value
from engine.graph.edit.block_edits import SetRepeat, ShareModule
from engine.graph.model import Node
from engine.graph.repair.case import (
    Case,
    RepairProposal,
    Shape,
    insert,
    is_auto,
    known_sizes,
    remove,
    set_param,
    use_type,
    words,
)

Found = Iterator[RepairProposal | None]
_OUTPUT_SIZES = {"out_features": -1, "out_channels": 1, "hidden_size": -1, "embedding_dim": -1}
"""Parameters that decide the size of an axis of what comes out."""


def features(case: Case) -> Found:
    """S003, S004: another number of features or channels arrives than the layer was made for."""
    field = case.problem.field or ""
    shape, expected = case.shape(_port(case, field)), case.number("expected")
    is_channel = case.problem.code == "S004"
    yield from _moved_axis(case, shape, expected, is_channel=is_channel)
    if not is_channel and len(shape) > 2:
        fits = prod(known_sizes(shape)) == expected
        if fits or len(shape) > 3:
            yield insert(case, "Flatten", {}, then_auto="" if fits else field)
    actual = case.problem.params.get("actual")
    if is_auto(case, field):
        yield set_param(case, field, AUTO)
    if isinstance(actual, int) and case.entry.param(field) is not None:
        yield set_param(case, field, actual)
    if is_channel and actual == 1 and expected > 1:
        sizes: tuple[int, ...] = (-1, expected, *(-1 for _ in shape[2:]))
        yield insert(case, "expand", {"sizes": sizes}, code="F013", count=expected)
    if not is_channel and len(shape) == 3:
        yield insert(case, "Flatten", {}, then_auto=field)
    source = case.source()
    for name in ("out_features", "out_channels"):
        if source is not None and name in source.params and len(shape) in (2, 4):
            yield set_param(case, name, expected, source)


def _port(case: Case, field: str) -> str:
    param = case.entry.param(field)
    return "" if param is None else param.auto_port


def _moved_axis(case: Case, shape: Shape, expected: int, *, is_channel: bool) -> Found:
    """Put the axis that has the expected size where the layer looks for it."""
    rank = len(shape)
    target = 1 if is_channel else rank - 1
    for axis in range(1, rank):
        if axis == target or shape[axis] != expected:
            continue
        if is_channel and axis == rank - 1 and rank > 3:
            dims = (0, axis, *range(1, axis))
            yield insert(case, "permute", {"dims": dims}, code="F012")
        else:
            yield insert(case, "transpose", {"dim0": axis, "dim1": target}, code="F011")


def rank(case: Case) -> Found:
    """S005: too few or too many axes arrive."""
    shape = next((s.shape for s in case.arriving.values() if _told(case, s.shape)), case.shape())
    port = next((p for p, s in case.arriving.items() if s.shape == shape), "")
    wanted = [int(word) for word in str(case.problem.params.get("expected")).split(" or ")]
    missing = min(wanted) - len(shape)
    if missing > 0:
        yield from _added_axes(case, port, shape, missing)
    else:
        yield from _dropped_axes(case, port, shape, max(wanted))
    other = f"{case.entry.key[:-2]}{len(shape) - 2}d"
    if case.entry.key.endswith("d") and case.entry.key[-2:-1].isdigit():
        yield from _other_type(case, other if len(shape) > 2 else f"{case.entry.key[:-2]}1d")


def _told(case: Case, shape: Shape) -> bool:
    return " × ".join(str(size) for size in shape) == case.problem.params.get("shape")


def _added_axes(case: Case, port: str, shape: Shape, missing: int) -> Found:
    if missing > 1:
        if len(shape) == 2 and missing == 2 and isinstance(shape[1], int):
            yield from _unfolded(case, port, shape[1])
        return
    if shape and shape[0] != "N":
        yield insert(case, "unsqueeze", {"dim": 0}, code="F009", port=port)
    key = case.entry.key
    is_sequence = not key.endswith("d")
    code = "F010" if not is_sequence else "F014"
    yield insert(case, "unsqueeze", {"dim": 1}, code=code, port=port)
    yield insert(case, "unsqueeze", {"dim": -1}, code="F014", port=port)


def _unfolded(case: Case, port: str, size: int) -> Found:
    """Give a row of numbers the shape of a square image, grey or of three colours."""
    for channels in (1, 3):
        side = isqrt(size // channels)
        if channels * side * side == size:
            sizes = (channels, side, side)
            params: dict[str, Value] = {"dim": 1, "unflattened_size": sizes}
            yield insert(case, "Unflatten", params, code="F015", port=port, shape=_cross(sizes))


def _cross(sizes: tuple[int, ...]) -> str:
    return " × ".join(str(size) for size in sizes)


def _dropped_axes(case: Case, port: str, shape: Shape, wanted: int) -> Found:
    ones = [axis for axis, size in enumerate(shape) if size == 1 and axis]
    if len(shape) == wanted + 1:
        for axis in ones:
            yield insert(case, "squeeze", {"dim": axis}, code="F016", port=port)
    if wanted >= 2:
        start = {"start_dim": wanted - 1} if wanted > 2 else {}
        yield insert(case, "Flatten", dict(start), port=port)
        name = next((p.name for p in case.entry.params if p.auto), "")
        if name and is_auto(case, name):
            yield insert(case, "Flatten", dict(start), port=port, then_auto=name)


def _other_type(case: Case, key: str) -> Found:
    if key != case.entry.key and key[-2:-1] in "123":
        yield use_type(case, key)


def window(case: Case) -> Found:
    """S006: the kernel is larger than what it slides over."""
    kernel, needed, size = case.value("kernel_size"), case.number("needed"), case.number("size")
    if case.entry.param("padding") is not None:
        more = -(-(needed - size) // 2)
        padding_before = case.value("padding")
        if isinstance(padding_before, int):
            yield set_param(case, "padding", padding_before + more)
    sides = known_sizes(case.shape()[2:]) or (size,)
    if isinstance(kernel, int):
        yield set_param(case, "kernel_size", max(1, min(kernel, *sides)))
    elif isinstance(kernel, tuple) and len(kernel) == len(sides):
        numbers = [k for k in kernel if isinstance(k, int)]
        smaller = tuple(max(1, min(k, side)) for k, side in zip(numbers, sides, strict=False))
        yield set_param(case, "kernel_size", smaller)
    if "ool" in case.entry.key:
        yield remove(case)


def division(case: Case) -> Found:
    """S007, S013: numbers that must divide each other."""
    size, divisor = case.number("size"), case.number("divisor")
    part, whole = str(case.problem.params.get("by")), str(case.problem.params.get("param"))
    fitting = [n for n in range(min(divisor, size), 0, -1) if size % n == 0]
    other = known_sizes((case.value("out_channels"),)) if part == "groups" else ()  # type: ignore[arg-type]
    fitting = [n for n in fitting if all(o % n == 0 for o in other)] or fitting
    if fitting:
        yield set_param(case, part, fitting[0])
    if gcd(size, divisor) not in fitting[:1]:
        yield set_param(case, part, gcd(size, divisor))
    if whole == "out_channels":
        yield set_param(case, whole, -(-size // divisor) * divisor)


def reshape(case: Case) -> Found:
    """S012, S028: a shape with another number of numbers."""
    names = ("shape", "size", "unflattened_size", "sizes")
    name = next((n for n in names if case.entry.param(n) is not None), "")
    shape = case.value(name)
    if not isinstance(shape, tuple):
        return
    sizes = [size for size in shape if isinstance(size, int)]
    count = case.number("count") or case.number("size")
    per_sample = sizes[1:] if case.problem.code == "S012" and sizes[:1] == [-1] else sizes
    start = len(sizes) - len(per_sample)
    for index in reversed(range(len(per_sample))):
        rest = prod(size for axis, size in enumerate(per_sample) if axis != index)
        if rest and count % rest == 0:
            fitting = [*sizes]
            fitting[start + index] = count // rest
            yield set_param(case, name, tuple(fitting))
    for index in range(len(sizes)):
        if -1 not in sizes:
            yield set_param(case, name, (*sizes[:index], -1, *sizes[index + 1 :]))
    if case.problem.code == "S012":
        yield set_param(case, name, (-1, count))


def view(case: Case) -> Found:
    """S040: a view of numbers that do not lie one after the other."""
    yield use_type(case, "reshape")
    yield insert(case, "contiguous", {})


def missing_axis(case: Case) -> Found:
    """S016, S019, S027: an axis that is not there."""
    field, shape = case.problem.field or "", case.shape()
    param = case.entry.param(field)
    if case.problem.code == "S027" or case.entry.key == "permute":
        yield set_param(case, field, _whole_order(case.value(field), len(shape)))
    elif param is not None and not param.auto:
        value, last = case.value(field), case.number("high")
        if isinstance(value, int):
            yield set_param(case, field, last if value > 0 else 0)
            yield set_param(case, field, -1)
        elif isinstance(value, tuple):
            kept = tuple(item for item in value if _is_in(item, last))
            if kept:
                yield set_param(case, field, kept)
            yield set_param(case, field, (-1,))
    else:
        yield insert(case, "unsqueeze", {"dim": -1}, code="F014")
        yield insert(case, "unsqueeze", {"dim": 1}, code="F014")


def _is_in(item: object, last: int) -> bool:
    return isinstance(item, int) and -last - 1 <= item <= last


def _whole_order(dims: Value, count: int) -> tuple[int, ...]:
    """Return an order of axes that names each once, as near to the given one as can be."""
    given = dims if isinstance(dims, tuple) else ()
    kept = list(
        dict.fromkeys(d % count for d in given if isinstance(d, int) and -count <= d < count)
    )
    return (*kept, *(d for d in range(count) if d not in kept))


def product(case: Case) -> Found:
    """S011: the inner sizes of a product differ."""
    left, right = (port.name for port in case.entry.inputs[:2])
    for port in (right, left):
        if len(case.shape(port)) > 1:
            params: dict[str, Value] = {"dim0": -2, "dim1": -1}
            yield insert(case, "transpose", params, code="F011", port=port)


def joined(case: Case) -> Found:
    """S010, S014, S017, S018: tensors that are put together and do not fit."""
    ports = list(case.arriving)
    ranks = {port: len(case.shape(port)) for port in ports}
    least, most = min(ranks.values(), default=0), max(ranks.values(), default=0)
    if case.problem.code == "S010" and isinstance(other := case.problem.params.get("other"), int):
        yield set_param(case, "dim", other)
    for port in [port for port in ports if ranks[port] < most and most == least + 1]:
        for dim in (-1, 1):
            yield insert(case, "unsqueeze", {"dim": dim}, code="F014", port=port)
    for port in [port for port in ports if ranks[port] > least >= 2]:
        ones = [axis for axis, size in enumerate(case.shape(port)) if size == 1 and axis]
        for dim in ones[:1]:
            yield insert(case, "squeeze", {"dim": dim}, code="F016", port=port)
        yield insert(case, "Flatten", {"start_dim": least - 1} if least > 2 else {}, port=port)
    if len(ports) == 2 and least == most >= 3:
        yield from _turned(case, ports)
    if least == most and len(ports) > 1:
        yield from _projected(case, ports)
        yield from _same_size(case, ports)


def _turned(case: Case, ports: list[str]) -> Found:
    """Exchange the last two axes of one where it is the other one turned."""
    first, second = case.shape(ports[0]), case.shape(ports[1])
    if first[:-2] == second[:-2] and first[-2:] == second[-2:][::-1]:
        for port in reversed(ports):
            params: dict[str, Value] = {"dim0": -2, "dim1": -1}
            yield insert(case, "transpose", params, code="F011", port=port)


def _projected(case: Case, ports: list[str]) -> Found:
    """Bring one to the channels or features of the other, as a shortcut around layers needs it."""
    for port, other in ((ports[-1], ports[0]), (ports[0], ports[-1])):
        shape, wanted = case.shape(port), case.shape(other)
        dim = 1 if len(shape) > 3 else len(shape) - 1
        size = wanted[dim] if len(wanted) > 1 else None
        if not isinstance(size, int) or shape[dim] == size:
            continue
        if len(shape) == 4:
            params: dict[str, Value] = {"out_channels": size, "kernel_size": 1}
            yield insert(case, "Conv2d", params, port=port)
        elif len(shape) < 4:
            yield insert(case, "Linear", {"out_features": size}, port=port)


def _same_size(case: Case, ports: list[str]) -> Found:
    """Let the layer before one port give as many features or channels as arrive at the other."""
    for port, other in ((ports[-1], ports[0]), (ports[0], ports[-1])):
        source: Node | None = case.source(port)
        for name, index in _OUTPUT_SIZES.items():
            size = case.shape(other)[index] if len(case.shape(other)) > 1 else None
            if source is not None and name in source.params and isinstance(size, int):
                yield set_param(case, name, size, source)


def order(case: Case) -> Found:
    """S023, S024: the batch is not where the layer looks for it."""
    yield set_param(case, "batch_first", case.problem.code == "S023")
    yield insert(case, "transpose", {"dim0": 0, "dim1": 1}, code="F018")


def plain_dropout(case: Case) -> Found:
    """S025, R016: channels are dropped where there are none."""
    yield use_type(case, "Dropout")


def in_place(case: Case) -> Found:
    """S026, S044: a layer overwrites what others read, or what is learned."""
    yield set_param(case, "inplace", value=False)


def parts(case: Case) -> Found:
    """S043: an axis has another number of places than there are outputs."""
    yield set_param(case, "count", case.number("size"))


def untied_weights(case: Case) -> Found:
    """S031: weights that are used twice would need two sizes."""
    node = case.node
    said = words("F020", name=node.name)
    if node.shares:
        yield RepairProposal(words=said, edit=ShareModule(id=node.id))
    elif node.tied:
        yield RepairProposal(words=said, edit=SetRepeat(id=node.id, repeat=node.repeat))

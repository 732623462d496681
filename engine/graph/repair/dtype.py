"""Repairs of wrong dtypes, and what PyTorch itself refuses."""

from collections.abc import Iterator

from engine.graph.query import INPUT
from engine.graph.repair.case import Case, RepairProposal, insert, set_param

Found = Iterator[RepairProposal | None]


def dtype(case: Case) -> Found:
    """S008, S009: decimal numbers where whole ones are needed, or the other way round."""
    params = case.problem.params
    wanted = "int64" if case.problem.code == "S009" else str(params.get("expected", "float32"))
    port = str(params.get("port", ""))
    yield insert(case, "cast", {"dtype": wanted}, code="F008", port=port, dtype=wanted)
    source = case.source(port)
    if source is not None and source.type == INPUT:
        kept = "float32" if wanted == "float64" else wanted  # the run has its data in float64
        yield set_param(case, "dtype", kept, source)


def one_dtype(case: Case) -> Found:
    """S015: a product of two kinds of numbers."""
    dtypes = {arriving.dtype for arriving in case.arriving.values()}
    for name in sorted(dtypes, key=lambda name: (name != "float32", "float" not in name, name)):
        for port, arriving in case.arriving.items():
            if arriving.dtype != name:
                yield insert(case, "cast", {"dtype": name}, code="F008", port=port, dtype=name)


def fill(case: Case) -> Found:
    """S035: numbers of a kind that cannot be drawn."""
    yield set_param(case, "dtype", "float32")


def refused(case: Case) -> Found:
    """S001: what only PyTorch's own words describe; the usual remedies are tried."""
    for port, arriving in case.arriving.items():
        if not arriving.dtype.startswith("float"):
            yield insert(
                case, "cast", {"dtype": "float32"}, code="F008", port=port, dtype="float32"
            )
    rank = len(case.shape())
    if case.entry.key == "expand":
        yield from _ones_behind(case)
    if "ool" in case.entry.key and case.entry.param("padding") is not None:
        yield from _margin(case)
    if rank == 3:
        yield insert(case, "unsqueeze", {"dim": 1}, code="F010")
    if rank == 2:
        yield insert(case, "unsqueeze", {"dim": -1}, code="F014")
    if rank > 3:
        yield insert(case, "Flatten", {})


def _margin(case: Case) -> Found:
    """Bring padding and kernel together: PyTorch pads a pooling by half of its kernel at most."""
    kernel, padding = case.value("kernel_size"), case.value("padding")
    if isinstance(kernel, int) and isinstance(padding, int) and padding > kernel // 2:
        yield set_param(case, "padding", kernel // 2)
        yield set_param(case, "kernel_size", 2 * padding)


def _ones_behind(case: Case) -> Found:
    """Add axes of size 1 behind those that arrive, so that they are what is repeated."""
    shape, sizes = case.shape(), case.value("sizes")
    missing = len(sizes) - len(shape) if isinstance(sizes, tuple) else 0
    if missing > 0 and sum(not isinstance(size, int) for size in shape) <= 1:
        numbers = tuple(size if isinstance(size, int) else -1 for size in shape)
        yield insert(case, "reshape", {"shape": (*numbers, *[1] * missing)})


def value(case: Case) -> Found:
    """C0xx: a parameter that cannot have its value gets the usual one."""
    param = case.entry.param(case.problem.field or "")
    if param is None:
        return
    usual = case.entry.initial_params().get(param.name, None if param.required else param.default)
    if usual is not None or not param.required:
        yield set_param(case, param.name, usual)

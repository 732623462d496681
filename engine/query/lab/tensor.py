"""A tensor as PyTorch describes it: every attribute, its values, where it lies in memory."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.inspect.autograd import function_name, tensor_meta
from engine.query.lab.request import MemoryReport, TensorReport

_CELLS = 64  # of a storage that is drawn
_TEXT = 600
_MOST = 200  # tensors that are told of
_INSIDE = 8  # tensors of a list or tuple

# Every attribute that a tensor tells of itself (S001), by its name in Python. One that this PyTorch
# or this tensor does not have (names, is_mlc; the stride of a sparse one) is left out.
_ATTRIBUTES = (
    "dtype", "shape", "ndim", "device", "layout", "requires_grad", "is_leaf", "retains_grad",
    "output_nr", "_version", "names", "itemsize", "nbytes", "is_cpu", "is_cuda", "is_meta",
    "is_mps", "is_xpu", "is_mkldnn", "is_mlc", "is_quantized", "is_sparse", "is_sparse_csr",
    "is_nested",
)  # fmt: skip
_METHODS = (
    "numel", "stride", "storage_offset", "data_ptr", "is_contiguous", "is_floating_point",
    "is_complex", "is_signed", "is_inference", "is_pinned", "is_shared",
)  # fmt: skip

Named = dict[str, Tensor]
Arrays = Mapping[str, "np.ndarray[Any, Any]"]
NO_ARRAYS: Arrays = {}


def named_tensors(namespace: dict[str, Any]) -> Named:
    """Return the tensors of a namespace: those with a name, in lists, tuples and modules."""
    tensors: Named = {}
    for name, value in _public(namespace):
        if len(tensors) < _MOST:
            tensors.update(_tensors(name, value))
    return tensors


def named_arrays(namespace: dict[str, Any]) -> Arrays:
    """Return the NumPy arrays of a namespace that have a name."""
    return {name: value for name, value in _public(namespace) if isinstance(value, np.ndarray)}


def _public(namespace: dict[Any, Any]) -> list[tuple[str, Any]]:
    """Return what has a name: code may put anything else into its globals."""
    named = [each for each in list(namespace.items()) if isinstance(each[0], str)]
    return [each for each in named if not each[0].startswith("_")]


def _tensors(name: str, value: object) -> Iterable[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        return [(name, value)]
    if isinstance(value, nn.Module):
        return [(f"{name}.{key}", each) for key, each in value.named_parameters()]
    if isinstance(value, list | tuple):
        return [
            (f"{name}[{index}]", each)
            for index, each in enumerate(value[:_INSIDE])
            if isinstance(each, Tensor)
        ]
    return []


class TensorReader:
    """Reads tensors; numbers the memory that they lie in, in the order in which they come.
    ``arrays`` are those that they may share it with.
    """

    def __init__(self, arrays: Arrays = NO_ARRAYS) -> None:
        self._arrays = arrays
        self._storages: dict[object, int] = {}

    def report(self, name: str, tensor: Tensor, function: str = "") -> TensorReport:
        """Return all there is to know of a tensor; ``function`` is what made it."""
        grad = _grad(tensor)
        return TensorReport(
            name=name,
            meta=tensor_meta(tensor),
            text=text_of(tensor),
            grad="" if grad is None else text_of(grad),
            grad_fn="" if tensor.grad_fn is None else function_name(tensor.grad_fn),
            attributes=tuple(_attributes(tensor, grad)),
            is_leaf=tensor.is_leaf,
            requires_grad=tensor.requires_grad,
            retains_grad=tensor.retains_grad,
            is_contiguous=_told(tensor.is_contiguous) == "True",
            version=None if tensor.is_inference() else tensor._version,  # noqa: SLF001
            storage=self._storage(tensor),
            function=function,
            memory=memory_of(tensor),
            arrays=tuple(
                name for name, array in self._arrays.items() if _shares_memory(tensor, array)
            ),
        )

    def _storage(self, tensor: Tensor) -> int:
        key: object = tensor  # by identity: nothing to share
        if _has_storage(tensor) and tensor.untyped_storage().nbytes():
            key = (str(tensor.device), tensor.untyped_storage().data_ptr())
        return self._storages.setdefault(key, len(self._storages))


def _shares_memory(tensor: Tensor, array: "np.ndarray[Any, Any]") -> bool:
    """Return whether an array lies in the storage of a tensor."""
    if not _has_storage(tensor) or tensor.device.type != "cpu":
        return False
    cells = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
    return bool(np.may_share_memory(cells.numpy(), array))


def text_of(tensor: Tensor) -> str:
    """Return the values as PyTorch prints them; of a scalar the number alone."""
    detached = tensor.detach()
    if detached.dim() == 0 and _has_storage(detached):
        return texts(detached)[0]
    text = repr(detached)
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"


def memory_of(tensor: Tensor) -> MemoryReport | None:
    """Return where the elements of a small dense tensor lie, or nothing for any other."""
    if not _has_storage(tensor) or tensor.device.type != "cpu" or tensor.is_quantized:
        return None
    detached = tensor.detach()
    count = detached.untyped_storage().nbytes() // detached.element_size()
    if not 0 < count <= _CELLS or not 0 < detached.numel() <= _CELLS:
        return None
    whole = detached.as_strided((count,), (1,), 0)
    offsets = torch.arange(count).as_strided(
        detached.shape, detached.stride(), detached.storage_offset()
    )
    return MemoryReport(
        shape=tuple(detached.shape),
        values=texts(detached),
        places=tuple(offsets.flatten().tolist()),
        cells=texts(whole),
    )


def texts(tensor: Tensor) -> tuple[str, ...]:
    """Return every element as a short text, row by row."""
    return tuple(
        f"{value:.6g}" if isinstance(value, float) else str(value)
        for value in tensor.detach().flatten().tolist()
    )


def _has_storage(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided and tensor.device.type != "meta"


def _grad(tensor: Tensor) -> Tensor | None:
    """Return the gradient without the warning that PyTorch gives where there can be none."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def _attributes(tensor: Tensor, grad: Tensor | None) -> Iterable[tuple[str, str]]:
    yield "data", text_of(tensor)
    yield "grad", "None" if grad is None else text_of(grad)
    function: Any = tensor.grad_fn
    yield "grad_fn", "None" if function is None else function_name(function)
    if function is not None:
        yield (
            "grad_fn.next_functions",
            ", ".join(
                f"({'None' if each is None else function_name(each)}, {number})"
                for each, number in function.next_functions
            ),
        )
    for name in _ATTRIBUTES:
        text = _told(lambda name=name: getattr(tensor, name))
        if text:
            yield name, text
    for name in _METHODS:
        text = _told(lambda name=name: getattr(tensor, name)())
        if text:
            yield f"{name}()", hex(int(text)) if name == "data_ptr" else text
    if tensor.is_leaf or not tensor.requires_grad:
        yield "_base", "None" if tensor._base is None else text_of(tensor._base)  # noqa: SLF001


def _told(read: Callable[[], object]) -> str:
    """Return what a tensor says, or nothing where its kind has no such thing."""
    try:
        return str(read())
    except (AttributeError, RuntimeError, NotImplementedError):
        return ""

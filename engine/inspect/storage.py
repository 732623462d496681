"""The memory that a tensor lies in: which one it is, and how large."""

import torch
from torch import Tensor


def storage_of(tensor: Tensor) -> int:
    """Return what tells storages apart, also those of the meta device, which have no address."""
    last = _parts(tensor)[-1]
    # the only names that storage and tensor have there
    return last.untyped_storage()._cdata if _is_plain(last) else last._cdata  # noqa: SLF001  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


def size_of(tensor: Tensor) -> int:
    """Return the bytes of the whole memory that a tensor keeps, also where it is a part of it."""
    return sum(
        part.untyped_storage().nbytes() if _is_plain(part) else part.numel() * part.element_size()
        for part in _parts(tensor)
    )


def _is_plain(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided


def _parts(tensor: Tensor) -> tuple[Tensor, ...]:
    """Return what holds the memory of a tensor: of a sparse one its indices and its values."""
    if tensor.layout is not torch.sparse_coo:
        return (tensor,)
    # as they are: indices() and values() are only of one whose elements were put together
    return tensor._indices(), tensor._values()  # noqa: SLF001

"""Storage of a tensor: its identity and its size."""

import torch
from torch import Tensor


def storage_of(tensor: Tensor) -> int:
    """Return the identity of a storage, also on the meta device, where it has no address."""
    last = _parts(tensor)[-1]
    # there is no public name for it
    return last.untyped_storage()._cdata if _is_plain(last) else last._cdata  # noqa: SLF001  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


def size_of(tensor: Tensor) -> int:
    """Return the bytes of the whole storage of a tensor, also where it is a view of a part."""
    return sum(
        part.untyped_storage().nbytes() if _is_plain(part) else part.numel() * part.element_size()
        for part in _parts(tensor)
    )


def _is_plain(tensor: Tensor) -> bool:
    return tensor.layout is torch.strided


def _parts(tensor: Tensor) -> tuple[Tensor, ...]:
    """Return the tensors with the storages of a tensor: of a sparse one its indices and values."""
    if tensor.layout is not torch.sparse_coo:
        return (tensor,)
    # indices() and values() are defined for coalesced tensors only
    return tensor._indices(), tensor._values()  # noqa: SLF001

"""What a checkpoint says of optimizer, schedule and scaler, fitted to those of the run.

PyTorch puts into them whatever it is given: a switch (``fused``) whose kernel then writes beyond
tensors that are too small, a number in the place of a method. So the run's own say of what kind
each value is, and switches and words stay as they are there; a checkpoint tells numbers and
tensors.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor
from torch.optim import Optimizer

_BITS = 63
_LONGEST = 10_000  # numbers in a value of an optimizer's state: LBFGS keeps a list of some hundred


def fitted(found: object, own: object, name: str = "") -> object:
    """Return a value of a state as ``found``, of the kind that it is in the run's ``own``: numbers
    and tensors of the same size; all else, and what is not found, as it is there.

    Raises :class:`ValueError` for what is of another kind.
    """
    if isinstance(own, Mapping) and not isinstance(own, Counter):
        return _fitted_mapping(found, cast("Mapping[object, object]", own), name)
    if isinstance(own, list | tuple):
        return _fitted_list(found, cast("list[object] | tuple[object, ...]", own), name)
    if isinstance(own, Tensor):
        return _like(found, own, name)
    if own is None or isinstance(own, bool | str) or not isinstance(own, int | float):
        return own
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise _unfit(name)
    if isinstance(found, int) and found.bit_length() > _BITS:
        raise _unfit(name)
    return float(found) if isinstance(own, float) else found


def fitted_optimizer(optimizer: Optimizer, found: Mapping[str, object]) -> dict[str, Any]:
    """Return a state of an optimizer that it can go on with: for each weight what is of its shape
    and in its order, or was made by an optimizer that looks at the shapes itself.

    Raises :class:`ValueError` where it does not fit.
    """
    own = optimizer.state_dict()
    groups, state = found.get("param_groups"), found.get("state")
    if not isinstance(groups, list) or len(groups) != len(own["param_groups"]):
        raise _unfit("param_groups")
    if not isinstance(state, dict):
        raise _unfit("state")
    weights = [(weight, group) for group in optimizer.param_groups for weight in group["params"]]
    fitting: dict[int, dict[str, object]] = {}
    for key, known in cast("dict[object, object]", state).items():
        if type(key) is not int or not 0 <= key < len(weights) or not isinstance(known, dict):
            raise _unfit("state")
        weight, group = weights[key]
        fitting[key] = {
            str(name): _kept(value, weight, str(name), is_checked=not group.get("fused"))
            for name, value in cast("dict[object, object]", known).items()
        }
    return {
        "state": fitting,
        "param_groups": [
            _fitted_group(group, known)
            for group, known in zip(groups, own["param_groups"], strict=True)
        ],
    }


def _fitted_group(found: object, own: dict[str, object]) -> dict[str, object]:
    if not isinstance(found, dict) or found.get("params") != own["params"]:
        raise _unfit("params")
    return {**cast("dict[str, object]", fitted(found, own)), "params": own["params"]}


def _fitted_mapping(found: object, own: Mapping[object, object], name: str) -> dict[object, object]:
    if not isinstance(found, Mapping):
        raise _unfit(name)
    return {
        key: fitted(found[key], value, str(key)) if key in found else value
        for key, value in own.items()
    }


def _fitted_list(found: object, own: list[object] | tuple[object, ...], name: str) -> object:
    if not isinstance(found, list | tuple) or len(found) != len(own):
        raise _unfit(name)
    parts = [fitted(one, other, name) for one, other in zip(found, own, strict=True)]
    return parts if isinstance(own, list) else tuple(parts)


def _kept(value: object, weight: Tensor, name: str, *, is_checked: bool) -> object:
    """Return what an optimizer keeps of a weight; where its step does not look at the shapes, they
    have to be right.
    """
    if isinstance(value, list) and len(value) <= _LONGEST:
        return [_kept(one, weight, name, is_checked=is_checked) for one in value if not _nests(one)]
    if value is None or isinstance(value, bool | int | float):
        return value
    if not isinstance(value, Tensor) or value.layout != torch.strided or value.is_quantized:
        raise _unfit(name)
    if name == "step" and value.numel() == 1:
        return value.detach()
    if value.shape == weight.shape:
        return _like(value, weight.detach(), name)
    if not is_checked:
        raise _unfit(name)
    return value.detach()


def _nests(value: object) -> bool:
    if isinstance(value, list):
        raise _unfit("a list of lists")
    return False


def _like(found: object, own: Tensor, name: str) -> Tensor:
    """Return a tensor whose numbers lie in memory as those of ``own`` do."""
    if not isinstance(found, Tensor) or found.layout != own.layout or found.is_quantized:
        raise _unfit(name)
    if found.shape != own.shape:
        raise _unfit(name)
    if found.stride() == own.stride():
        return found.detach()
    return torch.empty_like(own, dtype=found.dtype, device=found.device).copy_(found.detach())


def _unfit(name: str) -> ValueError:
    return ValueError(f"{name or 'the state'} is of another kind or size")

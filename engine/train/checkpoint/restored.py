"""States of optimizer, schedule and scaler from a checkpoint, fitted to those of the run.

PyTorch loads whatever it is given: a flag (``fused``) whose kernel then writes beyond tensors that
are too small, a number in the place of a method. So the run's own state says of what kind each
value is, and its flags and strings stay; only numbers and tensors come from the checkpoint.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor
from torch.optim import Optimizer

_BITS = 63
_LONGEST = 10_000  # numbers in a value of an optimizer's state: LBFGS keeps a list of some hundred


def fitted(saved: object, own: object, name: str = "") -> object:
    """Return a value of a state as in ``saved``, of the kind that it has in the run's ``own``:
    numbers and tensors of the same size; all else, and what is missing, as in ``own``.

    Raises :class:`ValueError` for what is of another kind.
    """
    if isinstance(own, Mapping) and not isinstance(own, Counter):
        return _fitted_mapping(saved, cast("Mapping[object, object]", own), name)
    if isinstance(own, list | tuple):
        return _fitted_list(saved, cast("list[object] | tuple[object, ...]", own), name)
    if isinstance(own, Tensor):
        return _like(saved, own, name)
    if own is None or isinstance(own, bool | str) or not isinstance(own, int | float):
        return own
    if isinstance(saved, bool) or not isinstance(saved, int | float):
        raise _unfit(name)
    if isinstance(saved, int) and saved.bit_length() > _BITS:
        raise _unfit(name)
    return float(saved) if isinstance(own, float) else saved


def fitted_optimizer(optimizer: Optimizer, saved: Mapping[str, object]) -> dict[str, Any]:
    """Return a state of an optimizer that it can go on with: for each weight what is of its shape
    and in its order, or was made by an optimizer that looks at the shapes itself.

    Raises :class:`ValueError` where it does not fit.
    """
    own = optimizer.state_dict()
    groups, state = saved.get("param_groups"), saved.get("state")
    if not isinstance(groups, list) or len(groups) != len(own["param_groups"]):
        raise _unfit("param_groups")
    if not isinstance(state, dict):
        raise _unfit("state")
    weights = [(weight, group) for group in optimizer.param_groups for weight in group["params"]]
    fitting: dict[int, dict[str, object]] = {}
    for key, values in cast("dict[object, object]", state).items():
        if type(key) is not int or not 0 <= key < len(weights) or not isinstance(values, dict):
            raise _unfit("state")
        weight, group = weights[key]
        fitting[key] = {
            str(name): _kept(value, weight, str(name), is_checked=not group.get("fused"))
            for name, value in cast("dict[object, object]", values).items()
        }
    return {
        "state": fitting,
        "param_groups": [
            _fitted_group(group, values)
            for group, values in zip(groups, own["param_groups"], strict=True)
        ],
    }


def _fitted_group(saved: object, own: dict[str, object]) -> dict[str, object]:
    if not isinstance(saved, dict) or saved.get("params") != own["params"]:
        raise _unfit("params")
    return {**cast("dict[str, object]", fitted(saved, own)), "params": own["params"]}


def _fitted_mapping(saved: object, own: Mapping[object, object], name: str) -> dict[object, object]:
    if not isinstance(saved, Mapping):
        raise _unfit(name)
    return {
        key: fitted(saved[key], value, str(key)) if key in saved else value
        for key, value in own.items()
    }


def _fitted_list(saved: object, own: list[object] | tuple[object, ...], name: str) -> object:
    if not isinstance(saved, list | tuple) or len(saved) != len(own):
        raise _unfit(name)
    parts = [fitted(one, other, name) for one, other in zip(saved, own, strict=True)]
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


def _like(saved: object, own: Tensor, name: str) -> Tensor:
    """Return a tensor whose numbers lie in memory as those of ``own`` do."""
    if not isinstance(saved, Tensor) or saved.layout != own.layout or saved.is_quantized:
        raise _unfit(name)
    if saved.shape != own.shape:
        raise _unfit(name)
    if saved.stride() == own.stride():
        return saved.detach()
    return torch.empty_like(own, dtype=saved.dtype, device=saved.device).copy_(saved.detach())


def _unfit(name: str) -> ValueError:
    return ValueError(f"{name or 'the state'} is of another kind or size")

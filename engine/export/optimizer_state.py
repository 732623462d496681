"""What a checkpoint keeps of optimizers: parameter groups, and a state for each parameter."""

from collections.abc import Iterator, Mapping
from itertools import islice

from torch import Tensor

from engine.export.report import OptimizerGroup

_DEEPEST = 4  # phases.1.optimizer
_MOST = 200  # groups that are told
_LONGEST = 200  # characters of a setting


def optimizer_groups(content: Mapping[str, object]) -> tuple[OptimizerGroup, ...]:
    """Return the parameter groups of all optimizers that are somewhere in a checkpoint, in order.
    What an optimizer computes may be of any shape: only what is plain is told.
    """
    named = _optimizers({**content}, "", 0, set())
    found = (group for name, each in named for group in _groups(name, each))
    return tuple(islice(found, _MOST))


def _optimizers(
    content: Mapping[object, object], path: str, depth: int, seen: set[int]
) -> Iterator[tuple[str, Mapping[object, object]]]:
    """Yield state dictionaries of optimizers with their dotted names, each once."""
    for key, value in content.items():
        if not isinstance(value, dict) or id(value) in seen or depth >= _DEEPEST:
            continue
        seen.add(id(value))
        name = f"{path}{key}"
        if isinstance(value.get("state"), dict) and isinstance(value.get("param_groups"), list):
            yield name, value
        else:
            yield from _optimizers(value, f"{name}.", depth + 1, seen)


def _groups(name: str, optimizer: Mapping[object, object]) -> Iterator[OptimizerGroup]:
    state, groups = optimizer["state"], optimizer["param_groups"]
    assert isinstance(state, dict)
    assert isinstance(groups, list)
    for number, group in enumerate(groups):
        if not isinstance(group, dict):
            continue
        params = group.get("params")
        ids = params if isinstance(params, list) else []
        states = (state.get(each) for each in ids if isinstance(each, int | str))
        kept = list({id(own): own for own in states if isinstance(own, dict)}.values())
        tensors = [value for own in kept for value in own.values() if isinstance(value, Tensor)]
        yield OptimizerGroup(
            optimizer=name,
            number=number,
            parameters=len(ids),
            settings={str(key): _text(value) for key, value in group.items() if key != "params"},
            kept=tuple(dict.fromkeys(str(key) for own in kept for key in own)),
            steps=max((step for own in kept if (step := _step(own)) is not None), default=None),
            size_bytes=sum(value.numel() * value.element_size() for value in tensors),
        )


def _step(own: Mapping[object, object]) -> int | None:
    """Return how many steps an optimizer counted for a parameter."""
    step = own.get("step")
    if isinstance(step, Tensor) and step.numel() == 1 and not step.is_complex():
        step = step.item()
    if not isinstance(step, int | float) or not abs(step) < 2**53:  # nor one that is no number
        return None
    return int(step)


def _text(value: object) -> str:
    """Return a setting as Python writes it; of a tensor with one element its number."""
    if isinstance(value, Tensor):
        value = value.item() if value.numel() == 1 else f"tensor of {value.numel()}"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

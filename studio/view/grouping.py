"""Parameter groups of the optimizer as notes in the recipe: how much is in each."""

from collections.abc import Iterable, Sequence

from engine.spec.group import shown_parts
from engine.spec.trained_group import TrainedGroup, of_phase
from studio.i18n import translate
from studio.view.phase import phase_index
from studio.view.wording import count_text

_MOST_LINES = 12


def note_of(name: str, groups: Sequence[TrainedGroup]) -> str:
    """Return what stands below a field of the recipe, by its dotted name."""
    if name == "no_decay.biases_and_norms":
        return _decay_note(groups)
    if name == "layer_rates.decay":
        return _layer_note(groups)
    if name.partition(".")[0] in ("phase", "phases"):
        own = of_phase(groups, phase_index(name))
        return _size(own) if name.endswith(".match") and own else ""
    part, _, rest = name.partition(".")
    number, _, setting = rest.partition(".")
    if part != "groups" or setting != "match" or not number.isdecimal():
        return ""
    own = [group for group in groups if group.number == int(number) + 1]
    return _size(own) if own else ""


def _decay_note(groups: Sequence[TrainedGroup]) -> str:
    left_out = [group for group in groups if not group.decays]
    decaying = [group for group in groups if group.decays]
    text = translate("Train", "With weight decay: {decaying}\nWithout: {rest}")
    return text.format(decaying=_size(decaying), rest=_size(left_out))


def _layer_note(groups: Sequence[TrainedGroup]) -> str:
    """Return a line for each level of the model, from the output back."""
    lines: list[str] = []
    text = translate("Train", "× {factor}: {layers} ({parameters} parameters)")
    for depth in sorted({group.depth for group in groups}):
        level = [group for group in groups if group.depth == depth and group.tensors]
        if not level:
            continue
        parts = tuple(dict.fromkeys(part for group in level for part in group.parts))
        layers = shown_parts(TrainedGroup(parts=parts))
        factor = f"{level[0].ratio:.3g}"
        numbers = count_text(sum(group.parameters for group in level))
        lines.append(text.format(factor=factor, layers=layers, parameters=numbers))
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 2], "…", lines[-1]]
    return "\n".join(lines)


def _size(groups: Iterable[TrainedGroup]) -> str:
    tensors, parameters = 0, 0
    for group in groups:
        tensors, parameters = tensors + group.tensors, parameters + group.parameters
    text = translate("Train", "{parameters} parameters in {tensors} tensors")
    if tensors == 1:
        text = translate("Train", "{parameters} parameters in 1 tensor")
    return text.format(parameters=count_text(parameters), tensors=tensors)

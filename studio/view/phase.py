"""Phases of a recipe: their names, and what describes their fields."""

from collections.abc import Sequence

from engine.catalog.spec import EntryGroup
from engine.spec.phase import has_phases, phase_field, phase_list, phase_of_step
from engine.spec.run import PhaseRule, RunSpec
from studio.i18n import translate
from studio.session.run_follower import RunUpdate

_ADD = "optimizer"


def phase_title(rules: Sequence[PhaseRule], index: int) -> str:
    """Return what a phase is called in the window."""
    name = " ".join(rules[index].name.split())
    return name or translate("Train", "Phase {number}").format(number=index + 1)


def phase_choices(spec: RunSpec) -> tuple[tuple[str, str], ...]:
    """Return the phases of a recipe by their number, from 0, with what they are called; none where
    there is one alone.
    """
    rules = phase_list(spec)
    titles = [phase_title(rules, index) for index in range(len(rules))]
    return tuple((str(index), title) for index, title in enumerate(titles)) if spec.phases else ()


def phase_heading(spec: RunSpec, index: int) -> str:
    """Return the heading of the settings of a phase."""
    text = translate("Train", "Phase {number}").format(number=index + 1)
    name = " ".join(phase_list(spec)[index].name.split())
    return f"{text} · {name}" if name else text


def phase_fields_of(spec: RunSpec, index: int) -> tuple[str, ...]:
    """Return the fields of a phase in the order of the form, none of the first one while it is
    alone; for the number after the last one what adds a phase.
    """
    prefix = phase_field(index)
    if index > len(spec.phases):
        return (f"{prefix}.{_ADD}",)
    if not index and not has_phases(spec):
        return ()
    names = ["name", "match", "parameters", "steps", "start", "end"]
    if len(spec.losses) > 1 or phase_list(spec)[index].losses:
        names.insert(3, "losses")
    if index:
        names += ["optimizer", "scheduler"]
        names += ["scheduler_interval"] if spec.phases[index - 1].scheduler else []
    return tuple(f"{prefix}.{name}" for name in names)


def choice_of_phase(name: str) -> EntryGroup | None:
    """Return what is chosen in a field of a phase, if anything."""
    parts = name.split(".")
    if parts[0] != "phases" or len(parts) != 3:
        return None
    groups = {"optimizer": EntryGroup.OPTIMIZER, "scheduler": EntryGroup.SCHEDULER}
    return groups.get(parts[2])


def is_phase_name(name: str) -> bool:
    """Return whether a field is the name of a phase."""
    return name.partition(".")[0] in ("phase", "phases") and name.endswith(".name")


def phase_index(name: str) -> int:
    """Return the number, from 0, of the phase that a field is of."""
    parts = name.split(".")
    return int(parts[1]) + 1 if parts[0] == "phases" else 0


def in_phase_title(spec: RunSpec, name: str, title: str) -> str:
    """Return the title of a setting, by its dotted name, with the phase that it is of, if any."""
    if name.partition(".")[0] not in ("phase", "phases"):
        return title
    index = phase_index(name)
    if index > len(spec.phases):
        return title
    return f"{phase_heading(spec, index)} · {title}"


def of_phase(text: str, update: RunUpdate, step: int) -> str:
    """Return what is said about a step of a run, with the phase that trained in it, where steps
    differ in that.
    """
    spec = update.folder.document.spec
    phase = phase_of_step(spec, step, update.state.steps_per_epoch)
    if not phase:
        return text
    return translate("Train", "{text} ({phase})").format(text=text, phase=phase)

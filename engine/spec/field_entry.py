"""What describes a field of a run specification: its entry in the catalogue, for forms, the command
line and findings alike.
"""

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup
from engine.spec.choice import NO_CODE, Code, chosen_entry
from engine.spec.fields import SECTIONS
from engine.spec.run import RunSpec
from engine.spec.transform_field import LISTS, transform_choices


def chosen_of_field(spec: RunSpec, name: str, code: Code = NO_CODE) -> Entry | None:
    """Return what is chosen in a field or what its parameter belongs to: an optimizer, a loss."""
    parts = name.split(".")
    if parts[0] in ("phase", "phases"):
        return _entry_of_phase(spec, name)
    if parts[0] == "groups" and parts[-1] == "match":
        return catalog().entry(EntryGroup.SETTING, "group")
    if parts[0] == "schedules" and parts[-1] == "start":
        return catalog().entry(EntryGroup.SETTING, "schedule")
    if parts[0] == "losses" and parts[2:3] == ["loss"] and int(parts[1]) < len(spec.losses):
        return chosen_entry(EntryGroup.LOSS, spec.losses[int(parts[1])].loss, code)
    for prefix, group, choice in (
        *transform_choices(spec),
        ("data.source", EntryGroup.DATA, spec.data.source),
        ("optimizer", EntryGroup.OPTIMIZER, spec.optimizer),
        ("scheduler", EntryGroup.SCHEDULER, spec.scheduler),
        ("groups", EntryGroup.OPTIMIZER, spec.optimizer),
        *(
            (f"schedules.{index}.scheduler", EntryGroup.SCHEDULER, each.scheduler)
            for index, each in enumerate(spec.schedules)
        ),
    ):
        if name == prefix or name.startswith(f"{prefix}."):
            return chosen_entry(group, choice, code)
    return None


def entry_of(spec: RunSpec, name: str, code: Code = NO_CODE) -> Entry | None:
    """Return the entry of the catalogue that describes a field."""
    entry = chosen_of_field(spec, name, code)
    shared = entry_of_transforms(name)
    if shared is not None and (entry is None or shared.param(name.rpartition(".")[2])):
        return shared
    if entry is not None:
        return entry
    section = SECTIONS.get(name.rpartition(".")[0])
    return catalog().entry(EntryGroup.SETTING, section) if section else None


def _entry_of_phase(spec: RunSpec, name: str) -> Entry | None:
    """Return the entry of the catalogue that describes a field of a phase, if it is of one."""
    parts = name.split(".")
    settings = catalog().entry(EntryGroup.SETTING, "phase")
    if parts[0] == "phase":
        return settings
    if parts[0] != "phases" or len(parts) < 3:
        return None
    index = int(parts[1])
    phase = spec.phases[index] if index < len(spec.phases) else None
    if parts[2] == "optimizer":
        return chosen_entry(EntryGroup.OPTIMIZER, phase.optimizer) if phase else None
    if parts[2] == "scheduler":
        return chosen_entry(EntryGroup.SCHEDULER, phase.scheduler) if phase else None
    if parts[2] == "scheduler_interval":
        return catalog().entry(EntryGroup.SETTING, "run")
    return settings


def entry_of_transforms(name: str) -> Entry | None:
    """Return what describes the settings that every transform has, by the name of a field of one:
    whether it is enabled, where it is applied.
    """
    section, _, rest = name.partition(".")
    kind = rest.partition(".")[0]
    if section != "data" or kind not in LISTS:
        return None
    return catalog().entry(EntryGroup.SETTING, kind.removesuffix("s"))

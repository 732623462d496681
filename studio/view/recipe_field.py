"""What describes a field of the recipe: its entry in the catalogue, its title and its sentences."""

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, ParamKind
from engine.catalog.text import param_label, with_label
from engine.diagnostics import Diagnostic, sentence
from engine.spec.choice import Code, chosen_entry
from engine.spec.fields import SECTIONS, fields
from engine.spec.run import RunSpec
from engine.spec.transform_field import transform_choices
from studio.i18n import translate
from studio.view.phase import entry_of_phase, in_phase_title
from studio.view.rate import in_group
from studio.view.transform import in_transform, setting_of_transforms


def chosen_of_field(spec: RunSpec, name: str, code: Code) -> Entry | None:
    """Return what is chosen in a field or what its parameter belongs to: an optimizer, a loss."""
    parts = name.split(".")
    if parts[0] in ("phase", "phases"):
        return entry_of_phase(spec, name)
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


def entry_of(spec: RunSpec, name: str, code: Code) -> Entry | None:
    """Return the entry of the catalogue that describes a field."""
    entry = chosen_of_field(spec, name, code)
    shared = setting_of_transforms(name)
    if shared is not None and (entry is None or shared.param(name.rpartition(".")[2])):
        return shared
    if entry is not None:
        return entry
    section = SECTIONS.get(name.rpartition(".")[0])
    return catalog().entry(EntryGroup.SETTING, section) if section else None


def field_title(spec: RunSpec, name: str, language: str, code: Code) -> str:
    """Return the label of a field of the specification where it stands outside of its form: that of
    a group of parameters with the group, that of a transform with the transform.
    """
    field = fields(spec, code).get(name)
    if field is None:
        return in_transform(spec, name, name, language)
    titles = {
        "loss": translate("Train", "Loss"),
        "optimizer": translate("Train", "Optimizer"),
        "scheduler": translate("Train", "Learning rate schedule"),
        "source": translate("Data", "Data set"),
    }
    own = titles.get(field.param.name) if field.param.kind == ParamKind.CHOICE else None
    title = own or param_label(entry_of(spec, name, code), field.param, language)
    title = in_phase_title(spec, name, in_group(spec.groups, name, title))
    return in_transform(spec, name, title, language)


def field_sentence(spec: RunSpec, problem: Diagnostic, language: str, code: Code) -> str:
    """Return the sentence for a finding at a field, which it calls as the form does."""
    field = fields(spec, code).get(problem.field or "")
    if field is not None:
        entry = entry_of(spec, field.name, code)
        problem = with_label(problem, entry, field.param, language)
    return sentence(problem, language)

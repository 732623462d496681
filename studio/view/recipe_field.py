"""Titles of the fields of the recipe, and the sentences about them."""

from engine.catalog.spec import ParamKind
from engine.catalog.text import param_label, with_label
from engine.diagnostics import Diagnostic, sentence
from engine.spec.choice import Code
from engine.spec.field_entry import entry_of
from engine.spec.fields import fields
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.view.phase import in_phase_title
from studio.view.rate import in_group
from studio.view.transform import in_transform


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

"""Form fields of parameters: one way for layers, data, losses, optimizers and run settings."""

from collections.abc import Iterable, Mapping

from engine.catalog.spec import AUTO, FOLDER, Entry, ParamKind, ParamSpec, Value
from engine.catalog.text import choice_label, param_help, param_label, param_unit, with_label
from engine.diagnostics import Diagnostic, Severity, sentence
from studio.i18n import translate
from studio.view.wording import value_text
from widgets.forms.view_model import FieldView


def present_field(
    param: ParamSpec,
    value: Value,
    *,
    entry: Entry | None = None,
    name: str = "",
    resolved: int | None = None,
    problems: Iterable[Diagnostic] = (),
    language: str = "en",
) -> FieldView:
    """Return the field of a parameter. ``name`` is its dotted name where that is longer."""
    found = [with_label(problem, entry, param, language) for problem in problems]
    errors = [p for p in found if p.severity is Severity.ERROR]
    others = [p for p in found if p.severity is not Severity.ERROR]
    is_auto = param.auto and value == AUTO
    return FieldView(
        name=name or param.name,
        label=param_label(entry, param, language),
        kind="str" if param.kind is ParamKind.PATH else param.kind.value,
        text="" if is_auto else value_text(value),
        default_text=value_text(param.default),
        help=param_help(entry, param, language),
        choices=_choices(entry, param, language),
        minimum=param.minimum,
        maximum=param.maximum,
        length=param.length,
        optional=param.optional,
        is_none=param.optional and value is None,
        auto=param.auto,
        is_auto=is_auto,
        resolved="" if resolved is None else str(resolved),
        unit=param_unit(entry, param, language),
        advanced=param.advanced,
        error=sentence(errors[0], language) if errors else "",
        warning=sentence(others[0], language) if others and not errors else "",
        is_modified=not param.required and not _is_same(value, param.default),
        browse=_browse_text(param),
    )


def _browse_text(param: ParamSpec) -> str:
    """Return what the button beside a path says; nothing for what is none."""
    if param.kind is not ParamKind.PATH:
        return ""
    is_folder = FOLDER in param.choices
    return translate("Data", "Choose folder…") if is_folder else translate("Data", "Choose file…")


def value_of(param: ParamSpec, params: Mapping[str, Value]) -> Value:
    """Return the value a document gives a parameter: its own, ``auto``, or the default."""
    if param.name in params:
        return params[param.name]
    return AUTO if param.required and param.auto else param.default


def present_params(
    entry: Entry,
    values: Mapping[str, Value],
    *,
    resolved: Mapping[str, int] | None = None,
    problems: Iterable[Diagnostic] = (),
    language: str = "en",
) -> tuple[FieldView, ...]:
    """Return the fields of the parameters of an entry: of those that matter, and of those that say
    something though they do not.
    """
    known = list(problems)
    return tuple(
        present_field(
            param,
            value_of(param, values),
            entry=entry,
            resolved=(resolved or {}).get(param.name),
            problems=[p for p in known if p.field == param.name],
            language=language,
        )
        for param in entry.params
        if entry.matters(param, values) or not _is_same(value_of(param, values), param.default)
    )


def _choices(entry: Entry | None, param: ParamSpec, language: str) -> tuple[tuple[str, str], ...]:
    if param.kind not in (ParamKind.CHOICE, ParamKind.DTYPE):
        return ()
    return tuple((choice, choice_label(entry, param, choice, language)) for choice in param.choices)


def _is_same(value: Value, other: Value) -> bool:
    return type(value) is type(other) and value == other

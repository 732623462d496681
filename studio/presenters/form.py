"""Parameters as form fields: one way for layers, data, losses, optimizers and run settings."""

from collections.abc import Iterable, Mapping

from engine.catalog.spec import AUTO, ParamKind, ParamSpec, Value
from engine.diagnostics import Diagnostic, Severity, sentence
from studio.i18n import translate
from studio.presenters.wording import value_text
from widgets.forms.view_model import FieldView


def title_of(param: ParamSpec) -> str:
    """Return the label of a parameter: its own, or its name in words."""
    text = param.label or param.name.replace("_", " ")
    return translate("Catalog", text[:1].upper() + text[1:])


def present_field(
    param: ParamSpec,
    value: Value,
    *,
    name: str = "",
    resolved: int | None = None,
    problems: Iterable[Diagnostic] = (),
    language: str = "en",
) -> FieldView:
    """Return the field of a parameter. ``name`` is its dotted name where that is longer."""
    found = list(problems)
    errors = [p for p in found if p.severity is Severity.ERROR]
    others = [p for p in found if p.severity is not Severity.ERROR]
    is_auto = param.auto and value == AUTO
    return FieldView(
        name=name or param.name,
        label=title_of(param),
        kind=param.kind.value,
        text="" if is_auto else value_text(value),
        default_text=value_text(param.default),
        help=param.help,
        choices=_choices(param),
        minimum=param.minimum,
        maximum=param.maximum,
        length=param.length,
        optional=param.optional,
        is_none=param.optional and value is None,
        auto=param.auto,
        is_auto=is_auto,
        resolved="" if resolved is None else str(resolved),
        unit=param.unit,
        advanced=param.advanced,
        error=sentence(errors[0], language) if errors else "",
        warning=sentence(others[0], language) if others and not errors else "",
        is_modified=not param.required and not _is_same(value, param.default),
    )


def value_of(param: ParamSpec, params: Mapping[str, Value]) -> Value:
    """Return the value a document gives a parameter: its own, ``auto``, or the default."""
    if param.name in params:
        return params[param.name]
    return AUTO if param.required and param.auto else param.default


def present_params(
    params: Iterable[ParamSpec],
    values: Mapping[str, Value],
    *,
    prefix: str = "",
    resolved: Mapping[str, int] | None = None,
    problems: Iterable[Diagnostic] = (),
    language: str = "en",
) -> tuple[FieldView, ...]:
    """Return the fields of parameters; ``prefix`` comes before their names (``optimizer.``)."""
    known = list(problems)
    return tuple(
        present_field(
            param,
            value_of(param, values),
            name=prefix + param.name,
            resolved=(resolved or {}).get(param.name),
            problems=[p for p in known if p.field == prefix + param.name],
            language=language,
        )
        for param in params
    )


def _choices(param: ParamSpec) -> tuple[tuple[str, str], ...]:
    if param.kind not in (ParamKind.CHOICE, ParamKind.DTYPE):
        return ()
    return tuple((choice, choice) for choice in param.choices)


def _is_same(value: Value, other: Value) -> bool:
    return type(value) is type(other) and value == other

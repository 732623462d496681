"""The command that lists the settings of a project: what ``--set`` reaches."""

from argparse import Namespace
from collections.abc import Mapping

from engine.catalog.spec import FOLDER, ParamKind, ParamSpec, Value
from engine.catalog.text import entry_summary, param_help
from engine.catalog.validate import format_value, range_of
from engine.project import Project
from engine.spec.choice import Code
from engine.spec.field import Field
from engine.spec.field_entry import chosen_of_field, entry_of
from engine.spec.fields import fields
from engine.spec.run import RunSpec
from studio.cli.output import write, write_document, write_table
from studio.cli.parser import UsageError
from studio.cli.train_command import changed_spec, set_changes
from studio.cli.wording import said
from studio.installation import language

_MOST_CHOICES = 6
_CHOICES = {
    "source": "Where the samples come from.",
    "transform": "A change of each sample.",
    "batch_transform": "A change of each batch.",
    "loss": "What training makes smaller; several losses are added.",
    "optimizer": "How the weights are updated after each batch.",
    "scheduler": "How the learning rate changes during the run.",
}
_BINDING = "What the loss is given: model.OUTPUT or data.FIELD."


def settings(options: Namespace) -> int:
    """List every setting with its kind, value, default, limits and help. Raises
    :class:`UsageError` where a name is none.
    """
    project = Project.open(options.project)
    code = project.graph.code
    spec = changed_spec(project.spec, set_changes(options), code)
    listed = _named(fields(spec, code), tuple(options.names))
    documents = [_document(spec, field, code) for field in listed]
    if options.json:
        write_document({"settings": documents})
        return 0
    rows = [tuple(map(said, ("setting", "value", "default", "kind")))]
    for field, document in zip(listed, documents, strict=True):
        default = said("(required)") if document["required"] else _text(field.param.default)
        rows.append((field.name, _text(field.read(spec)), default, _kind(field.param)))
    if options.names:
        _write_details(rows, documents)
    else:
        write_table(rows)
        write(
            said("\nFor limits, choices and help of some: settings PROJECT NAME, such as optimizer")
        )
    return 0


def _named(all_fields: Mapping[str, Field], names: tuple[str, ...]) -> list[Field]:
    """Return the fields with a name or below it, in the order of the forms; all for no name."""
    for name in names:
        if not any(_is_of(each, name) for each in all_fields):
            raise UsageError(
                said("{name}: no setting has this name (“settings PROJECT” lists them)", name=name)
            )
    return [
        field
        for each, field in all_fields.items()
        if not names or any(_is_of(each, name) for name in names)
    ]


def _is_of(field: str, name: str) -> bool:
    return field == name or field.startswith(f"{name}.")


def _document(spec: RunSpec, field: Field, code: Code) -> dict[str, object]:
    """Return what there is to say about a setting; limits and choices where there are any."""
    param = field.param
    document: dict[str, object] = {
        "name": field.name,
        "kind": str(param.kind),
        "value": field.read(spec),
        "default": param.default,
        "required": param.required and not param.auto,
        "optional": param.optional,
        "help": _help(spec, field, code),
    }
    more = {
        "range": _limits(param),
        "minimum": param.minimum,
        "maximum": param.maximum,
        "choices": _choices(param),
        "unit": param.unit,
        "when": param.when,
    }
    return document | {name: value for name, value in more.items() if value not in ("", (), None)}


def _help(spec: RunSpec, field: Field, code: Code) -> str:
    """Return what a setting is about, in the language of the terminal; of a choice also what is
    chosen.
    """
    if field.param.kind == ParamKind.CHOICE and field.param.name in _CHOICES:
        chosen = chosen_of_field(spec, field.name, code)
        now = "" if chosen is None else entry_summary(chosen, language())
        return " ".join(filter(None, (_CHOICES[field.param.name], now)))
    entry = entry_of(spec, field.name, code)
    described = (entry.param(field.param.name) if entry is not None else None) or field.param
    return param_help(entry, described, language()) or _BINDING


def _limits(param: ParamSpec) -> str:
    bounds = range_of(param)
    return "" if bounds == "x" else bounds


def _choices(param: ParamSpec) -> tuple[str, ...]:
    """Return the values that a setting can have; a path says otherwise what is meant by them."""
    return () if param.kind == ParamKind.PATH else param.choices


def _kind(param: ParamSpec) -> str:
    """Return what a setting accepts, in a few words."""
    choices = _choices(param)
    if param.kind == ParamKind.CHOICE and choices:
        more = f", … ({len(choices)})" if len(choices) > _MOST_CHOICES else ""
        return f"{', '.join(choices[:_MOST_CHOICES])}{more}"
    is_folder = param.kind == ParamKind.PATH and FOLDER in param.choices
    kind = FOLDER if is_folder else str(param.kind)
    return " ".join(filter(None, (kind, _limits(param))))


def _text(value: Value) -> str:
    return "none" if value is None else format_value(value) or '""'


def _write_details(rows: list[tuple[str, ...]], fields_told: list[dict[str, object]]) -> None:
    """Write a few settings with all that there is to say about each."""
    for row, told in zip(rows[1:], fields_told, strict=True):
        name, value, default, kind = row
        choices = told.get("choices")
        words = ", ".join(map(str, choices)) if isinstance(choices, tuple) else kind
        unit = f" {told['unit']}" if "unit" in told else ""
        told_default = default if told["required"] else said("(default: {value})", value=default)
        write(f"{name}={value}{unit}  {told_default}")
        write(f"    {words}")
        write(f"    {' '.join(str(told['help']).split())}")
        if "when" in told:
            write(said("    has an effect only with {when}", when=told["when"]))

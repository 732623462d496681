"""Transforms of the data where a setting of them stands outside of their list."""

from engine.catalog.text import entry_label
from engine.spec.field_entry import entry_of_transforms
from engine.spec.run import RunSpec
from engine.spec.transform_field import transform_choices
from studio.i18n import translate


def in_transform(spec: RunSpec, name: str, title: str, language: str) -> str:
    """Return the title of a setting, by its dotted name, with the transform that it is of, if any:
    ``Transform 1 (Resize) · Size``; that of the list itself for a finding about all of them.
    """
    entry = entry_of_transforms(name)
    if entry is None:
        return title
    kind, _, rest = name.removeprefix("data.").partition(".")
    number, _, setting = rest.partition(".")
    if not number.isdecimal():
        is_batch = kind == "batch_transforms"
        return (
            translate("Data", "Batch transforms") if is_batch else translate("Data", "Transforms")
        )
    prefix = f"data.{kind}.{number}"
    types = {key: choice.type for key, _, choice in transform_choices(spec)}
    label = f"{entry_label(entry, language)} {int(number) + 1}"
    if prefix in types:
        label = f"{label} ({types[prefix]})"
    return f"{label} · {title}" if setting else label

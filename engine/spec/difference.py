"""Settings that differ between two specifications, in words for a sentence."""

from collections.abc import Iterable

from engine.spec.choice import Code
from engine.spec.data_path import with_data_at
from engine.spec.fields import fields
from engine.spec.run import RunSpec

NOTHING = "—"
_SHOWN = 5


def settings_difference(before: RunSpec, now: RunSpec, code: Code) -> tuple[str, ...]:
    """Return the settings that differ between two specifications, each with both values; none where
    all that differs is where the data lies.
    """
    specs = [with_data_at(before, now, code), now]
    if specs[0] == specs[1]:
        return ()
    values = [
        {name: str(field.read(spec)) for name, field in fields(spec, code).items()}
        for spec in specs
    ]
    names = dict.fromkeys([*values[0], *values[1]])
    pairs = {name: [one.get(name, NOTHING) for one in values] for name in names}
    return tuple(f"{name}: {old} → {new}" for name, (old, new) in pairs.items() if old != new)


def listed(names: Iterable[str]) -> str:
    """Return the first of some names, and how many more there are."""
    shown = list(names)
    more = [f"… ({len(shown) - _SHOWN})"] if len(shown) > _SHOWN else []
    return ", ".join([*shown[:_SHOWN], *more]) or NOTHING

"""Description of a setting of a run."""

from typing import Any

from engine.catalog.spec import ParamKind, ParamSpec


def setting(name: str, kind: ParamKind, label: str, text: str, **fields: Any) -> ParamSpec:
    """Return the parameter of a setting with its label and help."""
    return ParamSpec(name=name, kind=kind, label=label, help=text, **fields)

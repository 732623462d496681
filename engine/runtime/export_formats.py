"""Formats of export, by name. Loads without torch."""


def export_formats() -> tuple[str, ...]:
    """Return the formats that can be written, in the order of the form."""
    from engine.export.formats import FORMATS

    return tuple(FORMATS)


def require_format(name: str) -> None:
    """Raise :class:`DiagnosticError` (X003) when an export format is not offered."""
    from engine.export.formats import find_format

    find_format(name)

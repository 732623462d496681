"""Formats of export, by name. Loads without torch."""


def export_formats() -> tuple[str, ...]:
    """Return the formats that can be written, in the order of the form."""
    from engine.export.formats import FORMATS

    return tuple(FORMATS)


def export_texts() -> dict[str, str]:
    """Return what each format is in a few words, with the ending of its file, by name."""
    from engine.export.formats import FORMATS

    return {name: f"{each.text} ({each.suffix})" for name, each in FORMATS.items()}


def is_apart(name: str) -> bool:
    """Return whether a format is written in a process of its own, by
    :class:`engine.runtime.job.request_job.ExportJob`.
    """
    from engine.export.formats import FORMATS

    return name in FORMATS and FORMATS[name].is_apart


def require_format(name: str) -> None:
    """Raise :class:`DiagnosticError` (X003) when an export format is not offered."""
    from engine.export.formats import find_format

    find_format(name)

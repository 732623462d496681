"""Formats of export, by name. Loads without torch."""

import msgspec


class FormatEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A format: its ending, what it is in a few words, the extra of Trellis that it needs (empty:
    none), the packages that it ``needs`` beside those of Trellis, and which of them are ``missing``
    here.
    """

    name: str
    suffix: str
    text: str
    extra: str
    needs: tuple[str, ...] = ()
    missing: tuple[str, ...]


class NotOfferedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A format that cannot be written: why, and the format to take ``instead``."""

    name: str
    why: str
    instead: str


class FormatList(msgspec.Struct, frozen=True, kw_only=True):
    """All formats that can be written, and those that people ask for and that cannot."""

    formats: tuple[FormatEntry, ...]
    not_offered: tuple[NotOfferedEntry, ...]


def list_formats() -> FormatList:
    """Return the formats in the order of the form."""
    from engine.export.formats import FORMATS
    from engine.export.not_offered import NOT_OFFERED

    return FormatList(
        formats=tuple(
            FormatEntry(
                name=name,
                suffix=each.suffix,
                text=each.text,
                extra=each.extra,
                needs=each.needs,
                missing=each.missing(),
            )
            for name, each in FORMATS.items()
        ),
        not_offered=tuple(
            NotOfferedEntry(name=name, why=each.why, instead=each.instead)
            for name, each in NOT_OFFERED.items()
        ),
    )


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

"""Options of the command ``export``."""

import argparse
from typing import final

from typing_extensions import override

from studio.cli.wording import worded


@final
class _FormatTexts:
    """The formats with a few words each, looked up once the help is shown: no other command has to
    load what knows them.
    """

    @override
    def __str__(self) -> str:
        from engine.runtime import export_texts

        return "; ".join(f"{name}: {_told(text)}" for name, text in export_texts().items())


def _told(text: str) -> str:
    """Return what a format is in the language of the terminal; its ending stands in brackets."""
    words, bracket, ending = text.rpartition(" (")
    return f"{worded(words)}{bracket}{ending}"


def add_export_options(export: argparse.ArgumentParser) -> None:
    """Add the options: of which run, in which format, and where it is written."""
    export.add_argument("project", metavar="PROJECT", nargs="?", help="project folder")
    export.add_argument("--run", metavar="RUN|latest")
    export.add_argument(
        "--format",
        metavar="FORMAT",
        default=_FormatTexts(),  # is never taken, as the option is required
        help="%(default)s",
    )
    export.add_argument(
        "--output", metavar="FILE", help="output file; an existing file is replaced"
    )
    export.add_argument(
        "--list",
        action="store_true",
        help="list the formats, what each is for and needs, and those that are not offered",
    )

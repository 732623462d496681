"""Words of a report: English in the code, others in ``resources/report``."""

import math
from functools import cache
from html import escape
from pathlib import Path

from engine.decoding import decode_json
from engine.diagnostics import printable
from engine.files import read_json

_FOLDER = Path(__file__).parents[2] / "resources" / "report"
_LARGEST = 1 << 20


class Words:
    """Texts of a report in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = _texts(language)

    def __call__(self, text: str, **values: object) -> str:
        """Return a text with its values, as HTML: what comes from elsewhere is escaped."""
        safe = {name: html(value) for name, value in values.items()}
        return escape(self._texts.get(text, text), quote=False).format(**safe)

    def series(self, name: str) -> str:
        """Return the name of a series, as text: ``validation.accuracy`` as people say it."""
        part, dot, metric = name.partition(".")
        if not dot:
            return self._texts.get(name, name)
        return f"{self._texts.get(metric, metric)} ({self._texts.get(part, part)})"

    def plain(self, text: str) -> str:
        """Return a word as text that is not escaped yet."""
        return self._texts.get(text, text)


def html(value: object) -> str:
    """Return a value for HTML: no markup of it takes effect, and nothing steers a terminal."""
    return escape(printable(str(value)))


def number_text(value: float | None) -> str:
    """Return a number for people."""
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    if not math.isfinite(value):
        return str(value)
    return f"{value:.5g}"


def duration_text(seconds: float) -> str:
    """Return a time for people in every language: 0:42, 3:05, 2:10:00."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


@cache
def _texts(language: str) -> dict[str, str]:
    if language == "en":
        return {}
    return decode_json(read_json(_FOLDER / f"{language}.json", _LARGEST), dict[str, str])

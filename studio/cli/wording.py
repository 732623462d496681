"""Words of the commands in the language of the terminal: English in the code, others in a file.

A command whose lines are told by :func:`said` has all of them in one language. What is typed
(options, settings, names of parts, kinds and metrics) stays as it is in every language.
"""

from functools import cache
from pathlib import Path

from engine.decoding import decode_json
from engine.diagnostics import counted
from engine.files.read import read_json
from studio.installation import language

_FOLDER = Path(__file__).parents[2] / "resources" / "commands"
_LARGEST = 1 << 20


def said(text: str, **values: object) -> str:
    """Return a text of a command in the language of the terminal with its values, and of
    ``{count|sample|samples}`` the word that goes with the number.
    """
    return counted(worded(text), values).format(**values)


def worded(text: str) -> str:
    """Return a text of a command in the language of the terminal as it stands."""
    return _texts(language()).get(text, text)


@cache
def _texts(code: str) -> dict[str, str]:
    """Return what the English texts are in a language; nothing for English itself."""
    if code == "en":
        return {}
    return decode_json(read_json(_FOLDER / f"{code}.json", _LARGEST), dict[str, str])

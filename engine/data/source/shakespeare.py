"""Scenes of Shakespeare's plays, which ship with the program, for language models.

They are in the public domain; their order is that of the text that A. Karpathy gathered for
char-rnn (2015), of which they are the first third: Coriolanus, Richard III, Richard II.
"""

from collections.abc import Mapping
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.read.text import read_text
from engine.data.source.source import Source
from engine.data.source.text_file import text_windows

_FILE = Path(__file__).parents[3] / "resources" / "texts" / "shakespeare.txt"


def load_shakespeare(params: Mapping[str, Value]) -> Source:
    """Return windows of the text (400,000 characters): ``text`` (int64, of shape (length,)) and
    ``target``, the same one token later.

    Raises ``DiagnosticError`` (D137) for windows that are longer than the text.
    """
    return text_windows({**params, "letters": "all"}, read_text(_FILE, "utf-8"))

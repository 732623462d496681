"""Given names, which ship with the program, for language models that write names.

They are those of the United States census of 1990 (U.S. Census Bureau, *Frequently occurring first
names*, 1995), of women and of men, each once and in an order drawn by lot. Works of the United
States government are in the public domain.
"""

from collections.abc import Mapping
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.read.text import read_text
from engine.data.source.source import Source
from engine.data.source.text_file import text_windows

_FILE = Path(__file__).parents[3] / "resources" / "texts" / "names.txt"


def load_names(params: Mapping[str, Value]) -> Source:
    """Return windows of the list (5,163 names, one a line): ``text`` (int64, of shape (length,)),
    the number of each character, and ``target``, the same one character later.

    Raises ``DiagnosticError`` (D137) for windows that are longer than the list.
    """
    chosen = {**params, "tokens": "characters", "letters": "all"}
    return text_windows(chosen, read_text(_FILE, "utf-8"))

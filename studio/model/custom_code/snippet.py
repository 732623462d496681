"""Snippets that a new file of custom code starts as: short, and running at once."""

from collections.abc import Container
from pathlib import Path

from engine.graph.code import SUFFIX
from studio.i18n import QT_TRANSLATE_NOOP, translate

_FOLDER = Path(__file__).parents[3] / "resources" / "snippets"

_TITLES = {
    "functions": QT_TRANSLATE_NOOP("Snippet", "Function (operator)"),
    "layers": QT_TRANSLATE_NOOP("Snippet", "Layer without weights"),
    "weights": QT_TRANSLATE_NOOP("Snippet", "Layer with weights"),
    "gradients": QT_TRANSLATE_NOOP("Snippet", "Function with its own gradient"),
    "shapes": QT_TRANSLATE_NOOP("Snippet", "Shape assertion"),
    "losses": QT_TRANSLATE_NOOP("Snippet", "Loss"),
    "masks": QT_TRANSLATE_NOOP("Snippet", "Loss for masks (Dice)"),
    "metrics": QT_TRANSLATE_NOOP("Snippet", "Metric (torchmetrics)"),
    "initialisers": QT_TRANSLATE_NOOP("Snippet", "Initialiser"),
    "datasets": QT_TRANSLATE_NOOP("Snippet", "Data set"),
    "sequences": QT_TRANSLATE_NOOP("Snippet", "Data set with collate_fn and Sampler"),
    "streams": QT_TRANSLATE_NOOP("Snippet", "Data stream (IterableDataset)"),
    "empty": QT_TRANSLATE_NOOP("Snippet", "Empty file"),
}
_EMPTY = "empty"
_EMPTY_STEM = "mine"


def snippet_titles() -> dict[str, str]:
    """Return what a new file can begin as, by name, in words."""
    return {name: translate("Snippet", title) for name, title in _TITLES.items()}


def snippet_text(name: str, language: str) -> str:
    """Return the text of a new file. Raises FileNotFoundError for a name that there is not."""
    if name == _EMPTY:
        return "import torch\nfrom torch import Tensor, nn\n"
    return (_FOLDER / language / f"{name}{SUFFIX}.txt").read_text(encoding="utf-8")


def free_file(name: str, taken: Container[str]) -> str:
    """Return the name of a new file of a kind (``layers.py``, ``layers2.py``) that is free."""
    stem = _EMPTY_STEM if name == _EMPTY else name
    file, number = stem + SUFFIX, 2
    while file in taken:
        file, number = f"{stem}{number}{SUFFIX}", number + 1
    return file

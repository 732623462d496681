"""Submenus of the Model menu to which several features contribute."""

from studio.i18n import QT_TRANSLATE_NOOP

BLOCKS = QT_TRANSLATE_NOOP("Action", "Blocks")
WEIGHTS = QT_TRANSLATE_NOOP("Action", "Weights")

"""Submenus of Run that several features fill."""

from studio.i18n import QT_TRANSLATE_NOOP

TUNE = QT_TRANSLATE_NOOP("Action", "Tune")
REPEAT = QT_TRANSLATE_NOOP("Action", "Repeat")

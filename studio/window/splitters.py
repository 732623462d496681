"""Positions of splitter handles, kept from session to session."""

from PySide6.QtWidgets import QSplitter, QWidget

from studio.process.settings import SettingsStore


def keep_splitters(page: QWidget, settings: SettingsStore) -> QWidget:
    """Put the handles of a page where they were, remember where they are put; return the page."""
    for splitter in page.findChildren(QSplitter):
        if not splitter.objectName():
            continue
        sizes = settings.value.splitters.get(splitter.objectName(), ())
        if len(sizes) == splitter.count() and sum(sizes) > 0 and min(sizes) >= 0:
            splitter.setSizes(list(sizes))
        splitter.splitterMoved.connect(lambda _at, _index, moved=splitter: _note(moved, settings))
    return page


def _note(splitter: QSplitter, settings: SettingsStore) -> None:
    sizes = tuple(splitter.sizes())
    settings.note(splitters=settings.value.splitters | {splitter.objectName(): sizes})

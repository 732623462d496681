"""The gallery of examples: what lies below the edge of the page is built after it is seen."""

from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QPushButton

from studio.welcome.gallery import CardView, Gallery, GroupView
from tests.tiny_run import PATIENCE_S

GROUPS = tuple(
    GroupView(
        name=name,
        title=name,
        cards=(CardView(name=f"{name}-card", title=name, text="", note="", picture=QPixmap),),
    )
    for name in ("first", "image", "table")
)


def cards(gallery: Gallery) -> list[str]:
    """Return the names of the cards that are built."""
    prefix = "welcome.template."
    names = (button.objectName() for button in gallery.findChildren(QPushButton))
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def test_that_groups_after_the_first_are_built_once_the_page_is_painted(qtbot):
    gallery = Gallery(None)
    qtbot.addWidget(gallery)
    gallery.set_groups(GROUPS)
    assert cards(gallery) == ["first-card"]
    gallery.show()
    qtbot.waitUntil(lambda: len(cards(gallery)) == len(GROUPS), timeout=1000 * int(PATIENCE_S))
    assert cards(gallery) == ["first-card", "image-card", "table-card"]


def test_that_a_search_finds_in_groups_that_were_not_seen(qtbot):
    gallery = Gallery(None)
    qtbot.addWidget(gallery)
    gallery.set_groups(GROUPS)
    gallery.field.setText("table")
    assert "table-card" in cards(gallery)

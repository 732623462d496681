"""Help and guide as they are shown: no mark of emphasis or code is left as text."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QTextBlockFormat, QTextDocument

from widgets.common.help_view import HelpView

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("resources/help/*/*.md", "docs/guide*.md")
    for path in ROOT.glob(pattern)
)
MARKS = "*`"


def left_marks(document: QTextDocument) -> Iterator[str]:
    """Yield the surroundings of each mark that stands in the text of a document, code apart."""
    block = document.begin()
    while block.isValid():
        is_code = block.blockFormat().hasProperty(QTextBlockFormat.Property.BlockCodeFence)
        fragments = [] if is_code else [at.fragment() for at in block]
        plain = [each.text() for each in fragments if not each.charFormat().fontFixedPitch()]
        text = "".join(plain)
        yield from (text[max(at - 20, 0) : at + 20] for at, c in enumerate(text) if c in MARKS)
        block = block.next()


@pytest.mark.parametrize("page", PAGES)
def test_that_no_mark_of_a_page_is_left_as_text(page, qtbot):
    view = HelpView(None, "help")
    qtbot.addWidget(view)
    view.set_markdown((ROOT / page).read_text(encoding="utf-8"))
    assert list(left_marks(view.document())) == []


def test_that_marks_beside_chinese_punctuation_are_noticed(qtbot):
    view = HelpView(None, "help")
    qtbot.addWidget(view)
    view.set_markdown("或用*数据，下载数据集…*下载，`代码*`不算")
    assert list(left_marks(view.document()))

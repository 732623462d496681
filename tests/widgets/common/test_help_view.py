"""Markdown as text and links, nothing fetched."""

import sys

import pytest
from PySide6.QtCore import QUrl

from widgets.common.help_view import HelpView

HOSTILE = """# Title <script>alert(1)</script>

<img src="http://example.invalid/a.png"> and ![x](file:///etc/passwd)
<iframe src="file:///etc/passwd"></iframe> %s{0.__class__} [a](file:///etc/passwd)
"""


@pytest.mark.fault("S07")
def test_that_html_and_pictures_are_shown_as_text_and_nothing_is_opened(qtbot):
    opened = []
    watching = [True]

    def audit(event, args):
        if watching[0] and event in ("open", "socket.connect"):
            opened.append(args)

    sys.addaudithook(audit)
    view = HelpView()
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    opened.clear()
    view.set_markdown(HOSTILE)
    view.grab()
    watching[0] = False
    text = view.toPlainText()
    assert "<script>alert(1)</script>" in text
    assert '<img src="http://example.invalid/a.png">' in text
    assert "%s{0." in text
    assert "<img" not in view.toHtml()
    assert not opened


def test_that_links_are_told_and_never_followed(qtbot):
    view = HelpView()
    qtbot.addWidget(view)
    view.set_markdown("[pool](help:MaxPool2d)")
    with qtbot.waitSignal(view.topic_requested) as caught:
        view.anchorClicked.emit(QUrl("help:MaxPool2d"))
    assert caught.args == ["MaxPool2d"]
    with qtbot.waitSignal(view.link_requested):
        view.anchorClicked.emit(QUrl("https://pytorch.org"))
    with qtbot.assertNotEmitted(view.link_requested):
        view.anchorClicked.emit(QUrl("file:///etc/passwd"))
    assert "pool" in view.toPlainText()


def test_that_tables_and_code_stay_what_they_are(qtbot):
    view = HelpView()
    qtbot.addWidget(view)
    view.set_markdown("| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx < y and <b>\n```\n")
    assert "<table" in view.toHtml()
    assert "x < y and <b>" in view.toPlainText()


def test_that_tags_in_code_are_shown_as_they_are_written(qtbot):
    view = HelpView()
    qtbot.addWidget(view)
    view.set_markdown("`<pad>` (0), ``<unk>`` (1), <b>bold</b> and \\`<img src=x>\\`")
    assert view.toPlainText() == "<pad> (0), <unk> (1), <b>bold</b> and `<img src=x>`"


@pytest.mark.parametrize(
    "text", ["`a\n`<img src=x>`", "\\`<img src=x>`", "`![x](file:///a)", "``<img src=x>`"]
)
def test_that_code_that_is_none_hides_no_tag_and_no_picture(qtbot, text):
    view = HelpView()
    qtbot.addWidget(view)
    view.set_markdown(text)
    assert "<img" not in view.toHtml()

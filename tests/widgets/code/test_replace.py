import pytest

from widgets.code.code_view import CodeView
from widgets.code.highlighter import PythonHighlighter


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1\nb = 2\nc = 3\n", "a = 1\nb = 20\nc = 3\n"),
        ("x\n", ""),
        ("", "x\n"),
        ("aa", "aaa"),
        ("aaa", "aa"),
        ("# 𝛂 one\n", "# 𝛂 two\n"),
        ("one\n", "# 𝛂\n"),
    ],
)
def test_that_the_view_holds_the_new_source_whatever_stayed(qtbot, before, after):
    view = CodeView()
    qtbot.addWidget(view)
    view.set_source(before)
    view.set_source(after)
    assert view.text.toPlainText() == after


def test_that_only_changed_lines_are_coloured_again(qtbot, monkeypatch):
    coloured: list[str] = []
    monkeypatch.setattr(PythonHighlighter, "highlightBlock", lambda _, text: coloured.append(text))
    view = CodeView()
    qtbot.addWidget(view)
    lines = [f"value{i} = {i}" for i in range(100)]
    view.set_source("\n".join(lines))
    coloured.clear()
    lines[50] = "value50 = 'other'"
    view.set_source("\n".join(lines))
    assert lines[50] in coloured
    assert len(coloured) <= 2

"""Edits of lines of Python by keys: indentation and comments. Each is one step of undo."""

from collections.abc import Callable, Iterator

from PySide6.QtGui import QTextBlock, QTextCursor

STEP = 4  # spaces of one level


def indent(cursor: QTextCursor) -> None:
    """Indent the lines of the selection; without one, go to the next stop."""
    if not cursor.hasSelection():
        column = cursor.positionInBlock()
        cursor.insertText(" " * (STEP - column % STEP))
        return
    _change_lines(cursor, lambda text: " " * STEP + text if text.strip() else text)


def dedent(cursor: QTextCursor) -> None:
    """Take one level of indentation from the lines of the selection, or from the cursor's line."""
    _change_lines(cursor, lambda text: text[min(STEP, _indentation(text)) :])


def toggle_comment(cursor: QTextCursor) -> None:
    """Put ``# `` before the lines of the selection at their common indentation; where all of them
    have one already, take it away.
    """
    texts = [block.text() for block in _blocks(cursor)]
    filled = [text for text in texts if text.strip()]
    if not filled:
        return
    column = min(_indentation(text) for text in filled)
    if all(text.lstrip().startswith("#") for text in filled):
        _change_lines(cursor, _without_comment)
    else:
        _change_lines(
            cursor, lambda text: f"{text[:column]}# {text[column:]}" if text.strip() else text
        )


def break_line(cursor: QTextCursor) -> None:
    """Begin a new line as far in as Python would have it: deeper after a colon or an open bracket,
    less deep after a statement that leaves.
    """
    prefix = cursor.block().text()[: cursor.positionInBlock() - _selected_in_line(cursor)]
    depth = _indentation(prefix)
    code = prefix.split("#")[0].rstrip()
    if code.endswith((":", "(", "[", "{")):
        depth += STEP
    elif code.split()[:1] in (["return"], ["raise"], ["pass"], ["break"], ["continue"]):
        depth = max(depth - STEP, 0)
    cursor.beginEditBlock()
    cursor.insertText("\n" + " " * depth)
    cursor.endEditBlock()


def erase_back(cursor: QTextCursor) -> None:
    """Delete to the left: within the indentation, a whole level."""
    column = cursor.positionInBlock()
    prefix = cursor.block().text()[:column]
    if cursor.hasSelection() or not prefix or prefix.strip() or column % STEP:
        cursor.deletePreviousChar()
        return
    cursor.movePosition(
        QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, min(STEP, column)
    )
    cursor.removeSelectedText()


def go_home(cursor: QTextCursor, mode: QTextCursor.MoveMode) -> None:
    """Go to the first letter of the line; when there already, to its beginning."""
    block = cursor.block()
    first = block.position() + _indentation(block.text())
    cursor.setPosition(block.position() if cursor.position() == first else first, mode)


def _selected_in_line(cursor: QTextCursor) -> int:
    """Return how much of the selection stands before the cursor in its own line."""
    return max(cursor.position() - max(cursor.selectionStart(), cursor.block().position()), 0)


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _without_comment(text: str) -> str:
    if not text.strip():
        return text
    index = text.index("#")
    return text[:index] + text[index + 1 :].removeprefix(" ")


def _blocks(cursor: QTextCursor) -> Iterator[QTextBlock]:
    """Yield the lines of the selection; one of which only the beginning is selected is not one."""
    document = cursor.document()
    block = document.findBlock(cursor.selectionStart())
    end = cursor.selectionEnd()
    yield block
    while (block := block.next()).isValid() and block.position() < end:
        yield block


def _change_lines(cursor: QTextCursor, change: Callable[[str], str]) -> None:
    numbers = [block.blockNumber() for block in _blocks(cursor)]
    cursor.beginEditBlock()
    for number in numbers:
        block = cursor.document().findBlockByNumber(number)
        _put(QTextCursor(block), block.text(), change(block.text()))
    cursor.endEditBlock()


def _put(cursor: QTextCursor, old: str, new: str) -> None:
    """Change only what differs at the front of a line, so that selections stay where they are."""
    pairs = enumerate(zip(old[::-1], new[::-1], strict=False))
    end = next((index for index, (a, b) in pairs if a != b), min(len(old), len(new)))
    if old == new:
        return
    cursor.movePosition(
        QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, len(old) - end
    )
    cursor.insertText(new[: len(new) - end])

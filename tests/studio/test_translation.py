"""Every text that is seen can be translated, and everything is, in the same words."""

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QLabel

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup
from engine.catalog.text import (
    category_label,
    entry_label,
    entry_summary,
    param_help,
    param_label,
)
from studio.i18n import OF_QT, Language, translate, without_mnemonic

ROOT = Path(__file__).parents[2]
TS = ROOT / "resources" / "translations" / "trellis_zh_CN.ts"
SHOWING = {
    *("setText", "setToolTip", "setStatusTip", "setWhatsThis", "setWindowTitle", "setTitle"),
    *("setPlaceholderText", "setAccessibleName", "setAccessibleDescription", "setTabText"),
    *("setInformativeText", "showMessage", "addAction", "addMenu", "addTab", "addRow", "addItem"),
    *("QLabel", "QPushButton", "QToolButton", "QCheckBox", "QRadioButton", "QGroupBox"),
    *("QAction", "QDockWidget", "tell"),
}
FIRST_ONLY = {"tell", "setStatusTip"}  # then comes the severity
TRANSLATING = {"tr", "translate", "QT_TRANSLATE_NOOP"}
ANNOUNCED = (
    ["workspace.area", "workspace.title"],
    ["workspace.area", "workspace.help"],
    ["page.area", "page.title"],
    ["page.area", "page.help"],
    ["'Window'", "dock.title"],
)
WORD = re.compile(r"[A-Za-z]{2,}")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
SHORT = {"No.", "val."}  # words that are cut off by a point, no sentences
ALGORITHMS = {"nesterov", "amsgrad"}
NAMES = {"Trellis", "SHA-256", "PyTorch", "no_grad"}


def sources() -> Iterator[Path]:
    for folder in ("studio", "widgets"):
        for path in (ROOT / folder).rglob("*.py"):
            is_console = "cli" in path.parts or path.name in ("guard.py", "screenshot.py")
            if not is_console and not path.stem.startswith("demo"):
                yield path


def called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def calls(path: Path) -> Iterator[ast.Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def literal_words(node: ast.expr) -> str:
    """Return the words that a string of the source would show, or nothing."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value if WORD.search(node.value) else ""
    if isinstance(node, ast.JoinedStr):
        parts = (value for value in node.values if isinstance(value, ast.Constant))
        text = " ".join(str(part.value) for part in parts)
        return text if WORD.search(re.sub(r"<[^>]*>|&\w+;", "", text)) else ""
    return ""


def test_that_only_literals_are_translated_so_that_all_of_them_are_collected():
    odd = []
    for path in sources():
        for call in calls(path):
            if called(call) not in TRANSLATING or not call.args:
                continue
            is_literal = all(isinstance(arg, ast.Constant) for arg in call.args[:2])
            # titles of commands, keys, new files, racers and pages are marked where they stand
            is_marked = isinstance(call.args[0], ast.Constant) and call.args[0].value in (
                "Action",
                "Help",
                "Snippet",
                "Race",
                "Inspect",
            )
            # likewise titles of workspaces, pages and docks, in the features that announce them
            is_announced = [ast.unparse(arg) for arg in call.args[:2]] in ANNOUNCED
            owner = getattr(getattr(call.func, "value", None), "id", "")
            is_other = path.name == "i18n.py" or owner == "painter"
            if not (is_literal or is_marked or is_announced or is_other):
                odd.append(f"{path.relative_to(ROOT)}:{call.lineno}")
    assert odd == []


def test_that_no_text_of_the_window_goes_past_the_translation():
    found = []
    for path in sources():
        for call in calls(path):
            if called(call) not in SHOWING:
                continue
            shown = call.args[:1] if called(call) in FIRST_ONLY else call.args[:2]
            found += [
                f"{path.relative_to(ROOT)}:{call.lineno}: {text!r}"
                for text in filter(None, map(literal_words, shown))
                if text not in NAMES
            ]
    assert found == []


def test_that_every_text_of_the_source_was_collected():
    """Lupdate passes over calls in f-strings and in some other places."""
    known = {
        (context.findtext("name"), message.findtext("source"))
        for context in ET.parse(TS).iter("context")
        for message in context.iter("message")
    }
    texts = {source for _, source in known}
    missed = []
    for path in sources():
        for call in calls(path):
            values = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
            words = [value for value in values if isinstance(value, str)]
            if called(call) == "tr" and words:
                is_known = words[0] in texts
            elif called(call) in TRANSLATING and len(words) == 2:
                is_known = tuple(words) in known
            else:
                continue
            if not is_known:
                missed.append(f"{path.relative_to(ROOT)}:{call.lineno}: {words[-1]!r}")
    assert missed == []


def test_that_a_text_is_translated_alike_wherever_it_stands():
    seen: dict[str, set[str]] = {}
    for context in ET.parse(TS).iter("context"):
        for message in context.iter("message"):
            source = (message.findtext("source") or "").replace("&", "")
            text = re.sub(r"\(&\w\)|&", "", message.findtext("translation") or "")
            seen.setdefault(source, set()).add(text)
    # a button and a column; a wizard and a page; how many there are and what they take; where
    # something begins and where it comes from; a run and a service
    allowed = {"Step", "Back", "Next", "Resume", "Parameters", "From", "Start"}
    assert {s: t for s, t in seen.items() if len(t) > 1 and s not in allowed} == {}


def test_that_the_translation_keeps_quotes_dots_and_spaces_chinese():
    wrong = []
    for message in ET.parse(TS).iter("message"):
        source, text = message.findtext("source") or "", message.findtext("translation") or ""
        if (
            source.endswith(".")
            and source not in SHORT
            and not text.endswith(("。", "）", "}", "…"))
        ):
            wrong.append(text)
        if source.endswith("…") != text.endswith("…"):
            wrong.append(text)
        if text != text.strip() or (
            CHINESE.search(text) and re.search(r"[\u4e00-\u9fff][,;?!]", text)
        ):
            wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize("group", EntryGroup)
def test_that_the_catalogue_speaks_chinese(group):
    assert [text for entry in catalog().group(group) for text in gaps(entry)] == []


def gaps(entry: Entry) -> Iterator[str]:
    if not CHINESE.search(category_label(entry.category, "zh_CN")):
        yield f"{entry.category}: category"
    if re.search(r"[a-z]{3,} [a-z]{2,}", entry.summary) and not CHINESE.search(
        entry_summary(entry, "zh_CN")
    ):
        yield f"{entry.key}: summary"
    if entry.label and " " in entry.label and entry_label(entry, "zh_CN") == entry.label:
        yield f"{entry.key}: label"
    for param in entry.params:
        label = param_label(entry, param, "en")
        is_word = len(param.name) > 2 and label.casefold() not in ALGORITHMS
        if is_word and param_label(entry, param, "zh_CN") == label:
            yield f"{entry.key}.{param.name}: label"
        if param.help and not CHINESE.search(param_help(entry, param, "zh_CN")):
            yield f"{entry.key}.{param.name}: help"


def test_that_qts_own_dialog_of_files_is_chinese_throughout(qtbot) -> None:
    language = Language()
    language.switch("zh_CN")
    try:
        dialog = QFileDialog()
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        qtbot.addWidget(dialog)
        shown = [label.text() for label in dialog.findChildren(QLabel)]
        assert len(shown) >= 3
        shown += [translate(context, text) for context, text in OF_QT]
    finally:
        language.switch("en")
    for text in shown:
        plain = without_mnemonic(re.sub(r"<\w+>|</\w+>|%\d", "", text))
        assert not WORD.search(plain), text
        assert CHINESE.search(plain)

"""Edits of the selected samples in the window, each a step of undo; the host is played."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from engine.query.data.request import NameSamples
from engine.spec.browse import EDIT, SampleColumn, SampleColumns, SampleNames, SampleRow
from engine.spec.data_edits import SampleEdit
from studio.data.samples.edit_dialog import RelabelDialog, TagDialog
from tests.studio.data.samples.played import COLUMNS, PlayedSamples

COUNT = 300
OWN_CLASS = "0"
KIND = SampleColumn(key=EDIT, kind="edit")


class EditedSamples(PlayedSamples):
    """Samples that are called by their number; those that are edited say how."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.edits: dict[str, SampleEdit] = {}

    def answers(self):
        def listed(request):
            self.edits = request.data.edits.samples
            columns = (*COLUMNS, KIND) if self.edits else COLUMNS
            self.columns = columns
            return SampleColumns(samples=self.count, columns=columns, pictures=self.pictures)

        played = super().answers()
        first = next(iter(played))
        return played | {
            first: listed,
            NameSamples: lambda request: SampleNames(
                names=tuple(f"s{at}" for at in request.indices),
                labels=(OWN_CLASS,) * len(request.indices),
            ),
        }

    def row(self, at: int) -> SampleRow:
        cells = super().row(at).cells[: len(COLUMNS)]
        edit = self.edits.get(f"s{at}", SampleEdit())
        kind = "excluded" if edit.excluded else "relabelled" if edit.label else None
        return SampleRow(index=at, cells=(*cells, kind)[: len(self.columns)])

    def _meets(self, at, condition):
        if condition.kind == "missing":
            return (self.row(at).cells[-1] is None) is not condition.is_not
        return super()._meets(at, condition)


@pytest.fixture
def host(host):
    host.own |= EditedSamples(COUNT).answers()
    return host


def samples(opened) -> dict[str, SampleEdit]:
    return opened.session.spec.data.edits.samples


def select(page, qtbot, *ranges) -> None:
    page.browser.select_ranges(ranges)
    wanted = tuple(at for start, end in ranges for at in range(start, end))
    qtbot.waitUntil(lambda: page.selection == wanted)


def is_muted(page, at) -> bool | None:
    row = page.browser.model.row(at)
    return None if row is None else row.is_muted


def sublabel(page, at: int) -> str:
    """Return what is written below a sample, nothing as long as it is not there."""
    row = page.browser.model.row(at)
    return "" if row is None else row.sublabel


def click(page, name) -> None:
    button = page.findChild(QPushButton, name)
    assert button.isVisible()
    button.click()


def command(opened, verb) -> QAction:
    return opened.window.findChild(QAction, f"action.data.{verb}")


def dialog_of(opened, kind, qtbot):
    def shown():
        return [dialog for dialog in opened.window.findChildren(kind) if dialog.isVisible()]

    qtbot.waitUntil(lambda: len(shown()) == 1)
    return shown()[0]


def test_that_selected_samples_are_excluded_marked_and_stay_selected(page, opened, qtbot):
    select(page, qtbot, (3, 5))
    click(page, "data.edit.exclude")
    qtbot.waitUntil(lambda: set(samples(opened)) == {"s3", "s4"})
    assert samples(opened)["s3"] == SampleEdit(excluded=True)
    qtbot.waitUntil(lambda: is_muted(page, 3) is True and is_muted(page, 5) is False)
    qtbot.waitUntil(lambda: sublabel(page, 4) == "#4 · excluded")
    qtbot.waitUntil(lambda: page.browser.selected_ranges() == ((3, 5),))
    qtbot.waitUntil(lambda: page.edits.shown.text() == "2 edited")
    undo = opened.window.findChild(QAction, "action.edit.undo")
    assert undo.isEnabled()
    undo.trigger()
    assert samples(opened) == {}
    qtbot.waitUntil(lambda: is_muted(page, 3) is False)
    assert not page.edits.isVisible()


def test_that_a_class_is_chosen_from_those_that_there_are(page, opened, qtbot):
    select(page, qtbot, (7, 8))
    command(opened, "relabel").trigger()
    dialog = dialog_of(opened, RelabelDialog, qtbot)
    texts = [dialog.classes.item(at).text() for at in range(dialog.classes.count())]
    assert texts[1:] == list(opened.session.findings.data.field("label").classes)
    dialog.search.setText(texts[2])
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert samples(opened) == {"s7": SampleEdit(label=texts[2])}
    command(opened, "relabel").trigger()
    dialog = dialog_of(opened, RelabelDialog, qtbot)
    dialog.classes.setCurrentRow(texts.index(OWN_CLASS))  # the class that the sample has
    dialog.save.click()
    assert samples(opened) == {}


def test_that_a_class_is_chosen_with_the_arrow_keys_from_the_search(page, opened, qtbot):
    select(page, qtbot, (7, 8))
    command(opened, "relabel").trigger()
    dialog = dialog_of(opened, RelabelDialog, qtbot)
    names = list(opened.session.findings.data.field("label").classes)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, *(len(names) * (Qt.Key.Key_Down,))):  # an end holds
        qtbot.keyClick(dialog.search, key)
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    assert samples(opened) == {"s7": SampleEdit(label=names[-1])}


def test_that_samples_are_moved_and_tagged(page, opened, qtbot):
    select(page, qtbot, (1, 2), (9, 10))
    command(opened, "move_test").trigger()
    qtbot.waitUntil(lambda: set(samples(opened)) == {"s1", "s9"})
    assert samples(opened)["s9"] == SampleEdit(part="test")
    qtbot.waitUntil(lambda: page.selection == (1, 9))
    click(page, "data.edit.tag")
    dialog = dialog_of(opened, TagDialog, qtbot)
    assert not dialog.add.isEnabled()
    dialog.tag.setEditText("to check")
    dialog.add.click()
    assert samples(opened)["s1"] == SampleEdit(part="test", tags=("to check",))
    assert opened.session.undo_label == "Tag 2 samples"
    qtbot.waitUntil(lambda: page.selection == (1, 9))
    click(page, "data.edit.tag")
    dialog = dialog_of(opened, TagDialog, qtbot)
    dialog.tag.setCurrentText("to check")
    dialog.remove.click()
    assert samples(opened)["s1"] == SampleEdit(part="test")


def test_that_edited_samples_are_listed_alone_and_all_edits_taken_back(page, opened, qtbot):
    select(page, qtbot, (2, 5))
    click(page, "data.edit.exclude")
    qtbot.waitUntil(lambda: is_muted(page, 2))
    click(page, "data.edits.shown")
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == 3)
    click(page, "data.edits.reset")
    assert samples(opened) == {}
    qtbot.waitUntil(lambda: page.browser.model.rowCount() == COUNT)
    opened.session.undo()
    assert len(samples(opened)) == 3


def test_that_commands_need_selected_samples_in_front(page, opened, qtbot):
    verbs = ("exclude", "include", "relabel", "tag", "move_train")
    assert not any(command(opened, verb).isEnabled() for verb in verbs)
    select(page, qtbot, (0, 1))
    assert all(command(opened, verb).isEnabled() for verb in verbs)
    opened.window.show_workspace("train")
    assert not any(command(opened, verb).isEnabled() for verb in verbs)


def test_that_the_menu_of_the_samples_offers_what_the_buttons_do(page, opened, qtbot):
    select(page, qtbot, (0, 1))
    page.menu_requested.emit(page.mapToGlobal(QPoint(20, 80)))
    menu = next(menu for menu in page.findChildren(QMenu) if menu.isVisible())
    action = next(action for action in menu.actions() if action.text() == "Exclude")
    action.trigger()
    menu.close()
    qtbot.waitUntil(lambda: set(samples(opened)) == {"s0"})

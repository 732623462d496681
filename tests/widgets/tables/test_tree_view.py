"""A tree opens, filters and tells what was chosen by its id."""

import pytest
from PySide6.QtCore import QModelIndex

from widgets.tables.tree_view import TreeView
from widgets.tables.view_model import ColumnView, TreeData, TreeRow

COLUMNS = (ColumnView(key="name", title="Name"), ColumnView(key="kind", title="Kind"))


def tree(count: int = 2) -> TreeData:
    rows: list[TreeRow] = []
    for number in range(count):
        group = f"g{number}"
        rows.append(TreeRow(id=group, cells=(f"layer{number}", ""), is_group=True))
        for name in ("weight", "bias"):
            row = TreeRow(id=f"{number}.{name}", cells=(name, "Parameter"), parent=group)
            rows.append(row)
    return TreeData(columns=COLUMNS, rows=tuple(rows))


@pytest.fixture
def view(qtbot) -> TreeView:
    made = TreeView("things")
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    made.set_data(tree())
    return made


def names(view: TreeView, parent: QModelIndex | None = None) -> list[str]:
    above = parent or QModelIndex()
    found: list[str] = []
    for row in range(view.model.rowCount(above)):
        index = view.model.index(row, 0, above)
        found += [index.data(), *names(view, index)]
    return found


def test_that_rows_stand_below_their_groups_and_few_are_open(view):
    assert names(view) == ["layer0", "weight", "bias", "layer1", "weight", "bias"]
    assert view.tree.isExpanded(view.model.index(0, 0))
    leaf = view.model.index(1, 0, view.model.index(1, 0))
    assert leaf.data() == "bias"
    assert leaf.parent().data() == "layer1"


def test_that_the_filter_finds_rows_by_the_words_of_their_groups(view):
    view.search.setText("LAYER1 bias")
    assert names(view) == ["layer1", "bias"]
    assert view.tree.isExpanded(view.model.index(0, 0))
    view.search.setText("nothing")
    assert names(view) == []
    view.search.clear()
    assert len(names(view)) == 6


def test_that_selection_and_open_groups_stay_and_groups_are_never_told(view, qtbot):
    view.set_data(tree(40))
    view.tree.collapseAll()
    view.tree.expand(view.model.index(3, 0))
    view.select_ids(["3.bias"])
    assert view.selected_ids() == ["3.bias"]
    view.set_data(tree(41))
    assert view.selected_ids() == ["3.bias"]
    assert view.tree.isExpanded(view.model.index(3, 0))
    assert not view.tree.isExpanded(view.model.index(4, 0))
    view.select_ids(["g4"])
    assert view.selected_ids() == []
    told: list[str] = []
    view.row_activated.connect(told.append)
    group = view.model.index(4, 0)
    view.tree.activated.emit(group)
    view.tree.activated.emit(view.model.index(0, 0, group))
    assert told == ["4.weight"]

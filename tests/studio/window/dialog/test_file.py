"""Where dialogs that ask for files open."""

import pytest
from PySide6.QtCore import QSettings, QUrl
from PySide6.QtWidgets import QFileDialog

from studio.window.dialog.file import begin_at_home


@pytest.fixture
def kept(qapp, tmp_path, monkeypatch):
    """Return what Qt keeps of its dialogs, in a home of its own."""
    home = tmp_path / "主 目录"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    scope, form = QSettings.Scope.UserScope, QSettings.Format.NativeFormat
    QSettings.setPath(form, scope, str(tmp_path / "settings"))
    yield QSettings(scope, "QtProject")
    QSettings.setPath(form, scope, "")


def place(qtbot) -> str:
    dialog = QFileDialog()
    qtbot.addWidget(dialog)
    return dialog.directory().absolutePath()


def test_that_the_first_dialog_opens_at_home_and_not_where_the_program_lies(kept, qtbot, tmp_path):
    begin_at_home()
    assert place(qtbot) == str(tmp_path / "主 目录")


def test_that_a_dialog_opens_in_the_folder_used_last_as_long_as_it_is_there(kept, qtbot, tmp_path):
    last = tmp_path / "last used"
    last.mkdir()
    kept.setValue("FileDialog/lastVisited", QUrl.fromLocalFile(str(last)).toString())
    kept.sync()
    begin_at_home()
    assert place(qtbot) == str(last)
    last.rmdir()
    begin_at_home()
    assert place(qtbot) == str(tmp_path / "主 目录")

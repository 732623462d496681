"""Messages about a project, when another one is opened."""

import shutil

from widgets.common.toast import ToastStack


def test_that_messages_about_a_project_go_with_it(opened, project_path, tmp_path):
    toasts = opened.window.findChild(ToastStack)
    opened.notifications.tell("Training did not start.", "error")
    assert toasts.toasts
    assert opened.open(project_path)  # the same again
    assert [each.view.text for each in toasts.toasts] == ["Training did not start."]
    other = shutil.copytree(project_path, tmp_path / "other")
    assert opened.open(other)
    assert "Training did not start." not in [each.view.text for each in toasts.toasts]
    assert "Training did not start." in [line.text for line in opened.notifications.lines]

"""What the desktop is handed is looked at, never run."""

from pathlib import Path

import pytest

from studio.desktop import folder_command, text_command


@pytest.mark.fault("S08")
@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_that_a_file_of_own_code_is_shown_where_opening_it_would_run_it(system: str) -> None:
    path = Path("evil.py")
    command = text_command(path, system)
    assert command[-1] == str(path)
    assert command[0].endswith(("notepad.exe", "/open"))
    assert system == "win32" or "-t" in command


@pytest.mark.fault("S08")
def test_that_a_folder_that_is_called_an_application_is_shown_and_not_run() -> None:
    assert folder_command(Path("evil.app"), "darwin")[1:] == ("-R", "evil.app")

"""What the desktop is handed is looked at, never run."""

from pathlib import Path

import pytest

from studio.process.desktop import (
    ReadAsCommandsError,
    editor_command,
    folder_command,
    open_media,
    text_command,
)

FOREIGN = Path("a & calc & %PATH%", "code", "layers.py")


@pytest.mark.fault("S08")
@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_that_a_file_of_own_code_is_shown_where_opening_it_would_run_it(system: str) -> None:
    path = Path("evil.py")
    command = text_command(path, system)
    assert command[-1] == str(path)
    assert command[0].endswith(("notepad.exe", "/open"))
    assert system == "win32" or "-t" in command


@pytest.mark.fault("S08")
@pytest.mark.parametrize(
    ("name", "content", "is_opened"),
    [
        ("a.wav", b"RIFF....", True),
        ("a.MP3", b"\xff\xfb....", True),
        ("a.mp4", b"\0\0\0\x18ftypisom", True),
        ("a.webm", b"\x1aE\xdf\xa3....", True),
        ("a.mov", b"\0\0\0\x18#!/b", False),
        ("a.wav", b"[Desktop Entry]", False),
        ("a.wav", b"#!/bin/sh", False),
        ("a.wav", b"", False),
        ("a.desktop", b"RIFF....", False),
        ("a.exe", b"MZ", False),
    ],
)
def test_that_only_a_sound_is_handed_to_the_program_for_sounds(
    tmp_path: Path, handed_over: list[str], name: str, content: bytes, is_opened: bool
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert open_media(path) is is_opened
    assert handed_over == ([str(path)] if is_opened else [])
    assert not open_media(tmp_path / "none.wav")


@pytest.mark.fault("S08")
def test_that_a_folder_that_is_called_an_application_is_shown_and_not_run() -> None:
    assert folder_command(Path("evil.app"), "darwin")[1:] == ("-R", "evil.app")


@pytest.mark.fault("S08")
@pytest.mark.parametrize(
    "editor",
    [
        *(
            "code.cmd -g {file}:{line}",
            "EDIT.BAT",
            r'"C:\Program Files\VS Code\bin\code.CMD" -g {file}',
        ),
        *(
            "code.cmd. {file}",
            '"code.bat . " {file}',
            "cmd /c code {file}",
            r"C:\Windows\cmd.exe /k {file}",
        ),
        *(r"..\bin\edit.bat {file}", "C:/bin/edit.cmd {file}"),
    ],
)
def test_that_no_folder_s_name_gets_to_the_shell_of_windows(editor: str) -> None:
    with pytest.raises(ReadAsCommandsError):
        editor_command(editor, FOREIGN, 3, "win32")


@pytest.mark.fault("S08")
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize(
    "editor",
    [
        *("sh -c 'vim {file}'", 'sh -c "vim {file}"', "/bin/bash -lc {file}", "env X=1 zsh {file}"),
        *("xterm -e 'vim {file}'", "vim '+e {file}'", "vim +e{file}", "emacs --eval='(f {file})'"),
        *("ssh gpu vim {file}", "watch cat {file}", "KSH93 {file}", "busybox sh", "fish"),
        *("wt.exe nano {file}", "wsl vim {file}", "pwsh -Command code {file}", "PowerShell.exe"),
        *("{file}", "./{file}", "code -g={file}", "open url?file={file}", "vim {file};{line}"),
    ],
)
def test_that_no_folder_s_name_is_read_as_a_command(editor: str, system: str) -> None:
    with pytest.raises(ReadAsCommandsError):
        editor_command(editor, FOREIGN, 3, system)


@pytest.mark.parametrize(
    ("system", "editor", "expected"),
    [
        ("win32", r"C:\bin\Code.exe -g {file}:{line}", [r"C:\bin\Code.exe", "-g", f"{FOREIGN}:3"]),
        ("win32", r'"C:\my bin\np.exe"', [r"C:\my bin\np.exe", str(FOREIGN)]),
        ("linux", r"my\ editor --at {line}", ["my editor", "--at", "3", str(FOREIGN)]),
        ("linux", "./edit.bat {file}", ["./edit.bat", str(FOREIGN)]),
        ("linux", "xterm -e vim +{line} {file}", ["xterm", "-e", "vim", "+3", str(FOREIGN)]),
        ("linux", "./edit.sh {file}", ["./edit.sh", str(FOREIGN)]),
        ("darwin", "subl --refresh {file}:{line}:1", ["subl", "--refresh", f"{FOREIGN}:3:1"]),
    ],
)
def test_that_an_editor_gets_the_file_as_one_word(
    system: str, editor: str, expected: list[str]
) -> None:
    assert list(editor_command(editor, FOREIGN, 3, system)) == expected


def test_that_a_quote_without_end_is_no_command() -> None:
    with pytest.raises(ValueError, match="quotation"):
        editor_command('edit "{file}', FOREIGN, 1, "linux")

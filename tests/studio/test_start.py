import os
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from studio import installation, start
from studio.cli.parser import build_parser

ROOT = Path(__file__).parents[2]
SOUND = {
    "PySide6-Essentials": "6.11.3",
    "torch": "2.15.0",
    "torchvision": "0.29.2",
    "msgspec": "0.22.0",
    "numpy": "2.4.6",
    "psutil": "7.2.2",
}


@pytest.fixture
def installed(monkeypatch):
    """Return a dictionary that stands for the installed packages."""
    versions = dict(SOUND)

    def version(name: str) -> str:
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(metadata, "requires", lambda _: ["numpy", "torch (>=2.14.0)"])
    return versions


def codes() -> list[str]:
    found = installation.version_findings()
    for finding in found:
        for language in ("en", "zh_CN"):
            text = finding.sentence(language)
            assert "{" not in text
            assert "\n" not in text
    return [finding.code for finding in found]


def blocked(arguments: list[str], capsys) -> str:
    """Return the one line with which a start is refused."""
    assert start.start(arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.fault("U06")
def test_that_a_sound_installation_has_no_findings(installed):
    assert codes() == []


@pytest.mark.fault("U06")
def test_that_the_crashing_qt_is_refused_on_python_3_11_only(installed, monkeypatch, capsys):
    installed["PySide6-Essentials"] = "6.12.0"
    monkeypatch.setattr(sys, "version_info", (3, 12, 1, "final", 0))
    assert codes() == []
    monkeypatch.setattr(sys, "version_info", (3, 11, 7, "final", 0))
    assert codes() == ["E023"]
    assert "6.12.0" in blocked([], capsys)


@pytest.mark.fault("U06")
@pytest.mark.parametrize("version", ["6.11.0", "6.11.1"])
def test_that_faulty_docks_are_told_and_the_window_starts(installed, version):
    installed["PySide6-Essentials"] = version
    assert codes() == ["E024"]
    assert installation.version_findings()[0].blocks == ""


@pytest.mark.fault("U06")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"torch": None}, "E025"),
        ({"torch": "2.9.1"}, "E026"),
        ({"torchvision": None}, "E027"),
        ({"torch": "2.13.0"}, "E028"),
        ({"torch": "2.15.0+cpu"}, "E028"),
    ],
)
def test_that_the_window_starts_without_a_good_torch(installed, changes, code):
    for name, version in changes.items():
        if version is None:
            del installed[name]
        else:
            installed[name] = version
    assert codes() == [code]
    assert installation.version_findings()[0].blocks == ""


@pytest.mark.fault("U06")
def test_that_a_missing_toolkit_blocks_the_window_and_not_the_commands(installed, capsys):
    del installed["PySide6-Essentials"]
    assert "main.py --help" in blocked([], capsys)
    assert start.start(["templates"]) == 0
    assert "iris-mlp" in capsys.readouterr().out


@pytest.mark.fault("U06")
def test_that_missing_packages_and_old_pythons_block_everything(installed, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 10, 2, "final", 0))
    assert "3.10.2" in blocked(["templates"], capsys)
    monkeypatch.undo()
    monkeypatch.setattr(
        metadata, "version", lambda name: (_ for _ in ()).throw(metadata.PackageNotFoundError(name))
    )
    assert "msgspec" in blocked(["templates"], capsys)


@pytest.fixture
def no_screen(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    if sys.platform in ("win32", "darwin"):
        pytest.skip("there always is a screen here")


@pytest.mark.fault("U07")
def test_that_no_screen_is_told_with_the_way_without_one(no_screen, capsys):
    line = blocked([], capsys)
    assert "no display" in line.lower()
    assert "main.py --help" in line


@pytest.mark.fault("U07")
def test_that_an_unknown_platform_names_those_there_are(no_screen, monkeypatch, capsys):
    monkeypatch.setenv("QT_QPA_PLATFORM", "cocoa9")
    line = blocked([], capsys)
    assert "cocoa9" in line
    assert "offscreen" in line


@pytest.mark.fault("U07")
@pytest.mark.parametrize("name", [":4711", "localhost:4711", "nonsense", ":"])
def test_that_a_display_that_does_not_answer_is_told(no_screen, monkeypatch, capsys, name):
    monkeypatch.setenv("DISPLAY", name)
    assert f"DISPLAY={name}" in blocked([], capsys)


@pytest.mark.fault("U07")
def test_that_a_wayland_socket_counts_only_where_somebody_listens(no_screen, monkeypatch, tmp_path):
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-9")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert [finding.code for finding in installation.screen_findings()] == ["E032"]
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("wayland-9")
        server.listen()
        monkeypatch.setenv("XDG_RUNTIME_DIR", ".")
        assert installation.screen_findings() == []


@pytest.mark.fault("U07")
def test_that_a_missing_library_is_told_by_its_name(monkeypatch):
    def broken(name: str) -> None:
        raise ImportError(f"libEGL.so.1: cannot open shared object file ({name})\nmore")

    monkeypatch.setattr("importlib.import_module", broken)
    finding = installation.toolkit_findings()[0]
    assert finding.code == "E033"
    assert "libEGL.so.1" in finding.sentence("en")


@pytest.mark.real
@pytest.mark.fault("U07")
def test_that_the_program_itself_ends_with_code_2_and_one_line():
    environment = {k: v for k, v in os.environ.items() if "DISPLAY" not in k}
    environment["QT_QPA_PLATFORM"] = "no-such-platform"
    done = subprocess.run(
        [sys.executable, "main.py"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_that_a_word_that_is_neither_project_nor_command_is_told(capsys):
    assert "tarin" in blocked(["tarin"], capsys)


def test_that_the_start_knows_every_command():
    choices = next(a.choices for a in build_parser()._actions if a.dest == "name")
    assert set(start.COMMANDS) == set(choices)


def test_that_a_command_that_loaded_pytorch_ends_at_once_with_its_code(monkeypatch):
    codes_told: list[int] = []
    monkeypatch.setattr(os, "_exit", codes_told.append)
    monkeypatch.setitem(sys.modules, "torch", sys)
    start.end_at_once([])  # an exception is on its way: Python tells it
    assert codes_told == []
    start.end_at_once([3])
    assert codes_told == [3]
    monkeypatch.delitem(sys.modules, "torch")
    start.end_at_once([3])
    assert codes_told == [3]


@pytest.mark.real
def test_that_the_start_loads_nothing_but_the_standard_library():
    code = (
        "import sys; before = set(sys.modules); import studio.start\n"
        "names = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(names - set(sys.stdlib_module_names)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["studio"]


@pytest.mark.real
def test_that_a_command_works_where_the_output_is_closed():
    done = subprocess.run(
        ["sh", "-c", '"$0" main.py templates >&-', sys.executable],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.fault("S08")
def test_that_windows_takes_no_program_out_of_the_folder_of_a_project(monkeypatch):
    name = "NoDefaultCurrentDirectoryInExePath"
    monkeypatch.delenv(name, raising=False)
    start.search_only_the_path("linux")
    assert name not in os.environ
    start.search_only_the_path("win32")
    assert os.environ[name] == "1"

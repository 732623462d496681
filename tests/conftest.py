"""What holds for every test: no screen, no settings of the user, nothing left behind."""

import atexit
import builtins
import gc
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings
from pytestqt.qtbot import QtBot

from tests.file_memory import holds_files
from tests.layers import begin_with_long, forbid_processes, holds_layer, sort_into_layers
from tests.plain_python import PlainPython
from tests.rewriting import share_rewriting
from tests.unconfined import unconfine
from tests.warm_process import fork_workers

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # spinning OpenMP threads collapse on a busy machine
os.environ.setdefault("PYTHONWARNINGS", "")
# Some hundred processes of the tests would each compile this program and its libraries again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ["LC_ALL"] = "C.UTF-8"  # tests read English in the terminal
for _name in ("QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI", "QT_STYLE_OVERRIDE"):
    os.environ.pop(_name, None)  # places and colours on the screen are those of no enlargement
# Libraries set these while they are loaded; with other variables than those of the quiet process
# nothing is forked from it.
os.environ.setdefault("KMP_INIT_AT_FORK", "FALSE")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "True")
os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(tempfile.gettempdir(), "inductor")))
for _name in ("no_proxy", "NO_PROXY"):
    os.environ[_name] = "127.0.0.1,localhost"  # where tests have servers of their own
if holds_files(memory := Path("/dev/shm")):  # a disk lets tests wait for a third of their time
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))

# How long an example runs, and how long it takes to be made, are matters of the machine.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

ROOT = Path(__file__).parents[1]
GRACE_S = 30.0
PATIENCE_MS = 30_000
TELLS_CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children").exists()  # some kernels do not


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Let two processes run the whole suite, and two more where its tests wait for processes, so
    that cores do not wait too; a chosen part starts at once, in this one.
    """
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return 0
    return min(2, os.cpu_count() or 1) + 2 * (config.option.markexpr != "not real")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[object]:
    """Look for no garbage while tests are collected, and never again at what they are made of:
    where they are compiled too, it took a third of the time. Import as Python does: PySide looks
    through the source of each module for what no test uses, and PyTorch imports all the time.
    """
    gc.disable()
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
    share_rewriting(session.config)
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file that has no test of the layer, unless it is asked for by its name."""
    asked = {Path(config.invocation_params.dir, arg.partition("::")[0]) for arg in config.args}
    if collection_path in asked or holds_layer(collection_path, config.option.markexpr):
        return None
    return True


def pytest_configure(config: pytest.Config) -> None:
    """End a process of xdist without taking PyTorch and Qt apart, which takes seconds; have all of
    them begin with what they need.
    """
    if hasattr(config, "workerinput"):
        atexit.register(os._exit, 0)  # first, so that it is called after all others
    elif config.getoption("tx", None):
        fork_workers(config)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before items are left out by their marks
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Sort the tests into their layers, and the long ones of several processes to their begin."""
    sort_into_layers(config, items)
    yield
    if (worker := getattr(config, "workerinput", None)) is not None:
        begin_with_long(items, worker["workercount"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let nothing start a process while a test of the first layer and its fixtures run."""
    with pytest.MonkeyPatch.context() as patch:
        if not item.get_closest_marker("real"):
            forbid_processes(patch)
            unconfine(patch)
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the whole session settings, cache and data folders of its own."""
    home = tmp_path_factory.mktemp("home")
    patch = pytest.MonkeyPatch()
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        patch.setenv(name, str(home / name.lower()))
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread or a child process alive."""
    threads = set(threading.enumerate())
    children: set[psutil.Process] | None = None
    if request.node.get_closest_marker("real"):
        request.getfixturevalue("quiet_process")
        children = _children()
    yield
    deadline = time.monotonic() + GRACE_S
    while (left := _left(threads, children)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left, f"left behind: {left}"


@pytest.fixture(scope="session")
def quiet_process() -> Iterator[None]:
    """Have one process load PyTorch that those of all tests of the second layer are forked from,
    as those of a window are; ``spawning`` is for tests of what is spawned.
    """
    from engine.runtime.job.fork_client import fork_server
    from engine.runtime.standby import TRAINING

    fork_server.open()
    fork_server.load(TRAINING)
    yield
    fork_server.close()


@pytest.fixture(scope="session")
def plain_python() -> Iterator[PlainPython]:
    """Return what runs programs in an interpreter that knows nothing of Trellis."""
    made = PlainPython()
    yield made
    made.close()


@pytest.fixture
def unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test of the second layer that is about something else read strangers' files in this
    process: one that is confined takes a tenth of a second for each.
    """
    unconfine(monkeypatch)


@pytest.fixture
def spawning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be where processes cannot be forked."""
    from engine.runtime.job import fork_client

    monkeypatch.setattr(fork_client, "can_fork", lambda: False)
    monkeypatch.setattr(fork_client.fork_server, "_users", 0)


def _children() -> set[psutil.Process]:
    """Return the processes below this one; psutil looks at all of the machine for them."""
    if not TELLS_CHILDREN:
        return set(psutil.Process().children(recursive=True))
    found: set[psutil.Process] = set()
    for pid in _pids_below(os.getpid()):
        with suppress(psutil.NoSuchProcess):
            found.add(psutil.Process(pid))
    return found


def _pids_below(pid: int) -> Iterator[int]:
    with suppress(FileNotFoundError, ProcessLookupError):  # it has ended
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                yield int(child)
                yield from _pids_below(int(child))


def _left(threads: set[threading.Thread], children: set[psutil.Process] | None) -> list[str]:
    left = [
        f"thread {thread.name}"
        for thread in threading.enumerate()
        if thread not in threads and not thread.daemon and not thread.name.startswith("Dummy")
    ]
    for process in set() if children is None else _children() - children:
        try:
            if process.status() != psutil.STATUS_ZOMBIE:
                left.append(f"process {process.pid} {' '.join(process.cmdline())[:120]}")
        except psutil.NoSuchProcess:
            continue
    return left


class PatientBot(QtBot):
    """Waits longer than pytest-qt does unless told otherwise: a busy machine is no failure."""

    def waitUntil(self, callback, *, timeout=PATIENCE_MS):  # noqa: N802 - the name of pytest-qt
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal, *, timeout=PATIENCE_MS, **choices):  # noqa: N802
        return super().waitSignal(signal, timeout=timeout, **choices)

    def waitSignals(self, signals, *, timeout=PATIENCE_MS, **choices):  # noqa: N802
        return super().waitSignals(signals, timeout=timeout, **choices)

    def waitExposed(self, widget, *, timeout=PATIENCE_MS):  # noqa: N802
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture(scope="session")
def qapp(qapp):
    """Return the application in its usual look; cycles are collected in Qt's thread, as in the
    program: objects of Qt that another thread deletes end the process.
    """
    from studio.process.collector import Collector
    from widgets.common.theme import LIGHT, apply_theme

    Collector(qapp)
    apply_theme(qapp, LIGHT)
    return qapp


@pytest.fixture(autouse=True)
def _usual_look() -> Iterator[None]:
    """Give the next test light colours, Latin letters and text of the usual size: the order of
    tests is none where two processes run them.
    """
    yield
    theme = sys.modules.get("widgets.common.theme")
    if theme is not None and (app := theme.QApplication.instance()) is not None:
        theme.apply_theme(app, theme.LIGHT)


@pytest.fixture(autouse=True)
def _collected_in_this_thread() -> Iterator[None]:
    """Collect after each test where Python itself does not: no loop of Qt may have run in it."""
    yield
    if not gc.isenabled():
        gc.collect(1)


@pytest.fixture
def qtbot(qapp, request) -> PatientBot:
    """Return what drives the widgets; they are closed after the test, as pytest-qt does."""
    return PatientBot(request)


@pytest.fixture
def python() -> str:
    """Return the interpreter that runs the tests."""
    return sys.executable

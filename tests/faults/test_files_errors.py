"""Errors of the disk at the calls by which a checkpoint, an export, the settings, the edits of data
or the list of folders with data is written: the old file stays, the reason is told, a retry works.
"""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.api import export
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.project.overlay import overlay_text, read_overlay, write_overlay
from engine.runs.folder import RunFolder
from engine.spec.data_edits import DataEdits
from engine.spec.data_root import DataRoots
from engine.train.checkpoint.file import save_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from studio.process.settings import SettingsStore
from tests.faults.test_files_disk import Disk, used
from tests.tiny_run import chain, make_run, node, train

Write = Callable[[int], Diagnostic | None]
"""Writes another content for each number, and returns why it could not."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    folder = make_run(tmp_path_factory.mktemp("run"), graph, epochs=1)
    train(folder)
    return folder


def told(act: Callable[[], object]) -> Diagnostic | None:
    try:
        act()
    except DiagnosticError as error:
        return error.problems[0]
    return None


def checkpoint_writer(run: RunFolder, folder: Path) -> tuple[Path, Write]:
    checkpoint = open_checkpoint(run, "last")
    file = folder / "a.ckpt"

    def write(number: int) -> Diagnostic | None:
        checkpoint.epochs = number
        return told(lambda: save_checkpoint(file, checkpoint))

    return file, write


def export_writer(run: RunFolder, folder: Path) -> tuple[Path, Write]:
    file = folder / "model.pt"
    return file, lambda _: told(lambda: export(run.path, "state-dict", file, overwrite=True))


def edits_writer(_: RunFolder, folder: Path) -> tuple[Path, Write]:
    file = folder / "data" / "overlay.json"

    def write(number: int) -> Diagnostic | None:
        edits = DataEdits().excluding([f"{number}.png"], is_excluded=True)
        return told(lambda: write_overlay(folder, overlay_text(edits), read_overlay(folder).digest))

    return file, write


def roots_writer(_: RunFolder, folder: Path) -> tuple[Path, Write]:
    file = folder / "roots.json"
    return file, lambda number: told(lambda: DataRoots(file).set({"photos": f"/data/{number}"}))


def settings_writer(_: RunFolder, folder: Path) -> tuple[Path, Write]:
    store = SettingsStore(folder)

    def write(number: int) -> Diagnostic | None:
        store.write_error = None
        store.add_recent(Path(f"/project {number}"))
        return None if store.write_error is None else store.write_error.problems[0]

    return folder / "settings.json", write


def places(calls: int) -> list[int]:
    """Return which of so many calls are to fail: all that begin and end a file, and some of those
    that write what is in it.
    """
    chosen = {*range(1, 5), *range(5, calls, 8), *range(calls - 7, calls + 1)}
    return sorted(place for place in chosen if 1 <= place <= calls)


WRITERS = (checkpoint_writer, export_writer, edits_writer, roots_writer, settings_writer)


@pytest.mark.fault("F04")
@pytest.mark.usefixtures("unconfined")
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EROFS])
@pytest.mark.parametrize("writer", WRITERS, ids=[each.__name__ for each in WRITERS])
def test_that_an_error_of_the_disk_leaves_the_old_file_and_a_retry_writes(
    run: RunFolder, tmp_path: Path, writer: Callable[..., tuple[Path, Write]], number: int
) -> None:
    file, write = writer(run, tmp_path)
    assert write(1) is None
    whole = Disk(0, number)
    with used(whole):
        assert write(2) is None
    written = {path.name for path in file.parent.iterdir()}  # an export has files beside
    failures = 0
    for fails_at in places(whole.calls):
        before = file.read_bytes()
        disk = Disk(fails_at, number)
        with used(disk):
            problem = write(2 + fails_at)
        assert disk.calls >= fails_at
        if problem is not None:
            failures += 1
            for language in ("en", "zh_CN"):
                assert str(file.parent) in sentence(problem, language)
        content = file.read_bytes()
        assert write(2 + fails_at) is None
        assert content in (before, file.read_bytes())
        assert {path.name for path in file.parent.iterdir()} == written
    assert failures >= 4

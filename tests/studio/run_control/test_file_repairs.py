"""A run that ended at a damaged file: what repairs it stands in the line that says so."""

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic
from engine.events import RunEnded, RunStarted
from engine.graph.repair.case import RepairProposal, words
from engine.query.data.request import RepairFile
from engine.query.model.request import Repairs
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.spec.data import SplitInfo
from engine.spec.data_edits import DataEdits
from engine.spec.data_path import data_key
from engine.spec.run import Choice

DAMAGED = Diagnostic(code="D052", params={"file": "/data/cats/7.png"}, detail="cut off")
REPAIRS = Repairs(
    fixes=(
        (
            RepairProposal(words=words("D228", count=1), excluded=("cats/7.png",)),
            RepairProposal(words=words("D227"), settings={"data.source.on_damaged": "replace"}),
        ),
    )
)


def end(
    opened, qtbot, problem: Diagnostic, *, is_other: bool = False, batch_now: int = 0
) -> RunFolder:
    """Follow a run on a folder of pictures that failed; ``is_other``: the project has other data
    now; ``batch_now``: another batch size (0: that of the run).
    """
    session = opened.session
    source = Choice(type="image_folder", params={"path": "/data"})
    spec = replace(session.spec, data=replace(session.spec.data, source=source))
    session.change(session.graph, spec, "pictures")
    folder = RunFolder.create(session.project.path, session.graph, spec, "first")
    journal = RunJournal(folder.path)
    started = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    journal.append(started)
    journal.append(RunEnded(reason="failed", step=2, epoch=1, problem=problem))
    journal.commit()
    journal.close()
    if is_other:
        opened.services.editor.set("data.source", "iris")
    if batch_now:
        batch_of(opened, batch_now)
    opened.services.runs.follow(folder)
    qtbot.waitUntil(lambda: opened.window.banner.view is not None)
    return folder


def titles(opened) -> list[str]:
    view = opened.window.banner.view
    return [] if view is None else [text for text, _ in view.actions]


def press(opened, title: str) -> None:
    view = opened.window.banner.view
    next(act for text, act in view.actions if text == title)()


@pytest.mark.fault("F08")
def test_that_a_run_that_ended_at_a_folder_that_is_gone_asks_where_it_is(
    opened, qtbot, monkeypatch, tmp_path
):
    gone = Diagnostic(code="D050", field="data.source.path", params={"folder": "/data"})
    ended = end(opened, qtbot, gone)
    session = opened.session
    edits = DataEdits(source=data_key(session.spec.data.source)).excluding(
        ["cats/7.png"], is_excluded=True
    )
    data = replace(session.spec.data, edits=edits)
    session.change(session.graph, replace(session.spec, data=data), "exclude")
    assert titles(opened) == ["Locate…"]
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    press(opened, "Locate…")
    changed = RunFolder.open(ended.path).document.spec.data.source
    assert changed == session.spec.data.source, "its results can be looked at"
    data = session.spec.data
    assert data.source.params["path"] == str(tmp_path)
    assert "cats/7.png" in data.edits.of(data_key(data.source)).samples, "they are the same samples"


@pytest.mark.fault("F15")
def test_that_the_sample_is_excluded_where_the_run_ended_and_comes_back(opened, host, qtbot):
    asked: list[RepairFile] = []

    def repair(request: RepairFile) -> Repairs:
        asked.append(request)
        return REPAIRS

    host.own |= {RepairFile: repair}
    run = end(opened, qtbot, DAMAGED)
    qtbot.waitUntil(lambda: titles(opened) == ["Exclude the file", "Replace damaged files"])
    assert asked[0].problem == DAMAGED
    assert asked[0].data == run.document.spec.data
    assert "7.png" in opened.window.banner.view.text
    session = opened.session

    def excluded() -> tuple[str, ...]:
        edits = session.spec.data.edits.of(data_key(session.spec.data.source, session.graph.code))
        return tuple(name for name, edit in edits.samples.items() if edit.excluded)

    before = session.spec
    press(opened, "Exclude the file")
    assert excluded() == ("cats/7.png",)
    assert any("Start the run again" in line.text for line in opened.notifications.lines)
    session.undo()
    assert session.spec == before
    press(opened, "Replace damaged files")
    assert session.spec.data.source.params["on_damaged"] == "replace"


@pytest.mark.parametrize(
    ("problem", "is_other"), [(Diagnostic(code="R100", detail="x"), False), (DAMAGED, True)]
)
def test_that_nothing_is_asked_for_other_ends_and_other_data(
    opened, host, qtbot, problem, is_other
):
    asked: list[RepairFile] = []

    def repair(request: RepairFile) -> Repairs:
        asked.append(request)
        return REPAIRS

    host.own |= {RepairFile: repair}
    end(opened, qtbot, problem, is_other=is_other)
    assert titles(opened) == []
    assert asked == []


@pytest.mark.fault("F10")
def test_that_half_the_batch_is_offered_where_memory_ran_out(opened, qtbot):
    before = batch_of(opened, 64)
    opened.session.find(data=replace(opened.session.findings.data, splits=()))
    run = end(opened, qtbot, Diagnostic(code="R138", params={"step": 3}, detail="out of memory"))
    assert "step 3" in opened.window.banner.view.text
    assert titles(opened) == ["Batch size 64 → 32"]
    press(opened, "Batch size 64 → 32")
    assert opened.session.spec.data.batch_size == 32
    told = opened.notifications.lines[-1].text
    assert "Batch size 64 → 32" in told
    assert "Start the run again" in told
    opened.session.undo()
    assert opened.session.spec.data.batch_size == before == run.document.spec.data.batch_size


@pytest.mark.fault("F10")
@pytest.mark.parametrize(
    ("size", "samples", "expected"),
    [(3, 99, ["Batch size 3 → 1"]), (64, 10, ["Batch size 64 → 5"]), (1, 99, [])],
    ids=["odd", "more than there are", "one"],
)
def test_that_the_offered_batch_is_half_of_the_samples_that_it_had(
    opened, qtbot, size, samples, expected
):
    batch_of(opened, size)
    train = SplitInfo(name="train", samples=samples)
    opened.session.find(data=replace(opened.session.findings.data, splits=(train,)))
    end(opened, qtbot, Diagnostic(code="R138", params={"step": 1}))
    assert titles(opened) == expected


@pytest.mark.fault("F10")
def test_that_no_batch_is_offered_for_a_document_that_has_another_one_now(opened, qtbot):
    batch_of(opened, 64)
    end(opened, qtbot, Diagnostic(code="R138", params={"step": 1}), batch_now=16)
    assert titles(opened) == []


def batch_of(opened, size: int) -> int:
    """Give the document a batch size."""
    opened.services.editor.set("data.batch_size", str(size))
    return opened.session.spec.data.batch_size


def test_that_samples_of_different_sizes_are_padded_from_the_line(opened, qtbot):
    problem = Diagnostic(code="D080", params={"name": "image", "first": "3x8x8", "second": "3x9x8"})
    end(opened, qtbot, problem)
    (title,) = titles(opened)
    assert "Pad" in title
    before = opened.session.spec
    press(opened, title)
    assert opened.session.spec.data.collate == "pad"
    opened.session.undo()
    assert opened.session.spec == before


def test_that_a_run_that_ended_at_code_of_the_project_leads_to_the_line(opened, qtbot):
    session = opened.session
    graph = replace(session.graph, code={"own.py": "import torch\n\n\nx = 1\n"})
    session.change(graph, session.spec, "code")
    params = {"file": "own.py", "line": 4, "name": "Odd", "error": "KeyError", "reason": "x"}
    end(opened, qtbot, Diagnostic(code="D520", params=params))
    assert titles(opened) == ["Go to own.py"]
    press(opened, "Go to own.py")
    assert opened.window.workspace == "model"
    assert opened.bench.model_page.own_code.current_file() == "own.py"

"""The page of tensors: chosen, asked for, shown, sliced, copied and saved in the window."""

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import (
    CaptureTensor,
    CheckpointSaved,
    ListTensors,
    RunEnded,
    RunStarted,
    StateChanged,
    Step,
    TensorCaptured,
    TensorsListed,
)
from engine.graph.model import Graph
from engine.inspect.tensor_observer import capture_tensor
from engine.query.export.request import SaveTensor
from engine.query.results.request import ListKeptTensors, TakeKeptTensor
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.journal import RunJournal
from engine.runs.record.tensor_capture import (
    TensorEntry,
    TensorListing,
    listing_files,
    tensor_files,
)
from studio.inspect.tensors.page import TensorsPage
from studio.inspect.tensors.presenter import (
    SliceError,
    TensorView,
    numpy_text,
    parse_slice,
    present_tensor,
)
from studio.inspect.tensors.tree import present_tree
from studio.view.word_tick import present_ticks
from tests.named_parts import part

WEIGHT = torch.arange(54, dtype=torch.float32).reshape(2, 3, 3, 3)


def tell(run: RunFolder, *events) -> None:
    journal = RunJournal(run.path)
    for event in events:
        journal.append(event)
    journal.close()


def keep(
    run: RunFolder, number: int, tensor: torch.Tensor, name: str = "conv.weight"
) -> TensorCaptured:
    captured = capture_tensor("parameter", name, tensor)
    path = tensor_files.write(run.artefacts, number, captured)
    file = path.relative_to(run.artefacts).as_posix()
    return TensorCaptured(step=7, file=file, kind="parameter", name=name)


def listed(run: RunFolder) -> TensorsListed:
    node = next(each for each in run.document.graph.nodes.values() if each.type == "Linear")
    tensors = (
        TensorEntry(kind="parameter", name="conv.weight", shape=(2, 3, 3, 3), dtype="float32"),
        TensorEntry(kind="activation", name=node.id),
    )
    path = listing_files.write(run.artefacts, 1, TensorListing(tensors=tensors))
    return TensorsListed(step=1, file=path.relative_to(run.artefacts).as_posix())


@pytest.fixture
def run(opened) -> RunFolder:
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    started = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    tell(folder, started, listed(folder), keep(folder, 1, torch.ones(4)), keep(folder, 2, WEIGHT))
    return folder


@pytest.fixture
def page(opened) -> TensorsPage:
    opened.bench.actions.action("action.inspect.tensors").trigger()
    return opened.window.findChild(TensorsPage)


@pytest.fixture
def filled(page, opened, run, qtbot) -> TensorsPage:
    tell(run, RunEnded(reason="stopped", step=9, epoch=1))
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: bool(page.facts.model.table.rows))
    return page


def facts(page: TensorsPage) -> dict[str, str]:
    return {str(row.cells[0]): str(row.cells[1]) for row in page.facts.model.table.rows}


def leaves(page: TensorsPage) -> list[str]:
    return [row.id for row in page.listing.model.tree.rows if not row.is_group]


def write_slice(page: TensorsPage, text: str, qtbot) -> None:
    page.slice.clear()
    qtbot.keyClicks(page.slice, text)


@pytest.mark.row("S001")
def test_that_a_tensor_is_shown_with_all_its_attributes(filled):
    told = facts(filled)
    assert told["max"] == "53"
    assert told["dtype"] == "float32"
    assert {"requires_grad", "grad", "grad_fn", "is_leaf", "layout", "device"} <= set(told)
    assert "2×3×3×3" in filled.part.text()
    assert not filled.capture.isVisible()  # the run is over


@pytest.mark.row("S251")
def test_that_parameters_on_several_devices_are_listed_with_theirs(opened):
    entry = TensorEntry(kind="parameter", name="a.weight", device="cuda:0")
    other = TensorEntry(kind="parameter", name="b.weight", device="cpu")
    parts = present_tree(TensorListing(tensors=(entry, other)), opened.session.graph)
    device = [column.key for column in parts.columns].index("device")
    assert parts.columns[device].is_visible
    assert [row.cells[device] for row in parts.rows if not row.is_group] == ["cuda:0", "cpu"]
    alone = present_tree(TensorListing(tensors=(other,)), opened.session.graph)
    assert not alone.columns[device].is_visible  # it would say the same at all of them


@pytest.mark.row("S224")
def test_that_nothing_of_another_run_stays_and_nothing_is_offered_of_what_is_not_there(
    filled, opened, qtbot
):
    session = opened.session
    other = RunFolder.create(session.project.path, session.graph, session.spec, "second")
    tell(other, listed(other), RunEnded(reason="stopped", step=9, epoch=1))
    opened.services.runs.follow(other)
    qtbot.waitUntil(lambda: session.run.folder.id == other.id and bool(leaves(filled)))
    qtbot.waitUntil(filled.listing.isVisible)
    asked = (filled.slice, filled.look, filled.copy, filled.save)
    assert not any(widget.isEnabled() for widget in asked)
    assert not filled.facts.isVisible()
    assert not filled.part.text()
    assert not filled.table.model.table.rows


def test_that_filters_are_pictures(filled):
    assert filled.look.currentData() == "images"
    assert filled.images.list.model().rowCount() == 2  # three channels make one of colours


@pytest.mark.row("S224")
def test_that_filters_of_one_element_are_one_picture_and_left_out_ones_are_counted():
    def shown(shape: tuple[int, ...]) -> TensorView:
        held = capture_tensor("parameter", "conv.weight", torch.ones(shape))
        return present_tensor(held, "", Graph())

    (matrix,) = shown((70, 96, 1, 1)).images
    assert matrix.pixels.shape == (70, 96)
    many = shown((20, 15, 2, 2))
    assert many.pictures == 20 * 15
    assert 1 < len(many.images) < many.pictures


def test_that_a_slice_shows_a_part_and_a_wrong_one_is_told_at_its_place(filled, qtbot):
    write_slice(filled, "[0, :, 1]", qtbot)
    qtbot.waitUntil(lambda: "3×3" in filled.part.text() and "2×" not in filled.part.text())
    assert filled.table.model.table.rows[1].cells == (1, 12.0, 13.0, 14.0)
    filled.slice.setText("[9]")
    qtbot.waitUntil(filled.problem.isVisible)
    assert "2×3×3×3" in filled.problem.text()
    filled.slice.clear()
    qtbot.waitUntil(lambda: not filled.problem.isVisible())


@pytest.mark.row("S218")
def test_that_attention_has_the_words_at_its_rows_and_columns(page, opened, run, qtbot):
    words = (("the", "sea", "sings"), ("a", "storm", "<pad>"))
    weights = capture_tensor("attention", "attention", torch.eye(3).repeat(2, 3, 1, 1))
    path = tensor_files.write(run.artefacts, 3, replace(weights, rows=words, columns=words))
    file = path.relative_to(run.artefacts).as_posix()
    taken = TensorCaptured(step=8, file=file, kind="attention", name="attention")
    tell(run, taken, RunEnded(reason="stopped", step=9, epoch=1))
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: page.images.list.model().rowCount() == 6)  # three heads are no colours
    pictures = page.images.list.model().images
    assert [picture.label for picture in pictures[2:4]] == ["0, 2", "1, 0"]
    assert pictures[3].rows == pictures[3].columns == words[1]
    write_slice(page, "[1, 0, 1:]", qtbot)
    qtbot.waitUntil(lambda: page.images.list.model().rowCount() == 1)
    table = page.table.model.table
    assert [column.title for column in table.columns[1:]] == ["a", "storm", "<pad>"]
    assert [row.cells[0] for row in table.rows] == ["storm", "<pad>"]


@pytest.mark.parametrize(
    ("part", "rows", "columns"),
    [
        ((1, 0), ("d", "e", "f"), ("d", "e", "f")),
        ((..., slice(None, 2), slice(None, None, -1)), ("a", "b"), ("c", "b", "a")),
        ((1, slice(None), 2), (), ("d", "e", "f")),  # heads go down, no words
        ((slice(None), 0, 0), ("a", "d"), ()),  # across, the words differ from row to row
        ((0, 0, 0), (), ()),
        ((slice(9, None),), (), ()),
    ],
)
def test_that_words_follow_a_slice(part, rows, columns):
    sentences = (("a", "b", "c"), ("d", "e", "f"))
    whole = capture_tensor("attention", "x", torch.zeros(2, 4, 3, 3))
    ticks = present_ticks(replace(whole, rows=sentences, columns=sentences), part)
    first = (0,) * (np.zeros(whole.shape)[part].ndim - 2)
    assert (ticks.row_words(first), ticks.column_words(first)) == (rows, columns)


def test_that_words_that_do_not_fit_the_tensor_are_left_out():
    whole = capture_tensor("attention", "x", torch.zeros(2, 3, 3))
    for words in ((("a", "b"),) * 2, (("a", "b", "c"),)):
        assert present_ticks(replace(whole, rows=words), ()).rows is None


def test_that_another_tensor_is_shown_whole(filled, run, qtbot):
    write_slice(filled, "[0, :, 1]", qtbot)
    tell(run, keep(run, 3, torch.ones(5, 2), "head.weight"))
    qtbot.waitUntil(lambda: "5×2" in filled.part.text())
    assert not filled.slice.text()


def test_that_the_part_is_copied_as_numpy_text(filled, qtbot):
    write_slice(filled, "1, 2, 2", qtbot)
    qtbot.waitUntil(lambda: filled.part.text().endswith(" 3"))
    QGuiApplication.clipboard().clear()
    qtbot.mouseClick(filled.copy, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(QGuiApplication.clipboard().text()))
    assert QGuiApplication.clipboard().text() == "array([51., 52., 53.], dtype=float32)"


def test_that_a_tensor_without_elements_is_copied_as_what_can_be_typed() -> None:
    assert numpy_text(np.empty((2, 0), dtype=np.float32)) == "zeros((2, 0), dtype=float32)"


@pytest.mark.parametrize("ending", ["npy", "csv"])
def test_that_the_part_is_saved(filled, qtbot, tmp_path, ending):
    file = tmp_path / f"saved.{ending}"
    qtbot.mouseClick(filled.save, Qt.MouseButton.LeftButton)
    dialog = filled.window().findChild(QFileDialog, "dialog.save_tensor")
    dialog.filterSelected.emit("(*.csv)")
    assert dialog.defaultSuffix() == "csv"
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    qtbot.waitUntil(file.exists)
    found = np.load(file) if ending == "npy" else np.loadtxt(file, delimiter=",")
    assert np.array_equal(found.ravel(), WEIGHT.numpy().ravel())


def test_that_the_part_is_saved_for_pytorch_by_the_host(filled, opened, host, qtbot, tmp_path):
    write_slice(filled, "1, 2", qtbot)
    qtbot.waitUntil(lambda: filled.part.text().endswith(" 3×3"))
    qtbot.mouseClick(filled.save, Qt.MouseButton.LeftButton)
    dialog = filled.window().findChild(QFileDialog, "dialog.save_tensor")
    dialog.fileSelected.emit(str(tmp_path / "saved.pt"))
    dialog.reject()
    qtbot.waitUntil(lambda: any(isinstance(each, SaveTensor) for each in host.requests))
    asked = next(each for each in host.requests if isinstance(each, SaveTensor))
    assert (asked.shape, asked.stored, asked.dtype) == ((3, 3), "<f4", "float32")
    assert asked.data == WEIGHT[1, 2].numpy().tobytes()


class CheckpointHost:
    """A host that opens checkpoints, or says why not."""

    def __init__(self, host, monkeypatch) -> None:
        self.problem = None
        usual = host.answer

        def answer(request, future) -> None:
            match request:
                case ListKeptTensors() if self.problem is not None:
                    future.set_exception(DiagnosticError(self.problem))
                case ListKeptTensors():
                    entry = TensorEntry(kind="state", name="block.conv.weight:exp_avg", shape=(2,))
                    future.set_result(TensorListing(tensors=(entry,)))
                case TakeKeptTensor(kind=kind, name=name):
                    future.set_result(capture_tensor(kind, name, torch.ones(2)))
                case _:
                    usual(request, future)

        monkeypatch.setattr(host, "answer", answer)


@pytest.fixture
def checkpoint_host(host, monkeypatch) -> CheckpointHost:
    return CheckpointHost(host, monkeypatch)


def end_with_checkpoint(run: RunFolder) -> None:
    saved = CheckpointSaved(file="step-9.ckpt", sha256="", step=9, epoch=1, tags=("last",))
    tell(run, saved, RunEnded(reason="stopped", step=9, epoch=1))


@pytest.mark.row("S001")
def test_that_what_a_checkpoint_keeps_is_listed_by_layer_and_looked_at(
    page, opened, run, qtbot, checkpoint_host
):
    end_with_checkpoint(run)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: leaves(page) == ["state block.conv.weight:exp_avg"])
    rows = {row.id: row for row in page.listing.model.tree.rows}
    assert rows["group block.conv"].parent == "group block"
    assert rows["state block.conv.weight:exp_avg"].cells[0] == "weight:exp_avg"
    assert page.choice.isVisible()
    assert not page.live.isVisible()
    page.listing.search.setText("conv optimizer")
    assert len(leaves(page)) == 1
    page.listing.select_ids(leaves(page))
    qtbot.mouseClick(page.capture, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Optimizer state" in page.part.text())
    assert facts(page)["shape"] == "(2,)"


def test_that_a_checkpoint_that_cannot_be_opened_is_told_until_another_one_is_opened(
    page, opened, host, qtbot, checkpoint_host
):
    checkpoint_host.problem = Diagnostic(code="K003", params={"file": "step-9.ckpt"})
    session = opened.session
    bare = RunFolder.create(session.project.path, session.graph, session.spec, "bare")
    started = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    tell(bare, started)
    end_with_checkpoint(bare)
    opened.services.runs.follow(bare)

    def told() -> str:
        return " ".join(label.text() for label in page.empty.findChildren(QLabel))

    qtbot.waitUntil(lambda: "cannot be opened" in told())
    assert "step-9.ckpt" in told()
    host.is_holding = True
    files = part(page, "tensors.checkpoint")
    files.setCurrentIndex(files.findData("step-9.ckpt"))
    files.activated.emit(files.currentIndex())
    assert "Opening the checkpoint" in told()
    assert "cannot be opened" not in told()


def test_that_a_damaged_tensor_hides_no_other(page, opened, run, qtbot):
    damaged = tensor_files.files(run.artefacts)[0]
    damaged.write_bytes(b"no tensor")
    tell(run, RunEnded(reason="stopped", step=9, epoch=1))
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: page.taken.count() == 2)
    texts = [page.taken.itemText(number) for number in range(2)]
    assert "conv.weight" in texts[0]
    assert damaged.name in texts[1]


def test_that_a_tensor_taken_before_can_be_chosen(filled, qtbot):
    assert filled.taken.count() == 2
    filled.taken.setCurrentIndex(1)
    filled.taken.activated.emit(1)
    qtbot.waitUntil(lambda: facts(filled)["shape"] == "(4,)")
    assert filled.look.currentData() == "line"


def test_that_a_run_that_waits_takes_a_step_for_what_only_a_step_makes(
    page, opened, run, qtbot, monkeypatch
):
    tell(run, StateChanged(state="paused", step=3))
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    monkeypatch.setattr("studio.run_control.controller.RunController.is_paused", True)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: bool(leaves(page)))
    second, first = leaves(page)
    page.listing.select_ids([first])
    qtbot.mouseClick(page.capture, Qt.MouseButton.LeftButton)
    page.listing.row_activated.emit(second)
    told = CommandReader(run.commands_path).poll()
    assert told[0] == ListTensors()
    assert told[1] == CaptureTensor(kind="parameter", name="conv.weight")
    assert told[2] == CaptureTensor(kind="activation", name=second.partition(" ")[2])
    assert told[3] == Step(count=1)


def test_that_what_a_node_of_the_canvas_computes_can_be_looked_at(opened, run, qtbot, monkeypatch):
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    opened.services.runs.follow(run)
    qtbot.waitUntil(lambda: opened.session.run is not None)
    node = next(each for each in opened.session.graph.nodes.values() if each.type == "Linear")
    opened.window.show_workspace("model")
    opened.bench.model_page.canvas.select((node.id,))
    opened.bench.actions.action("action.inspect.look").trigger()
    assert opened.window.findChild(TensorsPage).isVisible()
    told = CommandReader(run.commands_path).poll()
    assert CaptureTensor(kind="activation", name=node.id) in told


def test_that_slices_are_read_as_numpy_reads_them():
    assert parse_slice(" [0, :, 3] ") == (0, slice(None), 3)
    assert parse_slice("..., ::-2, 1:") == (..., slice(None, None, -2), slice(1, None))
    assert parse_slice("") == parse_slice("[]") == ()
    for text in ("a", "0,,1", "1:2:0", "[[0]]", "1e9", "9" * 30):
        with pytest.raises(SliceError):
            parse_slice(text)

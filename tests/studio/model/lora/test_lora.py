"""LoRA in the window: the count first, then blocks that can be undone; merge and adapter file."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QComboBox, QDialog, QLabel, QPushButton, QSpinBox

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.edit.lora import loras
from engine.query.lora.request import (
    CountTrained,
    LoadAdapter,
    LoraReport,
    MergeLora,
    ParameterCount,
    SaveAdapter,
)
from studio.model.lora.controller import LoraController
from widgets.common.toast import ToastStack

REPORT = LoraReport(file="", blocks=1, parameters=78)


@pytest.fixture
def give(opened, host):
    """Return what gives a command for some nodes and returns the dialog of a name."""
    host.own |= {
        CountTrained: ParameterCount(trained=78, total=2_090),
        MergeLora: REPORT,
        SaveAdapter: REPORT,
        LoadAdapter: replace(REPORT, has_scales=False),
    }

    def given(command: str, name: str, *ids: str) -> QDialog | None:
        opened.window.show_workspace("model")
        opened.window.page("model").canvas.select(ids)
        opened.bench.actions.action(f"action.model.{command}").trigger()
        return opened.window.findChild(QDialog, name)

    return given


def press(dialog, name):
    dialog.findChild(QPushButton, f"{dialog.objectName()}.{name}").click()


def add(give, *ids: str) -> None:
    dialog = give("lora", "dialog.lora", *ids)
    dialog.findChild(QSpinBox, "dialog.lora.rank").setValue(3)
    press(dialog, "apply")


def told(opened) -> str:
    return " ".join(toast.view.text for toast in opened.window.findChild(ToastStack).toasts)


def asked(host, kind):
    return [request for request in host.requests if type(request) is kind]


def test_that_the_trained_parameters_are_told_and_then_the_layer_is_a_block(
    opened, give, host, qtbot
):
    before = opened.session.graph
    dialog = give("lora", "dialog.lora", "hidden1")
    count = dialog.findChild(QLabel, "dialog.lora.count")
    qtbot.waitUntil(lambda: "78 of 2,090" in count.text(), timeout=30_000)
    assert "hidden1" in dialog.findChild(QLabel, "dialog.lora.text").text()
    dialog.findChild(QSpinBox, "dialog.lora.rank").setValue(3)
    assert opened.session.graph == before
    press(dialog, "apply")
    (lora,) = loras(opened.session.graph).values()
    assert (lora.rank, lora.base.frozen, lora.scale) == (3, True, 16 / 3)
    assert opened.session.graph in [one.graph for one in asked(host, CountTrained)]
    opened.session.undo()
    assert opened.session.graph == before


def test_that_a_node_without_weights_is_told_and_not_asked_about(opened, give):
    before = opened.session.graph
    name = next(i for i, node in before.nodes.items() if node.type == "Input")
    assert give("lora", "dialog.lora", name) is None
    assert opened.session.graph == before


def test_that_a_block_is_taken_away_again(opened, give):
    add(give, "hidden1")
    action = opened.bench.actions.action("action.model.remove_lora")
    opened.window.page("model").canvas.select(("hidden2",))
    assert not action.isEnabled()
    give("remove_lora", "", "hidden1")
    assert not loras(opened.session.graph)
    assert not opened.session.graph.blocks


def start_from(opened, file: str = "weights/base.safetensors") -> Path:
    path = opened.session.project.path / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"weights")
    session = opened.session
    session.change(session.graph, replace(session.spec, weights=file), "Start")
    return path


def test_that_the_weights_of_the_project_are_merged_as_one_undo_step(opened, give, host, qtbot):
    file = start_from(opened)
    add(give, "hidden1")
    graph, spec = opened.session.graph, opened.session.spec
    dialog = give("merge_lora", "dialog.lora_weights")
    apply = dialog.findChild(QPushButton, "dialog.lora_weights.apply")
    qtbot.waitUntil(apply.isEnabled, timeout=30_000)
    assert dialog.findChild(QComboBox, "dialog.lora_weights.checkpoint").currentText() == (
        "weights/base.safetensors"
    )
    press(dialog, "apply")
    qtbot.waitUntil(lambda: not loras(opened.session.graph), timeout=30_000)
    (request,) = asked(host, MergeLora)
    assert (request.graph, request.modules) == (graph, ("hidden1",))
    assert request.source.file == str(file)
    assert request.source.names == {"hidden1.base_layer": "hidden1"}
    assert opened.session.spec.weights == "weights/merged.safetensors"
    assert not opened.session.spec.renamed
    (toast,) = opened.window.findChild(ToastStack).toasts
    assert "layers stay frozen: hidden2" in toast.view.text
    toast.findChild(QPushButton).click()
    assert not any(node.frozen for node in opened.session.graph.nodes.values())
    opened.session.undo()
    opened.session.undo()
    assert (opened.session.graph, opened.session.spec) == (graph, spec)


def test_that_an_adapter_is_saved_and_loaded(opened, give, host, qtbot, tmp_path):
    start_from(opened)
    add(give, "hidden1")
    controller = opened.window.findChild(LoraController)
    file = tmp_path / "adapter.safetensors"
    dialog = give("save_adapter", "dialog.lora_weights")
    apply = dialog.findChild(QPushButton, "dialog.lora_weights.apply")
    qtbot.waitUntil(apply.isEnabled, timeout=30_000)
    press(dialog, "apply")
    qtbot.waitUntil(
        lambda: opened.window.findChild(QDialog, "dialog.save_adapter") is not None, timeout=30_000
    )
    saving = opened.window.findChild(QDialog, "dialog.save_adapter")
    saving.fileSelected.emit(str(file))
    saving.reject()
    qtbot.waitUntil(lambda: bool(asked(host, SaveAdapter)), timeout=30_000)
    assert asked(host, SaveAdapter)[0].target == str(file)
    controller.take(file)
    qtbot.waitUntil(
        lambda: opened.session.spec.weights == "weights/adapted.safetensors", timeout=30_000
    )
    assert asked(host, LoadAdapter)[0].adapter == str(file)


def test_that_an_adapter_that_does_not_fit_changes_nothing(opened, give, host, qtbot, tmp_path):
    start_from(opened)
    add(give, "hidden1")
    host.own[LoadAdapter] = DiagnosticError(Diagnostic(code="R516", params={"file": "a.bin"}))
    spec = opened.session.spec
    opened.window.findChild(LoraController).take(tmp_path / "a.bin")
    qtbot.waitUntil(lambda: "has no LoRA weights" in told(opened), timeout=30_000)
    assert opened.session.spec == spec

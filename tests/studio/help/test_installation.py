"""The check of the installation tells what is in the way and on which devices PyTorch computes."""

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QPushButton, QTextBrowser

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.machine.request import CheckInstallation, DeviceTrial, Installation
from engine.runtime.telemetry import GpuLoad, MachineLoad
from studio.help.installation import controller
from studio.installation import Finding

GPU = GpuLoad(index=0, name="NVIDIA A100", memory_bytes=1 << 36, used_bytes=0)
SOUND = Installation(torch="2.15.0", trials=(DeviceTrial(device="cpu"),))
FAILED = DeviceTrial(device="cuda:0", problem=Diagnostic(code="L056"))


@pytest.fixture
def looked(monkeypatch):
    """Return what packages and driver tell."""
    told: dict[str, object] = {"findings": [], "gpus": ()}

    def look():
        gpus = told["gpus"]
        problem = None if gpus else Diagnostic(code="E036")
        load = MachineLoad(cores=(0.5,), memory_bytes=2, used_bytes=1, gpus=gpus, problem=problem)
        return told["findings"], load

    monkeypatch.setattr(controller, "_look", look)
    return told


def shown(studio, qtbot, word: str) -> str:
    """Return what the check shows once the word is among it."""
    found = studio.window.findChild(QTextBrowser, "dialog.installation.text")
    qtbot.waitUntil(lambda: word in found.toPlainText())
    return found.toPlainText()


@pytest.mark.row("S257")
def test_that_the_welcome_page_checks_the_installation(studio, host, looked, qtbot):
    host.own[CheckInstallation] = SOUND
    studio.show(None)
    studio.start_background()
    studio.window.findChild(QPushButton, "welcome.check").click()
    text = shown(studio, qtbot, "Everything is installed")
    assert "torch.rand(5, 3) and a matrix product ran on cpu" in text
    assert "PyTorch 2.15.0, built without CUDA" in text
    assert "pytorch.org" in text
    studio.window.findChild(QPushButton, "dialog.installation.copy").click()
    assert "PyTorch 2.15.0" in QGuiApplication.clipboard().text()


@pytest.mark.row("S249")
@pytest.mark.row("S257")
@pytest.mark.row("S258")
@pytest.mark.parametrize(
    "case",
    [
        (SOUND, "built without CUDA, so runs"),
        (Installation(torch="2.15.0", cuda="13.2", cudnn="91300"), "CUDA 13.2) cannot use"),
        (Installation(torch="2.15.0", cuda="13.2", trials=(FAILED,)), "architecture of this GPU"),
    ],
)
def test_that_a_gpu_that_pytorch_cannot_use_is_told(studio, host, looked, qtbot, case):
    found, word = case
    looked["gpus"] = (GPU,)
    looked["findings"] = [Finding("E027", {})]
    host.own[CheckInstallation] = found
    studio.show(None)
    studio.start_background()
    studio.bench.actions.action("action.help.installation").trigger()
    text = shown(studio, qtbot, "2 issues found")
    assert word in text
    assert "torchvision is not installed" in text


def test_that_a_pytorch_that_cannot_be_loaded_is_told(studio, host, looked, qtbot):
    host.own[CheckInstallation] = DiagnosticError(Diagnostic(code="E001", detail="libc10.so"))
    studio.show(None)
    studio.start_background()
    action = studio.bench.actions.action("action.help.installation")
    action.trigger()
    assert "could not be loaded" in shown(studio, qtbot, "libc10.so")
    studio.window.findChild(QDialog, "dialog.installation").close()
    host.own[CheckInstallation] = SOUND
    qtbot.waitUntil(lambda: studio.window.findChild(QDialog, "dialog.installation") is None)
    action.trigger()
    shown(studio, qtbot, "Everything is installed")

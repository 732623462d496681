"""A model of torchvision in the real window: imported, given another head, trained."""

from pathlib import Path

import pytest

from engine.export.load import read_weights
from engine.project import Project
from tests.e2e.conftest import Start
from tests.e2e.screen import Program
from tests.e2e.work import choose_data, start_run, wait_for_run

_PATIENCE_S = 180  # PyTorch and torchvision are loaded, the model is built and compared


@pytest.mark.window
@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.row("P11", "S118", "S121", "S122")
def test_that_a_residual_net_is_imported_gets_another_head_and_trains(start: Start, home: Path):
    program = start()
    import_model(program, home)
    replace_head(program)
    choose_data(program, "Random samples")
    program.replace_text("field.data.source.shape", "3, 32, 32")
    start_run(program, 1)
    program.click("train.stop")
    wait_for_run(program, "stopped")
    program.key("ctrl+q")
    program.click("question.unsaved.save")
    assert program.end() == 0
    project = Project.open(home / "resnet18")
    assert project.graph.nodes["fc"].params["out_features"] == 10
    _, weights, _ = read_weights(project.path / project.spec.weights)
    assert len(weights) == 122


def import_model(program: Program, folder: Path) -> None:
    """Import ``resnet18`` for small pictures with what is found first when it is typed."""
    program.key("ctrl+i")
    program.widget("dialog.import")
    program.click("dialog.import.models.search")
    program.type("resnet18")
    program.row("dialog.import.models", "resnet18")
    program.key("Return")
    program.widget("field.name", lambda w: w["text"] == "resnet18")
    program.replace_text("field.inputs", "3x32x32")
    program.replace_text("field.folder", str(folder))
    program.click("dialog.import.import")
    program.node("fc", timeout_s=_PATIENCE_S)


def replace_head(program: Program) -> None:
    program.click(program.node("fc"))
    program.widget("inspector.name", lambda w: w["text"] == "fc")
    program.replace_text("field.out_features", "10")

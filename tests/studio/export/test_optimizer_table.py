"""The optimizers of a checkpoint stand below its tensors on the Export page."""

import pytest
from PySide6.QtWidgets import QComboBox

from engine.events import CheckpointSaved
from engine.project import Project
from engine.query.weights.request import ReadCheckpoint
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.runtime import CheckpointContents, OptimizerGroup
from studio.view.export import present_optimizers

ADAM = OptimizerGroup(
    optimizer="optimizer",
    number=1,
    parameters=6,
    settings={"lr": "0.01", "betas": "(0.9, 0.999)"},
    kept=("step", "exp_avg", "exp_avg_sq"),
    steps=40,
    size_bytes=4096,
)
CONTENTS = CheckpointContents(
    file="step-1.ckpt", kind="checkpoint", size_bytes=9000, optimizers=(ADAM,)
)


@pytest.mark.row("S173")
def test_that_a_group_has_its_settings_and_what_is_kept(qapp):
    (row,) = present_optimizers(CONTENTS).rows
    assert row.cells == (
        "optimizer[1]", 6, "step, exp_avg, exp_avg_sq", 40, 4096,
        "lr=0.01, betas=(0.9, 0.999)",
    )  # fmt: skip
    assert "lr = 0.01" in row.tooltip
    assert present_optimizers(None).rows == ()


@pytest.fixture
def project_path(tmp_path):
    """Return a project with a run that has a checkpoint."""
    project = Project.create(tmp_path / "digits", "digits-mlp")
    folder = RunFolder.create(project.path, project.graph, project.spec, "first")
    journal = RunJournal(folder.path)
    journal.append(
        CheckpointSaved(file="step-1.ckpt", sha256="0" * 64, step=1, epoch=1, tags=("last",))
    )
    journal.close()
    return project.path


@pytest.mark.real
@pytest.mark.row("S173")
@pytest.mark.parametrize("optimizers", [(ADAM,), ()], ids=["some", "none"])
def test_that_the_table_is_there_where_a_checkpoint_has_optimizers(opened, host, qtbot, optimizers):
    found = CheckpointContents(
        file="step-1.ckpt", kind="checkpoint", size_bytes=9000, optimizers=optimizers
    )
    host.own[ReadCheckpoint] = lambda _: found
    opened.window.show_workspace("export")
    page = opened.window.page("export")
    combo = page.findChild(QComboBox, "export.run")
    qtbot.waitUntil(lambda: combo.count() == 1)
    qtbot.waitUntil(lambda: any(isinstance(each, ReadCheckpoint) for each in host.requests))
    qtbot.waitUntil(lambda: page.optimizers.isVisible() is bool(optimizers))
    page.show_comparison("fits", None, is_good=True)
    assert not page.optimizers.isVisible()
    page.hide_comparison()
    assert page.optimizers.isVisible() is bool(optimizers)

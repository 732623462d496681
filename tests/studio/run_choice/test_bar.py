"""Choice of a run and its checkpoint in the bars of pages."""

from PySide6.QtWidgets import QComboBox

from engine.runs.record.state import CheckpointInfo, RunState
from engine.spec.technique import AveragingSpec
from studio.run_choice.bar import RunChoice
from studio.view.export import present_checkpoint_choices


def test_that_a_checkpoint_with_averaged_weights_is_named_whole(qtbot):
    best = CheckpointInfo(file="step-123456.ckpt", sha256="", step=123_456, epoch=9)
    choice = RunChoice("results")
    qtbot.addWidget(choice)
    state = RunState(checkpoints=(best,), best=best)
    choice.set_checkpoints(present_checkpoint_choices(state, AveragingSpec(kind="ema")))
    combo = choice.findChild(QComboBox, "results.checkpoint")
    assert combo.sizeHint().width() <= combo.maximumWidth()

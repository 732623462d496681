"""Loss and metrics of a checkpoint on one part of the data."""

from pathlib import Path

from engine.data.preview import describe
from engine.query.results.measured import evaluate
from engine.runs.folder import RunFolder
from engine.runtime.protocol import Evaluation, Split
from engine.train.checkpoint.lookup import find_checkpoint


def evaluate_run(run_folder: Path, checkpoint: str, split: Split) -> Evaluation:
    """Return what :func:`engine.runtime.evaluate` promises. Raises :class:`DiagnosticError`."""
    run = RunFolder.open(run_folder)
    info = find_checkpoint(run, checkpoint)
    part = describe(run.document.spec.data).part(split)
    return Evaluation(
        run=run.id,
        checkpoint=info.file,
        split=split,
        metrics=evaluate(run, info.file, split),
        samples=part.samples if part else 0,
    )

"""Loss and metrics of a checkpoint on one part of the data."""

from pathlib import Path

import torch

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.job import load_trained
from engine.runs.folder import RunFolder
from engine.runtime.protocol import Evaluation, Split
from engine.train.loop import evaluate_part
from engine.train.training import build_training


def evaluate_run(run_folder: Path, checkpoint: str, split: Split) -> Evaluation:
    """Return what :func:`engine.runtime.evaluate` promises. The global random state is untouched.

    Raises :class:`DiagnosticError`: X005 when the part has no samples.
    """
    run = RunFolder.open(run_folder)
    with torch.random.fork_rng(devices=[]):  # fresh weights are drawn before they are replaced
        model, info = load_trained(run, checkpoint)
        training = build_training(run.document.graph, run.document.spec, model)
    metrics = evaluate_part(training, split)
    if not metrics:
        raise DiagnosticError(Diagnostic(code="X005", params={"run": run.id, "split": split}))
    return Evaluation(
        run=run.id,
        checkpoint=info.file,
        split=split,
        metrics=metrics,
        samples=training.data.samples(split),
    )

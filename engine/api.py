"""Python interface for scripts and notebooks: models, runs and files without the window.

Importing it is cheap; PyTorch is imported by the first name that needs it. ``docs/python.md`` shows
each with an example. Everything else in :mod:`engine` may move.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from engine.custom.trust import set_trust
from engine.export.report import CheckpointComparison, CheckpointContents, ExportReport
from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.project import Project
from engine.query.ask import ask, write_predictions
from engine.query.evaluation.request import Evaluate, Evaluation
from engine.query.export.request import Export
from engine.query.finder.request import FinderMessage, FindRate, RateFound, RateMeasured
from engine.query.model.request import Check, CheckReport
from engine.query.predicting.request import (
    DecimalChoice,
    OnDamaged,
    PredictFile,
    PredictionProgress,
    PredictionReport,
)
from engine.query.request import Split
from engine.query.results.request import Predict, Prediction
from engine.query.weights.request import CompareCheckpoint, ReadCheckpoint
from engine.runs.certificate import Certificate
from engine.runs.folder import RunFolder, find_run
from engine.runs.record.store import RunStore
from engine.runtime.certify import Certification
from engine.runtime.run import RunHandle, start_run
from engine.spec.phase import phase_named
from engine.spec.run import RunSpec

if TYPE_CHECKING:
    from engine.importer.module import from_module
    from engine.inspect.autograd import capture
    from engine.model.analysis import analyse
    from engine.model.module import to_module
    from engine.model.source import to_source

_LAZY = {
    "analyse": "engine.model.analysis",
    "capture": "engine.inspect.autograd",
    "from_module": "engine.importer.module",
    "to_module": "engine.model.module",
    "to_source": "engine.model.source",
}

__all__ = [
    "Certificate",
    "CheckReport",
    "CheckpointComparison",
    "CheckpointContents",
    "Evaluation",
    "ExportReport",
    "Graph",
    "Prediction",
    "PredictionReport",
    "Project",
    "RateFound",
    "RateMeasured",
    "RunFolder",
    "RunHandle",
    "RunSpec",
    "RunStore",
    "analyse",
    "apply",
    "capture",
    "certify",
    "check",
    "compare_checkpoint",
    "evaluate",
    "export",
    "find_rate",
    "find_run",
    "from_module",
    "predict",
    "predict_file",
    "predict_part",
    "read_checkpoint",
    "to_module",
    "to_source",
    "train",
    "trust",
]


def __getattr__(name: str) -> object:
    """Import what needs PyTorch when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(name)
    return getattr(import_module(_LAZY[name]), name)


def trust(code: Mapping[str, str]) -> None:
    """Let custom code (``Graph.code``: texts by the name of their file) run in this process and in
    the runs that it starts: whoever wrote it can do all that you can.
    """
    set_trust(code, trusted=True)


def check(graph: Graph, spec: RunSpec) -> CheckReport:
    """Return all that can be found before a run: analysis of the graph, description of the data,
    problems of graph, data and specification. Custom code that is not trusted is not run.
    """
    return ask(Check(graph=graph, spec=spec))


def train(
    project: Project,
    *,
    spec: RunSpec | None = None,
    name: str | None = None,
    trusted: bool = False,
    wait: bool = True,
) -> RunHandle:
    """Train the model of a project and return the run, when it is over or, without ``wait``, while
    it goes on. ``spec`` takes the place of the project's; ``trusted`` lets its custom code run.

    Raises :class:`~engine.diagnostics.DiagnosticError` with the problems that prevent it.
    """
    chosen = project.spec if spec is None else spec
    handle = start_run(project.path, project.graph, chosen, name, trusted=trusted)
    if wait:
        handle.wait()
    return handle


def certify(run_folder: Path | str, steps: int = 20, *, trusted: bool = False) -> Certificate:
    """Return whether the steps after a resume of a run are the same bits in two processes, and keep
    that with the run; ``trusted`` lets its custom code run.

    Raises :class:`~engine.diagnostics.DiagnosticError`: K015 for a run without a checkpoint, R450
    for a number of steps that is none, and what keeps the run from going on.
    """
    found = Certification(RunFolder.open(run_folder), steps, trusted=trusted).run()
    assert found is not None  # nobody gives it up
    return found


def find_rate(
    project: Project,
    *,
    spec: RunSpec | None = None,
    lowest: float = 1e-7,
    highest: float = 10.0,
    steps: int = 100,
    phase: str = "",
    trusted: bool = False,
) -> tuple[RateFound, list[RateMeasured]]:
    """Return which learning rates suit a project, and the loss at each that was tried: a copy of
    the model takes ``steps`` with a rate that rises from ``lowest`` to ``highest``. ``spec`` takes
    the place of the project's; ``phase`` is the name or number (from 1) of the phase whose rate it
    is, the first by default; ``trusted`` lets its custom code run.

    Raises :class:`~engine.diagnostics.DiagnosticError`: R463 where the optimizer has no learning
    rate, R573 for a phase that there is not, R464 for rates or steps that make no search, and what
    keeps a run from beginning.
    """
    set_trust(project.graph.code, trusted=trusted)
    told: list[FinderMessage] = []
    chosen = project.spec if spec is None else spec
    request = FindRate(
        graph=project.graph,
        spec=chosen,
        project=str(project.path),
        lowest=lowest,
        highest=highest,
        steps=steps,
        phase=phase_named(chosen, phase),
    )
    import_module("engine.query.finder.answer").find_rate(request, told.append)
    found = next(each for each in told if isinstance(each, RateFound))
    return found, [each for each in told if isinstance(each, RateMeasured)]


def evaluate(run_folder: Path | str, checkpoint: str = "best", split: Split = "test") -> Evaluation:
    """Return loss and metrics of a checkpoint of a run on one part of its data.

    ``checkpoint`` is ``best``, ``last`` or a file name. Raises
    :class:`~engine.diagnostics.DiagnosticError`: K013 or K015 where there is no such checkpoint,
    K014 for an empty part.
    """
    return ask(Evaluate(run_folder=str(run_folder), checkpoint=checkpoint, split=split))


def predict(
    run_folder: Path | str,
    values: Mapping[str, Sequence[float]] | None = None,
    checkpoint: str = "best",
    *,
    texts: Mapping[str, str] | None = None,
    cells: Mapping[str, str] | None = None,
    files: Mapping[str, Path | str] | None = None,
) -> Prediction:
    """Return what the model of a checkpoint says about one sample: ``values`` are flat, by the name
    of the data field, before normalisation. What the data reads itself may be given as it stands
    there: ``texts`` by field, the ``cells`` of a row by column, the paths of ``files`` by field.

    Raises :class:`~engine.diagnostics.DiagnosticError` where they do not have the field's size, or
    cannot be read.
    """
    return ask(
        Predict(
            run_folder=str(run_folder),
            checkpoint=checkpoint,
            values={name: tuple(map(float, given)) for name, given in (values or {}).items()},
            texts=dict(texts or {}),
            cells=dict(cells or {}),
            files={name: str(path) for name, path in (files or {}).items()},
        )
    )


def predict_file(
    run_folder: Path | str,
    data: Path | str,
    output: Path | str,
    checkpoint: str = "best",
    *,
    overwrite: bool = False,
    batch_size: int = 0,
    device: str = "",
    on_damaged: OnDamaged = "project",
    decimal: DecimalChoice = "auto",
    progress: Callable[[PredictionProgress], object] | None = None,
) -> PredictionReport:
    """Write what the model of a checkpoint predicts for a file or folder without targets, read and
    prepared as the data of the run in evaluation; ``output`` ends in .csv, .parquet, .npy, .npz or
    .jsonl. ``batch_size`` 0 and ``device`` empty are those of the run. ``on_damaged`` is ``skip``,
    ``stop`` or ``project``, what the settings of the data say. ``decimal`` is the decimal mark of a
    table: ``point``, ``comma`` or ``auto``, which finds it. ``progress`` is called after each
    batch; what it raises ends the work, and no file is written. Boxes and masks are in pixels of
    the pictures as they came, upright, where the column ``pixels`` does not say ``model``.

    Raises :class:`~engine.diagnostics.DiagnosticError` (P050 to P064, and what reading raises).
    """
    request = PredictFile(
        run_folder=str(run_folder),
        checkpoint=checkpoint,
        data=str(data),
        output=str(output),
        overwrite=overwrite,
        batch_size=batch_size,
        device=device,
        on_damaged=on_damaged,
        decimal=decimal,
    )
    return write_predictions(request, progress or (lambda _progress: None))


def predict_part(
    run_folder: Path | str,
    split: Split,
    output: Path | str,
    checkpoint: str = "best",
    *,
    overwrite: bool = False,
) -> PredictionReport:
    """Write what the model of a checkpoint predicts for one part of the data of its run, beside the
    targets: the predictions that evaluation measures. Raises as :func:`predict_file`, and K014 for
    an empty part.
    """
    return write_predictions(
        PredictFile(
            run_folder=str(run_folder),
            checkpoint=checkpoint,
            part=split,
            output=str(output),
            overwrite=overwrite,
        )
    )


def export(
    run_folder: Path | str,
    format_name: str,
    output: Path | str,
    checkpoint: str = "best",
    *,
    overwrite: bool = True,
) -> ExportReport:
    """Write the model of a checkpoint in a format, load it back and compare.

    Raises :class:`~engine.diagnostics.DiagnosticError` (X0xx, K0xx, P00x); what stood at ``output``
    before stays then.
    """
    return ask(
        Export(
            run_folder=str(run_folder),
            format=format_name,
            output=str(output),
            checkpoint=checkpoint,
            overwrite=overwrite,
        )
    )


def read_checkpoint(file: Path | str) -> CheckpointContents:
    """Return names, shapes, dtypes and sizes of what a file of weights holds; none of its code is
    run. Raises :class:`~engine.diagnostics.DiagnosticError` (X0xx) for what is no such file.
    """
    return ask(ReadCheckpoint(file=str(file)))


def compare_checkpoint(file: Path | str, graph: Graph) -> CheckpointComparison:
    """Return which weights of a file fit a graph and which do not."""
    return ask(CompareCheckpoint(file=str(file), graph=graph))

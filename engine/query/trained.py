"""A checkpoint of a run as a model that can be asked: its data, its weights, in eval mode."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from dataclasses import replace as replace_field
from pathlib import Path

import torch
from msgspec.structs import replace

from engine.custom.trust import require_trust
from engine.data.load.fit import read_fit
from engine.data.load.kept_data import load_kept_data, read_kept_data
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.code import runs_code
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.state import CheckpointInfo
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.spec.data_path import path_params
from engine.spec.run import RunSpec
from engine.spec.technique import ViewKind
from engine.spec.view_rule import check_views
from engine.train.checkpoint.difference import unfit_checkpoint
from engine.train.checkpoint.file import Checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.devices import pick_device, run_settings
from engine.train.technique.registry import QUANTIZATION
from engine.train.training import Training, build_training, state_of


@dataclass(frozen=True, kw_only=True)
class Trained:
    """What a run trained, up to a checkpoint; ``learned`` is since when it predicts each training
    sample rightly (:mod:`engine.train.learned`), ``output`` the one that it is asked about, empty
    for the first. Where it ``is_kept``, its data is not there, and what the run keeps of it stands
    for it.
    """

    run: RunFolder
    info: CheckpointInfo
    spec: RunSpec
    training: Training
    learned: dict[str, object] = field(default_factory=dict[str, object])
    output: str = ""
    is_kept: bool = False

    def judging(self, output: str) -> "Trained":
        """Return the same, asked about one of its outputs (:meth:`Training.judging`). Raises
        :class:`DiagnosticError` V025 where that is compared with nothing.
        """
        return replace_field(self, training=self.training.judging(output), output=output)

    @contextmanager
    def in_use(self) -> Generator[Training]:
        """Lend it with dropout off, batch norm fixed and no graph built, as the run was set up.
        Raises :class:`DiagnosticError` R611 where an embedding is asked for a row that it has not.
        """
        if runs_code(self.run.document.graph):
            require_trust(self.run.document.graph.code)
        with run_settings(self.spec), torch.no_grad():
            self.training.model.eval()
            try:
                yield self.training
            except IndexError as error:
                if "out of range in self" not in str(error):
                    raise
                raise DiagnosticError.of("R611", run=self.run.document.name) from error


def open_trained(
    run: RunFolder,
    checkpoint: str,
    *,
    device: str = "",
    batch_size: int = 0,
    views: int = 0,
    view_kind: ViewKind | None = None,
    needs_data: bool = True,
) -> Trained:
    """Return the model of a checkpoint: ``last``, ``best`` or a file name in the run's folder. A
    run of a device that is not here is put on what is; ``device``, ``batch_size``, ``views`` of
    each sample and their kind take the place of those of the run where they are given. Unless it
    ``needs_data``, what the run keeps of its data stands for it where that cannot be loaded.

    Raises :class:`DiagnosticError`: R594 to R597 for views that there are not, R111 or R112 for
    another ``device`` than there is, K013 or K015 when there is no such checkpoint, K012 for one of
    another model, or with what is wrong with the file.
    """
    info = find_checkpoint(run, checkpoint)
    content = open_checkpoint(run, info.file)
    spec = _asked(run.document.spec, device, batch_size, views, view_kind)
    with run_settings(spec):
        training, is_kept = _built(run, spec, content, needs_data=needs_data)
        if problems := list(check_views(spec, training.data.info)):
            raise DiagnosticError(*problems)
        try:
            training.model.load_state_dict(content.model)
            _round_like_run(training, content)
        except (RuntimeError, KeyError, TypeError, ValueError) as error:
            current = training.model.state_dict()
            raise unfit_checkpoint(info.file, content.model, current, error) from error
    return Trained(
        run=run,
        info=info,
        spec=spec,
        training=training,
        learned=content.learned,
        is_kept=is_kept,
    )


def _asked(
    spec: RunSpec, device: str, batch_size: int, views: int, view_kind: ViewKind | None
) -> RunSpec:
    """Return a specification with what takes the place of its own, as it can be measured here."""
    if batch_size:
        spec = replace(spec, data=replace(spec.data, batch_size=batch_size, drop_last=False))
    test_time = spec.test_time
    test_time = replace(test_time, views=views or test_time.views)
    spec = replace(spec, test_time=replace(test_time, kind=view_kind or test_time.kind))
    if device:
        pick_device(device)
        spec = replace(spec, device=device)
    return _for_this_machine(spec)


def _built(
    run: RunFolder, spec: RunSpec, content: Checkpoint, *, needs_data: bool
) -> tuple[Training, bool]:
    """Return what a run trained, and whether what it keeps of its data stands for that. Raises
    :class:`DiagnosticError` D713 or D727 where that is gone, besides what is wrong with it.
    """
    graph = run.document.graph
    known = read_fit(run.artefacts)
    if not known.tokenizers:
        known = replace_field(known, tokenizers=content.tokenizers)
    try:
        return build_training(graph, spec, to_module(graph), known=known), False
    except DiagnosticError as error:
        if _has_data(run, spec):
            raise
        kept = None if needs_data else read_kept_data(run.artefacts)
        if kept is None:
            raise _with_need(error, run, needs_data=needs_data) from error
    data = load_kept_data(kept, spec.data, graph.code)
    return build_training(graph, spec, to_module(graph), kept=data), True


def _has_data(run: RunFolder, spec: RunSpec) -> bool:
    """Return whether the files and folders of the data of a run are there, as far as it has any."""
    source, code = spec.data.source, run.document.graph.code
    paths = [str(source.params.get(name) or "") for name in path_params(source, code)]
    return all(Path(path).exists() for path in paths if path)


def _with_need(error: DiagnosticError, run: RunFolder, *, needs_data: bool) -> DiagnosticError:
    """Return that the data of a run is gone, with why it is needed and what can be done."""
    code = "D713" if needs_data else "D727"
    needed = Diagnostic.of(code, severity=Severity.HINT, field="data.source.path", run=run.id)
    return DiagnosticError(*error.problems, needed)


def _round_like_run(training: Training, content: Checkpoint) -> None:
    """Have the model compute in quantized numbers as the run does at that checkpoint."""
    technique = training.techniques.get(QUANTIZATION)
    if technique is not None:
        technique.load_state_dict(state_of(content.techniques, QUANTIZATION))


def _for_this_machine(spec: RunSpec) -> RunSpec:
    """Return a specification that can be measured here, also when its devices are elsewhere."""
    spec = replace(spec, compute=replace(spec.compute, placement=""))
    try:
        pick_device(spec.device)
    except DiagnosticError:
        return replace(spec, device="auto")
    return spec

"""Preparation of a session: all that it trains with, at the position where the run goes on."""

import os
from dataclasses import replace
from pathlib import Path

import msgspec
import torch
from torch import nn

from engine.archive.weights import start_from
from engine.data.load.fit import DataFit, read_fit, write_fit
from engine.data.load.kept_data import write_kept_data
from engine.data.load.load import LoadedData
from engine.data.load.version import data_version
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import RunStarted, Warned
from engine.files import atomic_write, confined, remove_stale_temporaries
from engine.graph import codec as graph_codec
from engine.inspect.node_path import NodePaths
from engine.model.module import load_model_file
from engine.model.source import Generated
from engine.runs.folder import RunFolder, installed_versions
from engine.runs.locked_run import LockedRun
from engine.runs.process.launch import Launch
from engine.runs.record.journal import Mark
from engine.runs.record.state import RunState, fold
from engine.runs.record.store import RunStore
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.spec import codec as spec_codec
from engine.spec.choice import Code
from engine.spec.data_path import with_relative_paths
from engine.spec.length import RunLength, run_length
from engine.spec.live import LiveChange
from engine.spec.weight_name import names_in_file
from engine.train.asked import Asked
from engine.train.checkpoint.difference import (
    changed_settings,
    unfit_checkpoint,
    weight_difference,
)
from engine.train.checkpoint.file import Checkpoint, Position, load_checkpoint, newest_valid
from engine.train.devices import set_random_state
from engine.train.loop import TrainingLoop
from engine.train.metrics import EpochMeter
from engine.train.ranks.world import World
from engine.train.report import LOSS, Reporter
from engine.train.rollback import Rollback
from engine.train.runner import Runner, RunnerParts
from engine.train.saver import CheckpointSaver
from engine.train.teaching import build_run_training
from engine.train.tensor_file import start_from_files
from engine.train.tracing import StepTracer, TracedRunner
from engine.train.training import Training, TrainingState
from engine.train.watch.debugger import Debugger
from engine.train.watch.watch import Watch

_ALL = 1 << 30  # checkpoints


def prepare(
    locked_run: LockedRun, generated: Generated, asked: Asked, world: World, back: Rollback | None
) -> Runner:
    """Return a runner that is about to take the first step, or the next one after a checkpoint,
    that which a run rolls ``back`` to. Raises :class:`DiagnosticError` with what keeps it from
    going on.
    """
    folder, launch, document = locked_run.folder, locked_run.launch, locked_run.folder.document
    if back is not None:  # values set with this session are in its first checkpoint
        launch = msgspec.structs.replace(launch, resume="latest")
    remove_stale_temporaries(folder.path)
    atomic_write(folder.model_path, generated.source.encode())
    model = load_model_file(folder.model_path)
    training, about_teacher = _training(folder, launch, model, world)
    tracer = StepTracer(training, launch.trace) if launch.trace else None
    training = tracer.training if tracer else training
    meter = training.epoch_meter()
    reporter = Reporter(locked_run.journal, meter, training.part_names)
    state = _recorded(folder)
    start = _Start.of(folder, launch, state, reporter, training, back=back)
    if start.checkpoint is not None:
        _restore(start.checkpoint, training, meter, start.file)
    start.truncate(folder, reporter)  # only now: a checkpoint that does not fit raised before
    node_paths = NodePaths(document.graph, generated.lines, generated.code_lines)
    texts = document_texts(folder)
    loop = TrainingLoop(training, meter, start.position, start.length(training))
    parts = RunnerParts(
        loop=loop,
        reporter=reporter,
        saver=_saver(folder, reporter, state, start, world, keeps_all=tracer is not None),
        commands=locked_run.commands,
        interrupt=asked.interrupt,
        graph=texts[0],
        spec=texts[1],
        watch=Watch(training, node_paths, reporter, folder.artefacts, reporter.clock.elapsed_s),
        debugger=Debugger(training, node_paths, reporter, locked_run.commands, asked.interrupt),
        asked=asked,
        replay=_changes_to_come(folder, start),
    )
    runner = TracedRunner(parts, tracer) if tracer else Runner(parts)
    unfit = _take_start(start, runner, training, folder)
    started = _started(loop, start.file, document.graph.code)
    _record_start(reporter, started, start, state, training.data)
    for problem in filter(None, (unfit, about_teacher)):
        reporter.append(Warned(problem=problem))
    if back is not None:
        _roll_back(back, training, reporter, parts.saver, loop.step)
    else:
        _set_values(runner, launch, parts.saver)
    return runner


def _changes_to_come(folder: RunFolder, start: "_Start") -> tuple[LiveChange, ...]:
    """Return the changes of the run that is repeated, but for those made up to the start."""
    changes = folder.document.changes
    if start.checkpoint is None or not changes:
        return changes
    return changes[sum(mark.origin == "replay" for mark in _recorded(folder).knobs) :]


def _take_start(
    start: "_Start", runner: Runner, training: Training, folder: RunFolder
) -> Diagnostic | None:
    """Load the weights that a run starts from, or what is left to take from its checkpoint; return
    what did not fit.
    """
    if start.checkpoint is None:
        start_from_files(training.model, folder.document.graph, folder.project)
        return _load_start_weights(training.model, folder)
    runner.best = start.checkpoint.best
    # Once more, for what was built since may have drawn numbers.
    set_random_state(start.checkpoint.random, training.device)
    return None


def _roll_back(
    back: Rollback, training: Training, reporter: Reporter, saver: CheckpointSaver, step: int
) -> None:
    """Halve the learning rates, and tell it."""
    back.apply(training, step)
    reporter.append(Warned(problem=back.warning(training, step), step=step))
    saver.forget()  # so that the first checkpoint from here on holds them


def _set_values(runner: Runner, launch: Launch, saver: CheckpointSaver) -> None:
    """Set what a session sets before its first step."""
    values = {runner.loop.length.unit: launch.length, "optimizer.lr": launch.learning_rate}
    results = [runner.changes.set(name, float(value)) for name, value in values.items() if value]
    if any(results):
        saver.forget()  # so that the first checkpoint of this session holds them


def _training(
    folder: RunFolder, launch: Launch, model: nn.Module, world: World
) -> tuple[Training, Diagnostic | None]:
    """Return what trains a model, its data normalised and its texts cut as those of the run so far;
    what is learnt for that is kept with the run. Second, a warning about its teacher, on the first
    start. Raises :class:`DiagnosticError` D569 where nothing says which samples were in which part.
    """
    known = _known(folder) if launch.resume else DataFit()
    training, warning = build_run_training(folder, model, world, known)
    kept = read_fit(folder.artefacts) if launch.resume else DataFit()
    if launch.resume and kept.parts is None:
        _require_same_files(folder, training)
    write_fit(folder.artefacts, training.data.fit, kept)
    write_kept_data(folder.artefacts, training.data)
    return training, None if launch.resume else warning


def _require_same_files(folder: RunFolder, training: Training) -> None:
    """Refuse changed files for a run that has not kept its parts: they would be others in secret.
    Raises :class:`DiagnosticError` D569.
    """
    state = _recorded(folder)
    if not training.data.division.can_change or state.data is None or not state.checkpoints:
        return
    now = data_version(training.spec.data, folder.document.graph.code)
    if "files" in state.data.differences(now):
        raise DiagnosticError.of("D569", field="data.source")


def _known(folder: RunFolder) -> DataFit:
    """Return what a run has learnt from its data; where the file of the tokenizers is gone, those
    in its last checkpoint.
    """
    known = read_fit(folder.artefacts)
    if known.tokenizers or folder.document.spec.data.source.params.get("tokens") != "bpe":
        return known
    try:
        info = find_checkpoint(folder, "last")
        content = load_checkpoint(folder.checkpoints / info.file, info.sha256)
    except DiagnosticError:  # what is wrong with it is told when the run goes on from it
        return known
    return replace(known, tokenizers=content.tokenizers)


def _saver(
    folder: RunFolder,
    reporter: Reporter,
    state: RunState,
    start: "_Start",
    world: World,
    *,
    keeps_all: bool,
) -> CheckpointSaver:
    """Return the saver; recorded checkpoints after the start are undone."""
    spec = folder.document.spec.checkpoint
    if keeps_all:
        spec = msgspec.structs.replace(spec, keep_last=_ALL)
    return CheckpointSaver(
        folder,
        spec,
        reporter,
        tuple(info for info in state.checkpoints if info.step <= start.position.step),
        start.position if start.checkpoint else None,
        world=world,
        rolls_back=folder.document.spec.non_finite == "roll_back",
    )


def _load_start_weights(model: nn.Module, folder: RunFolder) -> Diagnostic | None:
    """Load the weights that the run starts from into the model; return what did not fit."""
    graph, spec = folder.document.graph, folder.document.spec
    if not spec.weights:
        return None
    return start_from(model, confined(folder.project, spec.weights), names_in_file(spec, graph))


def document_texts(folder: RunFolder) -> tuple[str, str]:
    """Return graph and specification as the JSON texts that a checkpoint holds; paths into the
    project are relative to it, so that it can move.
    """
    document = folder.document
    spec = with_relative_paths(document.spec, folder.project, document.graph.code)
    texts = graph_codec.to_document(document.graph), spec_codec.to_document(spec)
    graph, spec = map(msgspec.json.encode, texts)
    return graph.decode(), spec.decode()


class _Start:
    """Start of a session: a checkpoint and its file name, or step 0 of a run that is new or
    (``restarts``) has no checkpoint.
    """

    def __init__(
        self, file: str = "", checkpoint: Checkpoint | None = None, *, restarts: bool = False
    ) -> None:
        self.file = file
        self.checkpoint = checkpoint
        self._restarts = restarts

    @property
    def position(self) -> Position:
        """The position at which the session begins."""
        return self.checkpoint.position if self.checkpoint else Position()

    def length(self, training: Training) -> RunLength:
        """Return how long the run is; it may have been extended."""
        kept = self.checkpoint
        if kept is None:
            return run_length(training.spec, training.steps_per_epoch)
        return RunLength(kept.epochs, kept.steps, kept.minutes)

    @classmethod
    def of(
        cls,
        folder: RunFolder,
        launch: Launch,
        state: RunState,
        reporter: Reporter,
        training: Training,
        *,
        back: Rollback | None = None,
    ) -> "_Start":
        """Return the start of a session. Raises :class:`DiagnosticError` where no checkpoint can be
        read (K0xx), or it is of another run (K011) or of other settings (R431).
        """
        if not launch.resume:
            return cls()
        if launch.resume == "latest" and not state.checkpoints:
            return cls(restarts=True)
        file, checkpoint = _chosen_checkpoint(folder, launch.resume, state, reporter, back=back)
        graph, spec = document_texts(folder)
        params: dict[str, str | int | float] = {"file": file, "run": folder.document.name}
        if checkpoint.graph != graph:
            params |= weight_difference(checkpoint.model, training.model.state_dict())
            raise DiagnosticError(Diagnostic(code="K011", params=params))
        code = folder.document.graph.code
        if checkpoint.spec != spec and (settings := changed_settings(checkpoint.spec, spec, code)):
            raise DiagnosticError.of("R431", **params, settings=settings)
        return cls(file, checkpoint)

    def truncate(self, folder: RunFolder, reporter: Reporter) -> None:
        """Truncate the record to the start, and go on with its clock."""
        if self._restarts:
            reporter.journal.truncate(Mark(), 0)
        checkpoint = self.checkpoint
        if checkpoint is None:
            return
        reporter.journal.truncate(Mark(*checkpoint.mark), checkpoint.position.step)
        with RunStore.open(folder.path) as store:
            reporter.resume(store, checkpoint.elapsed_s)
        if reporter.history() != checkpoint.history:
            problem = Diagnostic(code="R124", params={"series": LOSS})
            reporter.append(Warned(problem=problem, step=checkpoint.position.step))


def _chosen_checkpoint(
    folder: RunFolder, wanted: str, state: RunState, reporter: Reporter, *, back: Rollback | None
) -> tuple[str, Checkpoint]:
    if wanted == "latest":
        newest = newest_valid if back is None else back.target
        info, checkpoint, damaged = newest(folder.checkpoints, state.checkpoints)
        for problem in damaged:
            reporter.append(Warned(problem=problem, step=checkpoint.position.step))
        return info.file, checkpoint
    file = Path(wanted).name
    digest = next((info.sha256 for info in state.checkpoints if info.file == file), "")
    return file, load_checkpoint(folder.checkpoints / file, digest)


def _recorded(folder: RunFolder) -> RunState:
    """Return the state of the run by its record."""
    state = RunState()
    with RunStore.open(folder.path) as store:
        for stored in store.events():
            state = fold(state, stored.event)
    return state


def _restore(checkpoint: Checkpoint, training: Training, meter: EpochMeter, file: str) -> None:
    """Put a checkpoint into what was built. Raises :class:`DiagnosticError` K012."""
    try:
        training.load_state(
            TrainingState(
                checkpoint.model,
                checkpoint.optimizer,
                checkpoint.scheduler,
                checkpoint.scaler,
                checkpoint.techniques,
                checkpoint.live,
                checkpoint.phases,
                checkpoint.learned,
            )
        )
        meter.load_state_dict(checkpoint.meter)
        set_random_state(checkpoint.random, training.device)
    except (RuntimeError, KeyError, TypeError, ValueError, AttributeError) as error:
        needed = training.model.state_dict()
        raise unfit_checkpoint(file, checkpoint.model, needed, error) from error


def _record_start(
    reporter: Reporter,
    started: RunStarted,
    start: _Start,
    before: RunState,
    data: LoadedData,
) -> None:
    """Record the start, with doubts about the data, and whether its files are others than before a
    resume: what is told of samples that came or went, else that they changed.
    """
    reporter.append(started)
    for problem in (*data.problems, *data.doubts):
        reporter.append(Warned(problem=problem, step=started.step))
    if data.problems:
        return
    if start.checkpoint is None or before.data is None or started.data is None:
        return
    if before.data.files and "files" in before.data.differences(started.data):
        problem = Diagnostic(code="D188", severity=Severity.WARNING, field="data.source")
        reporter.append(Warned(problem=problem, step=started.step))


def _started(loop: TrainingLoop, resumed_from: str, code: Code) -> RunStarted:
    training = loop.training
    return RunStarted(
        pid=os.getpid(),
        device=str(training.device),
        threads=torch.get_num_threads(),
        **loop.length._asdict(),
        steps_per_epoch=training.steps_per_epoch,
        parameters=sum(parameter.numel() for parameter in training.model.parameters()),
        step=loop.step,
        resumed_from=resumed_from,
        versions=installed_versions(),
        data=data_version(training.spec.data, code),
        groups=training.groups if len(training.groups) > 1 else (),
    )

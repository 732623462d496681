"""Predictions for a part or for data of the user's own, batch by batch into a file."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import msgspec
from msgspec.structs import replace

from engine.custom import watchdog
from engine.custom.trust import set_trust
from engine.data.read.listening import listening
from engine.data.source.source import Part
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import atomic_write
from engine.query.predicting.batch import given_batch
from engine.query.predicting.block import (
    Block,
    OutColumn,
    require_table,
)
from engine.query.predicting.empty_texts import EmptyTexts
from engine.query.predicting.given import GivenData, GivenSample, Unreadable
from engine.query.predicting.masks import MaskFolder
from engine.query.predicting.opened import open_given, settings_of
from engine.query.predicting.outputs import OutputReaders
from engine.query.predicting.placed import Placements
from engine.query.predicting.request import (
    FIRST,
    PredictFile,
    PredictionFormat,
    PredictionPiece,
    PredictionProgress,
    PredictionReport,
    format_of,
)
from engine.query.predicting.table import WRONG_IN_ROW
from engine.query.predicting.writer import Target, cells_of, open_writer
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.spec.progress import FileProgress
from engine.train.losses import Batch, Outputs
from engine.train.views import over_views, viewed_batches

Tell = Callable[[PredictionProgress], object]

_SHOWN = 20
_WAY_OUT = Diagnostic(code="P065", severity=Severity.HINT, field="on_damaged")
_AHEAD = 50  # rows that are looked at behind one that cannot be read
_FEWEST = 2  # rows that tell of a whole table
_NEARLY_ALL = 0.8
_QUIET_S = 0.1  # between two words of how far it is
_Counted = tuple[int, Block]  # with the number of samples


def predict_file(
    request: PredictFile, tell: Tell, target: Target | None = None
) -> PredictionReport:
    """Write predictions and say how far it is: into a file, whole or not at all, or to a ``target``
    as they come where the request names no file.

    Raises :class:`DiagnosticError`: P050 to P064 for what cannot be read or written so, K014 for an
    empty part, what opening the checkpoint and reading the samples raise, and
    :class:`~engine.files.FileWriteError`.
    """
    form = format_of(request.output) if request.output else request.format
    output = Path(request.output).expanduser().absolute() if request.output else None
    if output is not None and not request.overwrite and output.exists():
        raise DiagnosticError.of("P051", file=output.name, folder=str(output.parent))
    if bool(request.data) == (request.part is not None):
        raise DiagnosticError.of("P063")
    trained = open_trained(
        RunFolder.open(Path(request.run_folder)),
        request.checkpoint,
        device=request.device,
        batch_size=request.batch_size,
        views=request.views,
        view_kind=request.view_kind,
        needs_data=not request.data,
    )
    masks = None if output is None else MaskFolder(output)
    predictions = _Predictions(trained, request, tell, masks)
    if predictions.has_masks and masks is None:
        raise DiagnosticError.of("P061")
    if masks is not None and predictions.has_masks and not request.overwrite:
        masks.require_free()
    with trained.in_use():
        if output is not None and masks is not None:
            _write_file(predictions, form, output, masks)
        elif target is not None:
            _write(predictions, form, target, Path(tempfile.gettempdir()))
    report = replace(predictions.report(), output="" if output is None else str(output))
    if masks is None or not predictions.has_masks:
        return report
    return replace(report, folder=str(masks.path))


def tell_predictions(request: PredictFile, tell: Callable[[msgspec.Struct], object]) -> None:
    """Write predictions and say how far it is, ten times a second at most, then what was written;
    without a file they are told, too. The custom code of the run runs where the request says so.
    Raises as :func:`predict_file`.
    """
    code = RunFolder.open(Path(request.run_folder)).document.graph.code
    set_trust(code, trusted=request.trusted)
    told_at = 0.0

    def hear(progress: PredictionProgress) -> None:
        nonlocal told_at
        now = time.monotonic()
        if now - told_at >= _QUIET_S:
            told_at = now
            tell(progress)

    watchdog.ban(request.banned)
    tell(predict_file(request, hear, None if request.output else _Told(tell)))


class _Told:
    """What takes predictions by telling them."""

    def __init__(self, tell: Callable[[msgspec.Struct], object]) -> None:
        self._tell = tell

    def write(self, data: bytes) -> int:
        """Tell them and return how many bytes were taken."""
        self._tell(PredictionPiece(data=bytes(data)))
        return len(data)


def _write_file(
    predictions: "_Predictions", form: PredictionFormat, output: Path, masks: MaskFolder
) -> None:
    """Write a file, and the masks beside it, which come into place just before."""

    def write(stream: Target) -> None:
        _write(predictions, form, stream, output.parent)

    try:
        atomic_write(output, write, lambda _written: masks.finish())
    finally:
        masks.discard()


def _write(
    predictions: "_Predictions", form: PredictionFormat, target: Target, folder: Path
) -> None:
    writer = open_writer(form, target, folder)
    try:
        for block in predictions.blocks():
            require_table(block, form)
            writer.add(block)
        writer.close()
    finally:
        writer.discard()


def _odd_table(samples: Sequence[GivenSample | Unreadable]) -> Diagnostic | None:
    """Return what is likely wrong where hardly one of some rows can be read, else None."""
    wrong = [
        each
        for each in samples
        if isinstance(each, Unreadable) and each.error.problems[0].code == WRONG_IN_ROW
    ]
    return _odd_rows(len(wrong), len(samples))


def _odd_rows(wrong: int, rows: int) -> Diagnostic | None:
    if wrong < _FEWEST or wrong < _NEARLY_ALL * rows:
        return None
    return Diagnostic.of("D609", severity=Severity.WARNING, found=wrong, rows=rows)


def _placed(block: Block, name: str, places: Sequence[str]) -> Block:
    """Return rows with the time or the row that each is a prediction for, behind their names."""
    return [*block[:1], OutColumn(name, places), *block[1:]]


class _Predictions:
    """Goes through the samples of a request; what is noted on the way is in the report."""

    def __init__(
        self, trained: Trained, request: PredictFile, tell: Tell, masks: MaskFolder | None
    ) -> None:
        self._trained = trained
        self._request = request
        self._tell = tell
        self._outputs = OutputReaders(trained.training, masks)
        self._placements = Placements(trained.training) if self._outputs.is_placed else None
        self._done = 0
        self._total = 0
        self._skipped = 0
        self._wrong = 0  # of these, rows with a cell that is not of its kind
        self._skips: list[Diagnostic] = []
        self._notices: tuple[Diagnostic, ...] = ()
        self._columns: tuple[str, ...] = ()
        self._rows: list[tuple[str, ...]] = []

    @property
    def has_masks(self) -> bool:
        """Whether masks are written beside the file."""
        return self._outputs.has_masks

    def blocks(self) -> Iterator[Block]:
        """Yield the predictions batch by batch. Raises K014 or P064 where there are none."""
        part = self._request.part
        for samples, block in self._of_data() if part is None else self._of_part(part):
            self._done += samples
            self._tell(PredictionProgress(done=self._done + self._skipped, total=self._total))
            self._look_at(block)
            yield block
        if not self._done:
            if self._skips:
                odd = _odd_rows(self._wrong, self._skipped)
                raise DiagnosticError(self._skips[0], *([odd] if odd else []))
            if part is not None:
                raise DiagnosticError.of("K014", split=part)
            raise DiagnosticError.of("P064", file=self._request.data)

    def report(self) -> PredictionReport:
        """Return what was written."""
        info = self._trained.info
        return PredictionReport(
            run=self._trained.run.id,
            checkpoint=info.file,
            step=info.step,
            output=self._request.output,
            samples=self._done,
            skipped=self._skipped,
            skips=tuple(self._skips),
            notices=(*self._told, *self._odd, *self._notices, *self._placement_notices),
            columns=self._columns,
            rows=tuple(self._rows),
        )

    @property
    def _odd(self) -> tuple[Diagnostic, ...]:
        """Return what is likely wrong with a table of which hardly a row could be read."""
        odd = _odd_rows(self._wrong, self._done + self._skipped)
        return () if odd is None else (odd,)

    @property
    def _told(self) -> tuple[Diagnostic, ...]:
        """Return what is to be said of samples that came or went since the run divided them, or
        that its data is not there.
        """
        trained = self._trained
        if trained.is_kept:
            return (Diagnostic.of("D728", severity=Severity.HINT, run=trained.run.id),)
        data = trained.training.data
        return () if self._request.part is None else (*data.problems, *data.doubts)

    @property
    def _placement_notices(self) -> tuple[Diagnostic, ...]:
        """Return why boxes or masks are in pixels of what the model reads, where they are."""
        notice = self._placements and self._placements.notice
        return (notice,) if notice else ()

    def _of_part(self, part: Part) -> Iterator[_Counted]:
        training = self._trained.training
        places = training.data.indices[part]
        self._total = len(places)
        start = 0
        for viewed in viewed_batches(training, part):
            batch = viewed.batch
            size = len(batch[training.input_fields[0]])
            chosen = places[start : start + size].tolist()
            names = training.data.source.sample_names(chosen)
            outputs = over_views(training, viewed, self._forward)
            truths = self._outputs.truths(batch, chosen)
            lies = self._placements.of_samples(chosen) if self._placements else ()
            block = self._outputs.block(names, batch, outputs, truths, lies)
            places_ahead = training.data.source.predicted_times(chosen)
            yield size, block if places_ahead is None else _placed(block, *places_ahead)
            start += size

    def _of_data(self) -> Iterator[_Counted]:
        training = self._trained.training
        with ExitStack() as stack:
            with listening(self._tell_found, lambda: False):
                given = open_given(
                    Path(self._request.data), self._trained, stack, self._request.decimal
                )
            self._total = given.total
            samples, empty = self._readable(given), EmptyTexts(training)
            while chosen := list(islice(samples, training.spec.data.batch_size)):
                empty.look(chosen)
                viewed = given_batch(training, [sample.values for sample in chosen], self._done)
                batch, outputs = viewed.batch, over_views(training, viewed, self._forward)
                truths = [
                    OutColumn(name, [sample.truths[at] for sample in chosen])
                    for at, name in enumerate(given.truths)
                ]
                names = [each.name for each in chosen]
                lies = self._placements.of_given(chosen) if self._placements else ()
                block = self._outputs.block(names, batch, outputs, truths, lies)
                if given.place:
                    block = _placed(block, given.place, [each.place for each in chosen])
                yield len(chosen), block
            self._notices = (*given.notices(), *empty.notices())

    def _forward(self, batch: Batch) -> Outputs:
        training = self._trained.training
        return training.model(*[batch[field] for field in training.input_fields])

    def _tell_found(self, progress: FileProgress) -> None:
        """Tell how many files have been looked at."""
        if progress.unit == "files":
            self._tell(PredictionProgress(done=0, total=0, found=progress.done))

    def _readable(self, given: GivenData) -> Iterator[GivenSample]:
        """Yield the samples that can be read; the others are counted, where they are left out."""
        for sample in given.samples:
            if isinstance(sample, GivenSample):
                yield sample
                continue
            if not (sample.is_dropped or self._skips_damaged):
                way_out = _odd_table([sample, *islice(given.samples, _AHEAD)]) or _WAY_OUT
                raise DiagnosticError(*sample.error.problems, way_out) from sample.error
            self._skipped += 1
            if len(self._skips) < _SHOWN:
                self._skips.extend(sample.error.problems[:1])
            if sample.error.problems[0].code == WRONG_IN_ROW:
                self._wrong += 1

    @property
    def _skips_damaged(self) -> bool:
        choice = self._request.on_damaged
        if choice != "project":
            return choice == "skip"
        return settings_of(self._trained).get("on_damaged") == "replace"

    def _look_at(self, block: Block) -> None:
        """Keep the first rows."""
        self._columns = tuple(column.name for column in block)
        room = FIRST - len(self._rows)
        if room > 0:
            cells = [cells_of(OutColumn(column.name, column.values[:room])) for column in block]
            self._rows += list(zip(*cells, strict=True))

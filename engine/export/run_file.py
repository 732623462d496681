"""Files beside exported training code: the list of the samples, and how it is used in words."""

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import NamedTuple

import numpy as np

from engine.data.transform.batch import BatchTransforms
from engine.data.transform.chain import CHANGED
from engine.diagnostics import DiagnosticError
from engine.export.chain_text import (
    blend_text,
    blending,
    training_chain,
    training_draws,
)
from engine.export.custom_transform import require_carried
from engine.export.job import ExportJob
from engine.export.library_text import Library
from engine.export.note_text import note_text
from engine.export.run_text import TrainingFacts, run_text, training_facts, where_text
from engine.export.sample_list import SampleList, sample_list
from engine.export.sampler_text import carried_dataset, carried_sampler
from engine.export.source_parts import SourceParts
from engine.export.start_file import start_weights, write_start
from engine.export.tokenizer_file import tokenizer_files
from engine.files import atomic_write
from engine.runs.certificate import read_certificate
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunState
from engine.train.devices import thread_count

SAMPLES_ENDING = ".samples.jsonl"
ARRAYS_ENDING = ".samples.npz"
START_ENDING = ".start.pt"
README_ENDING = ".README.md"
_PACKAGES = {"PyTorch": "torch", "PIL": "pillow"}
_README = Template("""\
# $stem

A model trained with Trellis ($title), with its weights and its training code. Trellis is not
needed: install $needs (for example `pip install $installed`), and keep these files together:
$files

$use$certificate
Use it from Python:

    from $stem import TrainableModel, load_model

    model = load_model()         # with the weights of the run
    model = TrainableModel()     # a new one
    model.fit(batches)           # batches: dictionaries of tensors
""")
_DATA = Template("""\
$place

    python $file --data $path                # evaluate the weights on all parts of the data
    python $file --data $path --$unit $count     # train anew from the seed of the run
    python $file --data $path --$unit $count --output trained.pt

`python $file --help` lists all options: the size of the batches, and the learning rate where it
follows no schedule.

`$samples` says which samples are for training, validation and test, and what
their targets are. A training begins with seed $seed and uses $threads, as the run did, and has its
samples in the order of the run$same. It computes on the processor (CPU). With the same
versions of PyTorch on the same kind of processor, a run that computed there, too, has the same
losses, bit for bit$but.$notes
""")
_MADE_ANEW = """\
; it looks at the
samples of `{name}`, which is made anew: what its code reads has to be where it looks for it"""
_NO_DATA = """\
There is no list of samples: the data of the run are gone, or a list of them would be very large.
Give `fit` and `evaluate` batches of your own; the docstring of the class names their keys.
"""


class RunWords(NamedTuple):
    """What is told of a training anew, in words: the ``place`` of the samples, whether they are in
    the file ``samples`` themselves, what is drawn as in the run, and what differs from it.
    """

    place: str
    is_stored: bool
    samples: str
    same: str
    notes: str


class RunFiles:
    """What is written beside the training code of a job; ``fields`` are those that its loss and
    metric compare with.
    """

    def __init__(self, job: ExportJob, output: Path, fields: Sequence[str]) -> None:
        self._job, self._output = job, output
        objects = (*job.boxes, job.object_masks) if job.object_masks else job.boxes
        self._list = sample_list(job, [*fields, *objects])
        if self._list is not None and job.data is not None:
            require_carried((training_chain(job.data), job.data.preparation), CHANGED)
        self._start = start_weights(job) if self._list is not None else {}
        self._needs = "PyTorch"

    def text(self, source: SourceParts, library: Library, *, has_validation: bool) -> str:
        """Return the text of what trains on the listed samples; empty without a list."""
        job, text = self._job, ""
        if self._list is not None and job.data is not None:
            if self.blends is not None:
                text = blend_text(job.spec.data.batch_transforms, source.names, library)
            text += run_text(
                job,
                job.data,
                self._list,
                source.names,
                library,
                samples=self._samples.name,
                start=self._beginning.name if self._start else "",
                threads=_run_threads(job),
                has_validation=has_validation,
            )
        self._needs = source.needs()
        return text

    def write_samples(self) -> tuple[Path, ...]:
        """Write the list of the samples and the weights that the run began with, where they are
        there, and return the files. Raises :class:`DiagnosticError` where that fails.
        """
        written: list[Path] = []
        if self._list is not None:
            atomic_write(self._samples, _content(self._list))
            written.append(self._samples)
        if self._start:
            write_start(self._start, self._beginning)
            written.append(self._beginning)
        return tuple(written)

    def write_readme(self, files: Sequence[Path]) -> Path:
        """Write how ``files`` are used, and return that file. Raises :class:`DiagnosticError` where
        that fails.
        """
        readme = self._output.with_suffix(README_ENDING)
        beside = tokenizer_files(self._job.tokenizers, self._output)
        atomic_write(readme, self._readme([*files, *beside]).encode())
        return readme

    def facts(self) -> TrainingFacts | None:
        """Return how the run trained; None without a list of samples."""
        if self._list is None:
            return None
        start = self._beginning.name if self._start else ""
        return training_facts(self._job, self._list, _run_threads(self._job), start)

    def words(self) -> RunWords | None:
        """Return what is told of a training anew; None without a list of samples."""
        if self._list is None:
            return None
        return RunWords(
            place=_place(self._list, self._samples.name),
            is_stored=self._list.arrays is not None,
            samples=self._samples.name,
            same=_drawn_words(self._job, self._list),
            notes=note_text(self._job, self._list, _state(self._job), has_start=bool(self._start)),
        )

    @property
    def blends(self) -> BatchTransforms | None:
        """How the batches of the training are blended; None where they are not."""
        return None if self._list is None else blending(self._job.data)

    @property
    def _samples(self) -> Path:
        is_stored = self._list is not None and self._list.arrays is not None
        return self._output.with_suffix(ARRAYS_ENDING if is_stored else SAMPLES_ENDING)

    @property
    def _beginning(self) -> Path:
        return self._output.with_suffix(START_ENDING)

    def _readme(self, files: Sequence[Path]) -> str:
        job, told = self._job, self.words()
        use = _NO_DATA
        if told is not None:
            of_steps, threads = job.spec.length == "steps", _run_threads(job)
            use = _DATA.substitute(
                place=told.place,
                path="." if told.is_stored else "PATH",
                file=self._output.name,
                unit=job.spec.length,
                count=(job.spec.steps if of_steps else _state(job).epochs or job.spec.epochs),
                samples=told.samples,
                seed=job.spec.seed,
                threads=f"{threads} threads" if threads > 1 else "1 thread",
                same=told.same,
                but=", but for what follows" if told.notes else "",
                notes=told.notes,
            )
        installed = (
            self._needs.replace("PyTorch", "torch").replace(",", "").replace("PIL", "pillow")
        )
        return _README.substitute(
            stem=self._output.stem,
            title=job.title,
            needs=self._needs,
            installed=installed,
            files="".join(f"\n- `{file.name}`" for file in files),
            use=use,
            certificate=certificate_note(job.run),
        )


def certificate_note(run: Path) -> str:
    """Return what the certificate of a run says, as a paragraph; nothing without one."""
    found = read_certificate(run)
    if found is None:
        return ""
    when = datetime.fromtimestamp(found.time, UTC).strftime("%Y-%m-%d")
    where = f"on {found.device} with PyTorch {found.versions.get('torch', '?')}, {when}"
    if found.is_equal:
        result = f"the {found.steps} steps after a resume were equal bit for bit"
    else:
        assert found.difference is not None
        result = f"a resumed process differed in step {found.difference.step}"
    return f"\nResume certificate of the run ({where}): {result}.\n"


def _state(job: ExportJob) -> RunState:
    """Return the state of the run; nothing where there is none."""
    try:
        return read_state(RunFolder.open(job.run))
    except DiagnosticError:
        return RunState()


def _run_threads(job: ExportJob) -> int:
    """Return the threads that the run computed with."""
    return _state(job).threads or thread_count(job.spec)


def _content(found: SampleList) -> bytes:
    """Return the content of the file of the samples."""
    if found.arrays is None:
        return "\n".join((*found.lines, "")).encode()
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **found.arrays)
    return content.getvalue()


def _place(found: SampleList, samples: str) -> str:
    """Return where the samples are, in words."""
    if found.arrays is not None:
        return f"The samples themselves are in `{samples}`: nothing else is needed."
    where = where_text(found)
    return f"The data themselves are not here. Say with `--data PATH` where they are: {where}."


def _drawn_words(job: ExportJob, found: SampleList) -> str:
    """Return what of the training is drawn as in the run, in words."""
    if job.data is None:
        return ""
    words: list[str] = []
    own, drawn = carried_sampler(job.data), job.data.sampler
    if own is not None:
        dataset = carried_dataset(job.data)
        made = "" if dataset is None else _MADE_ANEW.format(name=dataset.entry.label)
        words.append(f"drawn by its sampler ({own.made.name}{made})")
    elif drawn.values is not None:
        words.append(f"drawn by its sampler ({drawn.spec.sampler})")
    chain = training_chain(job.data)
    if chain is not None and chain.is_random:
        words.append("with its random transforms")
    if not found.is_whole and training_draws(job.data, found.carried):
        words.append("with its pieces of files")
    if blending(job.data) is not None:
        words.append("and its batches blended")
    return "".join(f", {each}" for each in words)

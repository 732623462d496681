"""Files beside exported training code: the list of the samples, and how it is used in words."""

from collections.abc import Sequence
from pathlib import Path
from string import Template

from engine.export.job import ExportJob
from engine.export.library_text import Library
from engine.export.run_text import run_text, where_text
from engine.export.sample_list import sample_list
from engine.export.source_parts import SourceParts
from engine.export.tokenizer_file import tokenizer_files
from engine.files import atomic_write
from engine.spec.run import RunSpec
from engine.spec.transform import is_random
from engine.train.devices import thread_count

SAMPLES_ENDING = ".samples.jsonl"
README_ENDING = ".README.md"
_PACKAGES = {"PyTorch": "torch", "PIL": "pillow"}
_README = Template("""\
# $stem

A model trained with Trellis ($title), with its weights and its training code. Trellis is not
needed: install $needs (for example `pip install $installed`), and keep these files together:
$files

$use
Use it from Python:

    from $stem import TrainableModel, load_model

    model = load_model()         # with the weights of the run
    model = TrainableModel()     # a new one
    model.fit(batches)           # batches: dictionaries of tensors
""")
_DATA = Template("""\
The data themselves are not here. Say with `--data PATH` where they are: $where.

    python $file --data PATH                # evaluate the weights on all parts of the data
    python $file --data PATH --epochs $epochs     # train anew from the seed of the run
    python $file --data PATH --epochs $epochs --output trained.pt

`python $file --help` lists all options: the size of the batches, and the learning rate where it
follows no schedule.

`$samples` says which samples are for training, validation and test, and what
their targets are. A training begins with seed $seed and uses $threads, as the run did; with
the same versions of PyTorch on the same kind of processor it gives the losses of the run.$notes
""")
_NO_DATA = """\
There is no list of samples: the data of the run are gone, or a list of them would be very large.
Give `fit` and `evaluate` batches of your own; the docstring of the class names their keys.
"""


class RunFiles:
    """What is written beside the training code of a job; ``fields`` are those that its loss and
    metric compare with.
    """

    def __init__(self, job: ExportJob, output: Path, fields: Sequence[str]) -> None:
        self._job, self._output = job, output
        objects = (*job.boxes, job.object_masks) if job.object_masks else job.boxes
        self._list = sample_list(job, [*fields, *objects])
        self._needs = "PyTorch"

    def text(self, source: SourceParts, library: Library, *, has_validation: bool) -> str:
        """Return the text of what trains on the listed samples; empty without a list."""
        job = self._job
        text = ""
        if self._list is not None and job.data is not None:
            text = run_text(
                job.spec,
                self._list,
                job.data.info.fields,
                source.names,
                library,
                samples=self._samples.name,
                threads=thread_count(job.spec),
                has_validation=has_validation,
            )
        self._needs = source.needs()
        return text

    def write(self, files: Sequence[Path]) -> tuple[Path, ...]:
        """Write list and README beside ``files`` and return them. Raises
        :class:`DiagnosticError` where that fails.
        """
        written: list[Path] = []
        if self._list is not None:
            atomic_write(self._samples, "\n".join((*self._list.lines, "")).encode())
            written.append(self._samples)
        readme = self._output.with_suffix(README_ENDING)
        beside = tokenizer_files(self._job.tokenizers, self._output)
        atomic_write(readme, self._readme([*files, *written, *beside]).encode())
        return (*written, readme)

    @property
    def _samples(self) -> Path:
        return self._output.with_suffix(SAMPLES_ENDING)

    def _readme(self, files: Sequence[Path]) -> str:
        job = self._job
        use = _NO_DATA
        if self._list is not None:
            threads = thread_count(job.spec)
            use = _DATA.substitute(
                where=where_text(self._list),
                file=self._output.name,
                epochs=job.spec.epochs,
                samples=self._samples.name,
                seed=job.spec.seed,
                threads=f"{threads} threads" if threads > 1 else "1 thread",
                notes=_notes(job.spec),
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
        )


def _notes(spec: RunSpec) -> str:
    """Return what the code does not do as the run did, each in a sentence."""
    data = spec.data
    notes: list[str] = []
    steps = [step for step in data.transforms if step.enabled]
    if any(step.parts == "train" or (step.parts == "auto" and is_random(step)) for step in steps):
        notes.append(
            "The random transforms of the training are left out: it sees samples as in "
            "evaluation, and its losses differ from those of the run."
        )
    if any(step.enabled for step in data.batch_transforms):
        notes.append("Batches are not blended as the run did.")
    if data.sampler != "uniform":
        notes.append(
            f"The run drew samples by another rule ({data.sampler}); here all come in "
            "each epoch, shuffled."
        )
    if spec.weights:
        notes.append("The run began with weights from a file; here they begin from the seed.")
    return "".join(f"\n\n{note}" for note in notes)

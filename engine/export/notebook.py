"""Notebook of a run: the model, its data, training, evaluation and predictions, cell by cell."""

import json
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import NamedTuple

from engine.export.beside_file import put_beside
from engine.export.example_batches import compared_on_examples
from engine.export.job import ExportJob
from engine.export.outside import Reading, write_compared
from engine.export.project.prediction_text import Prediction, prediction_of
from engine.export.project.surroundings import Project
from engine.export.project.write import project_of
from engine.export.requirement import needed_packages
from engine.export.run_text import TrainingFacts
from engine.export.tokenizer_file import write_tokenizers
from engine.export.torch_file import torch_reader
from engine.export.training_file import write_training_code
from engine.export.written import Written

DEFINITIONS = "definitions"
"""The tag of the cells that only define things."""

_IN_FILES = "Path(__file__).with_name("
_FORMAT = (4, 5)
_TITLES: Mapping[str, str] = {
    "reading": "## Reading\n\nReads a raw sample as the run did, and prepares it for the model.",
    "model": "## The model",
    "training": "## Loss, metric and optimizer",
    "data": "## Data\n\nThe samples of the run, divided as there, and their batches.",
}
_HEAD = Template("""\
# $title

Needed: `pip install $packages`, and these files in the folder of the notebook:
$files

Trellis is not needed. Run the cells in order; the definitions come first.
""")
_PLACE = Template("""\
# $where
DATA = $data
""")
_TRAIN = Template("""\
torch.set_num_threads($threads)$settings
torch.manual_seed($seed)$seeds
model = $TrainableModel()$started
batches = $RunBatches($RunSamples(DATA, "train"), batch_size=$batch_size)
history = model.fit(batches, $unit=$count$validation)
for epoch, values in enumerate(history, 1):
    print(f"epoch {epoch}: {values}")
""")
_STARTED = """
begun = torch.load({}, weights_only=True)
model.load_state_dict(begun, strict=False)  # the weights that the run began with"""
_EVALUATE = Template("""\
trained = $load_model()  # the weights of the run; `model` is the one that was trained above
for part in ("train", "validation", "test"):
    samples = $RunSamples(DATA, part)
    if len(samples):
        print(f"{part}: {trained.evaluate($RunBatches(samples, training=False))}")
""")
_PREDICT = Template("""\
YOURS = []  # paths of $what
for path in YOURS:
    for name, sample in samples_of(Path(path)):
        try:
            for row in predict(trained, sample):
                print(name, row)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            print(f"{name} is left out: {type(error).__name__}: {error}")
""")


_DETERMINISTIC = """
torch.use_deterministic_algorithms(True, warn_only=True)"""
_TRAINED = """\
## Train anew

With the seed of the run and its samples in their order.
"""


class Cell(NamedTuple):
    """A cell: code, or words in Markdown; one of code may be of definitions alone."""

    text: str
    is_code: bool = True
    is_definition: bool = False


def write_notebook(job: ExportJob, output: Path) -> Written:
    """Write the notebook and what its cells read beside it; it takes its place only after another
    process ran the definitions and computed the same with the model that they load.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X040 the cells do not run, else as
    ``write_training_code``.
    """
    job.tell("write")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code = folder / f"{output.stem}.py"
        written = write_training_code(job, code)
        project = project_of(job, output.stem, written)
        beside = written.files[1:]
        write_tokenizers(job.tokenizers, code)
        names = [file.name for file in folder.iterdir() if file != code]
        text = notebook_text(cells_of(job, project, sorted(names)))
        compared = compared_on_examples(job, job.rounded_module())
        with Reading(torch_reader("notebook", name)) as reading:
            found = write_compared(job, output, text.encode(), compared, reading)
        files = (output, *put_beside(beside, output))
    return found._replace(files=files, snippet=f"jupyter lab {shlex.quote(output.name)}\n")


def notebook_text(cells: list[Cell]) -> str:
    """Return a notebook as JSON, in the format 4.5."""
    language = {"name": "python", "version": sys.version.split()[0]}
    document = {
        "cells": [_cell(number, cell) for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": language,
        },
        "nbformat": _FORMAT[0],
        "nbformat_minor": _FORMAT[1],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _cell(number: int, cell: Cell) -> dict[str, object]:
    lines = cell.text.strip("\n").splitlines(keepends=True)
    tags = {"tags": [DEFINITIONS]} if cell.is_definition else {}
    found: dict[str, object] = {
        "cell_type": "code" if cell.is_code else "markdown",
        "id": f"cell-{number}",
        "metadata": tags,
        "source": lines,
    }
    return found | ({"execution_count": None, "outputs": []} if cell.is_code else {})


def cells_of(job: ExportJob, project: Project, files: Sequence[str]) -> list[Cell]:
    """Return the cells for the code of a project and the ``files`` beside the notebook."""
    code, facts = project.code, project.facts
    found = prediction_of(job, code, project.names)
    modules = {"random", "numpy"} if facts is not None and facts.has_code else set[str]()
    modules |= set(() if found is None else found.modules)
    imports = code.import_text(*sorted(modules))
    words = _HEAD.substitute(
        title=project.title,
        packages=" ".join(needed_packages([imports])),
        files="\n".join(f"- `{name}`" for name in files),
    )
    cells = [_words(words), _definitions(imports)]
    for name, text in code.definition_texts().items():
        cells += [_words(_TITLES[name]), _definitions(text)]
    if facts is not None:
        cells += _training_cells(project, facts)
    if found is not None:
        cells += _prediction_cells(project, found)
    return cells


def _words(text: str) -> Cell:
    return Cell(text, is_code=False)


def _definitions(text: str) -> Cell:
    """Return a cell of definitions; what lay beside the code lies beside the notebook."""
    return Cell(text.replace(_IN_FILES, "Path("), is_definition=True)


def _training_cells(project: Project, facts: TrainingFacts) -> list[Cell]:
    names = project.names
    stored = project.words is not None and project.words.is_stored
    place = _PLACE.substitute(where=facts.where, data='"."' if stored else '"PATH"')
    validation = f', {names["RunBatches"]}({names["RunSamples"]}(DATA, "validation"), False)'
    train = _TRAIN.substitute(
        names,
        threads=facts.threads,
        settings=_DETERMINISTIC if facts.is_deterministic else "",
        seed=facts.seed,
        seeds=_seeds(facts.seed) if facts.has_code else "",
        started=_STARTED.format(json.dumps(facts.start, ensure_ascii=False)) if facts.start else "",
        batch_size=facts.batch_size,
        unit=facts.unit,
        count=f"{facts.length:g}",
        validation=validation if project.has_validation else "",
    )
    return [
        _words("## Where the data of the run are"),
        Cell(place),
        _words(_TRAINED),
        Cell(train),
        _words("## Evaluate the weights of the run"),
        Cell(_EVALUATE.substitute(names)),
    ]


def _seeds(seed: int) -> str:
    """Return the lines that begin the random numbers of own code."""
    return f"\nrandom.seed({seed})  # for own code\nnumpy.random.seed({seed % 2**32})"


def _prediction_cells(project: Project, found: Prediction) -> list[Cell]:
    names = project.names
    loaded = f"trained = {names['load_model']}()\n"
    return [
        _words(f"## Predict {found.what}"),
        _definitions(f"{found.constants}{found.functions}"),
        Cell(loaded + _PREDICT.substitute(what=found.what)),
    ]

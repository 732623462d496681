"""Text of the command of an exported project that predicts files, rows or arrays of the user."""

import json
import math
from collections.abc import Mapping, Sequence
from string import Template
from typing import NamedTuple

from engine.catalog.spec import PortContent
from engine.data.read.file_form import ArrayForm
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.sound import SoundForm
from engine.data.read.video import VideoForm
from engine.data.source.row_form import RowForm
from engine.export.job import ExportJob
from engine.export.loss_text import LossText
from engine.export.project.split import SplitCode
from engine.export.read_text import InputReading
from engine.spec.data import FieldInfo

_FILES = (PictureForm, MaskForm, SoundForm, VideoForm, ArrayForm)
_BINARY = (PortContent.BINARY_LOGITS, PortContent.PROBABILITIES)
_PAIR = 2
_CLASS_INDICES = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_PREDICT = Template('''\
"""Predict $what: ``python -m $package.predict --help`` says more."""

import argparse
import csv
import sys
from pathlib import Path

${own_imports}import torch

$imports$constants

def main(arguments=None):
    """Write what the model says of each sample as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+", metavar="$metavar", help="$help")
    parser.add_argument("--weights", metavar="FILE", default=$WEIGHTS, help="weights to use")
    parser.add_argument("--output", metavar="FILE", help="CSV file (without: the console)")
    given = parser.parse_args(arguments)
    try:
        model = $load_model(given.weights)
        samples = [each for path in map(Path, given.inputs) for each in samples_of(path)]
    except (OSError, RuntimeError, ValueError) as error:
        parser.error(f"{type(error).__name__}: {error}")
    rows = []
    for name, sample in samples:
        try:
            rows.append({"sample": name, **predict(model, sample)})
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            print(f"{name} is left out: {type(error).__name__}: {error}", file=sys.stderr)
    if not rows:
        parser.error("There are no samples in what was given.")
    if given.output is None:
        write(rows, sys.stdout)
    else:
        with open(given.output, "w", encoding="utf-8", newline="") as stream:
            write(rows, stream)


def write(rows, stream):
    """Write rows as CSV."""
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)

$functions

if __name__ == "__main__":
    main()
''')
_FUNCTIONS = Template('''\
$samples

@torch.no_grad()
def predict(model, sample):
    """Return what the model says of a raw sample, by column."""
    inputs = $read_sample(sample).values()
    outputs = model(*$scaled)
$told
''')
_OF_FILES = Template('''
def samples_of(path):
    """Yield each file below a path by its name, as a raw sample."""
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    for file in files:
        yield str(file), {$key: $value}
''')
_OF_ROWS = Template('''
def samples_of(path):
    """Yield the rows of a CSV file, each by its number, as raw samples."""
    with open(path, encoding="utf-8-sig", newline="") as stream:
        dialect = csv.Sniffer().sniff(stream.read(1 << 16), delimiters=",;\\t|")
        stream.seek(0)
        for number, row in enumerate(csv.DictReader(stream, dialect=dialect), 1):
            sample = dict(row)$files
            yield number, sample
''')
_ROW_FILES = Template("""
            for column in $columns:
                sample[column] = str(path.parent / sample[column])""")
_OF_ARRAYS = Template('''
def samples_of(path):
    """Yield what an array holds for each sample: .npy, or .npz with an array for each input."""
    loaded = numpy.load(path)
    arrays = dict(loaded) if hasattr(loaded, "files") else {INPUTS[0]: loaded}
    missing = [name for name in INPUTS if name not in arrays]
    if missing:
        raise ValueError(f"{path} has no array named {', '.join(missing)}")
    for number in range(len(arrays[INPUTS[0]])):
        yield number, {name: torch.from_numpy(arrays[name][number]) for name in INPUTS}
''')
_CLASSES = '''\
    chances = (outputs[0] if isinstance(outputs, tuple) else outputs).softmax(1)[0]
    classes = {names}
    best = classes[int(chances.argmax())]
    return {{"prediction": best, **probabilities(classes, chances)}}


def probabilities(names, chances):
    """Return the probability of each class by column."""
    named = zip(names, chances.tolist(), strict=True)
    return {{f"probability_{{name}}": chance for name, chance in named}}'''
_LABELS = '''\
    chances = (outputs[0] if isinstance(outputs, tuple) else outputs)[0].flatten(){sigmoid}
    labels = {names}
    chosen = [name for name, chance in zip(labels, chances, strict=True) if chance >= 0.5]
    return {{"prediction": ", ".join(chosen), **probabilities(labels, chances)}}


def probabilities(names, chances):
    """Return the probability of each label by column."""
    named = zip(names, chances.tolist(), strict=True)
    return {{f"probability_{{name}}": chance for name, chance in named}}'''
_TWO = """\
    chance = (outputs[0] if isinstance(outputs, tuple) else outputs).flatten(){sigmoid}.item()
    classes = {names}
    chances = dict(zip(classes, (1 - chance, chance), strict=True))
    best = max(classes, key=chances.get)
    return {{
        "prediction": best,
        **{{f"probability_{{name}}": chances[name] for name in classes}},
    }}"""
_NUMBERS = """\
    found = outputs if isinstance(outputs, tuple) else (outputs,)
    values = torch.cat([each.flatten().float() for each in found])
    names = {names}
    if len(names) != len(values):
        names = [str(number) for number in range(len(values))]
    if len(values) == 1:
        return {{"prediction": float(values[0])}}
    named = zip(names, values.tolist(), strict=True)
    return {{f"prediction_{{name}}": value for name, value in named}}"""


class Prediction(NamedTuple):
    """The functions that find samples and predict one: ``what`` is predicted, in words and as the
    word of a command, the ``modules`` they import, their ``constants``, and the names of the
    project that they ``use``.
    """

    what: str
    metavar: str
    modules: tuple[str, ...]
    constants: str
    functions: str
    used: tuple[str, ...]


def prediction_of(job: ExportJob, code: SplitCode, names: Mapping[str, str]) -> Prediction | None:
    """Return the functions that predict; None where the inputs are not known."""
    if not job.readings or not code.has(names["read_sample"]):
        return None
    given = [each for each in job.readings if not each.axes]
    has_row = any(isinstance(each.form, RowForm) for each in given)
    samples, metavar, what, constants = _samples(given, has_row=has_row)
    used = [names["read_sample"]]
    scaled = any(job.scalings)
    used += [names["scale"]] if scaled else []
    output, classes = _told(job, names)
    used += [names["CLASSES"]] if classes and code.has(names["CLASSES"]) else []
    functions = _FUNCTIONS.substitute(
        names,
        samples=samples,
        scaled=f"{names['scale']}(*inputs)" if scaled else "inputs",
        told=output,
    )
    modules = ("csv", "numpy") if constants else ("csv",)
    return Prediction(what, metavar, modules, constants, functions, tuple(used))


def predict_text(job: ExportJob, code: SplitCode, names: Mapping[str, str], package: str) -> str:
    """Return the module that predicts; empty where the inputs are not known."""
    found = prediction_of(job, code, names)
    if found is None:
        return ""
    return _PREDICT.substitute(
        names,
        what=found.what,
        package=package,
        own_imports="import numpy\n" if "numpy" in found.modules else "",
        imports=code.imports_of([names["load_model"], names["WEIGHTS"], *found.used]) + "\n",
        constants=found.constants,
        metavar=found.metavar,
        help=found.what,
        functions=found.functions,
    )


def _samples(given: Sequence[InputReading], *, has_row: bool) -> tuple[str, str, str, str]:
    """Return the function that finds the samples, what is given to it in a word and in words, and
    the constants that it needs.
    """
    keys = list(dict.fromkeys(each.key for each in given if not isinstance(each.form, RowForm)))
    files = [each for each in given if isinstance(each.form, _FILES)]
    if not has_row and len(given) == 1 and (files or given[0].is_text):
        value = 'file.read_text(encoding="utf-8-sig")' if given[0].is_text else "str(file)"
        text = _OF_FILES.substitute(key=_literal(keys[0]), value=value)
        return text, "PATH", "files, or all files in folders", ""
    if has_row or files or all(each.is_text for each in given):
        columns = tuple(each.key for each in files)
        read = _ROW_FILES.substitute(columns=repr(columns)) if columns else ""
        return _OF_ROWS.substitute(files=read), "TABLE", "the rows of CSV files", ""
    inputs = f"\nINPUTS = {tuple(keys)!r}\n"
    return _OF_ARRAYS.substitute(), "ARRAYS", "arrays (.npy, .npz)", inputs


def _told(job: ExportJob, names: Mapping[str, str]) -> tuple[str, bool]:
    """Return the lines that say what the outputs of the first loss term mean, and whether they
    need the names of classes.
    """
    term = LossText(job, job.spec.losses[0])
    ports = {port.name: port.content for port in term.entry.inputs}
    target = term.term.inputs.get("target", "").removeprefix("data.")
    info = None if job.data is None else job.data.info.field(target)
    is_first = term.bound.get("input") in ("outputs", "outputs[0]")
    if info is None or not is_first or info.kind in ("mask", "box_classes") or info.words:
        return _NUMBERS.format(names="()"), False
    classes = f"{names['CLASSES']}[{_literal(target)}]"
    if ports.get("target") in _CLASS_INDICES and info.classes:
        return _CLASSES.format(names=classes), True
    if ports.get("input") in _BINARY:
        is_logit = ports["input"] is PortContent.BINARY_LOGITS
        sigmoid = ".sigmoid()" if is_logit else ""
        if math.prod(info.shape) > 1:
            return _LABELS.format(sigmoid=sigmoid, names=_labels(job, info)), False
        has_names = len(info.classes) == _PAIR
        return _TWO.format(sigmoid=sigmoid, names=classes if has_names else '("0", "1")'), has_names
    return _NUMBERS.format(names=_labels(job, info)), False


def _labels(job: ExportJob, info: FieldInfo) -> str:
    """Return the names of what is predicted apart from one another."""
    own = () if job.data is None else job.data.source.value_names(info.name)
    return repr(tuple(own or info.columns or (info.name,)))


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

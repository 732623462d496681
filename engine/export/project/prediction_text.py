"""Text of the command of an exported project that predicts files, rows or arrays of the user."""

import json
from collections.abc import Mapping, Sequence
from string import Template
from typing import NamedTuple

from engine.data.read.file_form import ArrayForm
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.sound import SoundForm
from engine.data.read.video import VideoForm
from engine.data.source.row_form import RowForm
from engine.export.answer_form import AnswerForm, answer_forms
from engine.export.job import ExportJob
from engine.export.project.split import SplitCode
from engine.export.read_text import InputReading
from engine.spec.data import BOX_KINDS, FieldInfo
from engine.spec.output import FOUND

_FILES = (PictureForm, MaskForm, SoundForm, VideoForm, ArrayForm)
_PAIR = 2
_NAMELESS = "()"
_BYTE = 256
_CHANCES = {
    "softmax": ".softmax(1)",
    "exp": ".exp()",
    "sigmoid": ".sigmoid()",
    "": "",
}
_PREDICT = Template('''\
"""Predict $what: ``python -m $package.predict --help`` says more."""

import argparse
import csv
import sys
from pathlib import Path

${own_imports}import torch
${image}
$imports$constants

def main(arguments=None):
    """Write what the model says of each sample as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+", metavar="$metavar", help="$help")
    parser.add_argument("--weights", metavar="FILE", default=$WEIGHTS, help="weights to use")
    parser.add_argument("--output", metavar="FILE", help="CSV file (without: the console)")$option
    given = parser.parse_args(arguments)
    try:
        model = $load_model(given.weights)
        samples = [each for path in map(Path, given.inputs) for each in samples_of(path)]
    except (OSError, RuntimeError, ValueError) as error:
        parser.error(f"{type(error).__name__}: {error}")
    if not samples:
        parser.error("There are no samples in what was given.")
    rows = []
    for name, sample in samples:
        try:
            found = predict(model, sample)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            print(f"{name} is left out: {type(error).__name__}: {error}", file=sys.stderr)
            continue$saving
        rows += [{"sample": name, **row} for row in found]
    if not rows:
        parser.error("Nothing is predicted for what was given.")
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
    """Return what the model says of a raw sample: rows of values by column."""
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
_IMAGE = "from PIL import Image\n"
_SAVING = """
        for row in found:
            file = Path(given.masks) / f"{len(rows) + 1}_{Path(str(name)).stem}.png"
            row["mask"] = saved(row["mask"], file)"""
_OPTION = """
    parser.add_argument("--masks", metavar="FOLDER", default="masks", help="where masks go")"""
_SAVED = '''

def saved(picture, file):
    """Write a picture and return its path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    picture.save(file)
    return str(file)
'''
_CLASS = """\
    chances = {values}{chances}[0]
    classes = {names}
    best = classes[int(chances.argmax())]
    return [{{"prediction": best, **probabilities(classes, chances)}}]
"""
_LABELS = """\
    chances = {values}[0].flatten(){chances}
    labels = {names}
    chosen = [name for name, chance in zip(labels, chances, strict=True) if chance >= {threshold}]
    return [{{"prediction": ", ".join(chosen), **probabilities(labels, chances)}}]
"""
_PROBABILITIES = '''

def probabilities(names, chances):
    """Return the probability of each by column."""
    named = zip(names, chances.tolist(), strict=True)
    return {f"probability_{name}": chance for name, chance in named}'''
_TWO = """\
    chance = {values}.flatten(){chances}.item()
    classes = {names}
    chances = dict(zip(classes, (1 - chance, chance), strict=True))
    best = max(classes, key=chances.get)
    told = {{f"probability_{{name}}": chances[name] for name in classes}}
    return [{{"prediction": best, **told}}]"""
_MASK = '''\
    numbers = {values}.argmax(1)[0].to(torch.uint8)
    classes = {names}
    shares = numbers.flatten().long().bincount(minlength=len(classes)) / numbers.numel()
    told = zip(classes, shares.tolist(), strict=True)
    return [{{"mask": picture_of(numbers), **{{f"share_{{name}}": share for name, share in told}}}}]


def picture_of(numbers):
    """Return the number of the class of each pixel as a picture, with a color for each class."""
    picture = Image.fromarray(numbers.numpy())
    picture.putpalette(PALETTE)
    return picture'''
_PALETTE = """
# Colors that tell classes apart, as Pascal VOC has them: the first is black.
PALETTE = [
    sum(((color >> (3 * bit + channel)) & 1) << (7 - bit) for bit in range(8))
    for color in range(256)
    for channel in range(3)
]
"""
_BOXES = """\
    # sides in pixels of what the model reads
    boxes, labels, scores = {boxes}[0], {labels}[0], {scores}[0]
    classes = {names}
    rows = []
    for place in scores.argsort(descending=True).tolist():
        if scores[place] > 0:
            label = int(labels[place])
            name = classes[label] if label < len(classes) else str(label)
            sides = zip(("left", "top", "right", "bottom"), boxes[place].tolist(), strict=True)
            rows.append({{"prediction": name, "score": scores[place].item(), **dict(sides)}})
    return rows"""
_PLACES = """\
    numbers = {values}.argmax(1)[0].flatten().tolist()
    return [{{"prediction": {told}}}]"""
_NUMBERS = """\
    found = outputs if isinstance(outputs, tuple) else (outputs,)
    values = torch.cat([each.flatten().float() for each in found])
    names = {names}
    if len(names) != len(values):
        names = [str(number) for number in range(len(values))]
    if len(values) == 1:
        return [{{"prediction": float(values[0])}}]
    named = zip(names, values.tolist(), strict=True)
    return [{{f"prediction_{{name}}": value for name, value in named}}]"""


class Prediction(NamedTuple):
    """The functions that find samples and predict one: ``what`` is predicted, in words and as the
    word of a command, the ``modules`` they import, their ``constants``, the names of the project
    that are ``used``, and whether masks are among what they return.
    """

    what: str
    metavar: str
    modules: tuple[str, ...]
    constants: str
    functions: str
    used: tuple[str, ...]
    has_masks: bool


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
    told = _told(job, code, names)
    functions = _FUNCTIONS.substitute(
        names,
        samples=samples,
        scaled=f"{names['scale']}(*inputs)" if scaled else "inputs",
        told=told,
    )
    modules = ("csv", "numpy") if constants else ("csv",)
    has_masks = "picture_of(" in told
    if has_masks:
        modules, constants = (*modules, "PIL.Image"), constants + _PALETTE
    own = {"CLASSES": f"{names['CLASSES']}[", "decode": f"{names['decode']}("}
    used += [names[name] for name, sign in own.items() if sign in told]
    return Prediction(what, metavar, modules, constants, functions, tuple(used), has_masks)


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
        image=_IMAGE if found.has_masks else "",
        option=_OPTION if found.has_masks else "",
        saving=_SAVING if found.has_masks else "",
        imports=code.imports_of([names["load_model"], names["WEIGHTS"], *found.used]) + "\n",
        constants=found.constants,
        metavar=found.metavar,
        help=found.what,
        functions=found.functions + (_SAVED if found.has_masks else ""),
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


def _told(job: ExportJob, code: SplitCode, names: Mapping[str, str]) -> str:
    """Return the lines that say what the outputs mean: boxes that are found, or what the first term
    of the loss compares.
    """
    forms = answer_forms(job)
    outputs = [form.name for form in forms]
    places = {name: _output(place, len(outputs)) for place, name in enumerate(outputs)}
    if len(job.boxes) == len(BOX_KINDS) and set(FOUND) <= set(outputs):
        found = {name: places[name] for name in FOUND}
        return _BOXES.format(**found, names=_classes(job, code, names, job.boxes[1]))
    first = job.spec.losses[0].inputs.get("input", "").removeprefix("model.")
    form = next((each for each in forms if each.name == first), None)
    info = None if job.data is None or form is None else job.data.info.field(form.target)
    if form is None or info is None:
        return _NUMBERS.format(names=_NAMELESS)
    named = _classes(job, code, names, info.name)
    values = {"values": places[form.name], "chances": _CHANCES[form.activation]}
    text = _answer_lines(form, info, values, named, _labels(job, info))
    told = _sequence_told(job, names, form, info, named)
    text = _PLACES.format(values=values["values"], told=told) if told else text
    return text or _NUMBERS.format(names=_NAMELESS)


def _answer_lines(
    form: AnswerForm, info: FieldInfo, values: Mapping[str, str], named: str, labels: str
) -> str:
    """Return the lines for an answer of one place; empty where there is one for each place."""
    text = ""
    if form.kind == "class":
        text = _CLASS.format(**values, names=named) + _PROBABILITIES
    elif form.kind == "mask" and 0 < len(info.classes) <= _BYTE:
        text = _MASK.format(**values, names=named)
    elif form.kind == "labels":
        text = _LABELS.format(**values, names=labels, threshold=form.threshold) + _PROBABILITIES
    elif form.kind == "two":
        text = _TWO.format(**values, names=named if len(info.classes) == _PAIR else '("0", "1")')
    elif form.kind == "numbers" and info.kind not in ("mask", "box_classes"):
        text = _NUMBERS.format(names=labels)
    return text


def _sequence_told(
    job: ExportJob, names: Mapping[str, str], form: AnswerForm, info: FieldInfo, named: str
) -> str:
    """Return what stands for the likeliest class or token at each place, an expression of their
    ``numbers``; empty where they have no names.
    """
    if form.kind != "places":
        return ""
    words = info.words or info.classes
    field = next((each.name for each in job.sentences if each.words == words), "")
    if field:
        return f"{names['decode']}(numbers, {_literal(field)})"
    return "" if named == _NAMELESS else f'" ".join({named}[number] for number in numbers)'


def _output(place: int, count: int) -> str:
    return f"outputs[{place}]" if count > 1 else "outputs"


def _classes(job: ExportJob, code: SplitCode, names: Mapping[str, str], field: str) -> str:
    """Return the expression for the names of the classes of a field."""
    is_known = any(each.name == field and each.classes for each in job.named)
    if not is_known or not code.has(names["CLASSES"]):
        return _NAMELESS
    return f"{names['CLASSES']}[{_literal(field)}]"


def _labels(job: ExportJob, info: FieldInfo) -> str:
    """Return the names of what is predicted apart from one another."""
    own = () if job.data is None else job.data.source.value_names(info.name)
    return repr(tuple(own or info.columns or (info.name,)))


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

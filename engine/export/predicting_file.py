"""Python file beside a traced model: it loads it, prepares a file of the user's and predicts."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import NamedTuple

from msgspec.structs import replace

from engine.data.source.array_form import RowsForm
from engine.data.source.row_form import RowForm
from engine.diagnostics import DiagnosticError, Severity
from engine.export.answer_form import AnswerForm, answer_forms
from engine.export.custom_transform import require_carried, transform_files
from engine.export.job import ExportJob
from engine.export.library_text import Library
from engine.export.prepare_text import with_inner
from engine.export.python_file import reading_text, scaling_text
from engine.export.read_text import InputReading
from engine.export.source_parts import SourceParts
from engine.export.written import Written
from engine.files import atomic_write
from engine.graph.code import needed_files
from engine.spec.data import PIXEL_KINDS
from engine.train.precision import is_double

_HEAD = Template('''\
"""Predicts with $file, a model trained with Trellis ($title). Requires only $needs.

    python $script $arguments

prints what the model says of it as JSON. ``predict(model, sample)`` does so in a program of yours.
"""
''')
_ANSWER = '''

def answer_of(values, activation, classes, labels, threshold):
    """Return what an output says of one sample: the chance of each class, which labels are true, or
    the numbers. Where there is a class for each place, the likeliest: by name along a sequence,
    else by number.
    """
    if activation == "softmax":
        values = values.softmax(1)
    elif activation:
        values = getattr(values, activation)()
    if classes and values.ndim == 2:
        chances = dict(zip(classes, values[0].tolist()))
        return {"class": classes[values[0].argmax()], "chances": chances}
    if activation in ("softmax", "exp"):
        numbers = values.argmax(1)[0]
        return [classes[n] for n in numbers] if classes and numbers.ndim == 1 else numbers.tolist()
    if threshold is not None and values[0].numel() == len(labels):
        chances = dict(zip(labels, values[0].flatten().tolist()))
        true = [name for name, chance in chances.items() if chance >= threshold]
        return {"true": true, "chances": chances}
    return values[0].tolist()
'''
_PREDICT = Template('''
# How the numbers of each output become an answer: what makes chances of them, the names of the
# classes along axis 1, the labels that may all be true, and from which chance on one is.
$ANSWERS = {$answers
}
$taken

def $predict(model, sample):
    """Return the answer of each output for a raw sample (as in ``$read_values``)."""
    return $answers_of(compute(model, $inputs_of(sample)))


def $inputs_of(sample):
    """Return the inputs of the model for a raw sample, each as a batch of one."""
    inputs = $inputs
    return inputs


def $answers_of(outputs, at=0):
    """Return the answer of each output for the sample at a place in the batch."""
    return {
        name: answer_of(torch.as_tensor(values)[at : at + 1], *form)
        for (name, form), values in zip($ANSWERS.items(), outputs, strict=True)
    }


def $samples_of(arguments):
    """Yield the raw samples that are meant by the arguments of the command."""
$samples


if __name__ == "__main__":
    trained = load_model()
    for sample in $samples_of(sys.argv[1:]):
        print(json.dumps($predict(trained, sample), ensure_ascii=False))
''')
_NAMES = ("predict", "inputs_of", "answers_of", "samples_of", "ANSWERS", "KEYS")
_KEYS = Template("""
# What a sample has, and what makes it of an argument of the command.
$KEYS = {$keys
}
""")
_ROWS = """\
    for file in arguments:
        with open(file, newline="", encoding="utf-8-sig") as stream:
            lines = stream.read().splitlines()
        delimiter = max(",;\\t|", key=lines[0].count)
        yield from csv.DictReader(lines, delimiter=delimiter)"""
_VALUES = Template("""\
    if len(arguments) != len($KEYS):
        sys.exit("needed: " + " ".join($KEYS))
    yield {key: make(value) for (key, make), value in zip($KEYS.items(), arguments)}""")
_TAKEN = '''

def text_of(argument):
    """Return a text, or that in a file."""
    path = Path(argument)
    return path.read_text(encoding="utf-8") if path.is_file() else argument


def numbers_of(argument):
    """Return the numbers in a file (.npy or .json)."""
    if argument.endswith(".json"):
        return json.loads(Path(argument).read_text(encoding="utf-8"))
    return numpy.load(argument)
'''
_FIXED = '''

def of_size(values, axis, size):
    """Return values cut along an axis, or filled up with the last ones."""
    places = torch.arange(size).clamp(max=values.shape[axis] - 1)
    return values.index_select(axis, places)
'''

_Params = Mapping[str, str | int | float]

LoadText = Callable[[str], str]
"""Gives the Python text that loads a file of some name, ``load_model()``, and computes with what
that gave, ``compute(model, inputs)``: a sequence of outputs.
"""


class PredictingText(NamedTuple):
    """The text of the file, and what its functions are called there by what they do."""

    text: str
    names: Mapping[str, str]


def with_predicting_file(job: ExportJob, output: Path, written: Written, load: LoadText) -> Written:
    """Write the Python file and return what was written with it. Where it cannot be made (there are
    no data, or a transform cannot be carried), that is told.
    """
    try:
        fixed = [each.params for each in written.notices if each.code == "X039"]
        text = predicting_text(job, output, fixed, load).text
    except DiagnosticError as error:
        told = tuple(replace(each, severity=Severity.HINT) for each in error.problems)
        return written._replace(notices=(*written.notices, *told))
    script = output.with_suffix(".py")
    compile(text, script.name, "exec")
    atomic_write(script, text.encode())
    return written._replace(files=(*written.files, script))


def predicting_text(
    job: ExportJob,
    output: Path,
    fixed: Sequence[Mapping[str, str | int | float]],
    load: LoadText,
) -> PredictingText:
    """Return the text of the file; ``fixed`` are axes of inputs that have one size.

    Raises :class:`DiagnosticError`: X047 where it is not known how a sample is read, D545 for a
    transform that cannot be carried.
    """
    if not job.readings:
        raise DiagnosticError.of("X047")
    require_carried((None if job.data is None else job.data.preparation,), (*PIXEL_KINDS, "sound"))
    has_rows = any(isinstance(each.form, RowForm) for each in job.readings)
    code = job.graph.code
    own = needed_files(code, transform_files(each.type for each in with_inner(job.transforms)))
    text = _base(load(output.name), has_rows=has_rows, is_fixed=bool(fixed))
    source = SourceParts(text, {file: code[file] for file in own})
    names = source.names | {name: source.new_name(name) for name in _NAMES}
    library = Library(source)
    reading = reading_text(job, source, output.name, library)
    keys = {each.key: _taken(each) for each in reversed(job.readings) if not each.axes}
    keys = dict(reversed(keys.items()))
    lines = "".join(f"\n    {key!r}: {make}," for key, make in keys.items())
    predicting = _PREDICT.substitute(
        names,
        answers="".join(f"\n    {_answer_text(form)}," for form in answer_forms(job)),
        taken="" if has_rows else _KEYS.substitute(names, keys=lines),
        inputs=_inputs(job, source, fixed),
        samples=_ROWS if has_rows else _VALUES.substitute(names),
    )
    arguments = "rows.csv" if has_rows else " ".join(key.upper() for key in keys)
    parts = [
        _head(job, output, source, arguments),
        source.head() + "\n",
        "\n" + source.text + "\n",
        library.text(),
        *reading,
        *scaling_text(job, source),
        predicting,
    ]
    return PredictingText("\n".join(parts), {name: names[name] for name in _NAMES})


def _base(loading: str, *, has_rows: bool, is_fixed: bool) -> str:
    """Return what every such file has."""
    modules = ("csv", "json", "sys") if has_rows else ("json", "sys", "numpy")
    imports = "".join(f"import {module}\n" for module in modules)
    taken, fixed = "" if has_rows else _TAKEN, _FIXED if is_fixed else ""
    return f"{imports}{loading}{_ANSWER}{taken}{fixed}"


def _head(job: ExportJob, output: Path, source: SourceParts, arguments: str) -> str:
    values = {
        "file": output.name,
        "script": output.with_suffix(".py").name,
        "title": job.title,
        "needs": source.needs(("network",)),
        "arguments": arguments,
    }
    return _HEAD.substitute({name: _plain(text) for name, text in values.items()})


def _plain(text: str) -> str:
    """Return a text as it can stand in a comment."""
    return "".join(sign if sign.isprintable() and sign not in '"\\' else " " for sign in text)


def _taken(reading: InputReading) -> str:
    """Return what makes a value of a sample of an argument of the command."""
    if reading.is_text:
        return "text_of"
    is_numbers = reading.form is None or isinstance(reading.form, RowsForm)
    return "numbers_of" if is_numbers else "str"


def _answer_text(form: AnswerForm) -> str:
    name = json.dumps(form.name)
    return f"{name}: ({form.activation!r}, {form.classes!r}, {form.labels!r}, {form.threshold!r})"


def _inputs(
    job: ExportJob, source: SourceParts, fixed: Sequence[Mapping[str, str | int | float]]
) -> str:
    """Return the expression for the inputs of the model."""
    names = source.names
    text = f"{names['read_sample']}(sample).values()"
    if any(job.scalings):
        text = f"{names['scale']}(*{text})"
    if is_double(job.spec.compute):
        text = f"[x.double() if x.is_floating_point() else x for x in {text}]"
    lines = [f"list({text})"]
    inputs = [node.name for node in job.graph.nodes.values() if node.type == "Input"]
    for params in fixed:
        place = inputs.index(str(params["input"]))
        given = f"inputs[{place}], {params['axis']}, {params['size']}"
        lines.append(f"inputs[{place}] = of_size({given})")
    return "\n    ".join(lines)

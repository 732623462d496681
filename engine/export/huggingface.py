"""Folder as models are shared at Hugging Face: configuration, weights, model card, and the code of
the model, which no library there knows.
"""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from string import Template

from engine.data.source.row_form import RowForm
from engine.export.answer_form import answer_forms
from engine.export.archive_file import write_archive
from engine.export.example_batches import compared_on_examples
from engine.export.job import ExportJob
from engine.export.model_card import card_text, front_matter
from engine.export.outside import Reading, write_compared
from engine.export.package_name import package_name
from engine.export.preparation import preparation_of
from engine.export.python_file import carried_text
from engine.export.requirement import needed_packages, version_of_package
from engine.export.safetensors import safetensors_content
from engine.export.source_parts import SourceParts
from engine.export.tokenizer_file import tokenizer_files
from engine.export.torch_file import torch_reader
from engine.export.written import Written
from engine.files import WriteTarget
from engine.train.precision import is_double

WEIGHTS = "model.safetensors"
"""The names of the files are those that ``save_pretrained`` gives them."""

_LOADING = '''
{WEIGHTS} = Path(__file__).with_name({file})


def {load_model}(weights={WEIGHTS}):
    """Return the trained model in evaluation mode, on the CPU."""
    model = {model}(){widened}
    model.load_state_dict({load_file}(weights))
    return model.eval()
'''
_USE = Template("""\
The class of the model is its own: it stands in `modeling.py`, which also reads your data as in
training. `transformers` and its pipelines do not know it, so `AutoModel` does not load it.

    pip install -r requirements.txt

    from modeling import $names

    model = $load_model()
$call
From the hub, `huggingface_hub.snapshot_download("USER/NAME")` gives this folder.
""")
_TASKS = {
    ("image", "class", "softmax"): "image-classification",
    ("image", "mask", "softmax"): "image-segmentation",
    ("sound", "class", "softmax"): "audio-classification",
    ("video", "class", "softmax"): "video-classification",
    ("text", "class", "softmax"): "text-classification",
    ("row", "class", "softmax"): "tabular-classification",
    ("row", "scalar", ""): "tabular-regression",
}


def write_huggingface(job: ExportJob, output: Path) -> Written:
    """Write the folder as a ZIP archive; it takes its place only after another process unpacked it
    and computed the same with it.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X040 the folder cannot be loaded,
    D545 for a transform that cannot be carried.
    """
    job.tell("write")
    folder = package_name(output.stem)
    text = carried_text(job, WEIGHTS, _loading(job))
    packages = needed_packages([text])
    contents = {
        "README.md": _card(job, output.stem),
        "config.json": json.dumps(_config(job), ensure_ascii=False, indent=2) + "\n",
        WEIGHTS: safetensors_content(job, Path(WEIGHTS), job.weights()),
        "modeling.py": text,
        "requirements.txt": "".join(f"{each}>={version_of_package(each)}\n" for each in packages),
        **{
            file.name: kept for file, kept in tokenizer_files(job.tokenizers, Path(WEIGHTS)).items()
        },
    }

    def archive(target: WriteTarget) -> None:
        write_archive(target, folder, contents)

    compared = compared_on_examples(job, job.module)
    with Reading(torch_reader("huggingface")) as reading:
        written = write_compared(job, output, archive, compared, reading)
    return written._replace(snippet=_snippet(output, folder))


def _loading(job: ExportJob) -> Callable[[SourceParts], str]:
    def text(source: SourceParts) -> str:
        return _LOADING.format(
            WEIGHTS=source.names["WEIGHTS"],
            load_model=source.names["load_model"],
            load_file=source.imported("safetensors.torch", "load_file"),
            model=source.model,
            widened=".double()" if is_double(job.spec.compute) else "",
            file=json.dumps(WEIGHTS),
        )

    return text


def _config(job: ExportJob) -> dict[str, object]:
    """Return the configuration: by the names that are usual there, and how samples are prepared."""
    forms = answer_forms(job)
    found: dict[str, object] = {
        "architectures": [SourceParts(job.source).model],
        "dtype": "float64" if is_double(job.spec.compute) else "float32",
    }
    named = next((form for form in forms if form.classes or form.labels), None)
    if named is not None:
        names = named.classes or named.labels
        kind = "single_label" if named.classes else "multi_label"
        found["problem_type"] = f"{kind}_classification"
        found["id2label"] = {str(number): name for number, name in enumerate(names)}
        found["label2id"] = {name: number for number, name in enumerate(names)}
    return found | {"preparation": preparation_of(job, WEIGHTS)}


def _card(job: ExportJob, name: str) -> str:
    names = SourceParts(job.source).names
    used = [names["load_model"]]
    call = ""
    if job.readings:
        inputs = f"*{names['read_sample']}(sample).values()"
        used.append(names["read_sample"])
        if any(job.scalings):
            inputs = f"*{names['scale']}({inputs})"
            used.append(names["scale"])
        call = f"    outputs = model({inputs})  # its docstring says what a sample is\n"
    use = _USE.substitute(names=", ".join(used), load_model=names["load_model"], call=call)
    return front_matter(("pytorch", "trellis"), _task(job)) + card_text(job, name, use)


def _task(job: ExportJob) -> str:
    """Return what Hugging Face calls the task; nothing where it has no such word."""
    forms = answer_forms(job)
    if job.boxes:
        return "object-detection"
    if len(job.readings) != 1 or len(forms) != 1 or job.data is None:
        return ""
    (reading,), (form,) = job.readings, forms
    kind = "text" if reading.is_text else reading.field.kind
    kind = "row" if isinstance(reading.form, RowForm) else kind
    target = next((each for each in job.data.info.fields if each.role == "target"), None)
    return "" if target is None else _TASKS.get((kind, target.kind, form.activation), "")


def _snippet(output: Path, folder: str) -> str:
    """Return the commands that unpack, try and share the folder."""
    return (
        f"unzip {shlex.quote(output.name)}\ncd {folder}\n"
        "python -m pip install -r requirements.txt\n"
        "python modeling.py\n"
        "hf upload USER/NAME .\n"
    )

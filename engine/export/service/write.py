"""Prediction service of a run: a folder with its program, model, weights and a page, in one
archive.
"""

import json
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from string import Template

import torch

from engine.diagnostics import DiagnosticError
from engine.export.answer_form import answer_forms
from engine.export.archive_file import write_archive
from engine.export.example_batches import compared_on_examples
from engine.export.job import ExportJob
from engine.export.outside import Reading, write_compared
from engine.export.package_name import package_name
from engine.export.predicting_file import predicting_text
from engine.export.python_file import source_text
from engine.export.requirement import needed_packages
from engine.export.service.fields import curl_example, service_fields
from engine.export.source_parts import SourceParts
from engine.export.state_dict import write_state_dict
from engine.export.tokenizer_file import write_tokenizers
from engine.export.torch_file import torch_reader
from engine.export.written import Written
from engine.files import WriteTarget, read_file

PROGRAM = Path(__file__).parents[3] / "resources" / "service"
"""The files that every service has."""

PACKAGES = ("fastapi>=0.165", "uvicorn>=0.54", "python-multipart>=0.0.34")
"""What a service needs beside what its model does."""

_MODEL, _NETWORK, _WEIGHTS = "model.py", "network.py", "model.pt"
_LOADING = '''
import torch
from network import $load_model


def compute(model, inputs):
    """Return the outputs for prepared inputs."""
    with torch.inference_mode():
        outputs = model(*inputs)
    return outputs if isinstance(outputs, tuple) else (outputs,)
'''
_README = Template("""\
# $package

Prediction service of a model trained with Trellis ($title). Trellis is not needed.

    python -m pip install -r requirements.txt
    python service.py

It says at which address it is; open that in a browser to try it. From a program:

    $curl

- `POST /predict` answers a sample as JSON or as a form with files, or several as
  `{"samples": [...]}`. In JSON, files are base64.
- `GET /schema` says what a sample is made of, as JSON schema; `/openapi.json` the whole interface.
- `GET /health` says how many requests it answered.

It listens at 127.0.0.1 alone; `--host 0.0.0.0` lets other machines in. It then has no password and
no encryption: put a server that has both in front of it. Requests are limited in size (`--max-mb`)
and time (`--timeout`). It answers to its addresses, and to names only with `--allow-host NAME`;
pages of other sites may not use it.

Requests that wait are computed together, so the last digits of an answer may depend on the others.

- `service.py`, `worker.py`, `inputs.py`: the service
- `page.html`, `page.js`, `page.css`: the page
- `model.py`: reads and prepares a sample as the run did, and says what outputs mean
- `network.py`, `model.pt`: the model and its weights
- `service.json`: the inputs and outputs
""")


def write_service(job: ExportJob, output: Path) -> Written:
    """Write the service as a ZIP archive with one folder; it takes its place only after another
    process unpacked it and computed the same with its model.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X040 it cannot be loaded, X057 where
    it is not known how a sample is read, D545 for a transform that cannot be carried.
    """
    if not job.readings:
        raise DiagnosticError.of("X057")
    job.tell("write")
    package = package_name(output.stem)
    with Reading(torch_reader("service")) as reading, tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / _WEIGHTS
        write_state_dict(job, weights)
        files = (weights, *write_tokenizers(job.tokenizers, weights))
        contents = {**_texts(job, package), **{file.name: file for file in files}}

        def archive(target: WriteTarget) -> None:
            write_archive(target, package, contents)

        found = write_compared(job, output, archive, compared_on_examples(job, job.module), reading)
    snippet = (
        f"unzip {shlex.quote(output.name)}\ncd {package}\n"
        "python -m pip install -r requirements.txt\npython service.py\n"
    )
    return found._replace(snippet=snippet)


def _texts(job: ExportJob, package: str) -> dict[str, str]:
    """Return the texts of the service by their names."""
    texts = {file.name: read_file(file).decode() for file in sorted(PROGRAM.glob("*.*"))}
    bare = replace(
        job,
        readings=(),
        transforms=(),
        sentences=(),
        named=(),
        scalings=tuple(None for _ in job.scalings),
    )
    texts[_NETWORK] = source_text(bare, _WEIGHTS)
    name = SourceParts(job.source).names["load_model"]
    loaded = name if name == "load_model" else f"{name} as load_model"
    loading = Template(_LOADING).substitute(load_model=loaded)
    code = predicting_text(job, Path(_WEIGHTS), (), lambda _name: loading)
    texts[_MODEL] = code.text
    for own, given in code.names.items():
        texts["worker.py"] = texts["worker.py"].replace(
            f"{own},", f"{own}," if own == given else f"{given} as {own},", 1
        )
    fields = service_fields(job.readings, job.data)
    about = {
        "title": job.title,
        "fields": fields,
        "outputs": [asdict(form) for form in answer_forms(job)],
        "curl": curl_example(fields),
    }
    texts["service.json"] = json.dumps(about, ensure_ascii=False, indent=1) + "\n"
    curl = curl_example(fields).replace("{url}", "http://127.0.0.1:8000")
    texts["README.md"] = _README.substitute(package=package, title=job.title, curl=curl)
    texts["requirements.txt"] = "\n".join(_requirements(texts)) + "\n"
    for file, text in texts.items():
        if file.endswith(".py"):
            compile(text, file, "exec")
    return texts


def _requirements(texts: Mapping[str, str]) -> list[str]:
    """Return what has to be installed."""
    own = {Path(name).stem for name in texts}
    needed = needed_packages([texts[_MODEL], texts[_NETWORK], texts["inputs.py"]])
    version = torch.__version__.partition("+")[0]
    return [f"torch>={version}", *(each for each in needed[1:] if each not in own), *PACKAGES]

"""Bundle of a run in one archive: all that is needed to make its model again, and to know it."""

import csv
import hashlib
import io
import json
import platform
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.export.archive_file import Contents, content_bytes, write_archive
from engine.export.example_batches import compared_on_examples
from engine.export.job import ExportJob
from engine.export.model_card import card_text, run_state
from engine.export.outside import Reading, write_compared
from engine.export.package_name import package_name
from engine.export.project.write import project_contents
from engine.export.requirement import needed_packages, version_of_package
from engine.export.safetensors import safetensors_content
from engine.export.torch_file import torch_reader
from engine.export.written import Written
from engine.files import WriteTarget
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.spec.data_path import with_relative_paths
from engine.spec.data_version import VERSION_PARTS
from engine.spec.run import RunSpec

WEIGHTS = "model.safetensors"
SUMS = "SHA256SUMS"
_USE = """\
`code/` is a Python project with the model, its training and its tests:

    sha256sum -c {sums}
    pip install -r requirements.txt
    cd code && python -m pytest
    python -m {package}.evaluate --help

| file | what it is |
|---|---|
| `code/` | the project; its README says how it is used |
| `{weights}` | the weights, in a format that cannot contain code |
| `recipe.json` | all settings of the run, and the graph of the model |
| `data.json` | which data: source, version, fields, sizes of the parts |
| `environment.json`, `requirements.txt` | where the run computed, and with which packages |
| `curves.csv` | what the run recorded: series, step and value |
| `{sums}` | checksums of all files |
"""


def write_bundle(job: ExportJob, output: Path) -> Written:
    """Write the bundle as a ZIP archive with one folder; it takes its place only after another
    process unpacked it, found its checksums right and computed the same with its code and weights.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X040 the bundle cannot be used, else
    as ``write_project``.
    """
    job.tell("write")
    package = package_name(output.stem)
    with tempfile.TemporaryDirectory() as folder:
        code, project = project_contents(job, package, Path(folder))
        texts = [str(text) for place, text in code.items() if place.endswith(".py")]
        packages = tuple(name for name in needed_packages(texts) if name != package)
        contents: Contents = {
            "README.md": card_text(job, output.stem, _use(package)),
            **_documents(job, packages),
            WEIGHTS: safetensors_content(job, Path(WEIGHTS), job.weights()),
            **{f"code/{place}": content for place, content in code.items()},
        }
        contents = {**contents, SUMS: _sums(contents)}

        def archive(target: WriteTarget) -> None:
            write_archive(target, package, contents)

        compared = compared_on_examples(job, job.rounded_module())
        with Reading(torch_reader("bundle")) as reading:
            found = write_compared(job, output, archive, compared, reading)
    return found._replace(
        snippet=f"unzip {shlex.quote(output.name)}\ncd {project.package}\nsha256sum -c {SUMS}\n"
        "python -m pip install -r requirements.txt\ncd code && python -m pytest\n"
    )


def _use(package: str) -> str:
    return _USE.format(package=package, weights=WEIGHTS, sums=SUMS)


def _documents(job: ExportJob, packages: tuple[str, ...]) -> dict[str, str]:
    """Return the files that say what the run was."""
    needed = {name: version_of_package(name) for name in packages}
    return {
        "recipe.json": _json(_recipe(job)),
        "data.json": _json(_data(job)),
        "environment.json": _json(_environment(job, needed)),
        "requirements.txt": "".join(f"{name}=={version}\n" for name, version in needed.items()),
        "curves.csv": _curves(job.run),
    }


def _recipe(job: ExportJob) -> dict[str, object]:
    graph = job.graph
    return {
        "model": job.title,
        "spec": msgspec.to_builtins(_without_places(job.spec)),
        "graph": msgspec.to_builtins(graph),
    }


def _without_places(spec: RunSpec) -> RunSpec:
    """Return a recipe whose data lie beside it: where they lay on one computer is nobody's."""
    path = spec.data.source.params.get("path")
    return with_relative_paths(spec, Path(path).parent) if isinstance(path, str) else spec


def _data(job: ExportJob) -> dict[str, object]:
    version = run_state(job).data
    found: dict[str, object] = {"source": job.spec.data.source.type}
    if version is not None:
        found["version"] = version.short
        found["fingerprints"] = {part: getattr(version, part) for part in VERSION_PARTS}
    if job.data is not None:
        data = job.data
        found["samples"] = {part: data.samples(part) for part in ("train", "validation", "test")}
        found["fields"] = [
            {"name": each.name, "role": each.role, "kind": each.kind, "shape": each.shape}
            for each in data.info.fields
        ]
    return found


def _environment(job: ExportJob, packages: Mapping[str, str]) -> dict[str, object]:
    state = run_state(job)
    return {
        "run": {
            "device": state.device,
            "threads": state.threads,
            "seed": job.spec.seed,
            "versions": state.versions,
        },
        "export": {
            "python": platform.python_version(),
            "system": platform.system(),
            "machine": platform.machine(),
            "packages": dict(packages),
        },
    }


def _curves(run: Path) -> str:
    """Return what a run recorded, as CSV."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("series", "step", "value"))
    store = RunStore.find(RunFolder.open(run).path)
    if store is not None:
        with store:
            for name in store.series_names():
                points = store.scalars(name)
                rows = zip(points.steps.tolist(), points.values.tolist(), strict=True)
                writer.writerows((name, step, value) for step, value in rows)
    return stream.getvalue()


def _sums(contents: Contents) -> str:
    """Return the checksums of all files, as ``sha256sum -c`` reads them."""
    return "".join(
        f"{hashlib.sha256(content_bytes(content)).hexdigest()}  {place}\n"
        for place, content in contents.items()
    )


def _json(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

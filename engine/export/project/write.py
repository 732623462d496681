"""Python project of a run: a package with model, data, training and commands, tests and README, in
one archive.
"""

import shlex
import tempfile
from pathlib import Path

import torch

from engine.export.archive_file import Contents, write_archive
from engine.export.example_batches import compared_on_examples
from engine.export.job import ExportJob
from engine.export.outside import Reading, write_compared
from engine.export.package_name import package_name
from engine.export.project.command_text import evaluate_text, train_text
from engine.export.project.prediction_text import predict_text
from engine.export.project.split import SplitCode
from engine.export.project.surroundings import (
    Project,
    init_text,
    pyproject_text,
    readme_text,
    tests_text,
)
from engine.export.python_file import example_inputs
from engine.export.requirement import needed_packages
from engine.export.run_file import certificate_note
from engine.export.source_parts import SourceParts
from engine.export.tokenizer_file import write_tokenizers
from engine.export.torch_file import torch_reader
from engine.export.training_file import (
    TrainingCode,
    custom_files,
    follows_validation,
    write_training_code,
)
from engine.export.written import Written
from engine.files import WriteTarget, read_file
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore

_STEM = "model"
_MOST_LOSSES = 20


def write_project(job: ExportJob, output: Path) -> Written:
    """Write the project as a ZIP archive with one folder; it takes its place only after another
    process unpacked it and computed the same with it.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X040 the project cannot be loaded,
    else as ``write_training_code``.
    """
    job.tell("write")
    package = package_name(output.stem)
    reader = torch_reader("project")
    with tempfile.TemporaryDirectory() as folder, Reading(reader) as reading:
        contents, project = project_contents(job, package, Path(folder))

        def archive(target: WriteTarget) -> None:
            write_archive(target, package, contents)

        compared = compared_on_examples(job, job.rounded_module())
        found = write_compared(job, output, archive, compared, reading)
    return found._replace(snippet=_snippet(output, project))


def project_contents(job: ExportJob, package: str, folder: Path) -> tuple[Contents, Project]:
    """Return what stands in a project, by its places, and what is told of it; the files that it
    holds lie in a folder meanwhile. Raises :class:`DiagnosticError` as ``write_training_code``.
    """
    code = folder / f"{_STEM}.py"
    written = write_training_code(job, code)
    project = project_of(job, package, written)
    kept = (*written.files[1:], *write_tokenizers(job.tokenizers, code))
    files = {f"{package}/{file.name}": file for file in kept}
    return {**_texts(job, project), **files}, project


def project_of(job: ExportJob, package: str, written: TrainingCode) -> Project:
    """Return what is told of a run as a project, from its training code."""
    source = SourceParts(job.source, custom_files(job))
    names = source.names
    text = read_file(written.files[0]).decode()
    code = SplitCode(text, names, source.model, (names["train"],))
    return Project(
        package=package,
        title=f"Model trained with Trellis ({job.title})",
        code=code,
        names=names,
        modules=(),
        version=torch.__version__.partition("+")[0],
        example=example_inputs(job, names),
        losses=_losses(job, written),
        facts=written.run.facts(),
        words=written.run.words(),
        certificate=certificate_note(job.run),
        has_validation=follows_validation(job.spec),
    )


def _texts(job: ExportJob, project: Project) -> dict[str, str]:
    """Return the texts of the project by their places in it."""
    package, names, facts = project.package, project.names, project.facts
    modules = project.code.texts()
    if facts is not None:
        modules["evaluate"] = evaluate_text(project.code, names, facts, package)
        modules["train"] = train_text(
            project.code, names, facts, package, has_validation=project.has_validation
        )
    modules["predict"] = predict_text(job, project.code, names, package)
    modules = {name: text for name, text in modules.items() if text}
    packages = needed_packages(modules.values())
    project = project._replace(modules=tuple(modules), packages=packages)
    return {
        **{f"{package}/{name}.py": text for name, text in modules.items()},
        f"{package}/__init__.py": init_text(project),
        "pyproject.toml": pyproject_text(project),
        "README.md": readme_text(project),
        f"tests/test_{package}.py": tests_text(project),
        ".gitignore": "__pycache__/\n.venv/\n*.egg-info/\n",
    }


def _losses(job: ExportJob, written: TrainingCode) -> tuple[float, ...]:
    """Return the losses of the first steps of the run, where a training anew has the same ones of
    a batch each; empty where it has not.
    """
    told, spec = written.run.words(), job.spec
    if told is None or told.notes or spec.phases or spec.accumulation.batches > 1:
        return ()
    store = RunStore.find(RunFolder.open(job.run).path)
    if store is None:
        return ()
    with store:
        found = store.scalars("train.loss")
    is_whole = found.steps[:1].tolist() == [1]
    return tuple(found.values[:_MOST_LOSSES].tolist()) if is_whole else ()


def _snippet(output: Path, project: Project) -> str:
    """Return the commands that unpack and use the project."""
    return (
        f"unzip {shlex.quote(output.name)}\ncd {project.package}\n"
        'python -m pip install -e ".[test]"\n'
        "python -m pytest\n"
    )

"""The command that makes a project of an existing model: import."""

from argparse import Namespace
from pathlib import Path

from engine import runtime
from engine.diagnostics import DiagnosticError
from engine.runtime import InputSize
from studio.cli.output import in_words, write, write_error
from studio.cli.parser import UsageError
from studio.cli.trusting import remember
from studio.cli.wording import said


def import_model(options: Namespace) -> int:
    """Make a project of a model and tell where it is."""
    model = str(options.model)
    if "::" in model:
        write_error(
            said(
                "warning: the code in {file} is run; trust it first", file=model.partition("::")[0]
            )
        )
    inputs = [_size(text) for text in options.input]
    weights = Path(options.weights).absolute() if options.weights else None
    project = runtime.import_model(_absolute(model), Path(options.project), inputs, weights)
    for notice in project.notices:
        write_error(f"{notice.severity}: {in_words(notice)}")
    remember(project.path, project.graph.code)  # the program wrote it itself
    write(str(project.path))
    return 0


def _absolute(model: str) -> str:
    """Return a model with the whole path of its file: the process that imports is elsewhere."""
    place, _, name = model.partition("::")
    if not name and not Path(place).is_file():
        return model  # a name of torchvision
    return f"{Path(place).absolute()}{model.removeprefix(place)}"


def _size(text: str) -> InputSize:
    try:
        sizes = runtime.parse_inputs(text)
    except DiagnosticError as error:
        raise UsageError(str(error)) from error
    if len(sizes) != 1:
        raise UsageError(said("--input takes the size of one input; repeat it for each"))
    return sizes[0]

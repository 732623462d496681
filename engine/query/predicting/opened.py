"""Opening of data of the user's own, by what it is and what the model reads."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.load.form_lookup import text_form
from engine.data.read.table import is_table_folder
from engine.data.read.text import is_text_name
from engine.data.source.parameter import found_param
from engine.data.source.registry import source_params
from engine.diagnostics import DiagnosticError
from engine.files import is_folder
from engine.query.predicting.array_folder import ARRAY_FILES, folder_arrays, is_array_file
from engine.query.predicting.arrays import arrays_at
from engine.query.predicting.files import file_reader, files_at, text_files_at
from engine.query.predicting.given import GivenData, given_inputs
from engine.query.predicting.request import DecimalChoice
from engine.query.predicting.series import is_series, series_at
from engine.query.predicting.table import table_at
from engine.query.predicting.texts import TextReader, is_text, lines_at
from engine.query.trained import Trained
from engine.spec.data import FieldInfo
from engine.train.training import Training


def open_given(
    path: Path, trained: Trained, stack: ExitStack, decimal: DecimalChoice = "auto"
) -> GivenData:
    """Return the samples of a file or folder, which ``stack`` closes; ``decimal`` is the decimal
    mark of a table.

    Raises :class:`DiagnosticError`: D020 where there is none, P052 to P057, P084 and P085 for what
    the model of a run cannot read, and what reading raises.
    """
    path = path.expanduser()
    if not path.exists():
        raise DiagnosticError.of("D020", field="data", file=str(path))
    training, params = trained.training, settings_of(trained)
    inputs = given_inputs(training)
    is_plain_folder = is_folder(path) and not is_table_folder(path)
    if is_plain_folder and not _reads_files(training) and (found := folder_arrays(path, training)):
        return found
    if len(inputs) == 1:
        try:
            found = _of_files(path, training, inputs[0], params)
        except DiagnosticError as error:
            if error.problems[0].code != "P052" or not is_plain_folder:
                raise
            found = folder_arrays(path, training)  # pictures that are stored as numbers
            if found is None:
                raise _no_files(error, training) from error
        if found is not None:
            return found
    if is_series(path, training):
        return series_at(path, training, params)
    if not is_folder(path) and is_array_file(path):
        return arrays_at(path, training)
    if is_folder(path) and not is_table_folder(path):
        raise DiagnosticError.of("P057", name=", ".join(info.name for info in inputs))
    return table_at(path, training, params, stack, decimal)


def settings_of(trained: Trained) -> Mapping[str, Value]:
    """Return the settings of the data of a run, defaults filled in."""
    return source_params(trained.spec.data.source, trained.run.document.graph.code)


def _of_files(
    path: Path, training: Training, info: FieldInfo, params: Mapping[str, Value]
) -> GivenData | None:
    """Return samples that are files, or lines of one; None for data of another kind."""
    ending = path.suffix.lower()
    source = training.data.source
    if is_text(training, info):
        encoding = found_param(params, "encoding")
        form = text_form(source)
        has_files = form is not None and form.has_files
        is_written = is_text_name(path.name) or (has_files and not ending)
        if is_folder(path) or (is_written and has_files):
            return text_files_at(path, TextReader(training, info), encoding)
        is_table = not is_written and not (ending == ".tsv" and form is not None)
        return None if is_table else lines_at(path, training, encoding)
    reader = file_reader(training, info)
    if reader is None or is_table_folder(path):
        return None
    endings, read = reader
    if not is_folder(path) and ending not in endings:
        return None
    return files_at(path, info, endings, read, source)


def _no_files(error: DiagnosticError, training: Training) -> DiagnosticError:
    """Return that a folder has no files of an input, arrays too where those of the run are some."""
    if _reads_files(training):
        return error
    params = error.problems[0].params
    kinds = ", ".join((str(params["kinds"]), *ARRAY_FILES))
    return DiagnosticError.of("P052", folder=params["folder"], kinds=kinds)


def _reads_files(training: Training) -> bool:
    """Return whether an input is read from a file of its own, or is a text."""
    source = training.data.source
    inputs = given_inputs(training)
    return any(source.file_form(each.name) or is_text(training, each) for each in inputs)

"""Samples that are rows of a table, whose cells become inputs as those of the run's table do."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path

import msgspec
from torch import Tensor

from engine.catalog.spec import Value
from engine.data.load.form_lookup import reads_text_files, table_form
from engine.data.load.source_forms import TableForm
from engine.data.load.trained_numbers import TrainedNumbers
from engine.data.read.cell import MISSING
from engine.data.read.number import Decimal, Mark
from engine.data.read.row import FlagCell, NumberCell, cell_text
from engine.data.read.rows import table_rows
from engine.data.read.text import read_text
from engine.data.source.row_form import ROW_FIELDS, RowForm
from engine.data.source.table_input import UNKNOWN_NAME
from engine.data.source.table_loader import table_options
from engine.data.source.text_column import LARGEST_FILE
from engine.diagnostics import NAMED_IN_COLUMN, NAMED_IN_ROW, Diagnostic, DiagnosticError
from engine.query.decimal_mark import (
    marks_of_rows,
    with_marks,
)
from engine.query.predicting.files import file_reader
from engine.query.predicting.given import (
    GivenData,
    GivenSample,
    Samples,
    Unreadable,
    given_inputs,
)
from engine.query.predicting.request import DecimalChoice
from engine.query.predicting.row_files import RowFiles
from engine.query.predicting.texts import TextReader, is_text
from engine.spec.data import FieldInfo
from engine.spec.table import FileKind, TableOptions
from engine.train.training import Training

Cells = Mapping[str, str]
_Take = Callable[[Cells], dict[str, Tensor]]

_CHOSEN: Mapping[DecimalChoice, Mark] = {"point": ".", "comma": ","}
_EMPTY, _WRONG = "D460", "D461"
WRONG_IN_ROW = "D530"
_IN_ROWS = {_EMPTY: "D531", _WRONG: WRONG_IN_ROW}
"""What is wrong with a cell that is typed, as it is told of one in a file."""

_TELLING = 1000  # rows that say how numbers are written
_SHOWN = 12
_LETTERS = 60


class RowReader:
    """What makes samples of the rows of a table of a kind. ``columns`` are those that it needs."""

    def __init__(
        self,
        training: Training,
        path: Path,
        params: Mapping[str, Value],
        kind: FileKind,
        trained: TableForm | None,
    ) -> None:
        self._training = training
        self._named = RowFiles(path, str(params.get("folder") or ""), kind)
        self.columns: list[str] = []
        self._files: dict[str, str] = {}  # the column of each input that is read from a file
        self.truths = _target_columns(training, trained)
        self._forms: list[tuple[str, RowForm]] = []  # with the name of the one field of each
        self._takes: list[_Take] = []
        row_forms = self._row_forms()
        for form in row_forms:
            self.columns += form.kinds
            self._forms.append(("", form))
        self.unknown = _Unknown([each for form in row_forms for each in _categories(form)])
        for info in given_inputs(training):
            if not self._is_row(info):
                take = self._of_column(info)
                if isinstance(take, RowForm):
                    self._forms.append((info.name, take))
                else:
                    self._takes.append(take)

    @property
    def numbers(self) -> list[NumberCell]:
        """The cells that are numbers."""
        cells = (cell for _, form in self._forms for cell in form.features)
        return [each for each in cells if isinstance(each, NumberCell) and each.kind == "number"]

    def read_as(self, marks: Mapping[str, Decimal]) -> None:
        """Read the numbers of columns with other decimal marks than those of the run."""
        self._forms = [(name, with_marks(form, marks)) for name, form in self._forms]

    def values(self, cells: Cells) -> dict[str, Tensor]:
        """Return the inputs of a row. Raises :class:`DiagnosticError` for a cell or a file that
        cannot be read.
        """
        found: dict[str, Tensor] = {}
        for name, form in self._forms:
            values = form.values(cells)
            found |= {name: values["features"]} if name else values
        for take in self._takes:
            found |= take(cells)
        self.unknown.look(cells)
        return found

    def notices(self) -> tuple[Diagnostic, ...]:
        """Return what is worth to know of the rows that were read."""
        return *self._named.notices(), *self.unknown.notices()

    def files(self, cells: Cells) -> dict[str, Path]:
        """Return the files that the inputs of a row are read from. Raises as :meth:`values`."""
        return {name: self._named.file(column, cells) for name, column in self._files.items()}

    def _row_forms(self) -> list[RowForm]:
        """Return the forms of the inputs that several columns make."""
        source = self._training.data.source
        inputs = given_inputs(self._training)
        forms: list[RowForm] = []
        if source.row_form is not None and any(info.name in ROW_FIELDS for info in inputs):
            forms.append(source.row_form)
        return forms

    def _is_row(self, info: FieldInfo) -> bool:
        return self._training.data.source.row_form is not None and info.name in ROW_FIELDS

    def _of_column(self, info: FieldInfo) -> _Take | RowForm:
        """Return what takes an input of its own from a row, or the form of its ``features``."""
        name, column = info.name, self._training.data.source.column_of(info.name)
        if is_text(self._training, info):
            self.columns.append(column)
            reader = TextReader(self._training, info)
            if reads_text_files(self._training.data.source, name):
                self._files[name] = column
                return lambda cells: {
                    name: self._read_file(
                        lambda file: reader.value(read_text(file, limit=LARGEST_FILE)),
                        column,
                        cells,
                    )
                }
            return lambda cells: reader.values(
                "" if cells.get(column, "") in MISSING else cells.get(column, "")
            )
        found = file_reader(self._training, info)
        if found is not None:
            self.columns.append(column)
            self._files[name] = column
            read = found[1]
            return lambda cells: {name: self._read_file(read, column, cells)}
        names = info.entry_names
        if info.dtype != "float32" or len(info.shape) != 1 or info.shape[0] != len(names):
            raise DiagnosticError.of("P057", name=name)
        self.columns += names
        numbers = tuple(NumberCell(each, "number", None) for each in names)
        return RowForm(features=numbers, categories=(), kinds=dict.fromkeys(names, "number"))

    def _read_file(self, read: Callable[[Path], Tensor], column: str, cells: Cells) -> Tensor:
        try:
            return read(self._named.file(column, cells))
        except DiagnosticError as error:
            problem = error.problems[0]
            params = {**problem.params, "column": column}
            raise DiagnosticError(msgspec.structs.replace(problem, params=params)) from error


class _Unknown:
    """Counts categories that the training part does not have, by column."""

    def __init__(self, categories: Sequence[tuple[str, frozenset[str]]]) -> None:
        self._known = dict(categories)
        self._counts: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def look(self, cells: Cells) -> None:
        """Look at a row."""
        for column, known in self._known.items():
            text = cell_text(cells.get(column))
            if text not in MISSING and text not in known:
                self._counts[column] += 1
                self._first.setdefault(column, text[:_LETTERS])

    def notices(self) -> tuple[Diagnostic, ...]:
        """Return a warning for each column with some."""
        return tuple(
            Diagnostic.of("P059", column=column, count=count, value=self._first[column])
            for column, count in self._counts.items()
        )


def table_at(
    path: Path,
    training: Training,
    params: Mapping[str, Value],
    stack: ExitStack,
    decimal: DecimalChoice = "auto",
) -> GivenData:
    """Return the rows of a table, which ``stack`` closes. Targets may be missing. The first rows
    say which decimal mark each column has where none is chosen.

    Raises :class:`DiagnosticError` P053 where a column that the model reads is not there, P057 for
    an input that is no column, and as reading does.
    """
    trained = table_form(training.data.source)
    table = stack.enter_context(table_rows(path, _options(trained, params, decimal)))
    reader = RowReader(training, path, params, table.form.kind, trained)
    missing = [name for name in dict.fromkeys(reader.columns) if name not in table.names]
    if missing:
        raise DiagnosticError.of(
            "P053",
            file=path.name,
            count=len(missing),
            columns=_listed(missing),
            names=_listed(table.names),
        )
    truths = tuple(name for name in reader.truths if name in table.names)
    first = list(islice(table.rows, _TELLING))
    marks, doubts = marks_of_rows(
        reader.numbers,
        [cells for _, cells in first],
        table.form,
        TrainedNumbers(None, {}) if trained is None else trained.numbers,
    )
    reader.read_as(marks)

    def samples() -> Samples:
        for line, cells in chain(first, table.rows):
            try:
                written = tuple(cells.get(name, "") for name in truths)
                values = reader.values(cells)
                yield GivenSample(str(line), values, written, reader.files(cells))
            except DiagnosticError as error:
                is_dropped = error.problems[0].code == _EMPTY
                yield Unreadable(str(line), _in_row(line, error), is_dropped)

    return GivenData(table.total, samples(), truths, lambda: (*doubts, *reader.notices()))


def _in_row(line: int, error: DiagnosticError) -> DiagnosticError:
    """Return what is wrong with a row, with its number."""
    problem = error.problems[0]
    code = _IN_ROWS.get(problem.code)
    if code is not None:
        params = {**problem.params, "row": line}
        return DiagnosticError(Diagnostic(code=code, params=params))
    named = {NAMED_IN_ROW: line, NAMED_IN_COLUMN: problem.params.get("column", "–")}
    return DiagnosticError(msgspec.structs.replace(problem, params={**problem.params, **named}))


def _options(
    form: TableForm | None, params: Mapping[str, Value], decimal: DecimalChoice
) -> TableOptions:
    """Return how a table is read: as that of the run, with the names of its columns above it; the
    decimal mark is its own.
    """
    written = None if form is None else form.numbers.form
    options = TableOptions() if form is None else table_options(params)
    is_named = written is None or written.has_header
    if options.header == "auto" and is_named:
        options = msgspec.structs.replace(options, header="yes")
    return msgspec.structs.replace(options, decimal=_CHOSEN.get(decimal, ""))


def _target_columns(training: Training, form: TableForm | None) -> tuple[str, ...]:
    """Return the columns that a run of a table predicts."""
    if form is not None:
        return form.targets
    target = training.data.info.field(training.comparison.field)
    return () if target is None else target.columns or (target.name,)


def _categories(form: RowForm) -> list[tuple[str, frozenset[str]]]:
    """Return the values that each column of categories may have."""
    found = [(each.column, frozenset(each.values) - {UNKNOWN_NAME}) for each in form.categories]
    flags: dict[str, set[str]] = {}
    for each in form.features:
        if isinstance(each, FlagCell):
            known = flags.setdefault(each.column, set())
            known |= {each.value} if each.value is not None else set()
    return [*found, *((name, frozenset(values)) for name, values in flags.items())]


def _listed(names: Sequence[str]) -> str:
    more = ", …" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more

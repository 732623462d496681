"""State of the dialog for a project that begins with data of the user, as one frozen value."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

import msgspec

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic
from engine.spec.browse import SamplePictures
from engine.spec.data import PreviewInfo
from engine.spec.fields import get_value, set_text
from engine.spec.proposal import Answers, ModelSize, Peek, PeekPicture, Proposal
from engine.spec.run import RunSpec
from engine.spec.transform_preview import DrawnSamples
from studio.data.columns.choice import ColumnChoice, with_target

Question = Literal["inputs", "target", "parts", "kinds", "transforms"]
QUESTIONS: tuple[Question, ...] = get_args(Question)

_TARGETS = (
    "target",
    "targets",
    "target_path",
    "labels",
    "class_folders",
    "masks",
    "task",
    "horizon",
)
_FILES = ("encoding", "delimiter", "decimal", "skip_rows", "keep_totals", "header", "sheet")
_OF_COLUMNS = ("target", "inputs", "ignored", "group", "weight", "kinds")
_SOURCE, _SPLIT = "data.source.", "data.split."


@dataclass(frozen=True, kw_only=True)
class StartState:
    """What the user has said and what is proposed. ``spec`` is the proposal with the settings that
    were changed since; ``proposal`` is None while none is there for what stands in the dialog,
    ``last`` the one before it. ``rejected`` is a setting, what was typed for it, and why it cannot
    be. ``columns`` are what was said of the columns of a table. ``drawn`` are
    training samples after the transforms, by the random numbers of a ``draw``, ``undrawn`` is why
    there are none. ``sheets`` are those of a workbook or database, ``sheet`` is the one that is
    read. ``is_sampling`` holds while samples to show are read after the proposal has come.
    """

    path: str = ""
    size: ModelSize = "small"
    answers: Answers = field(default_factory=Answers)
    columns: ColumnChoice = field(default_factory=ColumnChoice)
    spec: RunSpec | None = None
    proposal: Proposal | None = None
    last: Proposal | None = None
    is_waiting: bool = False
    problems: tuple[Diagnostic, ...] = ()
    rejected: tuple[tuple[str, str, str], ...] = ()
    peek: Peek | None = None
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    pictures: tuple[PeekPicture, ...] = ()
    preview: PreviewInfo | None = None
    is_sampling: bool = False
    boxed: tuple[SamplePictures, ...] = ()
    drawn: DrawnSamples | None = None
    undrawn: tuple[Diagnostic, ...] = ()
    draw: int = 0

    @property
    def is_table(self) -> bool:
        """Whether the data are a table with columns to choose from."""
        return bool(self.columns.used or (self.last is not None and self.last.table))

    def asked(self) -> Answers:
        """Return the answers of the user, those about columns among them."""
        said = {name: text for name, text in self.columns.params().items() if text}
        if self.columns.is_unweighed:
            said.setdefault("weight", "")
        return msgspec.structs.replace(self.answers, params=self.answers.params | said)


def question_of(name: str, *, is_table: bool) -> Question:
    """Return the question that a setting answers."""
    if name.startswith(("data.split", "data.sampler")):
        return "parts"
    if name.startswith(("data.transforms", "data.batch_transforms", "data.normalization")):
        return "transforms"
    param = name.removeprefix(_SOURCE)
    if not name.startswith(_SOURCE) or param == "path" or param in _FILES:
        return "inputs"
    return "target" if param in _TARGETS and not (is_table and param == "task") else "kinds"


def form_names(question: Question, names: Iterable[str], state: StartState) -> tuple[str, ...]:
    """Return the settings among ``names`` that are shown as a form at a question: those that have
    no better place, and that say something of such a file.
    """
    is_table, proposal = state.is_table, state.proposal or state.last
    own = (
        f"{_SOURCE}path",
        f"{_SOURCE}sheet",
        *(f"{_SOURCE}{name}" for name in _OF_COLUMNS if is_table),
        *(f"{_SOURCE}{name}" for name in (proposal.unused if proposal else ())),
    )
    return tuple(
        name
        for name in names
        if name.startswith((_SOURCE, _SPLIT))
        and name not in own
        and question_of(name, is_table=is_table) == question
    )


def with_path(state: StartState, path: str) -> StartState:
    """Return the state for other data: nothing that was said of the old ones holds."""
    return StartState(path=path, size=state.size, is_waiting=bool(path))


def with_sheet(state: StartState, sheet: str) -> StartState:
    """Return the state for another sheet of a workbook: its columns are other ones."""
    answers = Answers(source=state.answers.source, params={"sheet": sheet})
    return replace(with_path(state, state.path), answers=answers, sheet=sheet, sheets=state.sheets)


def with_setting(state: StartState, name: str, text: str) -> StartState:
    """Return the state with another value of a setting.

    Raises :class:`~engine.diagnostics.DiagnosticError` for a text that is no value.
    """
    assert state.spec is not None
    spec = set_text(state.spec, name, text)
    if name.startswith(_SPLIT):
        answers = msgspec.structs.replace(state.answers, split=spec.data.split)
    else:
        param = name.removeprefix(_SOURCE)
        params = state.answers.params | {param: get_value(spec, name)}
        answers = msgspec.structs.replace(state.answers, params=params)
    return replace(state, spec=spec, answers=answers, rejected=())


def without_setting(state: StartState, name: str) -> StartState:
    """Return the state with what is proposed for a setting; for one of the split, for all of it."""
    if name.startswith(_SPLIT):
        return replace(state, answers=msgspec.structs.replace(state.answers, split=None))
    params = dict(state.answers.params)
    params.pop(name.removeprefix(_SOURCE), None)
    return replace(state, answers=msgspec.structs.replace(state.answers, params=params))


def with_offer(state: StartState, name: str, value: str) -> StartState:
    """Return the state with what was chosen of an offer; a source of another kind has settings of
    its own.
    """
    match name:
        case "target":
            return replace(state, columns=with_target(state.columns, value))
        case "sheet":
            return with_sheet(state, value)
        case "size":
            return replace(state, size=cast("ModelSize", value))
        case "source":
            old = (state.peek, state.pictures)
            kept = {"sheet": state.sheet} if "sheet" in state.answers.params else {}
            new = replace(with_path(state, state.path), sheet=state.sheet, sheets=state.sheets)
            answers = Answers(source=value, params=dict[str, Value](kept))
            return replace(new, answers=answers, peek=old[0], pictures=old[1])
        case "augmentation":
            chosen: dict[str, Any] = {"augmentation": value}
        case _:
            chosen = {"scaling": value}
    return replace(state, answers=msgspec.structs.replace(state.answers, **chosen))

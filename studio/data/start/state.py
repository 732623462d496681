"""State of the dialog for a project that begins with data of the user, as one frozen value."""

import csv
import io
from collections.abc import Iterable, Mapping
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
from engine.spec.table import ColumnInfo

Question = Literal["inputs", "target", "parts", "kinds", "transforms"]
QUESTIONS: tuple[Question, ...] = get_args(Question)

KINDS = ("number", "category", "binary", "date", "text", "image", "array")
"""What a user can call a column that is used."""

_TARGETS = ("target", "targets", "target_path", "labels", "masks", "task", "horizon")
_FILES = ("encoding", "delimiter", "header", "sheet")
_OF_COLUMNS = ("target", "inputs", "ignored", "group", "kinds")
_SOURCE, _SPLIT = "data.source.", "data.split."


@dataclass(frozen=True, kw_only=True)
class StartState:
    """What the user has said and what is proposed. ``spec`` is the proposal with the settings that
    were changed since; ``proposal`` is None while none is there for what stands in the dialog,
    ``last`` the one before it. ``rejected`` is a setting, what was typed for it, and why it cannot
    be. ``target``, ``kinds`` and ``roles`` are what was said of the columns of a table, ``columns``
    what is proposed for them.
    """

    path: str = ""
    size: ModelSize = "small"
    answers: Answers = field(default_factory=Answers)
    target: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    columns: tuple[ColumnInfo, ...] = ()
    spec: RunSpec | None = None
    proposal: Proposal | None = None
    last: Proposal | None = None
    is_waiting: bool = False
    problems: tuple[Diagnostic, ...] = ()
    rejected: tuple[tuple[str, str, str], ...] = ()
    peek: Peek | None = None
    pictures: tuple[PeekPicture, ...] = ()
    preview: PreviewInfo | None = None
    boxed: tuple[SamplePictures, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether the data are a table with columns to choose from."""
        return self.last is not None and bool(self.last.table)

    def asked(self) -> Answers:
        """Return the answers of the user, those about columns among them."""
        if not self.columns:
            return self.answers
        params = self.answers.params | self._column_params()
        return msgspec.structs.replace(self.answers, params=params)

    def _column_params(self) -> dict[str, Value]:
        """Return the settings of the source for what was said of its columns."""
        kinds = dict(self.kinds)
        for column in self.columns:
            is_wanted = self.roles.get(column.name) == "input" and column.role == "ignored"
            if is_wanted and column.name not in kinds and column.kind == "text":
                kinds[column.name] = "text"
            elif is_wanted and column.name not in kinds and column.kind not in KINDS:
                kinds[column.name] = "number" if column.is_number else "category"
        chosen = {
            "target": listed([self.target] if self.target else []),
            "ignored": listed(self._named("ignored")),
            "group": listed(self._named("group")[-1:]),
            "kinds": listed(f"{name}={kind}" for name, kind in kinds.items()),
        }
        return {name: text for name, text in chosen.items() if text}

    def _named(self, role: str) -> list[str]:
        return [name for name, each in self.roles.items() if each == role and name != self.target]


def listed(names: Iterable[str]) -> str:
    """Return names with commas between, as settings have them: in quotes where one has a comma."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(list(names))
    return line.getvalue()


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


def form_names(question: Question, names: Iterable[str], *, is_table: bool) -> tuple[str, ...]:
    """Return the settings among ``names`` that are shown as a form at a question: those that have
    no better place.
    """
    own = ("data.source.path", *(f"{_SOURCE}{name}" for name in _OF_COLUMNS if is_table))
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
            return with_target(state, value)
        case "size":
            return replace(state, size=cast("ModelSize", value))
        case "source":
            old = (state.peek, state.pictures)
            state = replace(with_path(state, state.path), answers=Answers(source=value))
            return replace(state, peek=old[0], pictures=old[1])
        case "augmentation":
            chosen: dict[str, Any] = {"augmentation": value}
        case _:
            chosen = {"scaling": value}
    return replace(state, answers=msgspec.structs.replace(state.answers, **chosen))


def with_target(state: StartState, name: str) -> StartState:
    """Return the state with another column to predict."""
    roles = {key: role for key, role in state.roles.items() if key != name}
    return replace(state, target=name, roles=roles)


def with_role(state: StartState, name: str, role: str) -> StartState:
    """Return the state with another role of a column; one is predicted at a time."""
    if role == "target":
        return with_target(state, name)
    roles = {key: each for key, each in state.roles.items() if role != "group" or each != "group"}
    target = "" if name == state.target else state.target
    return replace(state, roles=roles | {name: role}, target=target)


def with_kind(state: StartState, name: str, kind: str) -> StartState:
    """Return the state with another kind of a column."""
    return replace(state, kinds={**state.kinds, name: kind})

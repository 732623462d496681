"""The options of the command ``data`` that edit samples."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.project import Project
from engine.query.data.request import DescribeData, DescribeEdits, NameEdits
from engine.spec.browse import SampleNames
from engine.spec.choice import Code
from engine.spec.custom_code import data_code
from engine.spec.data_edits import DataEdits, PartName, edits_fault
from engine.spec.data_path import data_key
from engine.spec.run import DataSpec
from engine.spec.split_rule import part_of_word
from studio.cli.asking import ask

_PARTS: tuple[PartName, ...] = ("train", "validation", "test")
_FAULTS = ("D182", "D183")
_Change = Callable[[DataEdits], DataEdits]


def edit_project(project: Project, options: Namespace) -> None:
    """Make the edits that are wanted and save them; nothing where none are.

    Raises :class:`DiagnosticError`: D182 or D183 for classes, D186 for a sample that is not there,
    D187 for words without a value, or what saving raises. Nothing is changed then.
    """
    before, all_code = project.spec.data, project.graph.code
    after = _edited(before, options, all_code)
    fault = edits_fault(after.edits)
    if fault:
        raise DiagnosticError.of("R001", path="edits", message=fault)
    if after == before:
        return
    code = data_code(after, all_code)
    _require_samples(before, after, code)
    problems = ask(DescribeData(data=after, code=code)).problems
    wrong = [problem for problem in problems if problem.code in _FAULTS]
    if wrong:
        raise DiagnosticError(*wrong)
    project.spec = replace(project.spec, data=after)
    refusal = project.claim()
    try:
        if refusal is not None:
            raise DiagnosticError(refusal)
        project.save()
    finally:
        project.release()


def _edited(spec: DataSpec, options: Namespace, code: Code) -> DataSpec:
    edits = DataEdits() if options.reset else spec.edits
    key = data_key(spec.source, code)
    for change in _changes(options, _Names(replace(spec, edits=edits), code)):
        edits = change(edits.of(key))
    return replace(spec, edits=edits)


class _Names:
    """The names by which edits know samples, for those that are typed."""

    def __init__(self, spec: DataSpec, code: Code) -> None:
        self._spec = spec
        self._code = data_code(spec, code)

    def __call__(self, typed: Sequence[str]) -> list[str]:
        """Return the names of edits; of samples that are not there those that were typed."""
        return [*self._known(typed).names]

    def relabelled(self, typed: str, label: str) -> _Change:
        """Return what gives a sample a class; the one that the data says of it is no edit."""
        known = self._known([typed])
        own = dict(zip(known.names, known.labels, strict=False))
        return partial(DataEdits.relabelled, names=known.names, label=label, own=own)

    def _known(self, typed: Sequence[str]) -> SampleNames:
        return ask(NameEdits(data=self._spec, names=tuple(typed), code=self._code))


def _changes(options: Namespace, named: _Names) -> Iterator[_Change]:
    if options.exclude:
        yield partial(DataEdits.excluding, names=named(options.exclude), is_excluded=True)
    if options.include:
        yield partial(DataEdits.excluding, names=named(options.include), is_excluded=False)
    for name, label in _pairs(options.relabel):
        yield named.relabelled(name, label)
    for name, word in _pairs(options.move):
        yield partial(DataEdits.moved, names=named([name]), part=_part(name, word))
    for name, tag in _pairs(options.tag):
        yield partial(DataEdits.tagged, names=named([name]), tag=tag)
    for name, tag in _pairs(options.untag):
        yield partial(DataEdits.tagged, names=named([name]), tag=tag, is_set=False)


def _require_samples(before: DataSpec, after: DataSpec, code: dict[str, str]) -> None:
    """Refuse names that no sample has; those that were edited before may be gone by now."""
    info = ask(DescribeEdits(data=after, code=code))
    new = [name for name in info.missing if name not in before.edits.samples]
    if new:
        raise DiagnosticError.of("D186", name=new[0][:100], example=info.example[:100])


def _pairs(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign or not name:
            raise DiagnosticError.of("D187", text=text[:100])
        yield name, value


def _part(name: str, word: str) -> PartName:
    if not word:
        return ""
    part = part_of_word(word)
    if part is None:
        raise DiagnosticError.of("D189", text=f"{name}={word}"[:100])
    return _PARTS[part]

"""Transform of the user's own code: a function, or an object of a class, that changes a sample."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Entry, Need, Value
from engine.custom.trust import require_trust, set_trust
from engine.data.source.custom.failure import CustomCall
from engine.data.source.custom.opened import load_named
from engine.data.transform.custom_call import CustomTransform, NoTensorError, plain_tensor
from engine.data.transform.step import Sample, Step
from engine.diagnostics import DiagnosticError
from engine.graph.code import CODE_PREFIX, code_transform
from engine.spec.choice import Code
from engine.spec.data import ROW_KINDS, FieldInfo
from engine.spec.transform import TransformSpec

_SHOWN = 100  # letters of what a function gave


@dataclass(frozen=True, kw_only=True)
class CustomStep(Step):
    """A transform of own code with its settings. ``infos`` are the fields of the samples by name,
    of which ``names`` are those that it is called with, one by one unless it takes them together.

    It goes to other processes as the text of the code, and is made there anew.
    """

    params: Mapping[str, Value]
    code: Mapping[str, str]
    infos: Mapping[str, FieldInfo]
    names: tuple[str, ...]
    loaded: tuple[Callable[..., Any], CustomCall] | None = field(default=None, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but what the user's code made."""
        return {**self.__dict__, "loaded": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what another process of the run sent, where the code was trusted."""
        for name, value in state.items():
            object.__setattr__(self, name, value)
        set_trust(self.code, trusted=True)

    @property
    @override
    def is_random(self) -> bool:
        return True  # nobody knows before it is called

    @property
    @override
    def is_of_sounds(self) -> bool:
        return all(self.infos[name].kind == "sound" for name in self.names)

    @property
    def label(self) -> str:
        """What it is called in messages: the name of its definition."""
        return self.name.rpartition(".")[2]

    @property
    def takes_sample(self) -> bool:
        """Whether it is called with the whole sample."""
        return Need.WHOLE_SAMPLE in self.needs

    @override
    def changes(self, name: str, kind: str) -> bool:
        return self.takes_sample or name in self.names

    @override
    def apply(self, sample: Sample, index: int) -> Sample:
        """Return a sample after it: fields that it gave back, all others as they were.

        Raises :class:`DiagnosticError`: D541 for what it raises, D542 for what is no tensor of the
        field, as :func:`engine.data.source.custom.opened.load_named` does, and D543 where it cannot
        be made with its settings.
        """
        function, call = self.function()
        number = self.number + 1
        with call.reported("D541", index=index, number=number):
            if self.takes_sample:
                given: object = function(_copied(sample, sample))
            elif Need.TOGETHER in self.needs:
                given = function(_copied(sample, self.names))
            else:
                try:
                    given = {name: function(sample[name]) for name in self.names if name in sample}
                except NoTensorError as error:
                    raise self._refused(f"“{error}”") from error
        if not isinstance(given, Mapping):
            raise self._refused(f"“{type(given).__name__}”")
        pairs = cast("Mapping[object, object]", given)
        changed = {str(name): value for name, value in pairs.items()}
        unknown = [name for name in changed if name not in sample]
        if unknown:
            raise self._refused(f"“{unknown[0][:40]}”")
        after = {**sample}
        for name, value in changed.items():
            after[name] = self._fitted(name, value, sample[name])
        self._check_rows(after)
        return after

    def function(self) -> tuple[Callable[..., Any], CustomCall]:
        """Return what is called with a sample, made with the settings, in this process."""
        if self.loaded is None:
            object.__setattr__(self, "loaded", self._made())
        assert self.loaded is not None
        return self.loaded

    def _made(self) -> tuple[Callable[..., Any], CustomCall]:
        setting = f"data.transforms.{self.number}"
        found, call = load_named(self.name.removeprefix(CODE_PREFIX), self.code, setting)
        is_each = not self.takes_sample and Need.TOGETHER not in self.needs
        if Need.MADE not in self.needs:
            settings = dict(self.params)
            return (CustomTransform if is_each else partial)(found, **settings), call
        with call.reported("D543", number=self.number + 1):
            made = found(**self.params)
        return CustomTransform(made) if is_each else made, call

    def _fitted(self, name: str, value: object, before: Tensor) -> Tensor:
        """Return a value as transforms pass it on: of the kind of ``before``, on the CPU."""
        info = self.infos.get(name)
        if info is None:
            raise self._refused(f"“{name[:40]}”")
        try:
            tensor = plain_tensor(value)
        except NoTensorError as error:
            raise self._refused(f"“{name[:40]}”: {error}") from error
        if before.is_floating_point() and not tensor.is_floating_point():
            tensor = tensor.to(before.dtype)
        if not before.is_floating_point() and info.kind not in ("image", "video", "mask"):
            if tensor.is_floating_point():
                raise self._refused(f"“{name[:40]}”: {str(tensor.dtype).removeprefix('torch.')}")
            tensor = tensor.to(before.dtype)
        if info.classes and info.kind in ("class", "box_classes") and tensor.numel():
            low, high = int(tensor.min()), int(tensor.max())
            if low < 0 or high >= len(info.classes):
                raise self._refused(f"“{name[:40]}”: {low if low < 0 else high}")
        return _like(tensor, value, before)

    def _check_rows(self, sample: Sample) -> None:
        """Refuse boxes without as many classes and masks."""
        counts = {
            name: len(sample[name])
            for name, info in self.infos.items()
            if info.kind in ROW_KINDS and name in sample
        }
        if len(set(counts.values())) > 1:
            raise self._refused(", ".join(f"“{name}”: {count}" for name, count in counts.items()))

    def _refused(self, found: str) -> DiagnosticError:
        _, call = self.function()
        return call.refusal("D542", found=found[:_SHOWN], number=self.number + 1)


def build_custom_step(
    number: int, spec: TransformSpec, infos: Iterable[FieldInfo], code: Code
) -> CustomStep:
    """Return a transform of the user's code for samples with some fields.

    Raises :class:`DiagnosticError`: U027 for code that nobody has trusted, D258 where the code has
    no such transform, D544 for a field that the data has not.
    """
    place = f"data.transforms.{number}"
    fields = {info.name: info for info in infos}
    entry = code_transform(code, spec.type)
    if entry is None:
        raise DiagnosticError.of("D115", field=place, name=spec.type.removeprefix(CODE_PREFIX)[:60])
    require_trust(code)
    if spec.field and spec.field not in fields:
        known = ", ".join(fields)
        raise DiagnosticError.of(
            "D544", field=f"{place}.field", value=spec.field[:60], known=known[:200]
        )
    return CustomStep(
        number=number,
        name=spec.type,
        field=spec.field,
        needs=entry.needs,
        params=_arguments(entry, spec.params),
        code=dict(code),
        infos=fields,
        names=called_with(entry, spec.field, tuple(fields.values())),
    )


def called_with(entry: Entry, field: str, infos: Sequence[FieldInfo]) -> tuple[str, ...]:
    """Return the fields that a transform of own code is called with: the chosen one, else the
    inputs that are pictures, sounds or videos, or all inputs where there are none of these; what
    takes pictures with their masks, boxes and points gets all of them.
    """
    if field:
        return (field,)
    if Need.TOGETHER in entry.needs:
        together = ("image", "video", "mask", "boxes", "box_masks")
        return tuple(info.name for info in infos if info.kind in together or info.mirror)
    inputs = [info for info in infos if info.role == "input"]
    media = [info for info in inputs if info.kind in ("image", "video", "sound")]
    return tuple(info.name for info in media or inputs)


def _copied(sample: Sample, names: Iterable[str]) -> Sample:
    """Return copies: what the user's code is given it may change in place."""
    return {name: sample[name].clone() for name in names if name in sample}


def _arguments(entry: Entry, params: Mapping[str, Value]) -> dict[str, Value]:
    known = {param.name for param in entry.params}
    return {name: value for name, value in params.items() if name in known}


def _like(value: Tensor, given: object, before: Tensor) -> Tensor:
    """Return a plain tensor as the kind that it was made of, for the transforms after it."""
    from torchvision.tv_tensors import BoundingBoxes, KeyPoints, wrap

    if not isinstance(before, BoundingBoxes | KeyPoints):
        return value.as_subclass(type(before))
    frame = given if isinstance(given, type(before)) else before
    return wrap(value, like=frame)  # pyright: ignore[reportCallIssue] - made by a decorator

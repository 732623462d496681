"""One transform of a sample: of torchvision, or of sounds, built from its description."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, Need, Value
from engine.data.transform.sound import SOUND_TRANSFORMS
from engine.diagnostics import DiagnosticError, printable
from engine.spec.data import IGNORED
from engine.spec.transform import BatchTransformSpec, TransformSpec

Sample = dict[str, Tensor]
"""The fields of one sample."""

FAILURES = (TypeError, ValueError, RuntimeError, IndexError, AssertionError, ZeroDivisionError)
"""What torchvision raises where a transform does not fit its settings or its image."""

_LETTERS = 200


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """A transform of a chain: ``number`` is its position in the specification (from 0), ``field``
    the only field that it changes (empty: all).
    """

    number: int
    name: str
    field: str
    needs: tuple[Need, ...]

    @property
    def is_random(self) -> bool:
        """Whether it draws random numbers."""
        return Need.RANDOM_NUMBERS in self.needs

    @property
    def is_of_sounds(self) -> bool:
        """Whether it changes sounds, not images."""
        return Need.SOUND in self.needs

    def changes(self, name: str, kind: str) -> bool:
        """Return whether it changes a field of a kind."""
        return self.field in ("", name) and (kind == "sound") == self.is_of_sounds

    @abstractmethod
    def apply(self, sample: Sample, index: int) -> Sample:
        """Return sample ``index`` transformed. Raises :class:`DiagnosticError` where that fails."""


@dataclass(frozen=True, kw_only=True)
class CatalogStep(Step):
    """A transform of the catalogue."""

    module: nn.Module

    @override
    def apply(self, sample: Sample, index: int) -> Sample:
        """Return a sample with its images, videos, masks and boxes (``tv_tensors``) transformed
        together, or its sounds (plain tensors), one by one.

        Raises :class:`DiagnosticError` D100 with the reason why that is not possible for sample
        ``index``, D102 where it wants images of other numbers.
        """
        chosen = self._chosen(sample)
        if not chosen:
            return sample
        self._check_dtypes(chosen)
        try:
            if self.is_of_sounds or len(chosen) == 1:
                changed = {name: self.module(value) for name, value in chosen.items()}
            else:
                changed = self.module(chosen)
        except FAILURES as error:
            raise DiagnosticError.of(
                "D100",
                field=f"data.transforms.{self.number}",
                detail=str(error),
                number=self.number + 1,
                name=self.name,
                index=index,
                reason=reason_of(error),
            ) from error
        return {**sample, **changed}

    def _chosen(self, sample: Sample) -> Sample:
        from torchvision.tv_tensors import TVTensor

        return {
            name: value
            for name, value in sample.items()
            if self.field in ("", name) and isinstance(value, TVTensor) != self.is_of_sounds
        }

    def _check_dtypes(self, chosen: Sample) -> None:
        from torchvision.tv_tensors import Image, Video

        for value in chosen.values() if Need.FLOAT_IMAGE in self.needs else ():
            if isinstance(value, Image | Video) and not value.is_floating_point():
                place = f"data.transforms.{self.number}"
                raise DiagnosticError.of("D102", field=place, name=self.name)


def build_step(number: int, spec: TransformSpec) -> CatalogStep:
    """Return a transform of the catalogue. Raises :class:`DiagnosticError` D115 for an unknown one,
    D114 where torchvision refuses its settings.
    """
    place = f"data.transforms.{number}"
    entry = _entry(EntryGroup.TRANSFORM, spec.type, place)
    module = _module(entry, spec.params, number, place)
    return CatalogStep(
        number=number, name=spec.type, module=module, field=spec.field, needs=entry.needs
    )


def build_batch_transform(number: int, spec: BatchTransformSpec) -> Any:
    """Return a transform of a batch. Raises as :func:`build_step` does."""
    place = f"data.batch_transforms.{number}"
    entry = _entry(EntryGroup.BATCH_TRANSFORM, spec.type, place)
    return _module(entry, spec.params, number, place)


def reason_of(error: Exception) -> str:
    """Return what an exception says, in one short line."""
    text = str(error).strip() or type(error).__name__
    return printable(" ".join(text.split()), _LETTERS)


def _entry(group: EntryGroup, key: str, place: str) -> Entry:
    entry = catalog().entry(group, key)
    if entry is None:
        raise DiagnosticError.of("D115", field=place, name=key[:60])
    return entry


def _module(entry: Entry, params: Mapping[str, Value], number: int, place: str) -> nn.Module:
    from torchvision.transforms import v2

    make = SOUND_TRANSFORMS.get(entry.key) or getattr(v2, entry.key)
    try:
        return make(**_arguments(entry, params))
    except FAILURES as error:
        raise DiagnosticError.of(
            "D114",
            field=place,
            detail=str(error),
            number=number + 1,
            name=entry.key,
            reason=reason_of(error),
        ) from error


def _arguments(entry: Entry, params: Mapping[str, Value]) -> dict[str, Any]:
    """Return the arguments of a transform as torchvision takes them."""
    from torchvision.transforms import AutoAugmentPolicy

    values: dict[str, Any] = {}
    for param in entry.params:
        if param.name not in params:  # torchvision's own default
            continue
        value = params[param.name]
        if param.name == "dtype":
            value = getattr(torch, str(value))
        elif param.name == "policy":
            value = AutoAugmentPolicy(value)
        elif isinstance(value, tuple):
            value = list(value)
        values[param.name] = value
    fill = entry.param("fill")
    if fill is not None:
        values["fill"] = _filled(values.get("fill", fill.default))
    return values


def _filled(fill: Any) -> dict[Any, Any]:
    """Return what new pixels are: of a mask they have no class, since nobody knows it; they are of
    no object.
    """
    from torchvision.tv_tensors import Mask

    from engine.data.transform.object_mask import ObjectMask

    return {Mask: IGNORED, ObjectMask: 0, "others": fill}

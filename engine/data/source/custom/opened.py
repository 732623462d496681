"""Opening of the user's class: its data sets, what makes batches of their samples, their parts."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.utils.data import default_collate

from engine.catalog.spec import AUTO, Entry, EntryGroup, ParamKind, Value
from engine.custom.module import load_custom_object
from engine.data.seed import all_seeded, mixed_seed
from engine.data.source.custom.boxed import (
    EmptyBoxError,
    UnusableBoxesError,
    samples_of_batch,
)
from engine.data.source.custom.failure import CustomCall
from engine.data.source.custom.rows import EarlyEndError, EndlessError, Rows, rows_of
from engine.data.source.custom.sample import Named, UnusableSampleError, named_tensors
from engine.data.source.source import PART_WORDS, PARTS, Part, consecutive_parts
from engine.diagnostics import DiagnosticError
from engine.graph.code import COLLATE_PARAM, SAMPLER_PARAM

_LOADERS: tuple[tuple[Part, str, str], ...] = (
    ("train", "train_dataloader", "fit"),
    ("validation", "val_dataloader", "fit"),
    ("test", "test_dataloader", "test"),
)
_BATCH = 2  # apart from the random numbers of samples
_LABELS = ("targets", "labels")
_PARTS = "parts"
_CLASSES = "classes"
_COLLATE = "data.source.collate_fn"


@dataclass(frozen=True, kw_only=True)
class Opened:
    """What the user's class gave. ``collate_call`` is the function that was chosen to make batches,
    None for one of the class. ``parts`` is the part of each sample (int64, -1: none), where the
    class says it; ``labels`` (int64) and ``classes`` are those that it has as attributes.
    """

    call: CustomCall
    rows: tuple[Rows, ...]
    count: int
    collate: Callable[[list[Any]], Any] | None = None
    collate_call: CustomCall | None = None
    parts: Tensor | None = None
    labels: Tensor | None = None
    classes: tuple[str, ...] = ()

    @property
    def is_stream(self) -> bool:
        """Whether samples can only be read one after the other."""
        return any(rows.is_stream for rows in self.rows)

    @property
    def batch_call(self) -> CustomCall:
        """What makes batches, to be named where it fails."""
        return self.collate_call or self.call

    def row(self, index: int, seed: int, epoch: int) -> Any:
        """Return a sample as the user's class gives it in an epoch.

        Raises :class:`DiagnosticError`: D260 for what the class raises, D262 for a stream that ends
        before its length.
        """
        rows = next(rows for rows in reversed(self.rows) if rows.start <= index)
        try:
            with self.call.reported("D260", index=index):
                return rows.row(index, seed, epoch)
        except DiagnosticError as error:
            if isinstance(error.__cause__, EarlyEndError):
                count = rows.start + error.__cause__.count
                raise self.call.refusal("D262", count=count, samples=self.count) from error
            raise

    def batch(self, rows: list[Any], index: int, seed: int, epoch: int) -> Named | list[Named]:
        """Return what the user's ``collate_fn`` makes of samples, the first of which is ``index``;
        one after the other where it makes lists of pictures and targets.

        Raises :class:`DiagnosticError`: D268 for what it raises, D521 for what is no batch, what
        :meth:`named` does.
        """
        assert self.collate is not None
        with self.batch_call.reported("D268"), all_seeded(mixed_seed(seed, epoch, index, _BATCH)):
            batch = self.collate(rows)
        samples = samples_of_batch(batch, len(rows))
        if samples is not None:
            return [self.named(each, index + at) for at, each in enumerate(samples)]
        try:
            return named_tensors(batch)
        except (UnusableSampleError, UnusableBoxesError, EmptyBoxError) as error:
            is_list = isinstance(batch, list)  # whose first sample would be named in its place
            found = "list" if is_list else str(error)[:100]
            raise self.batch_call.refusal("D521", found=found) from error

    def named(self, given: object, index: int) -> Named:
        """Return what the user's code gave for a sample, by name.

        Raises :class:`DiagnosticError`: D263 for what cannot become tensors, D430 for boxes that
        are none, D431 for one without an area.
        """
        try:
            return named_tensors(given)
        except UnusableBoxesError as error:
            raise self.call.refusal("D430", index=index, found=str(error)[:100]) from error
        except EmptyBoxError as error:
            raise self.call.refusal("D431", index=index, box=str(error)[:100]) from error
        except UnusableSampleError as error:
            raise self.call.refusal("D263", index=index, found=str(error)[:100]) from error


def open_samples(entry: Entry, params: Mapping[str, Value], code: Mapping[str, str]) -> Opened:
    """Make the user's class and look what it has.

    Raises :class:`DiagnosticError`: U027 for code that nobody has trusted, D259 with file and line
    for what it raises, D261 for one without samples, D589 for what it raises when they are counted.
    """
    call = CustomCall(entry=entry, code=code)
    with call.reported("D259"):
        cls, places = load_custom_object(code, entry.target)
        call = replace(call, places=places)
    with call.reported("D259"):
        made = cls(**constructor_arguments(cls, entry, params))
    collate, collate_call = _chosen_collate(params, code)
    if hasattr(made, "train_dataloader"):
        return replace(_of_module(call, made, collate), collate_call=collate_call)
    rows = _rows(call, made, 0)
    count = _count(call, rows)
    with call.reported("D259"):  # attributes may be properties
        own = getattr(made, COLLATE_PARAM, None)
        return Opened(
            call=call,
            rows=(rows,),
            count=count,
            collate=collate or (own if callable(own) else None),
            collate_call=collate_call,
            parts=_parts(call, made, count),
            labels=_labels(made, count),
            classes=_classes(made),
        )


def constructor_arguments(cls: type, entry: Entry, params: Mapping[str, Value]) -> dict[str, Any]:
    """Return the arguments of the constructor; a place as a path where it is annotated so."""
    known = inspect.signature(cls.__init__).parameters
    more = [name for name in (COLLATE_PARAM, SAMPLER_PARAM) if name not in known]
    arguments: dict[str, Any] = {}
    for param in entry.params:
        if param.name in more:
            continue
        value = params[param.name]
        annotation = known[param.name].annotation if param.name in known else None
        is_path = param.kind is ParamKind.PATH and "Path" in str(annotation)
        arguments[param.name] = Path(value) if is_path and isinstance(value, str) else value
    return arguments


def _chosen_collate(
    params: Mapping[str, Value], code: Mapping[str, str]
) -> tuple[Callable[[list[Any]], Any] | None, CustomCall | None]:
    """Return the function of the project that makes batches, and how it is called in messages."""
    name = params.get(COLLATE_PARAM, AUTO)
    if name in (AUTO, None):
        return None, None
    return load_named(str(name), code, _COLLATE)


def load_named(
    name: str, code: Mapping[str, str], setting: str = "data.source"
) -> tuple[Any, CustomCall]:
    """Return a definition of the user's code by the name that it is chosen by (``data.pad``), in a
    setting.

    Raises :class:`DiagnosticError` D258 where it is not there, D259 where its file fails.
    """
    file, _, own = name.partition(".")
    if f"{file}.py" not in code:
        raise DiagnosticError.of("D258", field=setting, source=name)
    entry = Entry(key=f"code.{name}", group=EntryGroup.DATA, label=own, target=f"code:{name}")
    call = CustomCall(entry=entry, code=code, setting=setting)
    with call.reported("D259"):
        found, places = load_custom_object(code, entry.target)
    return found, replace(call, places=places)


def _of_module(call: CustomCall, module: Any, collate: Callable[[list[Any]], Any] | None) -> Opened:
    """Return the data sets of the loaders of a data module, which are the parts; their own order
    and batch size do not count.
    """
    found: list[Rows] = []
    counts: list[tuple[Part, int]] = []
    start = 0
    prepared: set[str] = set()
    for part, name, stage in _LOADERS:
        with call.reported("D259"):
            loader = _loader(module, name, stage, prepared)
        if loader is None:
            continue
        if not hasattr(loader, "dataset"):
            raise call.refusal("D261")
        rows = _rows(call, loader.dataset, start)
        counts.append((part, _count(call, rows)))
        start += counts[-1][1]
        found.append(rows)
        own = getattr(loader, COLLATE_PARAM, None)
        if collate is None and own is not default_collate:
            collate = own
    if not found:
        raise call.refusal("D261")
    dataset = found[0].dataset
    return Opened(
        call=call,
        rows=tuple(found),
        count=start,
        collate=collate,
        parts=consecutive_parts(counts),
        classes=_classes(module) or _classes(dataset),
    )


def _loader(module: Any, name: str, stage: str, prepared: set[str]) -> Any:
    if not prepared and callable(getattr(module, "prepare_data", None)):
        module.prepare_data()
    prepared.add("data")
    if stage not in prepared and callable(getattr(module, "setup", None)):
        module.setup(stage)
    prepared.add(stage)
    method = getattr(module, name, None)
    if method is None or _is_lightnings(method):
        return None
    return method()


def _is_lightnings(method: Any) -> bool:
    """Return whether a loader is the one of the base class, which only says that there is none."""
    return str(getattr(method, "__module__", "")).startswith(("lightning", "pytorch_lightning"))


def _rows(call: CustomCall, dataset: Any, start: int) -> Rows:
    try:
        return rows_of(dataset, start)
    except TypeError as error:
        raise call.refusal("D261") from error


def _count(call: CustomCall, rows: Rows) -> int:
    if not rows.is_stream and not hasattr(type(rows.dataset), "__len__"):
        raise call.refusal("D261")
    try:
        with call.reported("D589"):
            count = rows.count()
    except DiagnosticError as error:
        if isinstance(error.__cause__, EndlessError):
            raise call.refusal("D261") from error
        raise
    if count < 1:
        raise call.refusal("D261")
    return count


def _parts(call: CustomCall, made: Any, count: int) -> Tensor | None:
    words = getattr(made, _PARTS, None)
    if words is None or callable(words):
        return None
    names = [str(word).lower() for word in cast("Sequence[object]", words)]
    unknown = next((name for name in names if name not in PART_WORDS), None)
    if len(names) != count or unknown is not None:
        raise call.refusal("D266", count=len(names), samples=count, value=(unknown or "")[:60])
    return torch.tensor([PARTS.index(PART_WORDS[name]) for name in names])


def _labels(made: Any, count: int) -> Tensor | None:
    """Return the classes that a data set keeps beside its samples, as those of torchvision do."""
    for name in _LABELS:
        try:
            found = torch.as_tensor(getattr(made, name))
        except Exception:  # noqa: BLE001, S112 - it is there for something else
            continue
        if found.shape == (count,) and not found.is_floating_point() and not found.is_complex():
            return found.to(torch.int64)
    return None


def _classes(made: Any) -> tuple[str, ...]:
    names = getattr(made, _CLASSES, None)
    if isinstance(names, int) and 1 < names < 1_000_000:
        return tuple(map(str, range(names)))
    if isinstance(names, list | tuple):
        return tuple(map(str, cast("Sequence[object]", names)))
    return ()

"""Custom metrics: classes of the user's code that inherit ``torchmetrics.Metric``.

What such a class draws at random changes nothing in the run. Of several processes each has counted
for itself: their states are merged when the value is due, each by its ``dist_reduce_fx``, as
torchmetrics does it; until then, also in a checkpoint, they are kept apart.
"""

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypedDict, cast

import torch
from torch import Tensor

from engine.custom import watchdog
from engine.custom.module import (
    SourceLines,
    custom_traceback,
    error_line,
    load_custom_object,
)
from engine.data.seed import all_seeded
from engine.diagnostics import DiagnosticError
from engine.graph.code import code_digest
from engine.spec.series import number_series

if TYPE_CHECKING:
    from torchmetrics import Metric

FIELD = "metrics"
"""The setting that names the metrics of a run."""
SECONDS = 20.0
"""Of the processor, that a metric may take in the host to be made, or to measure some samples."""


_ROOT = "metric"
_MOST_NUMBERS = 1000  # of one metric, each a curve
_Reduction = Callable[[Tensor], object]


class _State(TypedDict):
    """What a metric has counted, in how many updates."""

    count: int
    values: dict[str, Tensor | list[Tensor]]


class Measured(NamedTuple):
    """What is predicted: the classes (none: no classes) and the number of the one that is left out
    (None: none is), which the constructor of a metric may ask for.
    """

    names: tuple[str, ...] = ()
    ignored: int | None = None


class CustomMetric:
    """A metric of the user's code, called ``name`` (``scores.Hits``), on a device.

    Its constructor is given ``num_classes`` and ``ignore_index`` where it has parameters of these
    names.

    Raises :class:`DiagnosticError`: U027 for code that nobody has trusted, U012 and U013 with file
    and line for what it raises while it is read in or made, U015 or U016 for code that did not
    come to an end, or took the process down, when it was run before, R535 for a class that is
    no metric.
    """

    def __init__(
        self, name: str, code: Mapping[str, str], measured: Measured, device: torch.device
    ) -> None:
        self._name = name
        self._code = code
        self._classes = measured.names
        self._places: SourceLines = {}
        self._others: list[dict[str, object]] = []  # states of other processes
        target = f"code:{name}"
        with self._reported("U012"):
            cls, self._places = load_custom_object(code, target)
        from torchmetrics import Metric  # the file has imported it, or is no metric

        if not (isinstance(cls, type) and issubclass(cls, Metric)):
            raise self._refusal("R535")
        given = {"num_classes": len(measured.names) or None, "ignore_index": measured.ignored}
        with self._reported("U013"), all_seeded(0):
            known = inspect.signature(cls).parameters
            self.given = {key: each for key, each in given.items() if _takes(known, key, each)}
            """What its constructor is given."""
            made = cls(**self.given)
            self.metric = made.to(device)
        _keep_to_itself(self.metric)

    @property
    def is_updated(self) -> bool:
        """Whether anything was measured."""
        return self.metric.update_called or bool(self._others)

    @property
    def higher_is_better(self) -> bool | None:
        """Whether the class says that higher is better; None where it does not say."""
        found: object = getattr(self.metric, "higher_is_better", None)
        return found if isinstance(found, bool) else None

    def update(self, predicted: Tensor, target: Tensor) -> None:
        """Measure samples, in the form that the metrics of the task take. Raises
        :class:`DiagnosticError` R536 for what the class raises.
        """
        with self._reported("R536"), all_seeded(0):
            self.metric.update(predicted.clone(), target.clone())

    def compute(self) -> dict[str, float]:
        """Return the value by the name of the metric, several by :func:`number_series`: those of a
        dictionary by their keys, those of a tensor of a number for each class by the classes, those
        of another one by their places from 1 on.

        Raises :class:`DiagnosticError`: R536 for what the class raises, R537 for what is no number,
        nor a dictionary or tensor of 1 to 1,000 of them.
        """
        with self._reported("R536"), all_seeded(0):
            found = self._whole().compute()
        number = _number(found)
        if number is not None:
            return {self._name: number}
        values = _numbers(found, self._classes)
        if values is None:
            raise self._refusal("R537", found=_shown(found))
        return {number_series(self._name, key): value for key, value in values.items()}

    def reset(self) -> None:
        """Begin anew. Raises :class:`DiagnosticError` R536 for what the class raises."""
        self._others = []
        with self._reported("R536"), all_seeded(0):
            self.metric.reset()

    def states(self) -> list[dict[str, object]]:
        """Return the state of each process that has measured something: those of several add up by
        concatenation. A metric that has others in it has their states, too.
        """
        own: dict[str, object] = {
            path: {"count": each.update_count, "values": dict(each.metric_state)}
            for path, each in _members(self.metric).items()
        }
        return [*([own] if self.metric.update_called else []), *self._others]

    def load(self, states: Sequence[dict[str, object]], device: torch.device) -> None:
        """Go on from what :meth:`states` returned."""
        if states:
            _restore(self.metric, states[0], device)
        self._others = [_moved(state, device) for state in states[1:]]

    def _whole(self) -> "Metric":
        """Return the metric with the states of all processes in it."""
        if not self._others:
            return self.metric
        whole, states = self.metric.clone(), self.states()
        for path, member in _members(whole).items():
            parts = [cast("_State", state[path]) for state in states]
            reductions = member._reductions  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no other name
            for name, reduction in reductions.items():
                found = [part["values"][name] for part in parts]
                setattr(member, name, _joined(found, cast("_Reduction | None", reduction)))
            _set_count(member, sum(part["count"] for part in parts))
        return whole

    @contextmanager
    def _reported(self, problem: str) -> Generator[None]:
        file = self._file()
        key = f"{self._name}@{code_digest(self._code)}{watchdog.SEPARATOR}metric"
        if verdict := watchdog.verdict(key):
            code = "U015" if verdict is watchdog.Verdict.STUCK else "U016"
            raise DiagnosticError.of(
                code, field=FIELD, name=self._name, file=file, seconds=f"{SECONDS:g}"
            )
        try:
            with watchdog.watched(key, SECONDS):
                yield
        except DiagnosticError:
            raise
        except (Exception, SystemExit) as error:
            file, line = error_line(error, self._code, f"code:{self._name}", self._places)
            raise DiagnosticError.of(
                problem,
                field=FIELD,
                detail=custom_traceback(error, self._places),
                name=self._name,
                error=type(error).__name__,
                reason=(str(error) or type(error).__name__).splitlines()[0][:300],
                file=file,
                line=line,
            ) from error

    def _refusal(self, problem: str, **params: str) -> DiagnosticError:
        file, line = error_line(Exception(), self._code, f"code:{self._name}", {})
        return DiagnosticError.of(
            problem, field=FIELD, name=self._name, file=file, line=line, **params
        )

    def _file(self) -> str:
        return f"{self._name.partition('.')[0]}.py"


def _takes(known: Mapping[str, inspect.Parameter], name: str, value: object) -> bool:
    """Return whether a constructor is to get a value: one that is not known, it gets where it could
    not do without.
    """
    param = known.get(name)
    return param is not None and (value is not None or param.default is inspect.Parameter.empty)


def _members(metric: "Metric") -> dict[str, "Metric"]:
    """Return a metric and those that it has in it, by their paths."""
    from torchmetrics import Metric

    named = metric.named_modules(prefix=_ROOT)
    return {path: each for path, each in named if isinstance(each, Metric)}


def _keep_to_itself(metric: "Metric") -> None:
    """Have a metric merge nothing with other processes: that is done here, once for all."""
    for each in _members(metric).values():
        each.sync_on_compute = each.dist_sync_on_step = False
        each._to_sync = False  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - read from the attribute above when it was made


def _restore(metric: "Metric", state: dict[str, object], device: torch.device) -> None:
    members = _members(metric)
    for path, content in _moved(state, device).items():
        member, part = members.get(path), cast("_State", content)
        if member is None or part["values"].keys() != member.metric_state.keys():
            raise ValueError(f"{path} is no part of the state of a metric")
        for name, value in part["values"].items():
            setattr(member, name, value)
        _set_count(member, part["count"])


def _set_count(metric: "Metric", count: int) -> None:
    metric._update_count = count  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - compute() warns without it
    metric._computed = None  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - of another state


def _moved(state: dict[str, object], device: torch.device) -> dict[str, object]:
    moved: dict[str, object] = {}
    for path, content in state.items():
        part = cast("_State", content)
        values = {
            name: [item.to(device) for item in value]
            if isinstance(value, list)
            else value.to(device)
            for name, value in part["values"].items()
        }
        moved[path] = {"count": part["count"], "values": values}
    return moved


def _joined(found: Sequence[object], reduction: "_Reduction | None") -> object:
    """Return a state of several processes as one, as ``Metric.sync`` makes it: lists one after the
    other, tensors along a first axis and reduced by it.
    """
    if isinstance(found[0], list):
        return [item for each in found for item in cast("list[Tensor]", each)]
    stacked = torch.stack(cast("list[Tensor]", found))
    return stacked if reduction is None else reduction(stacked)


def _number(found: object) -> float | None:
    if isinstance(found, Tensor):
        is_real = found.numel() == 1 and not found.is_complex()
        return float(found) if is_real else None
    if isinstance(found, str | bytes) or not hasattr(found, "__float__"):
        return None
    try:
        return float(cast("float", found))
    except (TypeError, ValueError):  # an array of several
        return None


def _numbers(found: object, classes: Sequence[str]) -> dict[str, float] | None:
    """Return the numbers of a dictionary or of a row of them by their keys; None where there are
    none, too many, or others than numbers.
    """
    if isinstance(found, Tensor) and found.ndim == 1:
        found = list(found)
    if isinstance(found, list | tuple):
        row = cast("Sequence[object]", found)
        places = [str(at) for at in range(1, len(row) + 1)]
        found = dict(zip(classes if len(classes) == len(row) else places, row, strict=True))
    if not isinstance(found, Mapping):
        return None
    pairs = cast("Mapping[object, object]", found)
    values = {str(key): _number(value) for key, value in pairs.items()}
    numbers = {key: value for key, value in values.items() if key and value is not None}
    return numbers if 0 < len(numbers) == len(pairs) <= _MOST_NUMBERS else None


def _shown(found: object) -> str:
    shape = getattr(found, "shape", None)
    kind = type(found).__name__
    return kind if shape is None else f"{kind} {'×'.join(map(str, shape)) or '–'}"

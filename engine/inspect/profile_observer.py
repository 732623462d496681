"""Profiler of training steps: the time of each layer forward and backward, what lies between steps,
floating-point operations (``torch.utils.flop_counter``), and a trace (``torch.profiler``).

Layers are timed by forward hooks and by prehooks of the Functions that they made. Each waits for
the device, so that a step takes longer than without. No number changes.
"""

import inspect
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from time import perf_counter

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode
from torch.utils.hooks import RemovableHandle
from typing_extensions import override

from engine.graph.block import SEPARATOR
from engine.graph.profile_report import OperatorRow, ProfileReport, ProfileRow
from engine.inspect.node_path import NodePaths
from engine.inspect.observer import NOTHING, HasState, Observer
from engine.inspect.origin import Origin, frame_origin, origin_of, watched
from engine.inspect.step_tracer import functions_below

_MOST_OPERATORS = 60


class ProfileObserver(Observer):
    """Times ``steps`` steps after a first one, counts operations in one more and traces another;
    then ``is_done``. ``trace`` is the profiler that holds the trace of the last step. ``clock``
    gives seconds; one that stands while the run waits keeps pauses out of the times.
    """

    def __init__(
        self, node_paths: NodePaths, steps: int, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.trace = profile(activities=_activities())
        self._node_paths = node_paths
        self._clock = clock
        self._steps = steps
        self._seen = -1  # steps that are over; the first one is a warm-up
        self._layers: dict[str, str] = {}  # module name to place, in the order of computation
        self._forward: defaultdict[str, float] = defaultdict(float)
        self._backward: defaultdict[str, float] = defaultdict(float)
        self._phases: defaultdict[str, float] = defaultdict(float)
        self._flops: dict[str, int] = {}
        self._totals = [0, 0]
        self._names: dict[int, str] = {}
        self._file = ""
        self._open: list[tuple[float, float]] = []  # start, and the time of inner modules
        self._path = ""  # of the node whose Functions go backward
        self._since = 0.0
        self._is_traced = False
        self._hooks: list[RemovableHandle] = []

    @property
    def report(self) -> ProfileReport:
        """Return the report: forward and backward times, each part at one node."""
        rows: dict[str, ProfileRow] = {}
        backward = self._backward_by_row()
        layers = sum(seconds for name, seconds in self._forward.items() if name)
        forward = self._forward | {"": self._phases["forward"] - layers}  # with the loss
        for name, place in {**self._layers, "": ""}.items():
            row = rows.get(place, ProfileRow(place=place, name=name))
            rows[place] = ProfileRow(
                place=place,
                name=row.name,
                forward_s=row.forward_s + forward[name] / self._steps,
                backward_s=backward[place] / self._steps,
                flops=row.flops + self._flops.get(name, 0),
            )
        return ProfileReport(
            steps=self._steps,
            rows=tuple(rows.values()),
            operators=_operators(self.trace),
            forward_flops=self._totals[0],
            backward_flops=self._totals[1],
            forward_s=self._phases["forward"] / self._steps,
            backward_s=self._phases["backward"] / self._steps,
            optimizer_s=self._phases["optimizer"] / self._steps,
            between_s=self._phases["between"] / self._steps,
        )

    def _backward_by_row(self) -> dict[str, float]:
        """Return the times by node path; operators count for the block around them, as they do
        forward: they have no hooks.
        """
        times = dict.fromkeys((*self._layers.values(), ""), 0.0)
        for each, seconds in self._backward.items():
            place = each
            while place not in times:
                place = place.rpartition(SEPARATOR)[0]
            times[place] += seconds
        return times

    @property
    def _is_timing(self) -> bool:
        return self._seen < self._steps

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        if self._is_timing:
            return self._timed(model)
        if self._seen == self._steps:
            return self._counted(0)
        if not self._is_traced:
            self._is_traced = True
            self.trace.start()
        return NOTHING

    @contextmanager
    def _timed(self, model: nn.Module) -> Generator[None]:
        self._names = {id(part): name for name, part in model.named_modules()}
        self._file = type(model).forward.__code__.co_filename
        if self._seen >= 0:
            self._phases["between"] += self._now() - self._since
        start = self._now()
        with ExitStack() as stack:
            for part in model.modules():
                stack.callback(part.register_forward_pre_hook(self._enter).remove)
                stack.callback(part.register_forward_hook(self._leave).remove)
            stack.enter_context(watched(model))
            yield
        self._phases["forward"] += self._now() - start

    def _enter(self, module: nn.Module, _: object) -> None:
        name = self._names[id(module)]
        if name and name not in self._layers:
            above = frame_origin(inspect.currentframe(), self._names, self._file)
            self._layers[name] = self._node_paths.path(Origin(name, above.steps if above else ()))
        self._open.append((self._now(), 0.0))

    def _leave(self, module: nn.Module, _: object, output: object) -> None:
        del output
        start, inside = self._open.pop()
        passed = self._now() - start
        self._forward[self._names[id(module)]] += passed - inside
        if self._open:
            above = self._open[-1]
            self._open[-1] = above[0], above[1] + passed

    @contextmanager
    def _counted(self, phase: int) -> Generator[None]:
        with FlopCounterMode(display=False) as counter:
            yield
        self._totals[phase] += int(counter.get_total_flops())  # of all batches of the step
        if phase == 0:
            counts = counter.get_flop_counts()
            flops = {name.partition(".")[2]: int(sum(one.values())) for name, one in counts.items()}
            for name, count in _without_inner(flops).items():
                self._flops[name] = self._flops.get(name, 0) + count

    @override
    def built(self, terms: Sequence[Tensor], model: nn.Module) -> None:
        self._path = ""
        if self._is_timing:
            for function in functions_below(terms):
                self._time_function(function)

    def _time_function(self, function: Node) -> None:
        origin = origin_of(function)
        place = None if origin is None else self._node_paths.path(origin)

        def reached(_: object) -> None:
            now = self._now()
            self._backward[self._path] += now - self._since
            self._since = now
            # Without an origin it accumulates a gradient, which counts for the layer before.
            if place is not None:
                self._path = place

        self._hooks.append(function.register_prehook(reached))

    @override
    def backward(self) -> AbstractContextManager[None]:
        if self._is_timing:
            return self._timed_backward()
        return self._counted(1) if self._seen == self._steps else NOTHING

    @contextmanager
    def _timed_backward(self) -> Generator[None]:
        start = self._since = self._now()
        yield
        now = self._now()
        self._backward[self._path] += now - self._since
        self._phases["backward"] += now - start
        while self._hooks:  # those of leaves would stay for the next steps
            self._hooks.pop().remove()
        self._since = now

    @override
    def updated(self, model: nn.Module, optimizer: HasState) -> None:
        if self._is_timing:
            now = self._now()
            self._phases["optimizer"] += now - self._since
            self._since = now
        elif self._is_traced:
            self.trace.stop()
            self.is_done = True
        self._seen += 1
        if self._seen == 0:
            for times in (self._forward, self._backward, self._phases):
                times.clear()

    def _now(self) -> float:
        """Return the time in seconds once the device is done with all work."""
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            torch.cuda.synchronize()
        return self._clock()


def _activities() -> list[ProfilerActivity]:
    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    return activities


def _without_inner(flops: dict[str, int]) -> dict[str, int]:
    """Return the operations of each module without those of the modules inside it."""
    own = dict(flops)
    for name, count in flops.items():
        above = name.rpartition(".")[0]
        if name and above in own:
            own[above] -= count
    return own


def _operators(trace: profile) -> tuple[OperatorRow, ...]:
    """Return the operators that took longest, by their own time."""
    rows = [
        OperatorRow(
            name=event.key,
            calls=event.count,
            self_s=event.self_cpu_time_total / 1e6,
            total_s=event.cpu_time_total / 1e6,
            device_s=event.device_time_total / 1e6,
        )
        for event in trace.key_averages()
    ]
    rows.sort(key=lambda row: -max(row.self_s, row.device_s))
    return tuple(rows[:_MOST_OPERATORS])

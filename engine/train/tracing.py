"""Tracing of some steps of a run, for a comparison with another process bit by bit."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from typing_extensions import override

from engine.files import open_append
from engine.runs.process.launch import Trace
from engine.runs.record.trace import TracedPart, TracedStep, value_key, values_file
from engine.train.devices import random_state
from engine.train.driver import StepResult
from engine.train.runner import FinishReason, Runner, RunnerParts
from engine.train.training import Training

_KEPT_BYTES = 256 << 20  # of values, besides their digests
_DIGEST_BYTES = 16

Values = dict[str, npt.NDArray[Any]]


class _TracedTraining(Training):
    """Training that tells of each batch before the model has it."""

    def __init__(self, training: Training, batches: list[dict[str, Tensor]]) -> None:
        super().__init__(**{one.name: getattr(training, one.name) for one in fields(training)})
        object.__setattr__(self, "traced", batches)

    traced: list[dict[str, Tensor]]

    @override
    def epoch_batches(self, epoch: int, start: int) -> Iterator[dict[str, Tensor]]:
        for batch in super().epoch_batches(epoch, start):
            copies = {name: value.detach().to("cpu", copy=True) for name, value in batch.items()}
            self.traced.append(copies)
            yield batch


class StepTracer:
    """Writes what steps compute: batches, loss, weights, and the states of optimizer, schedule,
    techniques and random generators. It only looks. Of several processes the first one traces what
    it has.
    """

    def __init__(self, training: Training, order: Trace) -> None:
        self._batches: list[dict[str, Tensor]] = []
        self.training: Training = _TracedTraining(training, self._batches)
        self.order = order
        self._path = Path(order.file)
        self._left = _KEPT_BYTES
        names = {id(weight): name for name, weight in training.model.named_parameters()}
        self._weights = [
            names.get(id(weight), str(number))
            for number, weight in enumerate(
                weight for group in training.optimizer.param_groups for weight in group["params"]
            )
        ]

    def started(self, step: int) -> None:
        """Write the state after a step that another process, or nobody, took."""
        self._batches.clear()
        self._write(step, self._state())

    def step_done(self, step: int, result: StepResult) -> None:
        """Write a step."""
        values = self._state()
        values["batch"] = {}
        for number, batch in enumerate(self._batches):
            values["batch"] |= self._flat(batch, f"{number}" if len(self._batches) > 1 else "")
        values["loss"] = self._flat(result.loss, "loss")
        self._batches.clear()
        self._write(step, values)

    def _state(self) -> dict[TracedPart, Values]:
        training = self.training
        state = training.state()
        optimizer = {**state.optimizer}
        weights: Any = optimizer.get("state", {})
        optimizer["state"] = {
            self._weights[key] if isinstance(key, int) else key: value
            for key, value in weights.items()
        }
        return {
            "model": self._flat(state.model),
            "optimizer": self._flat(optimizer)
            | self._flat(state.phases, "phase")
            | self._flat(state.scaler, "scaler"),
            "schedule": self._flat(state.scheduler),
            "technique": self._flat(state.techniques),
            "random": self._flat(random_state(training.device)),
        }

    def _flat(self, value: object, name: str = "") -> Values:
        """Return all values in dictionaries and lists, by their place."""
        if isinstance(value, dict):
            items = [(str(key), one) for key, one in value.items()]
        elif isinstance(value, list | tuple) and not _is_plain(value):
            items = [(str(number), one) for number, one in enumerate(value)]
        else:
            return {name: self._array(value)}
        found: Values = {}
        for key, one in items:
            found |= self._flat(one, f"{name}.{key}" if name else key)
        return found

    def _array(self, value: object) -> npt.NDArray[Any]:
        if not isinstance(value, Tensor):
            if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 63:
                return np.asarray(str(value))
            if isinstance(value, bool | int | float | str | list | tuple):
                return np.asarray(value)
            return np.asarray(str(value))
        local = self.training.world.to_local(value).detach().cpu().contiguous()
        if local.dtype is torch.bfloat16:
            return local.view(torch.int16).numpy().view(np.uint16)
        return local.numpy()

    def _write(self, step: int, values: dict[TracedPart, Values]) -> None:
        digests: dict[TracedPart, dict[str, str]] = {
            part: {name: _digest(array) for name, array in one.items()}
            for part, one in values.items()
        }
        line = msgspec.json.encode(TracedStep(step=step, digests=digests)) + b"\n"
        with os.fdopen(open_append(self._path), "ab") as stream:
            stream.write(line)
        self._keep(step, values)

    def _keep(self, step: int, values: dict[TracedPart, Values]) -> None:
        """Keep the values themselves, while there is room for them."""
        size = sum(array.nbytes for one in values.values() for array in one.values())
        if step < self.order.middle or size > self._left:
            return
        self._left -= size
        path = values_file(self._path, step)
        path.parent.mkdir(exist_ok=True)
        arrays = {
            value_key(part, name): array
            for part, one in values.items()
            for name, array in one.items()
        }
        np.savez(path, **arrays)  # pyright: ignore[reportArgumentType] - annotated for its own switch


class TracedRunner(Runner):
    """Driver of rank 0 that has steps traced, and ends after the last of them."""

    def __init__(self, parts: RunnerParts, tracer: StepTracer) -> None:
        super().__init__(parts)
        self._tracer = tracer
        self._asked.pause_step = tracer.order.last  # so that the other ranks come to it, too

    @override
    def run(self) -> FinishReason:
        self._tracer.started(self.loop.step)
        return super().run()

    @override
    def step_done(self, result: StepResult) -> None:
        super().step_done(result)
        self._tracer.step_done(self.loop.step, result)

    @override
    def synchronize(self) -> None:
        if self.loop.step >= self._tracer.order.last:
            self.loop.is_stopping = True
        super().synchronize()

    @override
    def _is_checkpoint_step(self, step: int) -> bool:
        return step == self._tracer.order.middle


def _is_plain(values: list[Any] | tuple[Any, ...]) -> bool:
    """Return whether a list is of numbers alone, which are one value."""
    return all(isinstance(one, int | float) for one in values) and not any(
        isinstance(one, int) and one.bit_length() > 63 for one in values
    )


def _digest(array: npt.NDArray[Any]) -> str:
    head = f"{array.dtype.str}{array.shape}".encode()
    content = np.ascontiguousarray(array).tobytes()
    return hashlib.blake2b(head + content, digest_size=_DIGEST_BYTES).hexdigest()

"""Observer of the memory of one training step: what each layer saves for the backward pass,
parameters, gradients, optimizer state, buffers.

``torch.autograd.graph.saved_tensors_hooks`` shows tensors as they are saved, and returns them
unchanged. Works on the meta device too, where nothing is allocated.
"""

import inspect
from collections.abc import Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from typing_extensions import override

from engine.graph.memory_report import KeptModel, MemoryReport, MemoryRow
from engine.inspect.node_path import NodePaths
from engine.inspect.observer import HasState, Observer
from engine.inspect.origin import Origin, frame_origin
from engine.inspect.saved import size_of, storage_of


class MemoryObserver(Observer):
    """Observes the next step; ``report`` is complete when ``is_done``. ``kept`` are the models that
    are kept beside the one that trains.
    """

    def __init__(
        self, node_paths: NodePaths, kept: Mapping[KeptModel, nn.Module] | None = None
    ) -> None:
        self.report = MemoryReport(rows=())
        self._kept = kept or {}
        self._node_paths = node_paths
        self._layers: dict[str, str] = {}  # module name to place, in the order of computation
        self._saved: dict[str, int] = {}
        self._counted: set[int] = set()  # storages
        self._batch = 0

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        return self._watched(model)

    @contextmanager
    def _watched(self, model: nn.Module) -> Generator[None]:
        self._layers, self._saved, self._batch = {}, {}, 0
        self._counted = {storage_of(value) for value in (*model.parameters(), *model.buffers())}
        names = {id(part): name for name, part in model.named_modules()}
        file = type(model).forward.__code__.co_filename

        def pack(tensor: Tensor) -> Tensor:
            if self._is_new(tensor):
                origin = frame_origin(inspect.currentframe(), names, file)
                place = "" if origin is None else self._node_paths.path(origin)
                self._saved[place] = self._saved.get(place, 0) + size_of(tensor)
            return tensor

        def called(module: nn.Module, arguments: tuple[object, ...]) -> None:
            if module is model:
                inputs = [value for value in arguments if isinstance(value, Tensor)]
                self._batch = sum(size_of(value) for value in inputs if self._is_new(value))
                return
            above = frame_origin(inspect.currentframe(), names, file)
            steps = () if above is None else above.steps
            name = names[id(module)]
            place = self._node_paths.path(Origin(name, steps))
            self._layers.setdefault(name, place)
            self._saved.setdefault(place, 0)

        with ExitStack() as stack:
            for part in model.modules():
                handle = part.register_forward_pre_hook(called)
                stack.callback(handle.remove)
            if next(model.parameters()).is_cuda:
                torch.cuda.reset_peak_memory_stats()
            stack.enter_context(saved_tensors_hooks(pack, _unpack))
            yield

    @override
    def updated(self, model: nn.Module, optimizer: HasState) -> None:
        self.finish(model, optimizer)

    def finish(self, model: nn.Module, optimizer: HasState, *, is_known: bool = True) -> None:
        """Count what the model and its optimizer keep from step to step, and make the report."""
        kept = optimizer.state
        rows = {place: MemoryRow(place=place, saved=size) for place, size in self._saved.items()}
        for name, module in model.named_modules():
            weights = list(module.parameters(recurse=False))
            buffers = list(module.buffers(recurse=False))
            if not weights and not buffers:
                continue
            place = self._layers.get(name, "")
            key = place or name
            row = rows.get(key, MemoryRow(place=place))
            rows[key] = MemoryRow(
                place=place,
                name=row.name or name,
                parameters=row.parameters + sum(map(size_of, weights)),
                gradients=row.gradients
                + sum(size_of(w.grad) for w in weights if w.grad is not None),
                optimizer=row.optimizer + sum(_state(kept, weight) for weight in weights),
                buffers=row.buffers + sum(map(size_of, buffers)),
                saved=row.saved,
            )
        is_cuda = next(model.parameters()).is_cuda
        self.report = MemoryReport(
            rows=tuple(row for row in (*rows.values(), *self._kept_rows()) if row.total),
            batch=self._batch,
            allocated=torch.cuda.max_memory_allocated() if is_cuda else 0,
            is_optimizer_known=is_known,
        )
        self.is_done = True

    def _kept_rows(self) -> Iterator[MemoryRow]:
        for kind, model in sorted(self._kept.items()):
            weights, buffers = map(size_of, model.parameters()), map(size_of, model.buffers())
            yield MemoryRow(place="", parameters=sum(weights), buffers=sum(buffers), kept=kind)

    def _is_new(self, tensor: Tensor) -> bool:
        storage = storage_of(tensor)
        if storage in self._counted:
            return False
        self._counted.add(storage)
        return True


def _unpack(tensor: Tensor) -> Tensor:
    return tensor


def _state(kept: Mapping[Tensor, Mapping[str, object]], weight: nn.Parameter) -> int:
    """Return the bytes that an optimizer keeps for a parameter."""
    values = kept.get(weight, {}).values()
    return sum(value.nbytes for value in values if isinstance(value, Tensor))

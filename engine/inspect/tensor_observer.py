"""Observer that captures tensors of a training step; tensors that exist between two steps."""

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle
from typing_extensions import override

from engine.inspect.attention import weights_of_module
from engine.inspect.node_path import NodePaths
from engine.inspect.observer import HasState, Observer
from engine.inspect.origin import frame_origin
from engine.inspect.word_tick import batch_sentences, with_words
from engine.runs.record.tensor_capture import CapturedTensor, Sentences, TensorEntry, TensorKind
from engine.spec.vocabulary import Vocabulary

_MOST_BYTES = 32 << 20
_ATTRIBUTES = (
    "dtype", "device", "layout", "ndim", "requires_grad", "is_leaf", "grad_fn", "grad",
    "retains_grad", "output_nr", "_version", "names", "itemsize", "nbytes", "is_cpu", "is_cuda",
    "is_mps", "is_xpu", "is_mkldnn", "is_meta", "is_quantized", "is_sparse", "is_sparse_csr",
    "is_nested", "is_mlc", "is_vulkan",
)  # fmt: skip
_CALLS = (
    "stride", "storage_offset", "is_contiguous", "is_complex", "is_floating_point", "is_signed",
    "is_inference", "is_shared", "is_conj", "is_neg",
)  # fmt: skip
_OF_STORAGE = ("stride", "storage_offset", "is_contiguous", "is_shared")  # sparse ones have none
_LONGEST = 200
_NO_WORDS: Mapping[str, Vocabulary] = {}


class TensorObserver(Observer):
    """Captures what only a step makes: ``wanted`` are kinds and names as in ``TensorEntry``;
    ``captured`` holds those that were there, with step 0. ``vocabularies`` are those of fields that
    are sentences.
    """

    def __init__(
        self,
        node_paths: NodePaths,
        wanted: Sequence[tuple[TensorKind, str]],
        vocabularies: Mapping[str, Vocabulary] = _NO_WORDS,
    ) -> None:
        self._node_paths = node_paths
        self._vocabularies = vocabularies
        self._sentences: tuple[Sentences, ...] = ()
        self.wanted = tuple(wanted)
        self.captured: list[CapturedTensor] = []

    def want(self, kind: TensorKind, name: str) -> None:
        """Capture one more, from the next step on."""
        self.wanted = (*self.wanted, (kind, name))

    @override
    def begin(self, batch: Mapping[str, Tensor]) -> None:
        self._sentences = batch_sentences(batch, self._vocabularies)
        for name, values in batch.items():
            self._take("batch", name, values)

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        return self._watched(model)

    @override
    def updated(self, model: nn.Module, optimizer: HasState) -> None:
        self.is_done = True

    @contextmanager
    def _watched(self, model: nn.Module) -> Generator[None]:
        handles = [
            module.register_forward_hook(self._attention(name), with_kwargs=True)
            for name, module in model.named_modules()
            if isinstance(module, nn.MultiheadAttention) and ("attention", name) in self.wanted
        ]
        wanted = {name for kind, name in self.wanted if kind == "activation"}
        passed = {name for kind, name in self.wanted if kind == "activation_gradient"}
        try:
            with _Outputs(model, self._node_paths, wanted, passed, self._take_gradient) as outputs:
                yield
        finally:
            for handle in handles:
                handle.remove()
        for path, tensor in outputs.found.items():
            self._take("activation", path, tensor)

    def _attention(self, name: str) -> Callable[..., None]:
        def note(module: Any, inputs: tuple[Any, ...], named: dict[str, Any], _: object) -> None:
            weights = weights_of_module(module, inputs, named)
            self._take("attention", name, weights)

        return note

    def _take_gradient(self, name: str, gradient: Tensor) -> None:
        self._take("activation_gradient", name, gradient)

    def _take(self, kind: TensorKind, name: str, tensor: Tensor) -> None:
        if (kind, name) in self.wanted:
            others = [each for each in self.captured if (each.kind, each.name) != (kind, name)]
            self.captured = [
                *others,
                with_words(capture_tensor(kind, name, tensor), self._sentences),
            ]


class _Outputs(TorchFunctionMode):
    """Keeps the last tensor that PyTorch computed for each ``wanted`` node of the canvas, and
    passes on the gradient of the last one for others (``passed``). Its hook is registered before
    a later layer can change the tensor in place: the gradient is that of the values here.
    """

    def __init__(
        self,
        model: nn.Module,
        node_paths: NodePaths,
        wanted: set[str],
        passed: set[str],
        take_gradient: Callable[[str, Tensor], object],
    ) -> None:
        super().__init__()
        self.found: dict[str, Tensor] = {}
        self._passed = passed
        self._take_gradient = take_gradient
        self._hooks: dict[str, RemovableHandle] = {}
        self._names = {id(part): name for name, part in model.named_modules()}
        self._file = type(model).forward.__code__.co_filename
        self._node_paths = node_paths
        self._wanted = wanted

    @override
    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        tensor = result[0] if isinstance(result, tuple) and result else result
        caller = inspect.currentframe()
        caller = None if caller is None else caller.f_back
        is_asked = self._wanted or self._passed
        if is_asked and isinstance(tensor, Tensor) and not _is_of_observer(caller):
            origin = frame_origin(caller, self._names, self._file)
            place = "" if origin is None else self._node_paths.path(origin)
            if place in self._wanted:
                self.found[place] = tensor
            if place in self._passed and tensor.requires_grad:
                self._hook(place, tensor)
        return result

    def _hook(self, place: str, tensor: Tensor) -> None:
        """Pass on the gradient of a tensor, and no longer that of an earlier one."""
        if place in self._hooks:
            self._hooks[place].remove()

        def note(gradient: Tensor) -> None:
            self._take_gradient(place, gradient)

        self._hooks[place] = tensor.register_hook(note)


def _is_of_observer(frame: FrameType | None) -> bool:
    """Return whether a hook of an observer computes here, not the model."""
    while frame is not None and frame.f_code.co_name != "forward":
        if frame.f_globals.get("__name__", "").startswith("engine.inspect."):
            return True
        frame = frame.f_back
    return False


def list_tensors(
    model: nn.Module, optimizer: HasState, fields: Sequence[str], places: Sequence[str]
) -> tuple[TensorEntry, ...]:
    """Return all tensors that can be captured: those that exist, the fields of a batch, the outputs
    of the nodes at ``places``.
    """
    parameters = dict(model.named_parameters())
    entries = [_entry("parameter", name, value) for name, value in parameters.items()]
    entries += [
        _entry("gradient", name, value) for name, value in parameters.items() if value.requires_grad
    ]
    entries += [_entry("buffer", name, value) for name, value in model.named_buffers()]
    entries += [
        _entry("state", f"{name}:{key}", value)
        for name, parameter in parameters.items()
        for key, value in optimizer.state.get(parameter, {}).items()
        if isinstance(value, Tensor)
    ]
    entries += [TensorEntry(kind="activation", name=path) for path in places]
    entries += [TensorEntry(kind="activation_gradient", name=path) for path in places]
    entries += [
        TensorEntry(kind="attention", name=name)
        for name, module in model.named_modules()
        if isinstance(module, nn.MultiheadAttention)
    ]
    return (*entries, *(TensorEntry(kind="batch", name=name) for name in fields))


def existing_tensor(
    model: nn.Module, optimizer: HasState, kind: TensorKind, name: str
) -> Tensor | None:
    """Return a parameter, gradient, buffer or state of the optimizer; None where there is none."""
    parameters = dict(model.named_parameters())
    match kind:
        case "parameter":
            return parameters.get(name)
        case "gradient":
            parameter = parameters.get(name)
            return None if parameter is None else parameter.grad
        case "buffer":
            return dict(model.named_buffers()).get(name)
        case "state":
            owner, _, key = name.partition(":")
            parameter = parameters.get(owner)
            value = optimizer.state.get(parameter, {}).get(key) if parameter is not None else None
            return value if isinstance(value, Tensor) else None
        case _:
            return None


def capture_tensor(kind: TensorKind, name: str, tensor: Tensor) -> CapturedTensor:
    """Return a tensor with all its attributes and elements; of one of more than 32 MiB the first
    ones along the first axes. Dtypes that NumPy lacks become float32.
    """
    attributes = tuple(_attributes(tensor))
    values = dense_values(tensor)
    cut = _cut(values)
    plain = cut.cpu().resolve_conj().resolve_neg().contiguous()
    try:
        array = plain.numpy()
    except TypeError:  # bfloat16 and the like
        array = plain.float().numpy()
    return CapturedTensor(
        step=0,
        kind=kind,
        name=name,
        shape=tuple(array.shape),
        stored=array.dtype.newbyteorder("<").str,
        data=np.ascontiguousarray(array).tobytes(),
        attributes=attributes,
        is_part=cut.numel() < values.numel(),
    )


def dense_values(tensor: Tensor) -> Tensor:
    """Return the values of a tensor as a dense one, detached: all elements of a sparse one, the
    dequantized numbers of a quantized one.
    """
    values = tensor.detach()
    values = values.to_dense() if values.layout is not torch.strided else values
    return values.dequantize() if values.is_quantized else values


def _entry(kind: TensorKind, name: str, tensor: Tensor) -> TensorEntry:
    dtype = str(tensor.dtype).removeprefix("torch.")
    device = str(tensor.device)
    return TensorEntry(kind=kind, name=name, shape=tuple(tensor.shape), dtype=dtype, device=device)


def _cut(values: Tensor) -> Tensor:
    for axis in range(values.ndim):
        if values.nbytes <= _MOST_BYTES:
            break
        row = values.nbytes // values.shape[axis]
        values = values.narrow(axis, 0, max(1, _MOST_BYTES // row))
    return values


def _attributes(tensor: Tensor) -> Generator[tuple[str, str]]:
    yield "shape", str(tuple(tensor.shape))
    yield "numel", str(tensor.numel())
    is_dense = tensor.layout is torch.strided
    for name in _ATTRIBUTES:
        if name == "grad" and not tensor.is_leaf and not tensor.retains_grad:
            yield name, "None"  # asking for it warns
            continue
        if name == "nbytes" and not is_dense:
            continue
        if hasattr(tensor, name):  # some are gone from newer versions
            yield name, _text(getattr(tensor, name))
    for name in _CALLS:
        if is_dense or name not in _OF_STORAGE:
            yield f"{name}()", _text(getattr(tensor, name)())
    if is_dense:
        yield "data_ptr()", hex(tensor.data_ptr())


def _text(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"Tensor {tuple(value.shape)}"
    if isinstance(value, torch.autograd.graph.Node):
        return f"<{value.name()}>"
    return str(value).removeprefix("torch.")[:_LONGEST]

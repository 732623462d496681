"""Device and process-wide settings of a run: threads, determinism, random states."""

import gc
import os
import random
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import torch

from engine.diagnostics import DiagnosticError
from engine.spec.run import RunSpec

_TWISTER_WORDS = 624  # numbers that a Mersenne Twister makes at once
_TORCH_STATE = struct.Struct("=8xi4xQ")  # how many of them are left, the index of the next

_CUBLAS = "CUBLAS_WORKSPACE_CONFIG"
_CUBLAS_DETERMINISTIC = ":4096:8"  # as PyTorch's notes on reproducibility have it


def pick_device(name: str) -> torch.device:
    """Return the device for ``auto``, ``cpu``, ``cuda``, ``cuda:1`` or ``mps``.

    ``auto`` takes the first CUDA device, then MPS, then the CPU.
    Raises :class:`DiagnosticError` R111 (not on this machine) or R112 (no such name).
    """
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda", 0)
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    kind, _, index = name.partition(":")
    if kind not in ("cpu", "cuda", "mps") or (index and not index.isdecimal()):
        raise DiagnosticError.of("R112", field="device", device=name)
    count = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": torch.mps.device_count()}[kind]
    if int(index or 0) >= count:
        raise DiagnosticError.of("R111", field="device", device=name, kind=kind, count=count)
    return torch.device("cpu") if kind == "cpu" else torch.device(kind, int(index or 0))


def make_current(device: torch.device) -> None:
    """Make a GPU the default of this thread: for ``.cuda()`` in custom code, the collectives of
    NCCL, and memory statistics.
    """
    if device.type == "cuda":
        torch.cuda.set_device(device)


def limit_memory(device: torch.device, share: float) -> None:
    """Limit this process to a share (above 0, at most 1) of the memory of a GPU; on the CPU the
    limits of the system hold.
    """
    if device.type == "cuda":
        torch.cuda.set_per_process_memory_fraction(share, device)
    elif device.type == "mps":
        torch.mps.set_per_process_memory_fraction(share)


def free_cache() -> int:
    """Give memory that PyTorch's caching allocator keeps on GPUs back to the system, for other
    programs; memory of tensors stays. Return the number of bytes.
    """
    gc.collect()
    reserved = _reserved()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
    return reserved - _reserved()


def _reserved() -> int:
    if torch.cuda.is_initialized():
        return sum(torch.cuda.memory_reserved(each) for each in range(torch.cuda.device_count()))
    return torch.mps.driver_allocated_memory() if torch.backends.mps.is_available() else 0


def thread_count(spec: RunSpec, processes: int = 1) -> int:
    """Return the number of CPU threads of a run: as set, or the cores minus one, at least one; with
    several processes the share of one in the cores.
    """
    cores = os.cpu_count() or 1
    return spec.threads or max(1, cores - 1 if processes == 1 else cores // processes)


class _Settings:
    """Copy of all process-wide settings that decide what a run computes."""

    def __init__(self) -> None:
        self._threads = torch.get_num_threads()
        self._is_deterministic = torch.are_deterministic_algorithms_enabled()
        self._warns_only = torch.is_deterministic_algorithms_warn_only_enabled()
        self._fills_memory = torch.utils.deterministic.fill_uninitialized_memory  # pyright: ignore[reportAttributeAccessIssue] - set by torch at run time
        self._matmul_precision = torch.get_float32_matmul_precision()
        self._benchmarks = torch.backends.cudnn.benchmark
        self._cublas = os.environ.get(_CUBLAS)
        self._random = (torch.get_rng_state(), np.random.get_state(), random.getstate())

    def restore(self) -> None:
        """Set all of them as they were."""
        torch.set_num_threads(self._threads)
        torch.use_deterministic_algorithms(self._is_deterministic, warn_only=self._warns_only)
        torch.utils.deterministic.fill_uninitialized_memory = self._fills_memory  # pyright: ignore[reportAttributeAccessIssue]
        torch.backends.cudnn.benchmark = self._benchmarks
        torch.set_float32_matmul_precision(self._matmul_precision)
        if self._cublas is None:
            os.environ.pop(_CUBLAS, None)
        else:
            os.environ[_CUBLAS] = self._cublas
        torch.set_rng_state(self._random[0])
        np.random.set_state(self._random[1])
        random.setstate(self._random[2])


class _Layer:
    """Settings before one :func:`run_settings`, of those that are open at once."""

    def __init__(self) -> None:
        self.before = _Settings()


_layers: list[_Layer] = []
_layers_lock = threading.Lock()


@contextmanager
def run_settings(spec: RunSpec, processes: int = 1) -> Generator[None]:
    """Set everything process-wide that decides what a run computes, and put it back afterwards.

    Seeds the random generators of torch (all devices), numpy and Python from ``spec.seed``. Where
    the contexts of several threads overlap, the one entered last holds; one that ends before it
    leaves it so, and the last to end restores what was set before the first.
    """
    layer = _enter(spec, processes)
    try:
        yield
    finally:
        with _layers_lock:
            _remove(layer)


def _enter(spec: RunSpec, processes: int) -> _Layer:
    with _layers_lock:
        layer = _Layer()
        _layers.append(layer)
        try:
            _set(spec, processes)
        except BaseException:
            _remove(layer)
            raise
    return layer


def _set(spec: RunSpec, processes: int) -> None:
    torch.set_num_threads(thread_count(spec, processes))
    torch.use_deterministic_algorithms(spec.deterministic, warn_only=True)
    if spec.deterministic:  # it costs time: a small model took 1.4 times its step on an H200
        os.environ.setdefault(_CUBLAS, _CUBLAS_DETERMINISTIC)
    torch.utils.deterministic.fill_uninitialized_memory = False  # pyright: ignore[reportAttributeAccessIssue] - costs time, changes no result
    torch.backends.cudnn.benchmark = spec.compute.cudnn_benchmark
    if spec.compute.tf32 and torch.cuda.is_available():  # on a CPU it would mean something else
        torch.set_float32_matmul_precision("high")
    torch.manual_seed(spec.seed)
    np.random.seed(spec.seed % 2**32)
    random.seed(spec.seed)


def _remove(layer: _Layer) -> None:
    index = _layers.index(layer)
    del _layers[index]
    if index < len(_layers):
        _layers[index].before = layer.before  # that one was entered later and is still open
    else:
        layer.before.restore()


def random_state(device: torch.device) -> dict[str, object]:
    """Return the state of every random generator, as tensors and plain values only."""
    kind, keys, position, has_gauss, cached = np.random.get_state(legacy=True)
    state: dict[str, object] = {
        "torch": torch.get_rng_state(),
        "numpy": (str(kind), [int(key) for key in keys], position, has_gauss, float(cached)),
        "python": random.getstate(),
    }
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        state["mps"] = torch.mps.get_rng_state()
    return state


def set_random_state(state: dict[str, object], device: torch.device) -> None:
    """Set every random generator to a state of :func:`random_state`.

    The state of another kind of device is ignored: numbers drawn on it cannot be continued here.
    Raises :class:`TypeError`, :class:`ValueError`, :class:`RuntimeError` for what is no state.
    """
    torch_state = _tensor(state["torch"])
    kind, keys, position, has_gauss, cached = state["numpy"]  # pyright: ignore[reportGeneralTypeIssues] - checked by the caller's boundary
    # Neither PyTorch nor NumPy checks this: they would read beyond the end of their state.
    if type(position) is not int or not 0 <= position <= _TWISTER_WORDS:
        raise ValueError(f"a random state at index {position}")
    if torch_state.numel() >= _TORCH_STATE.size:
        left, index = _TORCH_STATE.unpack(torch_state.numpy().tobytes()[: _TORCH_STATE.size])
        if not 0 < left <= _TWISTER_WORDS or index + left > _TWISTER_WORDS + 1:
            raise ValueError(f"a random state at index {index}, {left} left")
        if not any(
            torch_state.numpy().tobytes()[
                _TORCH_STATE.size + 8 : _TORCH_STATE.size + 8 * _TWISTER_WORDS
            ]
        ):
            raise ValueError("a random state of zeros")
    _require_words(keys)
    if type(has_gauss) is not int or has_gauss not in {0, 1} or type(cached) is not float:
        raise ValueError("a random state with another number that is kept")
    _require_python(state["python"])
    torch.set_rng_state(torch_state)
    np.random.set_state((kind, np.asarray(keys, np.uint32), position, has_gauss, cached))
    random.setstate(state["python"])  # pyright: ignore[reportArgumentType] - what getstate gave
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(_tensor(state["cuda"]), device)
    elif device.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(_tensor(state["mps"]))


def _require_words(words: object) -> None:
    """Refuse what is no state of a Mersenne Twister. From all zeros it draws zeros for ever, and
    rejection sampling (normal numbers of NumPy and Python) would never end; only one bit of the
    first word counts.
    """
    if not isinstance(words, list | tuple) or len(words) != _TWISTER_WORDS:
        raise ValueError("a random state of another length")
    if not all(type(word) is int and 0 <= word < 1 << 32 for word in words) or not any(words[1:]):
        raise ValueError("a random state of zeros, or of what are no numbers")


def _require_python(state: object) -> None:
    match state:
        case (3, (*words, int()), None | float()):
            _require_words(words)
        case _:
            raise ValueError("a random state of another Python")


def _tensor(value: object) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise TypeError("a random state that is not a tensor")
    return value

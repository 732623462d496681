"""Where a run computes: device, number of threads, determinism, seeds."""

import gc
import os
import random
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import torch

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.run import RunSpec

_TWISTED = 624  # numbers that a Mersenne Twister makes at once
_PLACES = struct.Struct("=8xi4xQ")  # in PyTorch's state: how many are left, the place of the next

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is deterministic only with it


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
        problem = Diagnostic(code="R112", field="device", params={"device": name})
        raise DiagnosticError(problem)
    count = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": torch.mps.device_count()}[kind]
    if int(index or 0) >= count:
        problem = Diagnostic(
            code="R111", field="device", params={"device": name, "kind": kind, "count": count}
        )
        raise DiagnosticError(problem)
    return torch.device("cpu") if kind == "cpu" else torch.device(kind, int(index or 0))


def make_current(device: torch.device) -> None:
    """Let a GPU be what this thread means where it names none: ``.cuda()`` in own code, the
    collectives of NCCL, measures of memory.
    """
    if device.type == "cuda":
        torch.cuda.set_device(device)


def limit_memory(device: torch.device, share: float) -> None:
    """Let this process take at most a share (above 0, at most 1) of the memory of a GPU; on the CPU
    the system's own limits hold.
    """
    if device.type == "cuda":
        torch.cuda.set_per_process_memory_fraction(share, device)
    elif device.type == "mps":
        torch.mps.set_per_process_memory_fraction(share)


def free_cache() -> int:
    """Give memory of GPUs that PyTorch keeps for later (its caching allocator) back to the system,
    for other programs; what tensors are in stays. Return how many bytes it was.
    """
    gc.collect()
    before = _reserved()
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
    return before - _reserved()


def _reserved() -> int:
    if torch.cuda.is_initialized():
        return sum(torch.cuda.memory_reserved(each) for each in range(torch.cuda.device_count()))
    return torch.mps.driver_allocated_memory() if torch.backends.mps.is_available() else 0


def thread_count(spec: RunSpec, processes: int = 1) -> int:
    """Return the number of CPU threads of a run: as set, or the cores minus one, at least one; of
    one of several processes its share of the cores.
    """
    cores = os.cpu_count() or 1
    return spec.threads or max(1, cores - 1 if processes == 1 else cores // processes)


class _Settings:
    """All that is process-wide and decides what a run computes, as it stood when this was made."""

    def __init__(self) -> None:
        self._threads = torch.get_num_threads()
        self._is_deterministic = torch.are_deterministic_algorithms_enabled()
        self._only_warns = torch.is_deterministic_algorithms_warn_only_enabled()
        self._fills = torch.utils.deterministic.fill_uninitialized_memory  # pyright: ignore[reportAttributeAccessIssue] - set by torch at run time
        self._multiplication = torch.get_float32_matmul_precision()
        self._is_tried = torch.backends.cudnn.benchmark
        self._random = (torch.get_rng_state(), np.random.get_state(), random.getstate())

    def put_back(self) -> None:
        """Let all of it be as it stood."""
        torch.set_num_threads(self._threads)
        torch.use_deterministic_algorithms(self._is_deterministic, warn_only=self._only_warns)
        torch.utils.deterministic.fill_uninitialized_memory = self._fills  # pyright: ignore[reportAttributeAccessIssue]
        torch.backends.cudnn.benchmark = self._is_tried
        torch.set_float32_matmul_precision(self._multiplication)
        torch.set_rng_state(self._random[0])
        np.random.set_state(self._random[1])
        random.setstate(self._random[2])


class _Layer:
    """What stood before one :func:`run_settings`, of those that are open at once."""

    def __init__(self) -> None:
        self.before = _Settings()


_layers: list[_Layer] = []
_layers_lock = threading.Lock()


@contextmanager
def run_settings(spec: RunSpec, processes: int = 1) -> Generator[None]:
    """Set everything process-wide that decides what a run computes, and put it back afterwards.

    Seeds the random generators of torch (all devices), numpy and Python from ``spec.seed``. Where
    those of several threads overlap, the one that began last holds; who ends earlier leaves it so,
    and the last to end puts back what stood before the first.
    """
    layer = _begin(spec, processes)
    try:
        yield
    finally:
        with _layers_lock:
            _take_out(layer)


def _begin(spec: RunSpec, processes: int) -> _Layer:
    with _layers_lock:
        layer = _Layer()
        _layers.append(layer)
        try:
            _set(spec, processes)
        except BaseException:
            _take_out(layer)
            raise
    return layer


def _set(spec: RunSpec, processes: int) -> None:
    torch.set_num_threads(thread_count(spec, processes))
    torch.use_deterministic_algorithms(spec.deterministic, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # pyright: ignore[reportAttributeAccessIssue] - costs time, changes no result
    torch.backends.cudnn.benchmark = spec.compute.cudnn_benchmark
    if spec.compute.tf32 and torch.cuda.is_available():  # on a CPU it would mean something else
        torch.set_float32_matmul_precision("high")
    torch.manual_seed(spec.seed)
    np.random.seed(spec.seed % 2**32)
    random.seed(spec.seed)


def _take_out(layer: _Layer) -> None:
    place = _layers.index(layer)
    del _layers[place]
    if place < len(_layers):
        _layers[place].before = layer.before  # it began later and still computes
    else:
        layer.before.put_back()


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
    """Put every random generator back to a state of :func:`random_state`.

    A state of another kind of device is passed over: numbers drawn on it cannot be continued here.
    Raises :class:`TypeError`, :class:`ValueError`, :class:`RuntimeError` for what is no state.
    """
    own = _tensor(state["torch"])
    kind, keys, position, has_gauss, cached = state["numpy"]  # pyright: ignore[reportGeneralTypeIssues] - checked by the caller's boundary
    # Neither PyTorch nor NumPy looks: they would read beyond the numbers that they keep.
    if type(position) is not int or not 0 <= position <= _TWISTED:
        raise ValueError(f"a random state at place {position}")
    if own.numel() >= _PLACES.size:
        left, place = _PLACES.unpack(own.numpy().tobytes()[: _PLACES.size])
        if not 0 < left <= _TWISTED or place + left > _TWISTED + 1:
            raise ValueError(f"a random state at place {place}, {left} left")
        if not any(own.numpy().tobytes()[_PLACES.size + 8 : _PLACES.size + 8 * _TWISTED]):
            raise ValueError("a random state of zeros")
    _require_words(keys)
    if type(has_gauss) is not int or has_gauss not in {0, 1} or type(cached) is not float:
        raise ValueError("a random state with another number that is kept")
    _require_python(state["python"])
    torch.set_rng_state(own)
    np.random.set_state((kind, np.asarray(keys, np.uint32), position, has_gauss, cached))
    random.setstate(state["python"])  # pyright: ignore[reportArgumentType] - what getstate gave
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(_tensor(state["cuda"]), device)
    elif device.type == "mps" and "mps" in state:
        torch.mps.set_rng_state(_tensor(state["mps"]))


def _require_words(words: object) -> None:
    """Refuse what a Mersenne Twister cannot be in, also all zeros, which it stays in for ever: who
    draws until a number is good (normal numbers of NumPy and Python) would never end. Of the first
    word only a bit counts.
    """
    if not isinstance(words, list | tuple) or len(words) != _TWISTED:
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

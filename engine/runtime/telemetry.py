"""Telemetry of this machine: load, memory and temperature of its devices.

Loads without torch: the window reads it. GPU values come from NVIDIA's management library (the
package ``nvidia-ml-py``), which needs a driver.
"""

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

import msgspec
import psutil

from engine.diagnostics import Diagnostic, Severity

_CELSIUS = 0  # NVML_TEMPERATURE_GPU


class GpuLoad(msgspec.Struct, frozen=True, kw_only=True):
    """A GPU: memory in bytes, load from 0 to 1, temperature in degrees Celsius; None: not told."""

    index: int
    name: str
    memory_bytes: int
    used_bytes: int
    load: float | None = None
    celsius: int | None = None


class MachineLoad(msgspec.Struct, frozen=True, kw_only=True):
    """The load of each core (0 to 1), the memory in bytes, the GPUs; ``problem`` says why there are
    none, where NVIDIA's library cannot be asked.
    """

    cores: tuple[float, ...]
    memory_bytes: int
    used_bytes: int
    gpus: tuple[GpuLoad, ...] = ()
    problem: Diagnostic | None = None


class Telemetry:
    """Reads the load of the machine. Loads are those since the reading before; one thread at a
    time.
    """

    def __init__(self) -> None:
        self._library: Any = None
        self._problem: Diagnostic | None = None
        psutil.cpu_percent(percpu=True)  # the first reading of all is the beginning of the next

    def read(self) -> MachineLoad:
        """Return how things stand now; takes milliseconds, the first time with GPUs longer."""
        memory = psutil.virtual_memory()
        return MachineLoad(
            cores=tuple(percent / 100 for percent in psutil.cpu_percent(percpu=True)),
            memory_bytes=memory.total,
            used_bytes=memory.total - memory.available,
            gpus=tuple(self._gpus()),
            problem=self._problem,
        )

    def _gpus(self) -> Iterator[GpuLoad]:
        if not self._is_open():
            return
        library = self._library
        try:
            count = library.nvmlDeviceGetCount()
        except library.NVMLError as error:
            self._problem = _finding("E036", str(error))
            return
        for index in range(count):
            with suppress(library.NVMLError):  # one that is lost hides no other
                yield _gpu(library, index)

    def _is_open(self) -> bool:
        """Open NVIDIA's library, once; it is asked no more where it cannot be."""
        if self._library is not None or self._problem is not None:
            return self._problem is None
        try:
            self._library = import_module("pynvml")
        except ImportError as error:
            self._problem = _finding("E035", str(error))
            return False
        try:
            self._library.nvmlInit()
        except self._library.NVMLError as error:
            self._problem = _finding("E036", str(error))
        return self._problem is None


def _gpu(library: Any, index: int) -> GpuLoad:
    handle = library.nvmlDeviceGetHandleByIndex(index)
    memory = library.nvmlDeviceGetMemoryInfo(handle)
    name = library.nvmlDeviceGetName(handle)
    load: float | None = None
    celsius: int | None = None
    with suppress(library.NVMLError):  # some GPUs do not tell everything
        load = library.nvmlDeviceGetUtilizationRates(handle).gpu / 100
    with suppress(library.NVMLError):
        celsius = int(library.nvmlDeviceGetTemperature(handle, _CELSIUS))
    return GpuLoad(
        index=index,
        name=name if isinstance(name, str) else name.decode(),
        memory_bytes=int(memory.total),
        used_bytes=int(memory.used),
        load=load,
        celsius=celsius,
    )


def _finding(code: str, detail: str) -> Diagnostic:
    return Diagnostic(code=code, severity=Severity.HINT, detail=detail)

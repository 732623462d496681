"""Comparison of what another process computes with a file, which knows nothing of Trellis."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Self

import torch
from torch import Tensor, nn

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.job import ExportJob
from engine.export.verify import SEED, difference_of, outputs_of
from engine.export.written import Written
from engine.files import WriteTarget, atomic_write

Batches = list[tuple[Tensor, ...]]


class Compared(NamedTuple):
    """The ``batches`` that the outputs of a ``module`` are compared on, of how many ``samples`` of
    the user (0: random numbers), and what is to be said.
    """

    module: nn.Module
    batches: Batches
    samples: int
    notices: tuple[Diagnostic, ...]


class Reader(NamedTuple):
    """A plain script that loads a file and computes with it, ``python -I SCRIPT SEED`` with further
    ``arguments``, and how batches are told to it and its outputs understood. It reads the path of
    the file, as a line of JSON, and what was packed from its standard input.
    """

    script: Path
    packed: Callable[[Batches], bytes]
    unpacked: Callable[[bytes], Batches]
    arguments: tuple[str, ...] = ()


class Reading:
    """The process of a reader. It loads its libraries while the file is made, and is left with the
    block at the latest; it ends with this process: nobody writes to it or reads from it then.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        command = [sys.executable, "-I", str(reader.script), str(SEED), *reader.arguments]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)

    def __enter__(self) -> Self:
        """Return the process itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """End the process."""
        self._process.kill()  # it has answered, or nobody asks any more
        self._process.communicate()

    def answer(self, file: Path, name: str, batches: Batches) -> Batches:
        """Return what it computes with a file that is called by a name. Asked once. Raises
        :class:`DiagnosticError` (X040).
        """
        question = json.dumps(str(file)).encode() + b"\n" + self._reader.packed(batches)
        answer, said = self._process.communicate(question)
        if self._process.returncode:
            words = said.decode(errors="replace").strip()
            reason = words.rpartition("\n")[2]
            raise DiagnosticError(
                Diagnostic(
                    code="X040", params={"file": name, "reason": reason}, detail=words[-4000:]
                )
            )
        return self._reader.unpacked(answer)


def write_compared(
    job: ExportJob,
    output: Path,
    content: bytes | Callable[[WriteTarget], None],
    compared: Compared,
    reading: Reading,
) -> Written:
    """Write a file, which takes its place only after another process computed the same with it.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X040 the file cannot be loaded.
    """
    differences: list[float] = []

    def verify(file: Path) -> None:
        job.tell("check")
        with ThreadPoolExecutor(1) as pool:  # the other process loads the file meanwhile
            answer = pool.submit(reading.answer, file, output.name, compared.batches)
            expected = _expected(compared)
            differences.append(require_close(expected, answer.result(), output.name))

    job.tell("write")
    atomic_write(output, content, verify)
    return Written(
        files=(output,),
        difference=max(differences),
        batches=len(compared.batches),
        samples=compared.samples,
        notices=compared.notices,
    )


def require_close(expected: Batches, found: Batches, file: str) -> float:
    """Return the largest difference. Raises :class:`DiagnosticError` (X035) where it is more than
    rounding: the square root of what the numbers tell apart, of the largest output.
    """
    largest = 0.0
    for wanted, given in zip(expected, found, strict=True):
        if len(wanted) != len(given):
            raise DiagnosticError.of("X035", file=file, difference=math.inf, allowed=0.0)
        for one, other in zip(wanted, given, strict=True):
            difference, allowed = difference_of(one, other), _allowed(one)
            if difference > allowed:
                raise DiagnosticError.of("X035", file=file, difference=difference, allowed=allowed)
            largest = max(largest, difference)
    return largest


def _allowed(expected: Tensor) -> float:
    if not expected.is_floating_point() or not expected.numel():
        return 0.0
    size = float(expected.abs().nan_to_num(posinf=0.0).max())
    return math.sqrt(torch.finfo(expected.dtype).eps) * max(1.0, size)


def _expected(compared: Compared) -> Batches:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        return [outputs_of(compared.module, inputs) for inputs in compared.batches]

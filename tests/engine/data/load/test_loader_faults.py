"""Workers of a loader that are killed, hang or raise: a sentence, and a loader that goes on."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor
from torch.utils.data import get_worker_info

from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import Batch, BatchIndex, PartData
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.spec.run import LoaderSpec

END_OF_WORKERS = "torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL"
"""How long PyTorch waits for the end of workers that do not come to one."""

pytestmark = [pytest.mark.real, pytest.mark.fault("F09")]

SAMPLES, SIZE, BAD = 40, 5, 3


class BadPart(PartData):
    """Does something bad at one batch, in a worker only; ``fault`` says what."""

    names = ("x",)

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def __len__(self) -> int:
        return SAMPLES

    def form(self, name: str) -> Tensor:
        return torch.empty(0, dtype=torch.int64)

    def placed(self, *_: object) -> "BadPart":
        return self

    def batch(self, index: BatchIndex) -> Batch:
        if index.number == BAD and get_worker_info() is not None:
            match self.fault:
                case "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "hangs":
                    threading.Event().wait()
                case "raises":
                    raise DiagnosticError.of("D056", file="a.png", detail="")
        return {"x": index.positions}


def plan(start: int = 0) -> BatchPlan:
    return BatchPlan(order=torch.arange(SAMPLES), size=SIZE, start=start)


def told(loader: PartLoader, seen: list[int]) -> Diagnostic | None:
    """Read until something is wrong, and return what; its traceback would hold the worker."""
    try:
        for batch in loader.batches(plan()):
            seen.extend(batch["x"].tolist())
    except DiagnosticError as error:
        return error.problems[0]
    return None


@pytest.mark.usefixtures("no_child_handler")
@pytest.mark.parametrize(
    ("fault", "code", "timeout_s"),
    [("killed", "D081", 10), ("hangs", "D082", 10), ("raises", "D056", 300)],
)
def test_that_a_bad_worker_is_a_sentence_and_the_loader_goes_on(
    monkeypatch, fault, code, timeout_s
):
    monkeypatch.setattr(END_OF_WORKERS, 1.0)
    part = BadPart(fault)
    loader = PartLoader(part, LoaderSpec(num_workers=1, timeout_s=timeout_s))
    seen: list[int] = []
    problem = told(loader, seen)
    assert problem is not None
    assert problem.code == code
    assert seen == list(range(len(seen)))
    assert len(seen) <= BAD * SIZE
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)
    part.fault = ""
    rest = [batch["x"] for batch in loader.batches(plan(BAD))]
    assert torch.cat(rest).tolist() == list(range(BAD * SIZE, SAMPLES))


class Gone:
    """A loader whose worker was killed after it had said what it has, and before that was fetched;
    an error of the user's code comes from PyTorch with the number of the worker.
    """

    num_workers, timeout = 1, 300

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __iter__(self) -> Iterator[Batch]:
        yield {"x": torch.arange(SIZE)}
        raise self._error


@pytest.mark.parametrize("error", [EOFError(), ConnectionRefusedError(), FileNotFoundError()])
def test_that_what_a_lost_worker_had_sent_is_told_as_its_end(monkeypatch, error):
    loader = PartLoader(BadPart(""), LoaderSpec(num_workers=1))
    monkeypatch.setattr(loader, "_loader", Gone(error))
    problem = told(loader, [])
    assert problem is not None
    assert problem.code == "D081"
    own = type(error)("Caught an error in DataLoader worker process 0.")
    monkeypatch.setattr(loader, "_loader", Gone(own))
    with pytest.raises(type(error)):
        told(loader, [])

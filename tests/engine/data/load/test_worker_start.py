"""Workers of a loader start as the settings say, and run what the user's code has for them."""

import gc
import mmap
import multiprocessing
import os
import signal
import sys
import time
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import Batch
from engine.data.preview import describe
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.custom_code import custom_from, data_code, rename_custom
from engine.spec.fields import fields, set_text
from engine.spec.run import RunSpec

END_OF_WORKERS = "torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL"
"""How long PyTorch waits for the end of workers that do not come to one."""

CODE = {
    "workers.py": """
import os
from pathlib import Path

FOLDER = "%s"


def note_worker_init(worker):
    Path(FOLDER, f"{worker}-{os.getpid()}").touch()


def bad_worker_init(worker):
    raise OSError("no such database")


def helper(x):
    return x
"""
}
WICKED = """
import os
import time


def leaving_worker_init(worker):
    os._exit(4)


def endless_worker_init(worker):
    while True:
        time.sleep(0.1)
"""
SIZE, SAMPLES = 10, 40
FIELD = "data.loader.worker_init_fn"


def code_of(folder: Path) -> dict[str, str]:
    code = {"workers.py": CODE["workers.py"] % folder.as_posix()}
    set_trust(code, trusted=True)
    return code


def spec_of(code: dict[str, str], **settings: str) -> RunSpec:
    spec = RunSpec()
    for name, text in {"num_workers": "2", **settings}.items():
        spec = set_text(spec, f"data.loader.{name}", text, code)
    return spec


def loader_of(loaded: LoadedData, spec: RunSpec) -> PartLoader:
    return PartLoader(
        loaded.training,
        spec.data.loader,
        is_persistent=True,
        worker_start=loaded.worker_start,
    )


def end_servers() -> None:
    """End what Python keeps for later processes of a kind as long as this one lives, once what they
    shared is gone: it is given back to the one that it was taken from.
    """
    gc.collect()
    for server in (forkserver._forkserver, resource_tracker._resource_tracker):
        server._stop()


def told(loader: PartLoader) -> Diagnostic:
    """Return what is wrong; the traceback of an error would hold the workers."""
    try:
        batches(loader)
    except DiagnosticError as error:
        return error.problems[0]
    raise AssertionError("nothing was wrong")


def batches(loader: PartLoader, epoch: int = 0) -> list[Batch]:
    return list(loader.batches(BatchPlan(order=torch.arange(SAMPLES), size=SIZE, epoch=epoch)))


@pytest.mark.real
@pytest.mark.row("S136")
@pytest.mark.parametrize("keeps", [True, False])
def test_that_each_worker_runs_the_function_once_and_stays_if_wanted(tmp_path, keeps):
    code = code_of(tmp_path)
    spec = spec_of(code, worker_init_fn="workers.note_worker_init", persistent_workers=str(keeps))
    loader = loader_of(load_data(spec.data, code), spec)
    for epoch in range(3):
        batches(loader, epoch)
    notes = [file.name.split("-") for file in tmp_path.iterdir()]
    assert sorted(number for number, _ in notes) == (["0", "1"] if keeps else ["0"] * 3 + ["1"] * 3)
    assert str(os.getpid()) not in {process for _, process in notes}


@pytest.mark.real
@pytest.mark.row("S136")
@pytest.mark.skipif(sys.platform == "win32", reason="has one way to start processes only")
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_that_batches_are_the_same_however_workers_start(tmp_path, method):
    code = code_of(tmp_path)
    plain = RunSpec()
    expected = batches(loader_of(load_data(plain.data, code), plain))
    workers = 2 if method == "fork" else 1  # each of the others loads PyTorch
    spec = spec_of(
        code,
        multiprocessing_context=method,
        worker_init_fn="workers.note_worker_init",
        num_workers=str(workers),
    )
    found = batches(loader_of(load_data(spec.data, code), spec))
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert all(torch.equal(one[name], values) for name, values in other.items())
    assert len(list(tmp_path.iterdir())) == workers
    del one, other, found
    end_servers()


@pytest.mark.real
@pytest.mark.fault("F09")
@pytest.mark.parametrize(
    ("name", "code", "workers"),
    [
        ("workers.bad", "D450", 2),
        ("wicked.leaving", "D606", 2),
        ("wicked.endless", "D605", 2),
        ("workers.note", None, 2),
        ("workers.bad", None, 0),  # nobody calls it
    ],
)
def test_that_a_worker_function_is_tried_before_a_run(tmp_path, monkeypatch, name, code, workers):
    monkeypatch.setattr("engine.data.load.worker_trial._SECONDS", 3.0)
    monkeypatch.setattr(END_OF_WORKERS, 1.0)
    texts = code_of(tmp_path) | {"wicked.py": WICKED}
    set_trust(texts, trusted=True)
    spec = spec_of(texts, num_workers=str(workers), worker_init_fn=f"{name}_worker_init")
    problems = describe(spec.data, texts).problems
    assert [problem.code for problem in problems] == ([] if code is None else [code])
    assert {problem.field for problem in problems} <= {FIELD}


def stand_still_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the first worker that is forked stand still before it says a word, as one does whose
    lock was held at the fork.
    """
    parent, begun, before = os.getpid(), mmap.mmap(-1, 1), torch.set_num_threads

    def set_num_threads(number: int) -> None:
        if os.getpid() != parent and not begun[0]:
            begun[0] = 1
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(60)
        before(number)

    monkeypatch.setattr(torch, "set_num_threads", set_num_threads)


@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.row("S136")
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.parametrize("keeps", [True, False])
def test_that_a_worker_that_stands_still_at_its_start_is_replaced(monkeypatch, keeps):
    expected = batches(loader_of(load_data(RunSpec().data), RunSpec()))
    monkeypatch.setattr("engine.data.load.loader._STARTS_S", (2.0, 60.0, 60.0))
    monkeypatch.setattr(END_OF_WORKERS, 1.0)
    stand_still_once(monkeypatch)
    spec = spec_of({}, persistent_workers=str(keeps))
    loader = loader_of(load_data(spec.data), spec)
    for epoch in range(2):
        for one, other in zip(batches(loader, epoch), expected, strict=True):
            assert all(torch.equal(one[name], values) for name, values in other.items())
    del loader
    gc.collect()
    assert not multiprocessing.active_children()


@pytest.mark.real
@pytest.mark.row("S136")
def test_that_a_function_that_fails_is_told_with_its_line(tmp_path):
    code = code_of(tmp_path)
    spec = spec_of(code, worker_init_fn="workers.bad_worker_init")
    problem = told(loader_of(load_data(spec.data, code), spec))
    assert (problem.code, problem.field) == ("D450", FIELD)
    assert problem.params["file"] == "workers.py"
    assert problem.params["line"] == 13
    assert problem.params["reason"] == "no such database"


def test_that_a_way_to_start_that_the_system_has_not_is_told(monkeypatch):
    monkeypatch.setattr("multiprocessing.get_all_start_methods", lambda: ["spawn"])
    spec = spec_of({}, multiprocessing_context="fork")
    with pytest.raises(DiagnosticError) as caught:
        loader_of(load_data(spec.data), spec)
    assert [problem.code for problem in caught.value.problems] == ["D451"]


def test_that_code_that_nobody_trusts_is_no_worker_function(tmp_path):
    code = {"workers.py": CODE["workers.py"] % (tmp_path / "unknown").as_posix()}
    spec = spec_of(code, worker_init_fn="workers.note_worker_init")
    assert data_code(spec.data, code) == code
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec.data, code)
    assert [problem.code for problem in caught.value.problems] == ["U027"]


def test_that_functions_of_the_name_are_offered_and_follow_their_file(tmp_path):
    code = code_of(tmp_path)
    names = ("none", "workers.note_worker_init", "workers.bad_worker_init")
    assert fields(RunSpec(), code)[FIELD].param.choices == names
    with pytest.raises(DiagnosticError):
        set_text(RunSpec(), FIELD, "workers.helper", code)
    spec = spec_of(code, worker_init_fn="workers.note_worker_init")
    assert custom_from(spec, "workers.py") == ("note_worker_init",)
    renamed = rename_custom(spec, "workers.py", "start.py")
    assert renamed.data.loader.worker_init_fn == "start.note_worker_init"
    assert replace(renamed, data=spec.data) == spec

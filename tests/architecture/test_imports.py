"""The direction of imports, as contracts and in fresh interpreters."""

import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
TORCH_FREE = (
    "engine.files",
    "engine.diagnostics",
    "engine.sandbox",
    "engine.catalog.registry",
    "engine.graph.codec",
    "engine.graph.templates",
    "engine.spec.validate",
    "engine.events",
    "engine.runs.record.store",
    "engine.api",
    "engine.project",
    "engine.query.ask",
    "engine.query.questions",
    "engine.runtime",
    "engine.runtime.host.client",
    "studio.cli",
)
DRAWN = """
from pathlib import Path
from PySide6.QtWidgets import QApplication
from studio.app.app import build_app
from studio.process.settings import SettingsStore
app = QApplication([])
studio = build_app(app, settings=SettingsStore(Path({folder!r})))
studio.show(None)
studio.window.grab()
"""
QT_FREE = ("engine.api", "engine.runtime", "engine.train.worker", "studio.cli", "studio.start")


def loaded_after(module: str) -> set[str]:
    """Return the top-level packages that a fresh interpreter holds after importing a module."""
    return {name.split(".")[0] for name in modules_after(f"import {module}")}


def modules_after(code: str) -> set[str]:
    """Return the modules that a fresh interpreter holds after running a piece of code."""
    code += "\nimport os, sys\nprint(*sys.modules, flush=True)\nos._exit(0)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("module", TORCH_FREE)
def test_that_the_torch_free_tier_loads_without_torch(module):
    assert not loaded_after(module) & {"torch", "torchvision", "sklearn", "torchmetrics"}


def test_that_the_window_is_drawn_before_what_it_does_not_need_is_loaded(tmp_path):
    modules = modules_after(DRAWN.format(folder=str(tmp_path)))
    heavy = {"numpy", "pyqtgraph", "sklearn", "networkx", "torch", "torchvision", "torchmetrics"}
    assert not {name.split(".")[0] for name in modules} & heavy
    late = (
        "studio.inspect.*.page",
        "studio.runs.*.page",
        "studio.train.*.dialog",
        "engine.query.questions",
    )
    assert not [name for name in modules if any(fnmatch(name, pattern) for pattern in late)]


@pytest.mark.parametrize("module", QT_FREE)
def test_that_what_runs_without_a_screen_loads_without_qt(module):
    assert not loaded_after(module) & {"PySide6", "pyqtgraph", "shiboken6"}


def test_that_a_spawned_worker_can_import_main_without_qt():
    assert not loaded_after("main") & {"PySide6", "torch", "studio"}


def test_that_every_import_contract_is_kept():
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout

"""The direction of imports, as contracts and in fresh interpreters."""

import subprocess
import sys
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
WINDOW = "studio.app.app, studio.app.features as window; window.features()"
QT_FREE = ("engine.api", "engine.runtime", "engine.train.worker", "studio.cli", "studio.start")


def loaded_after(module: str) -> set[str]:
    """Return the top-level packages that a fresh interpreter holds after importing a module."""
    code = f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("module", [*TORCH_FREE, WINDOW])
def test_that_the_torch_free_tier_loads_without_torch(module):
    assert not loaded_after(module) & {"torch", "torchvision", "sklearn", "torchmetrics"}


def test_that_the_window_is_drawn_before_numpy_is_loaded():
    assert not loaded_after(WINDOW) & {"numpy", "pyqtgraph", "sklearn", "networkx"}


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

"""Builds controllers of what stands beside the canvas, from the services of the program."""

from studio.inspect.layers.last_run import LastRunController
from studio.model.comparison.controller import ModelComparisonController
from studio.model.inspector.dock import Inspector
from studio.model.inspector.initialisation_controller import InitialController
from studio.services import Services
from widgets.canvas.canvas import Canvas


def build_initial(services: Services, inspector: Inspector, canvas: Canvas) -> InitialController:
    """Return what looks after how weights begin."""
    return InitialController(
        session=services.session,
        inspector=inspector,
        canvas=canvas,
        host=services.host,
        border=services.border,
        messenger=services.messenger,
        language=services.code,
    )


def build_last_run(services: Services, inspector: Inspector, canvas: Canvas) -> LastRunController:
    """Return what tells in the inspector what the last run recorded."""
    return LastRunController(
        session=services.session,
        inspector=inspector,
        canvas=canvas,
        border=services.border,
        messenger=services.messenger,
    )


def build_comparison(services: Services) -> ModelComparisonController:
    """Return what compares models."""
    return ModelComparisonController(
        session=services.session,
        window=services.window,
        messenger=services.messenger,
        border=services.border,
        language=services.code,
    )

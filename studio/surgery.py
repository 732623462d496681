"""What changes an existing model: the controllers of surgery and of fine-tuning."""

from collections.abc import Callable
from dataclasses import dataclass

from studio.controllers.fine_tune import FineTuneController
from studio.controllers.model import ModelController
from studio.controllers.surgery import SurgeryController
from studio.model_sources import ModelSources
from studio.services import Services
from widgets.canvas.canvas import Canvas


@dataclass(frozen=True, kw_only=True)
class Surgery:
    """Both controllers."""

    surgery: SurgeryController
    fine_tune: FineTuneController

    def callbacks(self) -> dict[str, Callable[[], object]]:
        """Return what each command of these does, by its verb."""
        return self.surgery.callbacks() | {"finetune": self.fine_tune.ask}


def build_surgery(
    services: Services, model: ModelController, canvas: Canvas, sources: ModelSources
) -> Surgery:
    """Return the controllers; they go with the one of the model."""
    return Surgery(
        surgery=SurgeryController(
            session=services.session,
            model=model,
            canvas=canvas,
            messenger=services.messenger,
            window=services.window,
        ),
        fine_tune=FineTuneController(
            session=services.session,
            model=model,
            messenger=services.messenger,
            window=services.window,
            ask_weights=sources.weights.ask,
            ask_import=sources.importing.ask,
        ),
    )

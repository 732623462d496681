"""What changes an existing model: the controllers of surgery, of fine-tuning and of the brush."""

from collections.abc import Callable
from dataclasses import dataclass

from studio.controllers.brush import BrushController
from studio.controllers.fine_tune import FineTuneController
from studio.controllers.model import ModelController
from studio.controllers.surgery import SurgeryController
from studio.model_sources import ModelSources
from studio.services import Services
from studio.workspaces.model import ModelWorkspace


@dataclass(frozen=True, kw_only=True)
class Surgery:
    """The controllers."""

    surgery: SurgeryController
    fine_tune: FineTuneController
    brush: BrushController

    def callbacks(self) -> dict[str, Callable[[], object]]:
        """Return what each command of these does, by its verb."""
        return self.surgery.callbacks() | {
            "finetune": self.fine_tune.ask,
            "brush": self.brush.toggle,
        }


def build_surgery(
    services: Services, model: ModelController, page: ModelWorkspace, sources: ModelSources
) -> Surgery:
    """Return the controllers; they go with the one of the model."""
    return Surgery(
        surgery=SurgeryController(
            session=services.session,
            model=model,
            canvas=page.canvas,
            messenger=services.messenger,
            window=services.window,
        ),
        fine_tune=FineTuneController(
            session=services.session,
            model=model,
            messenger=services.messenger,
            window=services.window,
            ask_weights=sources.weights.ask,
            importing=sources.importing,
        ),
        brush=BrushController(
            session=services.session,
            model=model,
            canvas=page.canvas,
            bar=page.brush,
            messenger=services.messenger,
            host=services.host,
            border=services.border,
        ),
    )

"""What changes an existing model: the controllers of surgery, of fine-tuning and of the brush."""

from collections.abc import Callable
from dataclasses import dataclass

from studio.app.model_sources import ModelSources
from studio.model.canvas.controller import ModelController
from studio.model.fine_tune.controller import FineTuneController
from studio.model.freezing.controller import BrushController
from studio.model.surgery.controller import SurgeryController
from studio.model.workspace.page import ModelWorkspace
from studio.services import Services


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

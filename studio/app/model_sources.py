"""Where models and weights come from that were not drawn here: the controllers of both."""

from dataclasses import dataclass

from studio.model.canvas.controller import ModelController
from studio.model.importer.controller import ImportController
from studio.model.weights.controller import WeightsController
from studio.project.project import ProjectController
from studio.run_control.leaving import LeavingController
from studio.services import Services


@dataclass(frozen=True, kw_only=True)
class ModelSources:
    """What imports models and takes weights."""

    importing: ImportController
    weights: WeightsController


def build_sources(
    services: Services,
    project: ProjectController,
    leaving: LeavingController,
    model: ModelController,
) -> ModelSources:
    """Return the controllers; they go with the one of the project."""
    return ModelSources(
        importing=ImportController(
            session=services.session,
            project=project,
            leaving=leaving,
            trust=services.trust,
            select=model.select_soon,
            border=services.border,
            messenger=services.messenger,
            window=services.window,
            language=services.code,
        ),
        weights=WeightsController(
            session=services.session,
            project=project,
            host=services.host,
            border=services.border,
            messenger=services.messenger,
            window=services.window,
            language=services.code,
        ),
    )

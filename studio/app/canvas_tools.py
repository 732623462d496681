"""What is done on the canvas with the nodes of a model: its controllers."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.graph.layout.aligning import Line
from studio.model.canvas.annotation import AnnotationController
from studio.model.canvas.bypass import BypassController
from studio.model.canvas.clipboard import ClipboardController
from studio.model.canvas.controller import ModelController
from studio.model.canvas.find import FindController
from studio.model.canvas.phrase import PhraseController
from studio.model.canvas.picture import PictureController
from studio.model.canvas.placement import PlacementController
from studio.services import Services
from widgets.canvas.canvas import Canvas


@dataclass(frozen=True, kw_only=True)
class CanvasTools:
    """The controllers."""

    placement: PlacementController
    clipboard: ClipboardController
    annotations: AnnotationController
    phrases: PhraseController
    find: FindController
    picture: PictureController
    bypass: BypassController

    def callbacks(self) -> dict[str, Callable[[], object]]:
        """Return what each command of these does, by its verb."""
        return {
            "bypass": self.bypass.toggle,
            "mute": self.bypass.toggle_mute,
            **_placing(self.placement),
            **self.annotations.callbacks(),
        }


def build_canvas_tools(services: Services, model: ModelController, canvas: Canvas) -> CanvasTools:
    """Return the controllers; they go with the one of the model."""
    session, messenger = services.session, services.messenger
    return CanvasTools(
        placement=PlacementController(session=session, model=model, canvas=canvas),
        clipboard=ClipboardController(
            session=session, model=model, canvas=canvas, messenger=messenger
        ),
        annotations=AnnotationController(session=session, model=model, canvas=canvas),
        phrases=PhraseController(
            session=session,
            model=model,
            canvas=canvas,
            messenger=messenger,
            language=services.code,
        ),
        find=FindController(session=session, model=model, canvas=canvas, language=services.code),
        picture=PictureController(session=session, model=model, canvas=canvas, messenger=messenger),
        bypass=BypassController(session=session, model=model, messenger=messenger),
    )


def _placing(placement: PlacementController) -> dict[str, Callable[[], object]]:
    verbs: dict[str, Callable[[], object]] = {
        f"align_{line}": lambda line=line: placement.align(line) for line in Line
    }
    return verbs | {
        "distribute_across": lambda: placement.distribute(across=True),
        "distribute_down": lambda: placement.distribute(across=False),
        "select_type": placement.select_type,
        "select_upstream": placement.select_upstream,
        "select_downstream": placement.select_downstream,
    }

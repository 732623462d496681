"""The pages of the Inspect workspace: what each is called, and how it is put together.

What a page is made of is imported only when it is built, as with the workspaces themselves.
"""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import signature

from PySide6.QtWidgets import QWidget

from studio.app.services import Services
from studio.i18n import translate
from studio.window.splitters import keep_splitters
from widgets.canvas.canvas import Canvas


@dataclass(frozen=True, kw_only=True)
class InspectParts:
    """What pages work with; ``show_node`` shows the node at a path of the model."""

    services: Services
    canvas: Canvas
    show_node: Callable[[str], object]


@dataclass(frozen=True, kw_only=True)
class InspectPage:
    """One page. ``build`` makes it in short steps and yields it after each, at first empty."""

    name: str
    title: str
    help: str
    build: Callable[[InspectParts], Iterator[QWidget]]


def inspect_pages() -> tuple[InspectPage, ...]:
    """Return the pages in their order."""
    return (*_step_pages(), *_other_pages())


def import_inspect_pages() -> None:
    """Import what the pages are made of; off Qt's thread, so that the window does not wait."""
    for page in inspect_pages():
        importlib.import_module(f"studio.inspect.{page.name}.controller")


def built(page: InspectPage, parts: InspectParts) -> Iterator[QWidget]:
    """Build a page in its steps; the handles between its parts come where the user had them."""
    steps = page.build(parts)
    widget = next(steps)
    yield widget
    yield from steps
    keep_splitters(widget, parts.services.settings)


def _put_together(
    page: QWidget, controller: Callable[..., object], parts: InspectParts
) -> Iterator[QWidget]:
    """Build a page and hand its controller what it names in its signature."""
    yield page
    for _ in getattr(page, "build", tuple)():  # a small page is there at once
        yield page
    services = parts.services
    offered: dict[str, object] = {
        "page": page,
        "session": services.session,
        "runs": services.runs,
        "host": services.host,
        "border": services.border,
        "messenger": services.messenger,
        "debugging": services.debugging,
        "machine": services.machine,
        "lab": services.lab,
        "trust": services.trust,
        "language": services.code,
        "go_to": services.window.show_workspace,
        "canvas": parts.canvas,
        "show_node": parts.show_node,
    }
    wanted = signature(controller).parameters
    controller(**{name: part for name, part in offered.items() if name in wanted})


def _step_pages() -> tuple[InspectPage, ...]:
    """Return the pages that look into a training step."""
    return (
        InspectPage(
            name="graph",
            title=translate("Inspect", "Autograd graph"),
            help=translate("Inspect", "The graph of Functions that a training step builds"),
            build=_graph,
        ),
        InspectPage(
            name="layers",
            title=translate("Inspect", "Layers"),
            help=translate("Inspect", "How weights, gradients and activations develop, by layer"),
            build=_layers,
        ),
        InspectPage(
            name="tensors",
            title=translate("Inspect", "Tensors"),
            help=translate("Inspect", "Any weight, gradient, activation or batch of the run"),
            build=_tensors,
        ),
        InspectPage(
            name="debugger",
            title=translate("Inspect", "Debugger"),
            help=translate("Inspect", "Stop inside a training step, look at tensors, change them"),
            build=_debugger,
        ),
        InspectPage(
            name="memory",
            title=translate("Inspect", "Memory"),
            help=translate("Inspect", "What a training step keeps in memory, layer by layer"),
            build=_memory,
        ),
        InspectPage(
            name="profile",
            title=translate("Inspect", "Profile"),
            help=translate("Inspect", "What takes how long in a training step"),
            build=_profile,
        ),
        InspectPage(
            name="trace",
            title=translate("Inspect", "Trace"),
            help=translate("Inspect", "Which tensors each line of the forward pass makes"),
            build=_trace,
        ),
    )


def _other_pages() -> tuple[InspectPage, ...]:
    """Return the pages that try out code, a trained model, or the recipe."""
    return (
        InspectPage(
            name="lab",
            title=translate("Inspect", "Lab"),
            help=translate("Inspect", "Type tensor code, see its tensors, graph and gradients"),
            build=_lab,
        ),
        InspectPage(
            name="results",
            title=translate("Inspect", "Results"),
            help=translate("Inspect", "What a trained model does on its data, sample by sample"),
            build=_results,
        ),
        InspectPage(
            name="playground",
            title=translate("Inspect", "Playground"),
            help=translate("Inspect", "Try a trained model on input of your own"),
            build=_playground,
        ),
        InspectPage(
            name="surface",
            title=translate("Inspect", "Decision surface"),
            help=translate("Inspect", "What a model answers over the plane, as it learns"),
            build=_surface,
        ),
        InspectPage(
            name="landscape",
            title=translate("Inspect", "Loss landscape"),
            help=translate("Inspect", "The loss around the weights, and races of optimizers"),
            build=_landscape,
        ),
        InspectPage(
            name="doctor",
            title=translate("Inspect", "Doctor"),
            help=translate("Inspect", "Examine model and data before a long run, or after"),
            build=_doctor,
        ),
    )


def _graph(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.graph.controller import AutogradController
    from studio.inspect.graph.page import GraphPage

    yield from _put_together(GraphPage(), AutogradController, parts)


def _lab(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.lab.controller import LabController
    from studio.inspect.lab.page import LabPage

    yield from _put_together(LabPage(), LabController, parts)


def _results(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.results.controller import ResultsController
    from studio.inspect.results.page import ResultsPage

    yield from _put_together(ResultsPage(), ResultsController, parts)


def _debugger(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.debugger.controller import DebuggerController
    from studio.inspect.debugger.page import DebuggerPage

    yield from _put_together(DebuggerPage(), DebuggerController, parts)


def _layers(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.layers.controller import LayersController
    from studio.inspect.layers.page import LayersPage

    yield from _put_together(LayersPage(), LayersController, parts)


def _playground(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.playground.controller import PlaygroundController
    from studio.inspect.playground.page import PlaygroundPage

    yield from _put_together(PlaygroundPage(), PlaygroundController, parts)


def _surface(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.surface.controller import SurfaceController
    from studio.inspect.surface.page import SurfacePage

    yield from _put_together(SurfacePage(), SurfaceController, parts)


def _landscape(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.landscape.controller import LandscapeController
    from studio.inspect.landscape.page import LandscapePage

    yield from _put_together(LandscapePage(), LandscapeController, parts)


def _memory(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.memory.controller import MemoryController
    from studio.inspect.memory.page import MemoryPage

    yield from _put_together(MemoryPage(), MemoryController, parts)


def _tensors(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.tensors.controller import TensorsController
    from studio.inspect.tensors.page import TensorsPage

    yield from _put_together(TensorsPage(), TensorsController, parts)


def _profile(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.profile.controller import ProfileController
    from studio.inspect.profile.page import ProfilePage

    yield from _put_together(ProfilePage(), ProfileController, parts)


def _trace(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.trace.controller import TraceController
    from studio.inspect.trace.page import TracePage

    yield from _put_together(TracePage(), TraceController, parts)


def _doctor(parts: InspectParts) -> Iterator[QWidget]:
    from studio.inspect.doctor.controller import DoctorController
    from studio.inspect.doctor.page import DoctorPage

    yield from _put_together(DoctorPage(), DoctorController, parts)

"""Feature of the Samples page of the Data workspace."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QWidget

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.data.page import data_page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.session.data_editor import DataEditor
from studio.session.session import Session
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps

if TYPE_CHECKING:
    from studio.data.samples.editing import SampleEditing

_NAME = "samples"
_EDITS = 1  # the group of the menu
SAMPLE_GROUP = 2
"""The group of what other features do with the selected sample: it is in the menu of the samples,
too.
"""
_MOVE = QT_TRANSLATE_NOOP("Action", "Move samples to")


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.samples.controller import SamplesController
    from studio.data.samples.counting import PixelCounting
    from studio.data.samples.editing import SampleEditing
    from studio.data.samples.page import SamplesPage
    from studio.data.samples.predicting import SamplePredicting
    from studio.data.samples.way_out import WayOut

    page = SamplesPage()
    yield from in_steps(page)
    services = context[Services]
    way_out = WayOut(services, context[ActionSet].trigger)
    samples = context.add(SamplesController(services, page, way_out))
    yield page
    counting = context.add(PixelCounting(services, page))
    samples.parts_listed.connect(counting.show_parts_of_run)
    predicting = context.add(SamplePredicting(context[Services], page))
    predicting.changed.connect(samples.set_predictions)
    samples.predictions_lost.connect(predicting.forget)
    editing = context.add(SampleEditing(context[Services], page))
    editing.selected.connect(context[ActionSet].update)
    page.menu_filled.connect(lambda menu, _: _fill_menu(context[ActionSet], menu))


def list_samples(context: Context, indices: Sequence[int]) -> None:
    """List samples, by their indices in the source, on the Samples page and no others."""
    from studio.data.samples.controller import SamplesController

    context[MainWindow].show_page("data", _NAME)
    context[SamplesController].list_only(indices)


def _editing(context: Context) -> "SampleEditing":
    from studio.data.samples.editing import SampleEditing

    return context[SampleEditing]


def selected_samples(context: Context) -> tuple[int, ...]:
    """Return the samples that are selected on the page, by their indices in the source; none where
    it is not in front.
    """
    if context[Session].project is None or context[MainWindow].front != _NAME:
        return ()
    try:
        return _editing(context).selection
    except LookupError:
        return ()  # the page is being built


def _has_samples(context: Context) -> bool:
    return bool(selected_samples(context))


def _fill_menu(actions: ActionSet, menu: QMenu) -> None:
    """Add what other features do with the selected sample to the menu of the samples."""
    menu.addSeparator()
    for command in actions.commands.values():
        if command.menu == "data" and command.group == SAMPLE_GROUP:
            menu.addAction(actions.action(command.id))


def _has_masks(context: Context) -> bool:
    """Return whether the data of the project have masks that are predicted."""
    info = context[Session].findings.data
    return info is not None and info.predicts_masks


def _count_pixels(context: Context) -> None:
    """Count the pixels of each class, where they are shown."""
    from studio.data.samples.counting import PixelCounting

    context[MainWindow].show_page("data", _NAME)
    context[PixelCounting].count()


def _has_edits(context: Context) -> bool:
    """Return whether samples of the project were edited."""
    return bool(context[Session].spec.data.edits.samples)


def _edit(
    verb: str,
    title: str,
    words: str,
    run: "Callable[[SampleEditing], object]",
    *,
    keys: tuple[str, ...] = (),
    submenu: str = "",
) -> Command:
    return Command(
        id=f"action.data.{verb}",
        title=title,
        keys=keys,
        words=words,
        group=_EDITS,
        submenu=submenu,
        run=lambda context: run(_editing(context)),
        is_enabled=_has_samples,
    )


_COMMANDS = (
    Command(
        id="action.data.count_pixels",
        title=QT_TRANSLATE_NOOP("Action", "Count pixels per class"),
        words="masks segmentation class balance imbalance statistics",
        run=_count_pixels,
        is_enabled=_has_masks,
    ),
    _edit(
        "exclude",
        QT_TRANSLATE_NOOP("Action", "Exclude samples"),
        "leave out remove ignore selected samples training",
        lambda editing: editing.exclude(),
        keys=("Ctrl+Shift+X",),
    ),
    _edit(
        "include",
        QT_TRANSLATE_NOOP("Action", "Include samples"),
        "bring back restore excluded samples",
        lambda editing: editing.include(),
        keys=("Ctrl+Shift+I",),
    ),
    _edit(
        "relabel",
        QT_TRANSLATE_NOOP("Action", "Relabel samples…"),
        "class label correct wrong annotation",
        lambda editing: editing.relabel(),
        keys=("Ctrl+Shift+R",),
    ),
    _edit(
        "tag",
        QT_TRANSLATE_NOOP("Action", "Tag samples…"),
        "mark word note samples",
        lambda editing: editing.tag(),
        keys=("Ctrl+Shift+T",),
    ),
    _edit(
        "move_train",
        QT_TRANSLATE_NOOP("Action", "Training set"),
        "move samples split part",
        lambda editing: editing.move("train"),
        submenu=_MOVE,
    ),
    _edit(
        "move_validation",
        QT_TRANSLATE_NOOP("Action", "Validation set"),
        "move samples split part",
        lambda editing: editing.move("validation"),
        submenu=_MOVE,
    ),
    _edit(
        "move_test",
        QT_TRANSLATE_NOOP("Action", "Test set"),
        "move samples split part",
        lambda editing: editing.move("test"),
        submenu=_MOVE,
    ),
    _edit(
        "move_split",
        QT_TRANSLATE_NOOP("Action", "Set of the split"),
        "move samples back original part",
        lambda editing: editing.move(""),
        submenu=_MOVE,
    ),
    Command(
        id="action.data.reset_edits",
        title=QT_TRANSLATE_NOOP("Action", "Reset all edits of samples"),
        words="undo excluded relabeled tags original data overlay",
        group=_EDITS,
        position=1,
        run=lambda context: DataEditor(context[Session]).reset(),
        is_enabled=_has_edits,
    ),
)

FEATURE = data_page(
    _NAME,
    title=QT_TRANSLATE_NOOP("Data", "Samples"),
    tip=QT_TRANSLATE_NOOP("Data", "Look at the samples of each part and at their classes"),
    command=QT_TRANSLATE_NOOP("Action", "Samples of the data"),
    words="gallery table preview class balance",
    build=_build,
    more=_COMMANDS,
)

"""Feature of the user's own code: editor, folder, trust."""

from PySide6.QtWidgets import QMenu

from engine.graph.code import MODEL_FILE
from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.custom_code.controller import CustomCodeController
from studio.model.custom_code.folder import CodeFolderController
from studio.model.custom_code.trust import TRUST_TITLE, TrustController
from studio.model.text.controller import ModelTextController
from studio.model.workspace.page import ModelWorkspace
from studio.project.project import ProjectController
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_project

_NEW = QT_TRANSLATE_NOOP("Action", "New file")
_MENU = ("gradients", "rename", "remove", "outside", "trust", "withdraw")


def _build(context: Context) -> None:
    services, page = context[Services], context[ModelWorkspace]
    editor = context.add(
        CustomCodeController(services, page, fill_menu=lambda menu: _fill_menu(context, menu))
    )
    trust = context.add(
        TrustController(
            services, look=lambda: _look(context), update_actions=context[ActionSet].update
        )
    )
    context.flush_requested.connect(editor.flush)
    page.own_code.file_shown.connect(context[ActionSet].update)
    context.placed.connect(trust.begin)
    _build_folder(context)


def _build_folder(context: Context) -> None:
    services, project = context[Services], context[ProjectController]
    folder = context.add(
        CodeFolderController(
            services, context, save=project.save, take_text=context[ModelTextController].take
        )
    )
    project.code_differed.connect(folder.ask_again)
    context.placed.connect(folder.look)


def _look(context: Context) -> None:
    """Show the files; where there is only the text of the model itself, where that stands."""
    window = context[Services].window
    if set(context[Session].graph.code) == {MODEL_FILE}:
        window.show_workspace("model")
        window.show_dock("code")
    else:
        context[CustomCodeController].show()


def _fill_menu(context: Context, menu: QMenu) -> None:
    for verb in _MENU:
        action = context[ActionSet].action(f"action.code.{verb}")
        if action.isEnabled():
            menu.addAction(action)


def _open_outside(context: Context) -> None:
    page = context[ModelWorkspace].own_code
    editor = page.editor()
    context[CodeFolderController].open_outside(
        page.current_file(), editor.place()[0] if editor else 1
    )


def _has_file(context: Context) -> bool:
    return has_project(context) and bool(context[CustomCodeController].current_file)


def _can_withdraw(context: Context) -> bool:
    return bool(context[Session].graph.code) and not context[TrustController].is_restricted


def _new(name: str, title: str, words: str) -> Command:
    return Command(
        id=f"action.code.new_{name}",
        title=title,
        words=words,
        group=1,
        submenu=_NEW,
        run=lambda context: context[CustomCodeController].new(name),
        is_enabled=has_project,
    )


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.code.show",
            title=QT_TRANSLATE_NOOP("Action", "Custom code"),
            keys=("Ctrl+E",),
            words="editor python files write show hide",
            run=lambda context: context[CustomCodeController].toggle(),
            is_enabled=has_project,
            is_checked=lambda context: context[CustomCodeController].is_shown,
        ),
        Command(
            id="action.code.wide",
            title=QT_TRANSLATE_NOOP("Action", "Maximize code editor"),
            keys=("Ctrl+F11",),
            words="editor maximise room wide beside",
            run=lambda context: context[CustomCodeController].toggle_wide(),
            is_enabled=_has_file,
            is_checked=lambda context: context[ModelWorkspace].is_wide,
        ),
        Command(
            id="action.data.new_dataset",
            title=QT_TRANSLATE_NOOP("Action", "New data set in code"),
            words="dataset class own custom python code samples",
            group=1,
            run=lambda context: context[CustomCodeController].new_dataset(),
            is_enabled=has_project,
        ),
        _new("layers", QT_TRANSLATE_NOOP("Action", "Layer without weights"), "module custom own"),
        _new(
            "weights",
            QT_TRANSLATE_NOOP("Action", "Layer with weights"),
            "module parameter custom own",
        ),
        _new("functions", QT_TRANSLATE_NOOP("Action", "Function (operator)"), "custom own def"),
        _new(
            "gradients",
            QT_TRANSLATE_NOOP("Action", "Function with custom gradient"),
            "autograd backward custom own",
        ),
        _new(
            "shapes", QT_TRANSLATE_NOOP("Action", "Shape assertion"), "assert size check custom own"
        ),
        _new("losses", QT_TRANSLATE_NOOP("Action", "Loss"), "criterion custom own"),
        _new(
            "masks",
            QT_TRANSLATE_NOOP("Action", "Loss for masks (Dice)"),
            "criterion segmentation overlap custom own",
        ),
        _new(
            "metrics",
            QT_TRANSLATE_NOOP("Action", "Metric (torchmetrics)"),
            "measure evaluation score custom own",
        ),
        _new("initialisers", QT_TRANSLATE_NOOP("Action", "Initializer"), "init weights custom own"),
        _new(
            "datasets",
            QT_TRANSLATE_NOOP("Action", "Data set"),
            "dataset source samples custom own",
        ),
        _new(
            "sequences",
            QT_TRANSLATE_NOOP("Action", "Data set with collate_fn and Sampler"),
            "dataset pad sequences custom own",
        ),
        _new(
            "streams",
            QT_TRANSLATE_NOOP("Action", "Data stream (IterableDataset)"),
            "dataset iterable custom own",
        ),
        _new("empty", QT_TRANSLATE_NOOP("Action", "Empty file"), "python custom own"),
        Command(
            id="action.code.rename",
            title=QT_TRANSLATE_NOOP("Action", "Rename file"),
            words="own code python",
            group=1,
            run=lambda context: context[CustomCodeController].begin_rename(),
            is_enabled=_has_file,
        ),
        Command(
            id="action.code.remove",
            title=QT_TRANSLATE_NOOP("Action", "Remove file"),
            words="own code python delete",
            group=1,
            run=lambda context: context[CustomCodeController].remove(),
            is_enabled=_has_file,
        ),
        Command(
            id="action.code.outside",
            title=QT_TRANSLATE_NOOP("Action", "Open in external editor"),
            keys=("Ctrl+Alt+E",),
            words="external outside program vscode own code",
            group=2,
            run=_open_outside,
            is_enabled=_has_file,
        ),
        Command(
            id="action.code.trust",
            title=TRUST_TITLE,
            words="restricted safe run security",
            group=3,
            run=lambda context: context[TrustController].ask(),
            is_enabled=lambda context: context[TrustController].is_restricted,
        ),
        Command(
            id="action.code.withdraw",
            title=QT_TRANSLATE_NOOP("Action", "Stop trusting project code"),
            words="restricted safe security distrust withdraw",
            group=3,
            run=lambda context: context[TrustController].withdraw(),
            is_enabled=_can_withdraw,
        ),
    ),
)

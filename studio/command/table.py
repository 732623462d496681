"""Every command of the program; menus, shortcuts and the Ctrl+K palette are projections."""

from studio.command.code import CODE
from studio.command.command import Command, has_project, is_model, is_selection
from studio.command.debug import DEBUG
from studio.command.inspect import INSPECT, LOOK_COMMAND
from studio.command.model import MODEL_COMMANDS
from studio.command.view import VIEW
from studio.i18n import QT_TRANSLATE_NOOP

MENUS: tuple[tuple[str, str], ...] = (
    ("file", QT_TRANSLATE_NOOP("Action", "&File")),
    ("edit", QT_TRANSLATE_NOOP("Action", "&Edit")),
    ("view", QT_TRANSLATE_NOOP("Action", "&View")),
    ("model", QT_TRANSLATE_NOOP("Action", "&Model")),
    ("code", QT_TRANSLATE_NOOP("Action", "&Code")),
    ("run", QT_TRANSLATE_NOOP("Action", "&Run")),
    ("inspect", QT_TRANSLATE_NOOP("Action", "&Inspect")),
    ("help", QT_TRANSLATE_NOOP("Action", "&Help")),
)

_FILE = (
    Command(
        id="action.file.new",
        title=QT_TRANSLATE_NOOP("Action", "New project…"),
        keys=("Ctrl+N",),
        words="create template",
    ),
    Command(
        id="action.file.open",
        title=QT_TRANSLATE_NOOP("Action", "Open project…"),
        keys=("Ctrl+O",),
        words="load folder",
    ),
    Command(
        id="action.file.import",
        title=QT_TRANSLATE_NOOP("Action", "Import a model…"),
        keys=("Ctrl+I",),
        words="zoo torchvision resnet pretrained weights python class file load existing",
    ),
    Command(
        id="action.file.open_picture",
        title=QT_TRANSLATE_NOOP("Action", "Open from a picture…"),
        words="png svg pdf image project inside import",
    ),
    Command(
        id="action.file.welcome",
        title=QT_TRANSLATE_NOOP("Action", "Welcome page"),
        words="start home templates recent",
    ),
    Command(
        id="action.file.save",
        title=QT_TRANSLATE_NOOP("Action", "Save"),
        keys=("Ctrl+S",),
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.file.save_as",
        title=QT_TRANSLATE_NOOP("Action", "Save a copy as…"),
        keys=("Ctrl+Shift+S",),
        words="duplicate project",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.file.reveal",
        title=QT_TRANSLATE_NOOP("Action", "Show the project folder"),
        words="open folder explorer finder",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.file.compare",
        title=QT_TRANSLATE_NOOP("Action", "Compare a file of weights…"),
        words="checkpoint load state_dict keys safetensors differ",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.file.export_picture",
        title=QT_TRANSLATE_NOOP("Action", "Export picture…"),
        keys=("Ctrl+Shift+E",),
        words="canvas model graph png svg pdf image save draw",
        group=2,
        enabled=is_model,
    ),
    Command(
        id="action.file.picture",
        title=QT_TRANSLATE_NOOP("Action", "Copy a picture of the window"),
        words="screenshot clipboard",
        group=2,
    ),
    Command(
        id="action.file.preferences",
        title=QT_TRANSLATE_NOOP("Action", "Preferences…"),
        keys=("Ctrl+,",),
        words="settings options language theme",
        group=2,
    ),
    Command(
        id="action.file.close",
        title=QT_TRANSLATE_NOOP("Action", "Close the project"),
        keys=("Ctrl+W",),
        group=3,
        enabled=has_project,
    ),
    Command(
        id="action.file.quit",
        title=QT_TRANSLATE_NOOP("Action", "Quit"),
        keys=("Ctrl+Q",),
        words="exit",
        group=3,
    ),
)

_EDIT = (
    Command(
        id="action.edit.undo",
        title=QT_TRANSLATE_NOOP("Action", "Undo"),
        keys=("Ctrl+Z",),
        enabled=lambda state: state.is_document and state.can_undo,
    ),
    Command(
        id="action.edit.redo",
        title=QT_TRANSLATE_NOOP("Action", "Redo"),
        keys=("Ctrl+Shift+Z", "Ctrl+Y"),
        enabled=lambda state: state.is_document and state.can_redo,
    ),
    Command(
        id="action.edit.cut",
        title=QT_TRANSLATE_NOOP("Action", "Cut"),
        keys=("Ctrl+X",),
        group=1,
        enabled=is_selection,
    ),
    Command(
        id="action.edit.copy",
        title=QT_TRANSLATE_NOOP("Action", "Copy"),
        keys=("Ctrl+C",),
        group=1,
        enabled=is_selection,
    ),
    Command(
        id="action.edit.paste",
        title=QT_TRANSLATE_NOOP("Action", "Paste"),
        keys=("Ctrl+V",),
        group=1,
        enabled=is_model,
    ),
    Command(
        id="action.edit.duplicate",
        title=QT_TRANSLATE_NOOP("Action", "Duplicate"),
        keys=("Ctrl+D",),
        group=1,
        enabled=is_selection,
    ),
    Command(
        id="action.edit.delete",
        title=QT_TRANSLATE_NOOP("Action", "Delete"),
        keys=("Del",),
        words="remove",
        group=1,
        enabled=is_selection,
    ),
    Command(
        id="action.edit.select_all",
        title=QT_TRANSLATE_NOOP("Action", "Select all"),
        keys=("Ctrl+A",),
        group=2,
        enabled=is_model,
    ),
)

_RUN = (
    Command(
        id="action.run.start",
        title=QT_TRANSLATE_NOOP("Action", "Start training"),
        keys=("F5",),
        words="run train go",
        enabled=lambda state: state.can_start,
    ),
    Command(
        id="action.run.pause",
        title=QT_TRANSLATE_NOOP("Action", "Pause or go on"),
        keys=("F6",),
        words="continue resume wait",
        enabled=lambda state: state.is_running,
    ),
    Command(
        id="action.run.step",
        title=QT_TRANSLATE_NOOP("Action", "Take one step"),
        keys=("F10",),
        words="single",
        enabled=lambda state: state.is_running and state.is_paused,
    ),
    Command(
        id="action.run.stop",
        title=QT_TRANSLATE_NOOP("Action", "Stop, keeping everything"),
        keys=("Shift+F5",),
        words="end cancel",
        enabled=lambda state: state.is_running or state.is_waiting,
    ),
    Command(
        id="action.run.resume",
        title=QT_TRANSLATE_NOOP("Action", "Resume the last run"),
        keys=("Ctrl+F5",),
        words="continue checkpoint",
        group=1,
        enabled=lambda state: state.can_resume,
    ),
    Command(
        id="action.run.search",
        title=QT_TRANSLATE_NOOP("Action", "Search for better settings…"),
        words="optuna hyper-parameter tuning grid random bayesian tpe trials sweep",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.run.queue",
        title=QT_TRANSLATE_NOOP("Action", "Queue of runs"),
        words="wait next one after another batch schedule",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.run.projects",
        title=QT_TRANSLATE_NOOP("Action", "Runs of all projects"),
        words="list reattach detached background everywhere",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.run.devices",
        title=QT_TRANSLATE_NOOP("Action", "Devices…"),
        words="gpu cpu cuda mps memory load temperature telemetry nvidia-smi visible",
        group=1,
    ),
    Command(
        id="action.run.speed",
        title=QT_TRANSLATE_NOOP("Action", "Suggest faster settings…"),
        words="speed amp mixed precision bfloat16 compile channels_last tf32 fused benchmark",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.run.weights",
        title=QT_TRANSLATE_NOOP("Action", "Start from weights…"),
        words="pretrained warm start load state_dict checkpoint transfer fine-tune keys",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.run.machines",
        title=QT_TRANSLATE_NOOP("Action", "Several machines…"),
        words="cluster nodes torchrun slurm distributed ddp ranks world size launch",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.run.remote",
        title=QT_TRANSLATE_NOOP("Action", "Train on another machine…"),
        words="ssh remote server elsewhere cluster scp rsync gpu host",
        group=1,
        enabled=has_project,
    ),
    Command(
        id="action.run.known_machines",
        title=QT_TRANSLATE_NOOP("Action", "Known machines…"),
        words="ssh remote hosts servers forget remove trust keys security",
        group=1,
    ),
    Command(
        id="action.run.log",
        title=QT_TRANSLATE_NOOP("Action", "Open the log file of the run"),
        words="log.txt output print traceback",
        group=2,
        enabled=lambda state: state.has_runs,
    ),
    Command(
        id="action.run.bring_back",
        title=QT_TRANSLATE_NOOP("Action", "Bring back deleted runs"),
        words="undelete restore trash undo",
        group=2,
        enabled=has_project,
    ),
)

_HELP = (
    Command(
        id="action.help.topic",
        title=QT_TRANSLATE_NOOP("Action", "Help on what is selected"),
        keys=("F1",),
        words="documentation manual",
    ),
    Command(
        id="action.help.manual",
        title=QT_TRANSLATE_NOOP("Action", "Manual"),
        words="help contents pages glossary guide",
    ),
    Command(
        id="action.help.tour",
        title=QT_TRANSLATE_NOOP("Action", "Take the tour"),
        words="introduction begin tutorial",
    ),
    Command(
        id="action.help.shortcuts",
        title=QT_TRANSLATE_NOOP("Action", "Keyboard shortcuts"),
        words="keys",
    ),
    Command(
        id="action.help.installation",
        title=QT_TRANSLATE_NOOP("Action", "Check the installation"),
        words="environment packages PyTorch CUDA driver GPU verify doctor wheel",
        group=1,
    ),
    Command(
        id="action.help.crash_report",
        title=QT_TRANSLATE_NOOP("Action", "Show the last crash report"),
        words="error diagnostics",
        group=1,
    ),
    Command(
        id="action.help.diagnostics",
        title=QT_TRANSLATE_NOOP("Action", "Copy diagnostics"),
        words="version system report",
        group=1,
    ),
    Command(
        id="action.help.about",
        title=QT_TRANSLATE_NOOP("Action", "About Trellis"),
        words="version licence",
        group=1,
    ),
)

COMMANDS: tuple[Command, ...] = (
    *_FILE,
    *_EDIT,
    *VIEW,
    *MODEL_COMMANDS,
    *CODE,
    *_RUN,
    *DEBUG,
    *INSPECT,
    LOOK_COMMAND,
    *_HELP,
)

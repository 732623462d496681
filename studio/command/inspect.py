"""The commands of the Inspect menu: one a page, named like it, and what is asked of a run there."""

from studio.command.command import Command, has_nodes, has_project
from studio.i18n import QT_TRANSLATE_NOOP

LOOK_COMMAND = Command(
    id="action.inspect.look",
    title=QT_TRANSLATE_NOOP("Action", "Look at this tensor"),
    words="activation output values elements of the selected layer",
    group=1,
    enabled=has_nodes,
)

INSPECT = (
    Command(
        id="action.inspect.graph",
        title=QT_TRANSLATE_NOOP("Action", "Autograd graph"),
        words="functions backward grad_fn dag",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.layers",
        title=QT_TRANSLATE_NOOP("Action", "Layers"),
        words="statistics histograms weights gradients activations dead units vanishing exploding",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.tensors",
        title=QT_TRANSLATE_NOOP("Action", "Tensors"),
        words="values elements activation filters attention gradient buffer optimizer state batch",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.debugger",
        title=QT_TRANSLATE_NOOP("Action", "Debugger"),
        words="breakpoints stop tensors values",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.memory",
        title=QT_TRANSLATE_NOOP("Action", "Memory"),
        words="ram gpu bytes activations estimate x-ray",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.profile",
        title=QT_TRANSLATE_NOOP("Action", "Profile"),
        words="profiler time speed flops trace chrome bottleneck",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.trace",
        title=QT_TRANSLATE_NOOP("Action", "Trace of the forward pass"),
        words="lines shape dtype device requires_grad snooper print sizes",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.lab",
        title=QT_TRANSLATE_NOOP("Action", "Autograd lab"),
        words="tensor code lesson einsum broadcasting stride view gradient backward try learn",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.results",
        title=QT_TRANSLATE_NOOP("Action", "Results"),
        words="confusion matrix roc precision recall residuals worst samples",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.playground",
        title=QT_TRANSLATE_NOOP("Action", "Playground"),
        words="try draw digit predict picture input",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.surface",
        title=QT_TRANSLATE_NOOP("Action", "Decision surface"),
        words="boundary plane points spiral moons playground",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.landscape",
        title=QT_TRANSLATE_NOOP("Action", "Loss landscape"),
        words="race optimizer sgd adam minimum valley pca directions rosenbrock visualise",
        enabled=has_project,
    ),
    Command(
        id="action.inspect.doctor",
        title=QT_TRANSLATE_NOOP("Action", "Doctor"),
        words="check pre-flight overfit one batch dead relu leakage imbalance",
        enabled=has_project,
    ),
)

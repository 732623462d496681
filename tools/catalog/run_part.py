"""Metrics, data sources and the settings of a run: described by hand."""

from typing import Any

from msgspec.structs import replace

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec

INT, FLOAT, BOOL, CHOICE = ParamKind.INT, ParamKind.FLOAT, ParamKind.BOOL, ParamKind.CHOICE
BOTH = ("classification", "binary")
CLASSES = ("classification",)
REGRESSION = ("regression",)

METRICS: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    ("accuracy", "Accuracy", BOTH, "Accuracy", "The share of samples whose class is right."),
    ("precision", "Precision", BOTH, "Precision",
     "Of what was called a class, the share that is one; the mean over the classes."),
    ("recall", "Recall", BOTH, "Recall",
     "Of what is a class, the share that was found; the mean over the classes."),
    ("f1", "F1", BOTH, "F1Score", "The harmonic mean of precision and recall."),
    ("auroc", "AUROC", BOTH, "AUROC",
     "The chance that a sample of the class scores above one that is not of it."),
    ("specificity", "Specificity", BOTH, "Specificity",
     "Of what is not a class, the share that was not called one; the mean over the classes."),
    ("average_precision", "Average precision", BOTH, "AveragePrecision",
     "The area under the curve of precision over recall."),
    ("cohen_kappa", "Cohen's kappa", BOTH, "CohenKappa",
     "Agreement beyond chance: 1 is perfect, 0 is chance."),
    ("matthews", "Matthews correlation", BOTH, "MatthewsCorrCoef",
     "The correlation of predicted and true classes; fit for classes of unequal size."),
    ("jaccard", "Jaccard index", BOTH, "JaccardIndex",
     "Hits over hits, misses and false alarms; the mean over the classes."),
    ("mae", "Mean absolute error", REGRESSION, "MeanAbsoluteError",
     "How far predictions are off, on average."),
    ("mse", "Mean squared error", REGRESSION, "MeanSquaredError",
     "The mean of the squared differences."),
    ("rmse", "Root mean squared error", REGRESSION, "MeanSquaredError",
     "The root of the mean squared error, in the unit of the target."),
    ("r2", "R²", REGRESSION, "R2Score",
     "The share of the variance that is explained: 1 is perfect, 0 is no better than the mean."),
    ("mape", "Mean percentage error", REGRESSION, "MeanAbsolutePercentageError",
     "How far predictions are off as a share of the target, on average."),
    ("explained_variance", "Explained variance", REGRESSION, "ExplainedVariance",
     "The share of the variance that is explained, a constant shift left aside."),
)  # fmt: skip
BUNDLED: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    ("digits", "Handwritten digits", CLASSES,
     "1,797 grey images of 8 by 8 pixels of the digits 0 to 9.",
     ("UCI Optical Recognition of Handwritten Digits (E. Alpaydin, C. Kaynak, 1998; CC BY 4.0),"
      " the test part, as it ships with scikit-learn.")),
    ("iris", "Iris flowers", CLASSES,
     "150 flowers of three species with four lengths and widths each.",
     "R. A. Fisher, 1936, as it ships with scikit-learn."),
    ("wine", "Wine", CLASSES,
     "178 wines of three growers with 13 chemical measurements each.",
     "UCI Wine (S. Aeberhard, M. Forina, 1992; CC BY 4.0), as it ships with scikit-learn."),
    ("breast_cancer", "Breast cancer", ("binary", "classification"),
     "569 tumours, malignant or benign, with 30 measurements each.",
     ("UCI Breast Cancer Wisconsin Diagnostic (W. Wolberg, O. Mangasarian, N. Street, W. Street,"
      " 1995; CC BY 4.0), as it ships with scikit-learn.")),
    ("diabetes", "Diabetes", REGRESSION,
     "442 patients with ten measurements and how far the disease went on within a year.",
     ("B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least Angle Regression, 2004, as it ships"
      " with scikit-learn.")),
)  # fmt: skip


def metric_entries() -> list[Entry]:
    """Return the measures of quality, by task."""
    return [
        Entry(
            key=key,
            group=EntryGroup.METRIC,
            category="Classification" if "classification" in tasks else "Regression",
            label=label,
            target=target,
            summary=text,
            tasks=tasks,
        )
        for key, label, tasks, target, text in METRICS
    ]


def _seed(text: str) -> ParamSpec:
    return ParamSpec(name="seed", kind=INT, default=0, minimum=0, maximum=2**32 - 1, help=text)


def _samples(default: int) -> ParamSpec:
    return ParamSpec(
        name="samples",
        kind=INT,
        default=default,
        minimum=10,
        maximum=1_000_000,
        help="How many samples are made.",
    )


def _noise(
    default: float, text: str = "How far points stray: the standard deviation."
) -> ParamSpec:
    return ParamSpec(
        name="noise", kind=FLOAT, default=default, minimum=0.0, maximum=100.0, help=text
    )


_DRAW = _seed("The seed of the random numbers: the same seed makes the same samples.")
_CLASSES = ParamSpec(
    name="classes", kind=INT, default=3, minimum=2, maximum=100, help="How many classes."
)
MADE: tuple[tuple[str, str, tuple[str, ...], str, tuple[ParamSpec, ...]], ...] = (
    ("spiral", "Spiral", CLASSES, "Arms of a spiral in the plane, one a class.",
     (_samples(600), _CLASSES,
      ParamSpec(name="turns", kind=FLOAT, default=0.75, minimum=0.0, maximum=20.0,
                help="How often each arm goes round."),
      _noise(0.2, "How far points stray from the arm: the standard deviation of the angle, in"
             " radians."), _DRAW)),
    ("moons", "Two moons", BOTH, "Two half circles that reach into each other.",
     (_samples(400), _noise(0.1), _DRAW)),
    ("circles", "Circles", BOTH, "A circle and a smaller one within it.",
     (_samples(400), _noise(0.08),
      ParamSpec(name="factor", kind=FLOAT, default=0.5, minimum=0.0, maximum=1.0,
                exclusive_maximum=True, help="The inner circle's width over the outer one's."),
      _DRAW)),
    ("blobs", "Blobs", CLASSES, "Round clouds of points, one a class.",
     (_samples(400), _CLASSES, _noise(0.2), _DRAW)),
    ("sin", "Noisy sine", REGRESSION, "A noisy sine, told by powers of x.",
     (_samples(100), _noise(0.05),
      ParamSpec(name="degree", kind=INT, default=4, minimum=1, maximum=20,
                help="The highest power of x among the features: x, x², x³ and so on."),
      _DRAW)),
    ("random_regression", "Random numbers", REGRESSION,
     "Random inputs and random targets: can a network learn them by heart?",
     (_samples(64),
      ParamSpec(name="features", kind=INT, default=1000, minimum=1, maximum=100_000,
                help="How many numbers go in."),
      ParamSpec(name="outputs", kind=INT, default=10, minimum=1, maximum=10_000,
                help="How many numbers come out."),
      _DRAW)),
    ("sentences", "Sentences", BOTH,
     "Short English sentences about a few topics, made by a small grammar.",
     (replace(_samples(1200), maximum=20_000),
      ParamSpec(name="length", kind=INT, default=16, minimum=1, maximum=100,
                help="How many words of a sentence are read: longer ones are cut, shorter ones"
                " filled up with <pad>."),
      replace(_CLASSES, default=4, maximum=6,
              help="How many topics: weather, food, sport, travel, music and money."),
      replace(_noise(0.0, "The share of sentences that have the label of another topic."),
              maximum=1.0),
      _DRAW)),
    ("random", "Random samples", ("classification", "binary", "regression"),
     "Random images, vectors or sequences of any shape, with a pattern in them to learn.",
     (_samples(600),
      ParamSpec(name="kind", kind=CHOICE, default="image", choices=("image", "vector", "sequence"),
                help="What goes in: images, rows of numbers, or sequences of word numbers."),
      ParamSpec(name="shape", kind=ParamKind.SHAPE, default=(1, 28, 28), minimum=1,
                maximum=100_000, help="The shape of a sample: channels, height and width of an"
                " image, the length of a vector or of a sequence."),
      ParamSpec(name="target", kind=CHOICE, default="classes", choices=("classes", "numbers"),
                help="What is to be told: which class a sample is of, or numbers."),
      ParamSpec(name="classes", kind=INT, default=10, minimum=2, maximum=10_000,
                help="How many classes, where the target is classes."),
      ParamSpec(name="outputs", kind=INT, default=1, minimum=1, maximum=10_000,
                help="How many numbers come out, where the target is numbers."),
      ParamSpec(name="vocabulary", kind=INT, default=1000, minimum=2, maximum=1_000_000,
                help="How many different words there are, where sequences go in."),
      _DRAW)),
)  # fmt: skip


def data_entries() -> list[Entry]:
    """Return the data sources: real ones that ship with a library, then made ones."""
    real = [
        Entry(
            key=key,
            group=EntryGroup.DATA,
            category="Real data",
            label=label,
            summary=text,
            doc=f"{text}\n\n{credit}\n",
            tasks=tasks,
        )
        for key, label, tasks, text, credit in BUNDLED
    ]
    made = [
        Entry(
            key=key,
            group=EntryGroup.DATA,
            category="Made data",
            label=label,
            summary=text,
            doc=f"{text}\n",
            params=params,
            tasks=tasks,
        )
        for key, label, tasks, text, params in MADE
    ]
    return real + made


def _setting(name: str, kind: ParamKind, label: str, text: str, **fields: Any) -> ParamSpec:
    return ParamSpec(name=name, kind=kind, label=label, help=text, **fields)


def setting_entries() -> list[Entry]:
    """Return the plain fields of the run specification, a struct an entry."""
    sections = (
        ("run", "Run", "How long, where and how a run computes.", _run()),
        ("data", "Batches", "How samples become batches.", _data()),
        ("split", "Split", "How samples are dealt out to the parts.", _split()),
        ("clip", "Gradient clipping", "A limit for gradients that grow too large.", _clip()),
        ("checkpoint", "Checkpoints", "When the state is saved and what is kept.", _checkpoint()),
        (
            "watch",
            "Watching",
            "What a run looks at by itself, and how much that may cost.",
            _watch(),
        ),
        ("compute", "Precision and speed", "How exactly and how fast a run computes.", _compute()),
        (
            "processes",
            "Several processes",
            "How the processes of a run in the modes ddp and fsdp work together.",
            _processes(),
        ),
        ("loss_term", "Loss term", "One summand of the loss.", _loss_term()),
        ("group", "Parameter group", "Parameters with settings of their own.", _group()),
    )
    return [
        Entry(key=key, group=EntryGroup.SETTING, category="Run", label=label, summary=text,
              params=params)
        for key, label, text, params in sections
    ]  # fmt: skip


def _run() -> tuple[ParamSpec, ...]:
    return (
        _setting("epochs", INT, "Epochs", "How often the run goes through the training part.",
                 default=10, minimum=1, maximum=1_000_000),
        _setting("seed", INT, "Seed", "Decides first weights, order of samples and dropout: the"
                 " same seed gives the same run.", default=0, minimum=0, maximum=2**32 - 1),
        _setting("device", ParamKind.STR, "Device", "Where the run computes: auto, cpu, cuda,"
                 " cuda:1 or mps. auto takes a GPU if there is one.", default="auto",
                 choices=("auto", "cpu", "cuda", "mps")),
        _setting("mode", CHOICE, "Process", "A run in a process of its own leaves the window free"
                 " and goes on without it; in a thread it can be watched by a debugger; ddp trains"
                 " in several processes (DistributedDataParallel), on several GPUs where there"
                 " are; fsdp does so with a part of the weights in each (fully_shard), for models"
                 " that are too large for one GPU; dp (DataParallel) splits each batch over the"
                 " GPUs in one process, for the lesson.",
                 default="process", choices=("process", "thread", "ddp", "fsdp", "dp"),
                 advanced=True),
        _setting("nproc", INT, "Processes", "How many processes train together in ddp and fsdp,"
                 " each with its share of every batch; with GPUs, one for each.", default=2,
                 minimum=1, maximum=64, advanced=True),
        _setting("threads", INT, "CPU threads", "How many processor cores the run uses; 0 takes"
                 " all but one.", default=0, minimum=0, maximum=1024, advanced=True),
        _setting("deterministic", BOOL, "Deterministic", "Only algorithms that give the same"
                 " result every time; a little slower on GPUs.", default=True, advanced=True),
        _setting("scheduler_interval", CHOICE, "Schedule by", "When the scheduler changes the"
                 " learning rate: after every epoch or after every step (batch).",
                 default="epoch", choices=("epoch", "step")),
        _setting("weights", ParamKind.STR, "Start from weights", "A safetensors file of the"
                 " project, such as weights/imported.safetensors. Weights whose name and shape are"
                 " in the model are taken, all others begin at random. Empty: all at random.",
                 default=""),
        _setting("metrics", ParamKind.STR, "Metrics", "What is measured besides the loss; auto"
                 " chooses by the task.", default="auto"),
    )  # fmt: skip


def _processes() -> tuple[ParamSpec, ...]:
    return (
        _setting("scale_rate", BOOL, "Scale learning rate", "Multiply the learning rate by the"
                 " number of processes (linear scaling rule): for when the batch size was"
                 " multiplied by it too. The batch size is that of all processes together.",
                 default=False, advanced=True),
        _setting("sync_norms", BOOL, "Synchronize batch norms", "Batch norms take their statistics"
                 " over the batch of all processes (SyncBatchNorm) instead of each over its own"
                 " share: for small shares. On GPUs only.", default=False, advanced=True),
        _setting("max_restarts", INT, "Restarts", "How often all processes are started again, from"
                 " the last checkpoint, when one of them is killed, crashes or hangs.", default=3,
                 minimum=0, maximum=100, advanced=True),
        _setting("timeout_s", FLOAT, "Timeout", "How long the processes wait for one that does not"
                 " take part in a step before it counts as hung.", default=600.0,
                 minimum=1, maximum=86_400, unit="s", advanced=True),
        _setting("nnodes", INT, "Machines", "On how many machines the run is started, each with"
                 " that many processes. The commands for them: Run, Several machines.", default=1,
                 minimum=1, maximum=1024, advanced=True),
    )  # fmt: skip


def _data() -> tuple[ParamSpec, ...]:
    return (
        _setting("batch_size", INT, "Batch size", "How many samples go through the model at once."
                 " Larger batches are faster and take more memory.", default=32, minimum=1,
                 maximum=1_000_000, unit="samples"),
        _setting("shuffle", BOOL, "Shuffle", "Deal out the training samples in a new order every"
                 " epoch.", default=True),
        _setting("drop_last", BOOL, "Drop last batch", "Leave out the last batch of an epoch when"
                 " it is smaller than the others.", default=False, advanced=True),
        _setting("normalization", CHOICE, "Normalization", "standard: mean 0 and deviation 1;"
                 " minmax: from 0 to 1. Measured on the training part only.", default="none",
                 choices=("none", "standard", "minmax")),
    )  # fmt: skip


def _split() -> tuple[ParamSpec, ...]:
    share = {"minimum": 0.0, "maximum": 1.0}
    return (
        _setting("train", FLOAT, "Training part", "The share of the samples the model learns from."
                 " The three shares sum to 1.", default=0.7, exclusive_minimum=True, **share),
        _setting("validation", FLOAT, "Validation part", "The share that is measured while the"
                 " model learns, to choose the best moment.", default=0.15, **share),
        _setting("test", FLOAT, "Test part", "The share that is kept for the end.", default=0.15,
                 **share),
        _setting("seed", INT, "Split seed", "Decides which sample goes into which part.",
                 default=0, minimum=0, maximum=2**32 - 1, advanced=True),
        _setting("group_equal", BOOL, "Keep equal samples together", "Samples that are equal in all"
                 " fields go to the same part: none that the model learned from is in a part that"
                 " it is measured on.", default=False, advanced=True),
    )  # fmt: skip


def _clip() -> tuple[ParamSpec, ...]:
    return (
        _setting("kind", CHOICE, "Clip gradients", "norm shortens all gradients together, value"
                 " cuts each element, none leaves them.", default="none",
                 choices=("none", "norm", "value")),
        _setting("limit", FLOAT, "Clipping limit", "The largest norm, or the largest size of an"
                 " element.", default=1.0, minimum=0.0, exclusive_minimum=True, maximum=1e9),
    )  # fmt: skip


def _checkpoint() -> tuple[ParamSpec, ...]:
    return (
        _setting("every_epochs", INT, "Every epochs", "A checkpoint at the end of every so many"
                 " epochs.", default=1, minimum=1, maximum=1_000_000),
        _setting("every_steps", INT, "Every steps", "Also a checkpoint every so many steps; 0:"
                 " none.", default=0, minimum=0, maximum=1_000_000_000),
        _setting("keep_last", INT, "Keep last", "How many checkpoints are kept besides the best.",
                 default=2, minimum=2, maximum=100_000),
        _setting("monitor", ParamKind.STR, "Monitor", "The value that decides which checkpoint is"
                 " the best.", default="validation.loss"),
        _setting("mode", CHOICE, "Best is", "Whether the smallest or the largest value is best.",
                 default="min", choices=("min", "max")),
    )  # fmt: skip


def _watch() -> tuple[ParamSpec, ...]:
    return (
        _setting("statistics", BOOL, "Layer statistics", "Record how weights, gradients, updates"
                 " and activations of every layer are spread. It changes no number of the run.",
                 default=True),
        _setting("every_steps", INT, "Statistics every", "At most every so many steps, and at most"
                 " four times a second.", default=10, minimum=1, maximum=1_000_000, unit="steps",
                 advanced=True),
        _setting("limit", FLOAT, "Cost limit", "The largest share of the time that watching may"
                 " take; above it statistics are taken less often. 0.03 is 3 %.", default=0.03,
                 minimum=0.0, exclusive_minimum=True, maximum=1.0, advanced=True),
    )  # fmt: skip


def _compute() -> tuple[ParamSpec, ...]:
    return (
        _setting("precision", CHOICE, "Precision", "The type of the numbers (dtype). float32 is"
                 " PyTorch's own default and works everywhere. float64 is what"
                 " torch.set_default_dtype(torch.float64) stands for: weights, data and loss in 64"
                 " bits, slower and twice the memory, not on MPS. float16 and bfloat16 are"
                 " automatic mixed precision (torch.autocast): matrix products and convolutions in"
                 " 16 bits, the rest and the weights in 32. float16 scales the loss (GradScaler),"
                 " so that small gradients do not become zero; bfloat16 needs no scaling.",
                 default="float32", choices=("float32", "float64", "float16", "bfloat16")),
        _setting("compile", BOOL, "Compile", "torch.compile turns the model into faster code. The"
                 " first steps take long; needs a C++ compiler on this machine. Steps that are"
                 " looked into (statistics, Inspect) go the ordinary way.", default=False),
        _setting("channels_last", BOOL, "Channels last", "Store images and convolutions with the"
                 " channel as the innermost axis (torch.channels_last): faster for many"
                 " convolutional networks, above all in 16 bits.", default=False),
        _setting("tf32", BOOL, "TF32", "On NVIDIA GPUs from Ampere on, multiply float32 numbers"
                 " with 10 bits behind the point: faster, a little less exact. Off: as PyTorch has"
                 " it (convolutions may use it, matrix products do not).", default=False,
                 advanced=True),
        _setting("cudnn_benchmark", BOOL, "cuDNN benchmark", "Try the ways of a convolution when a"
                 " size comes first and keep the fastest (torch.backends.cudnn.benchmark). Good for"
                 " sizes that stay the same; runs may differ in the last digits.", default=False,
                 advanced=True),
        _setting("pin_memory", BOOL, "Pinned memory", "Copy batches to the GPU from page-locked"
                 " memory, while it computes. Only for data too large to lie on the GPU whole.",
                 default=False, advanced=True),
        _setting("gpus", ParamKind.STR, "GPUs", "The GPUs that the run sees, by number, such as"
                 " 0,3; empty: all. Inside the run they are counted anew: 0,3 become cuda:0 and"
                 " cuda:1 (CUDA_VISIBLE_DEVICES).", default="", advanced=True),
        _setting("memory_limit", FLOAT, "Memory limit", "The share of a GPU's memory that the run"
                 " may take. More than that is an error of this run and leaves the rest to others.",
                 default=1.0, minimum=0.0, exclusive_minimum=True, maximum=1.0, advanced=True),
        _setting("placement", ParamKind.STR, "Parts on other devices", "Layers or blocks of the"
                 " model that are on another device than the rest (model parallelism), such as"
                 " encoder=cuda:0, head=cuda:1: for models too large for one GPU. What goes into a"
                 " part is copied to its device, and back what comes out.", default="",
                 advanced=True),
    )  # fmt: skip


def _loss_term() -> tuple[ParamSpec, ...]:
    return (
        _setting("weight", FLOAT, "Weight", "The loss is multiplied by this number before the"
                 " terms are added.", default=1.0, minimum=-1e9, maximum=1e9),
    )  # fmt: skip


def _group() -> tuple[ParamSpec, ...]:
    return (
        _setting("match", ParamKind.STR, "Parameters", "Which parameters the group has: beginnings"
                 " of their names, such as fc or layer4, or patterns such as *.bias, separated by"
                 " commas. A parameter is in the first group that names it.", default=""),
    )  # fmt: skip

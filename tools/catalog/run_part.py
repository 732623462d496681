"""Metrics, data sources and the settings of a run: described by hand."""

from msgspec.structs import replace

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec
from tools.catalog.data_setting import batch_settings, split_settings
from tools.catalog.file_part import PLAYS, file_entries
from tools.catalog.phase import phase_settings
from tools.catalog.setting import setting as _setting
from tools.catalog.table import table_entry
from tools.catalog.watch import watch_settings

INT, FLOAT, BOOL, CHOICE = ParamKind.INT, ParamKind.FLOAT, ParamKind.BOOL, ParamKind.CHOICE
BOTH = ("classification", "binary")
CLASSES = ("classification",)
REGRESSION = ("regression",)

BUNDLED: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    ("digits", "Handwritten digits", CLASSES,
     "1,797 handwritten digits, 0 to 9, as grayscale images.",
     ("UCI Optical Recognition of Handwritten Digits (E. Alpaydin, C. Kaynak, 1998; CC BY 4.0),"
      " the test part, as it ships with scikit-learn.")),
    ("iris", "Iris flowers", CLASSES,
     "150 flowers of three species with four lengths and widths each.",
     "R. A. Fisher, 1936, as it ships with scikit-learn."),
    ("wine", "Wine", CLASSES,
     "178 wines of three growers with 13 chemical measurements each.",
     "UCI Wine (S. Aeberhard, M. Forina, 1992; CC BY 4.0), as it ships with scikit-learn."),
    ("breast_cancer", "Breast cancer", ("binary", "classification"),
     "569 tumors, malignant or benign, with 30 measurements each.",
     ("UCI Breast Cancer Wisconsin Diagnostic (W. Wolberg, O. Mangasarian, N. Street, W. Street,"
      " 1995; CC BY 4.0), as it ships with scikit-learn.")),
    ("diabetes", "Diabetes", REGRESSION,
     "442 patients with ten measurements and the progression of the disease after one year.",
     ("B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least Angle Regression, 2004, as it ships"
      " with scikit-learn.")),
    ("shakespeare", "Shakespeare", CLASSES,
     "400,000 characters of Shakespeare's plays, to predict the next token.",
     "Public domain; ships with the program."),
)  # fmt: skip


def _seed(text: str) -> ParamSpec:
    return ParamSpec(name="seed", kind=INT, default=0, minimum=0, maximum=2**32 - 1, help=text)


def _samples(default: int) -> ParamSpec:
    return ParamSpec(
        name="samples",
        kind=INT,
        default=default,
        minimum=10,
        maximum=1_000_000,
        help="The number of samples.",
    )


def _noise(default: float, text: str = "The standard deviation of the noise.") -> ParamSpec:
    return ParamSpec(
        name="noise", kind=FLOAT, default=default, minimum=0.0, maximum=100.0, help=text
    )


_DRAW = _seed("The random seed. The same seed generates the same samples.")
_CLASSES = ParamSpec(
    name="classes", kind=INT, default=3, minimum=2, maximum=100, help="The number of classes."
)
_DIGITS = (
    ParamSpec(name="kind", kind=CHOICE, default="image", choices=("image", "vector"),
              help="The kind of input: images, or vectors of 20 numbers, the mean of each row, "
              "column and quarter."),
    ParamSpec(name="size", kind=INT, default=8, minimum=4, maximum=128,
              help="The height and width of the images in pixels. The scans have 8; "
              "other sizes are interpolated."),
    ParamSpec(name="mode", kind=CHOICE, default="gray", choices=("gray", "RGB"), label="Colors",
              help="gray: one channel. RGB: each digit in a color on a dark ground of another."),
)  # fmt: skip
_BUNDLED_PARAMS = {"digits": _DIGITS, "shakespeare": PLAYS}
MADE: tuple[tuple[str, str, tuple[str, ...], str, tuple[ParamSpec, ...]], ...] = (
    ("spiral", "Spiral", CLASSES, "Arms of a spiral in the plane, one per class.",
     (_samples(600), _CLASSES,
      ParamSpec(name="turns", kind=FLOAT, default=0.75, minimum=0.0, maximum=20.0,
                help="The number of turns of each arm."),
      _noise(0.2,
             "The noise around each arm: the standard deviation of the angle, in radians."),
      _DRAW)),
    ("moons", "Two moons", BOTH, "Two interleaving half circles.",
     (_samples(400), _noise(0.1), _DRAW)),
    ("circles", "Circles", BOTH, "A circle and a smaller one within it.",
     (_samples(400), _noise(0.08),
      ParamSpec(name="factor", kind=FLOAT, default=0.5, minimum=0.0, maximum=1.0,
                exclusive_maximum=True, help=
                "The diameter of the inner circle relative to the outer one."),
      _DRAW)),
    ("blobs", "Blobs", CLASSES, "Round clusters of points, one per class.",
     (_samples(400), _CLASSES, _noise(0.2), _DRAW)),
    ("sin", "Noisy sine", REGRESSION, "A noisy sine with powers of x as features.",
     (_samples(100), _noise(0.05),
      ParamSpec(name="degree", kind=INT, default=4, minimum=1, maximum=20,
                help="The highest power of x among the features: x, x², x³ and so on."),
      _DRAW)),
    ("random_regression", "Random numbers", REGRESSION,
     "Random inputs and random targets: can a network memorize them?",
     (_samples(64),
      ParamSpec(name="features", kind=INT, default=1000, minimum=1, maximum=100_000,
                help="The number of inputs."),
      ParamSpec(name="outputs", kind=INT, default=10, minimum=1, maximum=10_000,
                help="The number of outputs."),
      _DRAW)),
    ("sentences", "Sentences", BOTH,
     "Short English sentences about a few topics, generated by a small grammar.",
     (replace(_samples(1200), maximum=20_000),
      ParamSpec(name="length", kind=INT, default=16, minimum=1, maximum=100,
                help=
                "The number of words per sentence. Longer sentences are truncated, shorter ones "
                "padded with <pad>."),
      replace(_CLASSES, default=4, maximum=6,
              help="The number of topics: weather, food, sport, travel, music and money."),
      replace(_noise(0.0, "The fraction of sentences with the label of another topic."),
              maximum=1.0),
      _DRAW)),
    ("shapes", "Drawn shapes", CLASSES,
     "Color images of ten shapes, generated: one to classify, several to segment or to detect.",
     (replace(_samples(2000), maximum=100_000),
      ParamSpec(name="size", kind=INT, default=32, minimum=8, maximum=512,
                help="The height and width of the images in pixels."),
      ParamSpec(name="target", kind=CHOICE, default="class",
                choices=("class", "mask", "boxes"),
                help="What to predict: the shape in an image, the shape at each pixel, or a box "
                "around each of up to four shapes."),
      replace(_CLASSES, default=10, maximum=10,
              help="The number of shapes: circle, square, triangle, star, ring, cross, crescent, "
              "bar, half disk and heart."),
      replace(_noise(0.03, "The standard deviation of the noise of each pixel, from 0 to 1."),
              maximum=1.0),
      _DRAW)),
    ("phrases", "English and French phrases", CLASSES,
     "Short phrases with their translation, generated by a small grammar: the next word in French.",
     (replace(_samples(6000), maximum=200_000),
      ParamSpec(name="length", kind=INT, default=10, minimum=1, maximum=100,
                help="The number of English words per phrase. Longer phrases are truncated, "
                "shorter ones padded with <pad>."),
      _DRAW)),
    ("random", "Random samples", ("classification", "binary", "regression"),
     "Random images, vectors or sequences of any shape that contain a pattern to learn.",
     (_samples(600),
      ParamSpec(name="kind", kind=CHOICE, default="image", choices=("image", "vector", "sequence"),
                help="The kind of input: images, vectors, or sequences of word indices."),
      ParamSpec(name="shape", kind=ParamKind.SHAPE, default=(1, 28, 28), minimum=1,
                maximum=100_000, help="The shape of a sample: channels, height and width of an"
                " image, the length of a vector or of a sequence."),
      ParamSpec(name="target", kind=CHOICE, default="classes", choices=("classes", "numbers"),
                help="What to predict: the class of a sample, or numbers."),
      ParamSpec(name="classes", kind=INT, default=10, minimum=2, maximum=10_000,
                help="The number of classes, if the target is a class."),
      ParamSpec(name="outputs", kind=INT, default=1, minimum=1, maximum=10_000,
                help="The number of outputs, if the target is numbers."),
      ParamSpec(name="vocabulary", kind=INT, default=1000, minimum=2, maximum=1_000_000,
                help="The vocabulary size, if the input is a sequence."),
      _DRAW)),
)  # fmt: skip


def data_entries() -> list[Entry]:
    """Return the data sources: the user's, real ones that ship with a library, then made ones."""
    real = [
        Entry(
            key=key,
            group=EntryGroup.DATA,
            category="Real data",
            label=label,
            summary=text,
            doc=f"{text}\n\n{credit}\n",
            params=_BUNDLED_PARAMS.get(key, ()),
            tasks=tasks,
        )
        for key, label, tasks, text, credit in BUNDLED
    ]
    made = [
        Entry(
            key=key,
            group=EntryGroup.DATA,
            category="Generated data",
            label=label,
            summary=text,
            doc=f"{text}\n",
            params=params,
            tasks=tasks,
        )
        for key, label, tasks, text, params in MADE
    ]
    return [table_entry(), *file_entries(), *real, *made]


def setting_entries() -> list[Entry]:
    """Return the plain fields of the run specification, a struct an entry."""
    sections = (
        ("run", "Run", "How long, where and how a run computes.", _run()),
        ("data", "Batches", "How samples become batches.", batch_settings()),
        (
            "split",
            "Split",
            "How samples are divided into training, validation and test sets.",
            split_settings(),
        ),
        ("loader", "Reading", "How batches are read during training.", _loader()),
        ("clip", "Gradient clipping", "A limit for large gradients.", _clip()),
        (
            "checkpoint",
            "Checkpoints",
            "When checkpoints are saved and which are kept.",
            _checkpoint(),
        ),
        ("watch", "Monitoring", "What a run monitors, and the maximum overhead.", watch_settings()),
        ("compute", "Precision and speed", "Numerical precision and speed of a run.", _compute()),
        (
            "processes",
            "Several processes",
            "How the processes of a run work together in ddp and fsdp mode.",
            _processes(),
        ),
        ("loss_term", "Loss term", "One term of the loss.", _loss_term()),
        ("group", "Parameter group", "Parameters with their own settings.", _group()),
        ("phase", "Phase", "What an optimizer trains, and when.", phase_settings()),
        ("schedule", "Further schedule", "Another scheduler beside the first.", _schedule()),
    )
    return [
        Entry(key=key, group=EntryGroup.SETTING, category="Run", label=label, summary=text,
              params=params)
        for key, label, text, params in sections
    ]  # fmt: skip


def _length() -> tuple[ParamSpec, ...]:
    return (
        _setting("length", CHOICE, "Length",
                 "What the run ends by: a number of epochs, of steps of the optimizer, or minutes "
                 "of training. It may end in the middle of an epoch.",
                 default="epochs", choices=("epochs", "steps", "minutes")),
        _setting("epochs", INT, "Epochs", "The number of passes over the training set.",
                 default=10, minimum=1, maximum=1_000_000, when="length=epochs"),
        _setting("steps", INT, "Steps", "The number of steps that the optimizer takes.",
                 default=1_000, minimum=1, maximum=1_000_000_000, when="length=steps"),
        _setting("minutes", FLOAT, "Minutes",
                 "How long to train, in minutes. Pauses do not count; after a resume the time goes "
                 "on where it was.",
                 default=10.0, minimum=0.0, exclusive_minimum=True, maximum=525_600.0,
                 unit="min", when="length=minutes"),
        _setting("validate_every", INT, "Validate every",
                 "Also validate after this many steps, for long epochs; 0 validates at the end of "
                 "each epoch only. The best checkpoint takes these values into account; early "
                 "stopping and schedules go by epochs.",
                 default=0, minimum=0, maximum=1_000_000_000, unit="steps", advanced=True),
    )  # fmt: skip


def _run() -> tuple[ParamSpec, ...]:
    return (
        *_length(),
        _setting("seed", INT, "Seed",
                 "Determines initial weights, the order of samples and dropout. The same seed "
                 "gives the same run.", default=0, minimum=0, maximum=2**32 - 1),
        _setting("device", ParamKind.STR, "Device",
                 "The device of the run: auto, cpu, cuda, cuda:1 or mps. auto uses a GPU if "
                 "available.", default="auto",
                 choices=("auto", "cpu", "cuda", "mps")),
        _setting("mode", CHOICE, "Process",
                 "process trains in a separate process, which keeps the window responsive and "
                 "continues without it; thread allows you to attach a Python debugger; ddp "
                 "trains in several processes (DistributedDataParallel), on several GPUs if "
                 "available; fsdp does so with a shard of the weights in each process "
                 "(fully_shard), for models that are too large for one GPU; dp (DataParallel) "
                 "splits each batch across the GPUs of one process, for learning.",
                 default="process", choices=("process", "thread", "ddp", "fsdp", "dp"),
                 advanced=True),
        _setting("nproc", INT, "Processes",
                 "The number of processes in ddp and fsdp mode, each with its share of every "
                 "batch. With GPUs, use one process per GPU.", default=2,
                 minimum=1, maximum=64, advanced=True),
        _setting("threads", INT, "CPU threads",
                 "The number of CPU cores that the run uses. 0 uses all but one.",
                 default=0, minimum=0, maximum=1024, advanced=True),
        _setting("deterministic", BOOL, "Deterministic",
                 "Only use deterministic algorithms. A little slower on GPUs.",
                 default=True, advanced=True),
        _non_finite(),
        _setting("scheduler_interval", CHOICE, "Schedule by", "When the scheduler changes the"
                 " learning rate: after every epoch or after every step (batch).",
                 default="epoch", choices=("epoch", "step")),
        _setting("schedule_order", CHOICE, "Several schedules", "series: one takes the place of "
                 "the one before it, at its start (SequentialLR). chained: all change the learning "
                 "rate together, their factors multiply (ChainedScheduler).",
                 default="series", choices=("series", "chained")),
        _setting("weights", ParamKind.STR, "Start from weights",
                 "A safetensors file of the project, such as weights/imported.safetensors. "
                 "Weights with a matching name and shape are loaded, all others are initialized "
                 "randomly. Leave empty to initialize all weights.",
                 default=""),
        _setting("metrics", ParamKind.STR, "Metrics",
                 "What to measure besides the loss. auto chooses by task.", default="auto"),
    )  # fmt: skip


def _non_finite() -> ParamSpec:
    return _setting(
        "non_finite",
        CHOICE,
        "If not finite",
        "What follows a step whose loss or gradients are NaN or infinite. stop ends the run and "
        "names the first layer with such values; the last checkpoint is kept. skip leaves the step "
        "out: weights, optimizer and schedule stay as they were, and the next batch follows. After "
        "20 such steps in a row, or if a weight is not finite, the run ends. roll_back goes back "
        "to the last checkpoint and halves the learning rate, at most 5 times in a run. On a GPU, "
        "skip and roll_back read the loss in every step, which takes some time.",
        default="stop",
        choices=("stop", "skip", "roll_back"),
    )


def _processes() -> tuple[ParamSpec, ...]:
    return (
        _setting("scale_rate", BOOL, "Scale learning rate",
                 "Multiply the learning rate by the number of processes (linear scaling rule). "
                 "Use it if you multiplied the batch size by that number too. The batch size is "
                 "the total over all processes.",
                 default=False, advanced=True),
        _setting("sync_norms", BOOL, "Synchronize batch norms",
                 "Compute the statistics of batch norms over the batch of all processes "
                 "(SyncBatchNorm) instead of each share. For small shares, on GPUs only.",
                 default=False, advanced=True),
        _setting("max_restarts", INT, "Restarts",
                 "How often all processes restart from the last checkpoint if one of them is "
                 "killed, crashes or hangs.", default=3,
                 minimum=0, maximum=100, advanced=True),
        _setting("timeout_s", FLOAT, "Timeout",
                 "How long the processes wait for one that does not respond before it is "
                 "considered hung.", default=600.0,
                 minimum=1, maximum=86_400, unit="s", advanced=True),
        _setting("nnodes", INT, "Machines",
                 "The number of machines of the run, each with that many processes. For the "
                 "commands, see Run, Several machines.", default=1,
                 minimum=1, maximum=1024, advanced=True),
    )  # fmt: skip


def _loader() -> tuple[ParamSpec, ...]:
    return (
        _setting("num_workers", INT, "Workers",
                 "The number of processes that read and transform samples while the model trains "
                 "(num_workers of DataLoader). 0: the training process does it itself, which is "
                 "best for data in memory. This does not affect the results of the run.",
                 default=0, minimum=0, maximum=256),
        _setting("prefetch_factor", INT, "Prefetch",
                 "How many batches each worker reads ahead. More needs more memory.",
                 default=2, minimum=1, maximum=1_000, unit="batches", advanced=True),
        _setting("timeout_s", FLOAT, "Worker timeout",
                 "How long the run waits for a batch of a worker before it stops with an error; "
                 "0 waits forever. Useful for network folders that can hang.", default=0.0,
                 minimum=0.0, maximum=86_400, unit="s", advanced=True),
        _setting("persistent_workers", BOOL, "Keep workers",
                 "Keep the worker processes from one epoch to the next (persistent_workers of "
                 "DataLoader). Switched off, they end after each epoch and start again, which "
                 "frees their memory in between but delays each epoch.", default=True,
                 when="num_workers!=0", advanced=True),
        _setting("multiprocessing_context", CHOICE, "Start of workers",
                 "How worker processes start (multiprocessing_context of DataLoader). fork is "
                 "the fastest, but copies what is open; spawn starts anew, as libraries with "
                 "threads of their own may need; forkserver forks a clean process. auto: fork on "
                 "Linux, else as PyTorch does.", default="auto",
                 choices=("auto", "fork", "forkserver", "spawn"), when="num_workers!=0",
                 advanced=True),
        _setting("worker_init_fn", CHOICE, "Worker function",
                 "A function in the project's code that each worker process calls once with its "
                 "number, from 0, before it reads (worker_init_fn of DataLoader): to open a "
                 "database, say, or to set the threads of a library. Functions with worker_init "
                 "in their name are offered. Random numbers need none: they follow from seed, "
                 "epoch and sample.", default="none", choices=("none",),
                 when="num_workers!=0", advanced=True),
    )  # fmt: skip


def _clip() -> tuple[ParamSpec, ...]:
    return (
        _setting("kind", CHOICE, "Clip gradients",
                 "norm scales all gradients together, value limits each element, none leaves "
                 "them unchanged.", default="none",
                 choices=("none", "norm", "value")),
        _setting("limit", FLOAT, "Clipping limit",
                 "The maximum norm, or the maximum absolute value of an element.",
                 default=1.0, minimum=0.0, exclusive_minimum=True, maximum=1e9),
    )  # fmt: skip


def _checkpoint() -> tuple[ParamSpec, ...]:
    return (
        _setting("every_epochs", INT, "Every epochs",
                 "Save a checkpoint after this many epochs.",
                 default=1, minimum=1, maximum=1_000_000),
        _setting("every_steps", INT, "Every steps",
                 "Also save a checkpoint after this many steps; 0 for none.",
                 default=0, minimum=0, maximum=1_000_000_000),
        _setting("keep_last", INT, "Keep last",
                 "The number of checkpoints to keep besides the best.",
                 default=2, minimum=2, maximum=100_000),
        _setting("monitor", ParamKind.STR, "Monitor",
                 "The value that determines the best checkpoint.", default="validation.loss"),
        _setting("mode", CHOICE, "Best is", "Whether the smallest or the largest value is best.",
                 default="min", choices=("min", "max")),
    )  # fmt: skip


def _compute() -> tuple[ParamSpec, ...]:
    return (
        _setting("precision", CHOICE, "Precision",
                 "The dtype. float32 is PyTorch's default and works everywhere. float64 is like "
                 "torch.set_default_dtype(torch.float64): weights, data and loss in 64 bits, "
                 "slower and with twice the memory, not on MPS. float16 and bfloat16 are "
                 "automatic mixed precision (torch.autocast): matrix products and convolutions "
                 "in 16 bits, the rest and the weights in 32. float16 scales the loss "
                 "(GradScaler) so that small gradients do not underflow; bfloat16 needs no "
                 "scaling.",
                 default="float32", choices=("float32", "float64", "float16", "bfloat16")),
        _setting("compile", BOOL, "Compile",
                 "torch.compile generates faster code for the model. The first steps take long, "
                 "and it needs a C++ compiler. Monitored steps (statistics, Inspect) are not "
                 "compiled.", default=False),
        _setting("channels_last", BOOL, "Channels last",
                 "Store images and convolution weights with channels as the innermost axis "
                 "(torch.channels_last). Faster for many convolutional networks, especially in "
                 "16 bits.", default=False),
        _setting("tf32", BOOL, "TF32",
                 "On NVIDIA GPUs since Ampere, multiply float32 numbers with a 10-bit mantissa: "
                 "faster, but slightly less precise. Off: PyTorch's default (allowed for "
                 "convolutions, not for matrix products).", default=False,
                 advanced=True),
        _setting("cudnn_benchmark", BOOL, "cuDNN benchmark",
                 "Benchmark convolution algorithms for each new size and use the fastest "
                 "(torch.backends.cudnn.benchmark). Useful for constant sizes; runs can differ "
                 "in the last digits.", default=False,
                 advanced=True),
        _setting("pin_memory", BOOL, "Pinned memory",
                 "Copy batches to the GPU from page-locked memory during computation. Only for "
                 "data that does not fit on the GPU.",
                 default=False, advanced=True),
        _setting("gpus", ParamKind.STR, "GPUs",
                 "The GPUs that the run can see, by number, such as 0,3. Leave empty for all. In "
                 "the run they are renumbered: 0,3 become cuda:0 and cuda:1 "
                 "(CUDA_VISIBLE_DEVICES).", default="", advanced=True),
        _setting("memory_limit", FLOAT, "Memory limit",
                 "The fraction of a GPU's memory that the run may use. If the run needs more, it "
                 "fails and leaves the rest to other programs.",
                 default=1.0, minimum=0.0, exclusive_minimum=True, maximum=1.0, advanced=True),
        _setting("placement", ParamKind.STR, "Parts on other devices",
                 "Layers or blocks of the model to place on other devices (model parallelism), "
                 "such as encoder=cuda:0, head=cuda:1. For models too large for one GPU. Inputs "
                 "of a part are copied to its device, and its outputs are copied back.", default="",
                 advanced=True),
    )  # fmt: skip


def _loss_term() -> tuple[ParamSpec, ...]:
    return (
        _setting("weight", FLOAT, "Weight",
                 "The factor of this term in the total loss.",
                 default=1.0, minimum=-1e9, maximum=1e9),
    )  # fmt: skip


def _schedule() -> tuple[ParamSpec, ...]:
    return (
        _setting("start", INT, "Starts after",
                 "After how many epochs (or steps) of the run this scheduler takes the place of "
                 "the one before it (in series).",
                 default=0, minimum=0, maximum=1_000_000_000),
    )  # fmt: skip


def _group() -> tuple[ParamSpec, ...]:
    return (
        _setting("match", ParamKind.STR, "Parameters",
                 "The parameters of the group: name prefixes such as fc or layer4, or patterns "
                 "such as *.bias, separated by commas. A parameter belongs to the first group "
                 "that matches.", default=""),
    )  # fmt: skip

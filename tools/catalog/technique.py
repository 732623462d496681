"""Settings of the techniques of training: described by hand."""

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec
from tools.catalog.setting import setting

INT, FLOAT, BOOL, CHOICE = ParamKind.INT, ParamKind.FLOAT, ParamKind.BOOL, ParamKind.CHOICE


def technique_entries() -> list[Entry]:
    """Return an entry for each technique, with the name of its settings in a specification."""
    return [
        Entry(key=key, group=EntryGroup.SETTING, category="Run", label=label, summary=summary,
              params=params)
        for key, label, summary, params in (*_sections(), _evaluation())
    ]  # fmt: skip


def _sections() -> tuple[tuple[str, str, str, tuple[ParamSpec, ...]], ...]:
    """Return key, label, summary and settings of each technique, in the order of the form."""
    return (
        (
            "no_decay",
            "Weight decay by kind",
            "Weights that the optimizer's weight decay leaves alone.",
            _no_decay(),
        ),
        (
            "layer_rates",
            "Layer-wise learning rates",
            "Smaller learning rates for layers farther from the output.",
            _layer_rates(),
        ),
        ("unfreezing", "Unfreezing", "Parts that are trained from a later epoch.", _unfreezing()),
        (
            "accumulation",
            "Gradient accumulation",
            "Several batches for each update of the weights.",
            _accumulation(),
        ),
        (
            "averaging",
            "Weight averaging",
            "An average of the weights over the steps of training.",
            _averaging(),
        ),
        (
            "early_stopping",
            "Early stopping",
            "The end of a run once it no longer improves.",
            _early_stopping(),
        ),
        ("penalty", "Weight penalty", "L1 and L2 penalties of large weights.", _penalty()),
        (
            "gradient_noise",
            "Gradient noise",
            "Random noise that is added to the gradients.",
            _gradient_noise(),
        ),
        (
            "teacher_forcing",
            "Teacher forcing",
            "How often a model of texts reads true tokens in training.",
            _teacher_forcing(),
        ),
        ("distillation", "Distillation", "A trained model to learn from.", _distillation()),
        ("quantization", "Quantization-aware training", "Training for few bits.", _quantization()),
    )


def _evaluation() -> tuple[str, str, str, tuple[ParamSpec, ...]]:
    """Return the same of what is done once a model is trained."""
    summary = "Predictions that are means over several views of each sample."
    return "test_time", "Test-time augmentation", summary, _test_time()


def _no_decay() -> tuple[ParamSpec, ...]:
    return (
        setting("biases_and_norms", BOOL, "No decay: biases, norms",
                "Leave biases, the scales and shifts of normalization layers and all other "
                "parameters with one axis out of the optimizer's weight decay, as is common for "
                "transformers. They form parameter groups with weight decay 0.",
                default=False),
    )  # fmt: skip


def _layer_rates() -> tuple[ParamSpec, ...]:
    return (
        setting("decay", FLOAT, "Factor per layer",
                "Multiply the learning rate by this for each layer (or block) between a parameter "
                "and the output: the last layer has the full rate, the first the smallest. Useful "
                "to fine-tune pretrained weights; typical values are 0.65 to 0.95. 1: the same "
                "rate everywhere.",
                default=1.0, minimum=0.0, exclusive_minimum=True, maximum=1.0),
    )  # fmt: skip


def _unfreezing() -> tuple[ParamSpec, ...]:
    return (
        setting("schedule", ParamKind.STR, "Unfreeze at epoch",
                "Layers, blocks or parameters, each with the epoch from which it is trained: "
                "encoder=3, *.bias=2. Until then they stay as they are. This includes layers with "
                "a padlock on the canvas. Counted from 1. Empty: all are trained from the start.",
                default=""),
    )  # fmt: skip


def _accumulation() -> tuple[ParamSpec, ...]:
    return (
        setting("batches", INT, "Batches per step",
                "Update the weights once for this many batches, by the gradient of all their "
                "samples: the effect of a batch so many times as large, in the memory of one. "
                "The last step of an epoch takes the batches that are left.",
                default=1, minimum=1, maximum=100_000, unit="batches"),
    )  # fmt: skip


def _averaging() -> tuple[ParamSpec, ...]:
    return (
        setting("kind", CHOICE, "Average weights",
                "ema: keep an exponential moving average of the weights. It is often better than "
                "the weights of any single step, above all with noisy steps. "
                "swa: average the weights after each epoch toward the end of training, at a "
                "learning rate that stays high.",
                default="none", choices=("none", "ema", "swa")),
        setting("decay", FLOAT, "Decay",
                "How much of the average is kept in each step. It looks back over about "
                "1 / (1 - decay) steps: 0.999 for about 1,000. Choose less for short runs.",
                default=0.999, minimum=0.0, maximum=1.0, exclusive_maximum=True, when="kind=ema"),
        setting("start", INT, "Average after",
                "Begin to average after this many epochs, commonly three quarters of all.",
                default=5, minimum=0, maximum=100_000, unit="epochs", when="kind=swa"),
        setting("swa_lr", FLOAT, "SWA learning rate",
                "The learning rate while weights are averaged, in place of the schedule: fairly "
                "high, so that epochs end in different places. With SGD commonly 0.01 to 0.05. "
                "0 keeps the schedule.",
                default=0.0, minimum=0.0, maximum=1e6, when="kind=swa"),
        setting("anneal_epochs", INT, "Annealing",
                "In how many epochs the learning rate changes to that of SWA, along a cosine.",
                default=10, minimum=0, maximum=100_000, unit="epochs", advanced=True,
                when="kind=swa,swa_lr"),
        setting("evaluate", BOOL, "Use the averaged weights",
                "Validate and test with the averaged weights; results, the playground, exports and "
                "all else that opens a checkpoint take them, too. Otherwise these use the weights "
                "that are trained, and the average is kept beside them.",
                default=True, when="kind=ema|swa"),
        setting("use_buffers", BOOL, "Average buffers too",
                "Average the running means and variances of batch normalization as well. "
                "Otherwise they are those of the model.",
                default=False, advanced=True, when="kind=ema|swa"),
    )  # fmt: skip


def _early_stopping() -> tuple[ParamSpec, ...]:
    return (
        setting("patience", INT, "Stop early after",
                "End the run after this many epochs in a row without improvement of the value that "
                "“Monitor” under Checkpoints names. The checkpoint of the best epoch is kept. "
                "0 trains all epochs.",
                default=0, minimum=0, maximum=100_000, unit="epochs"),
        setting("min_delta", FLOAT, "Smallest improvement",
                "Count an epoch as an improvement only if the value gets better by more than this.",
                default=0.0, minimum=0.0, maximum=1e9, when="patience"),
    )  # fmt: skip


def _penalty() -> tuple[ParamSpec, ...]:
    return (
        setting("l1", FLOAT, "L1 penalty",
                "Add this number times the sum of the absolute weights to the loss of each step: "
                "weights that matter little become almost zero. Typical values are 1e-6 to 1e-3. "
                "Curves show the loss without penalty.",
                default=0.0, minimum=0.0, maximum=1e6),
        setting("l2", FLOAT, "L2 penalty",
                "Add this number times the sum of the squared weights to the loss of each step: "
                "weights stay small. Typical values are 1e-6 to 1e-3. With AdamW, weight decay of "
                "the optimizer is the better choice.",
                default=0.0, minimum=0.0, maximum=1e6),
        setting("weights_only", BOOL, "Only weights",
                "Penalize parameters with two or more axes only: not biases, and not the scales "
                "and shifts of normalization layers.", default=True, advanced=True),
    )  # fmt: skip


def _gradient_noise() -> tuple[ParamSpec, ...]:
    return (
        setting("variance", FLOAT, "Noise variance",
                "The variance of the normal noise that is added to each gradient in the first "
                "step. "
                "Typical values are 0.01, 0.3 and 1. 0 adds none.",
                default=0.0, minimum=0.0, maximum=1e6),
        setting("decay", FLOAT, "Noise decay",
                "In step t the variance is divided by (1 + t) to this power.",
                default=0.55, minimum=0.0, maximum=10.0, advanced=True),
    )  # fmt: skip


def _teacher_forcing() -> tuple[ParamSpec, ...]:
    return (
        setting("ratio", FLOAT, "Teacher forcing",
                "How often a model that predicts each next token reads the true token before it. "
                "Otherwise it reads the one that it would have chosen itself, as it does when it "
                "writes alone (scheduled sampling). Costs a second forward pass below 1. "
                "1: always the true one.",
                default=1.0, minimum=0.0, maximum=1.0),
        setting("decay_steps", INT, "Steps to the final ratio",
                "Change the ratio in this many steps, along a line, to the final one: a model "
                "that knows little yet learns from true tokens first. 0: it stays.",
                default=0, minimum=0, maximum=1_000_000_000, unit="steps"),
        setting("final_ratio", FLOAT, "Final ratio",
                "How often the true token is read from then on.",
                default=0.5, minimum=0.0, maximum=1.0, when="decay_steps"),
    )  # fmt: skip


def _distillation() -> tuple[ParamSpec, ...]:
    return (
        setting("teacher", ParamKind.STR, "Teacher",
                "A trained model to learn from besides the targets: a run of this project "
                "(run-0003, run-0003:last) or a checkpoint file in its folder "
                "(teachers/large.ckpt). Outputs of the same name are matched. The run keeps a "
                "copy. Empty: none.",
                default=""),
        setting("temperature", FLOAT, "Temperature",
                "Divide the scores of both models by this before the softmax. More shows how "
                "the teacher ranks the wrong classes. Typical values are 2 to 5. Outputs that "
                "are numbers are not changed.",
                default=2.0, minimum=0.0, exclusive_minimum=True, maximum=1000.0, when="teacher"),
        setting("weight", FLOAT, "Share of the teacher",
                "How much of the loss is the distance to the teacher; the rest is that to the "
                "targets. 1 learns from the teacher alone. The chart shows both, each without its "
                "share.",
                default=0.5, minimum=0.0, maximum=1.0, when="teacher"),
    )  # fmt: skip


def _quantization() -> tuple[ParamSpec, ...]:
    return (
        setting("bits", INT, "Bits of weights",
                "Train with the weights of linear and convolution layers rounded to so many bits, "
                "so that the model stays good once it is stored in them: 8 for the int8 export, "
                "4 to 7 for less memory still. Gradients pass through the rounding. "
                "0: no rounding.",
                default=0, minimum=0, maximum=8),
        setting("activations", BOOL, "Round inputs too",
                "Round what these layers are given as well, to 8 bits over the range that each "
                "layer sees in training. Needed where the device computes in whole numbers.",
                default=True, when="bits"),
        setting("start", INT, "Round after",
                "Train so many epochs in exact numbers first; ranges are measured meanwhile.",
                default=0, minimum=0, maximum=100_000, unit="epochs", when="bits"),
        setting("freeze", INT, "Fix ranges after",
                "Keep the ranges of the inputs once so many epochs are trained. "
                "0: they follow the inputs to the end.",
                default=0, minimum=0, maximum=100_000, unit="epochs", when="bits,activations"),
        setting("skip", ParamKind.STR, "Leave out",
                "Layers or blocks that stay exact, by name or pattern: stem, head, encoder.*. "
                "Often the first and the last one. Empty: all are rounded.",
                default="", when="bits"),
        setting("rate", FLOAT, "Rate of ranges",
                "How far a range moves in each step toward what the layer was given in it. "
                "The first step sets it.",
                default=0.01, minimum=0.0, exclusive_minimum=True, maximum=1.0, advanced=True,
                when="bits,activations"),
    )  # fmt: skip


def _test_time() -> tuple[ParamSpec, ...]:
    return (
        setting("views", INT, "Views of each sample",
                "When the trained model is tested, evaluated or asked for predictions, its answer "
                "is the mean over so many views of each sample, the first being the sample itself. "
                "Metrics are shown with and without. 1: the sample alone.", default=1, minimum=1,
                maximum=256),
        setting("kind", CHOICE, "Kind of views",
                "training: draws of the random transforms of the training; flips: mirrored left to "
                "right, top to bottom, and both; crops: corners and centre of the picture, "
                "enlarged.", default="training", choices=("training", "flips", "crops"),
                when="views!=1"),
    )  # fmt: skip

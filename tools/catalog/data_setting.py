"""Settings of batches and of the split: described by hand."""

from engine.catalog.spec import ParamKind, ParamSpec
from tools.catalog.setting import setting

INT, FLOAT, BOOL, CHOICE = ParamKind.INT, ParamKind.FLOAT, ParamKind.BOOL, ParamKind.CHOICE


def batch_settings() -> tuple[ParamSpec, ...]:
    """Return the settings of batches: how many samples, which and in which order."""
    return (
        setting("batch_size", INT, "Batch size",
                "The number of samples that go through the model at once. Larger batches are "
                "faster but need more memory. 1 is stochastic gradient descent; a number not below "
                "that of the training samples is full batch: one step per epoch.",
                default=32, minimum=1, maximum=1_000_000, unit="samples"),
        setting("shuffle", BOOL, "Shuffle",
                "Use the training samples in a new order in every epoch.", default=True,
                when="batch_sampler=none"),
        *_sampler_settings(),
        setting("collate", CHOICE, "Collate",
                "How the samples of a batch are put together (collate_fn of DataLoader). stack: "
                "all have one size; pad: smaller ones are filled up at their end, with 0 (classes "
                "with -100, which losses leave out), to the largest of the batch; or a function "
                "in the project's code with collate in its name, which gets a list of samples "
                "(dictionaries by field, after the transforms) and returns a dictionary of "
                "tensors with the same fields.", default="stack", choices=("stack", "pad"),
                advanced=True),
        setting("padding_info", CHOICE, "Lengths or mask",
                "What else the model can read of an input whose samples differ in size and are "
                "padded. lengths: a field with the size of each sample, such as text_lengths "
                "(int64, N); mask: a field that is true where a sample is filled up, such as "
                "text_padding (bool, N × length), as key_padding_mask of attention takes it. "
                "An Input layer of the model chooses the field.", default="none",
                choices=("none", "lengths", "mask"), advanced=True),
        setting("drop_last", BOOL, "Drop last batch",
                "Leave out the last batch of an epoch if it is smaller than the others.",
                default=False, when="batch_sampler=none", advanced=True),
        setting("normalization", CHOICE, "Normalization",
                "standard: mean 0 and standard deviation 1; minmax: from 0 to 1. Computed from "
                "the training set only.", default="none",
                choices=("none", "standard", "minmax")),
    )  # fmt: skip


def _sampler_settings() -> tuple[ParamSpec, ...]:
    """Return the settings that say which samples an epoch, or each batch of it, has."""
    return (
        setting("sampler", CHOICE, "Sampler",
                "Which training samples an epoch has. uniform: each of them once; balanced: every "
                "class equally often, so samples of rare classes are repeated and others left "
                "out; weighted: drawn with replacement by a column of weights; bucketed: each "
                "once, in batches of similar length; curriculum: the easiest first, more in each "
                "epoch, by a column that says how difficult each is; or a class in the project's "
                "code that inherits Sampler, whose __iter__ yields the positions of the samples. "
                "An epoch always has as many samples as the training set.", default="uniform",
                choices=("uniform", "balanced", "weighted", "bucketed", "curriculum"),
                when="batch_sampler=none", advanced=True),
        setting("sampler_column", ParamKind.STR, "Sampler column",
                "The column of weights (weighted), of the values to balance (balanced; empty: "
                "the class), of the lengths (bucketed; empty: the length of the sequence) or of "
                "how difficult each sample is (curriculum).", default="",
                when="sampler=balanced|weighted|bucketed|curriculum,batch_sampler=none",
                advanced=True),
        setting("batch_sampler", CHOICE, "Batch sampler",
                "A class in the project's code that says which samples each training batch has "
                "(batch_sampler of DataLoader): it inherits Sampler and has BatchSampler in its "
                "name, or inherits BatchSampler or Sampler[list[int]]. Its __iter__ yields lists "
                "of positions, which may differ in length; __len__ is the number of batches of "
                "every epoch. Shuffle, Sampler and Drop last batch have no effect then, and Batch "
                "size is that of evaluation; a parameter batch_size of the class gets it.",
                default="none", choices=("none",), advanced=True),
    )  # fmt: skip


def curriculum_settings() -> tuple[ParamSpec, ...]:
    """Return the settings of the curriculum, which count with that sampler alone."""
    drawn = "sampler=curriculum,batch_sampler=none"
    return (
        setting("start", ParamKind.FLOAT, "Start with",
                "The share of the training samples, the easiest, that the first epoch uses. An "
                "epoch always has the same number of steps, so that schedules by step keep their "
                "length: fewer samples are repeated in it.", default=0.25, minimum=0.0,
                exclusive_minimum=True, maximum=1.0, when=drawn, advanced=True),
        setting("epochs", INT, "All after",
                "After how many epochs all samples are used.", default=5, minimum=1,
                maximum=1_000_000, unit="epochs", when=drawn, advanced=True),
        setting("pacing", CHOICE, "Pacing",
                "How the share grows. linear: by as much in each epoch; root: faster at first; "
                "exponential: by the same factor in each epoch, so slowly at first; step: all at "
                "once after the last of these epochs.", default="linear",
                choices=("linear", "root", "exponential", "step"), when=drawn, advanced=True),
        setting("easiest", CHOICE, "Easiest",
                "Which numbers of the column are those of easy samples: lowest for losses, lengths "
                "and ranks, highest for confidences and agreement.", default="lowest",
                choices=("lowest", "highest"), when=drawn, advanced=True),
        setting("run", ParamKind.STR, "Losses of run",
                "A run of this project, instead of a column: samples are as difficult as their "
                "loss under its model, measured before the first step. run-0003 has its best "
                "checkpoint, run-0003:last the last one. Empty: by the sampler column.",
                default="", when=drawn, advanced=True),
    )  # fmt: skip


def split_settings() -> tuple[ParamSpec, ...]:
    """Return the settings of the split into training, validation and test part."""
    share = {"minimum": 0.0, "maximum": 1.0}
    return (
        setting("kind", CHOICE, "Split by",
                "random draws the samples; stratified also keeps the share of each class, or "
                "label; group keeps samples with the same value in a column together, such as all "
                "pictures of a patient; column reads the set from a column (train, validation, "
                "test); given uses the sets that the data comes with, such as folders; time orders "
                "by a column and tests on the latest; sequential keeps the order of the data.",
                default="random",
                choices=("random", "stratified", "group", "column", "given", "time",
                         "sequential")),
        setting("column", ParamKind.STR, "Column",
                "The column to split by. For stratified, leave it empty to use the class.",
                default="", when="kind=stratified|group|column|time"),
        setting("train", FLOAT, "Training part",
                "The fraction of samples used for training. The three fractions add up to 1.",
                default=0.7, exclusive_minimum=True, when="kind!=column|given,folds=0", **share),
        setting("validation", FLOAT, "Validation part",
                "The fraction used for validation during training, to choose the best "
                "checkpoint.", default=0.15, when="folds=0", **share),
        setting("test", FLOAT, "Test part",
                "The fraction reserved for the final evaluation.", default=0.15,
                **share),
        setting("seed", INT, "Split seed", "Determines which sample goes into which set.",
                default=0, minimum=0, maximum=2**32 - 1, advanced=True),
        setting("stratified", BOOL, "Keep shares of classes",
                "Where the data has no validation or test set of its own, the part that is taken "
                "from its training set has the same share of each class; so have folds.",
                default=False, when="kind=column|given"),
        setting("group_equal", BOOL, "Keep equal samples together",
                "Put samples that are equal in all fields into the same set, so that no "
                "training sample is used for evaluation.", default=False, advanced=True),
        setting("folds", INT, "Folds",
                "Cross-validation: split off the test part, then divide the rest into this many "
                "folds, one of which is used for validation. 0 for none.", default=0, minimum=0,
                maximum=1_000, advanced=True),
        setting("fold", INT, "Validation fold",
                "The number of the fold used for validation, counted from 0: that of fold 1, as "
                "names of runs and tables have it, is 0. Cross-validation trains one run for each.",
                default=0, minimum=0, maximum=999, advanced=True, when="folds!=0"),
    )  # fmt: skip

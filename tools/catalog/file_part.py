"""Data sources that read files, those of the user and a text that ships: described by hand."""

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec

INT, BOOL, CHOICE, STR = ParamKind.INT, ParamKind.BOOL, ParamKind.CHOICE, ParamKind.STR
ANY = ("classification", "binary", "regression")

ARRAYS: tuple[ParamSpec, ...] = (
    ParamSpec(name="path", kind=ParamKind.PATH, default="", label="File or folder",
              help="A file with arrays (npy, npz, safetensors, pt or idx), or a folder with npy or "
              "idx files, such as the four files of MNIST. A new project on one file of pictures "
              "takes the labels beside it."),
    ParamSpec(name="target_path", kind=ParamKind.PATH, default="", label="File with targets",
              help="A second file with the targets. Leave empty if they are in the first one or if "
              "there are none."),
    ParamSpec(name="input", kind=STR, default="", label="Input array",
              help="The name of the array with the inputs. Leave empty to choose it by its name: "
              "x, images, data, features, or x_train and x_test."),
    ParamSpec(name="target", kind=STR, default="", label="Target array",
              help="The name of the array with the targets. Leave empty to choose it by its name: "
              "y, labels, target, or y_train and y_test."),
    ParamSpec(name="kind", kind=CHOICE, default="auto", label="Kind of input",
              choices=("auto", "image", "vector", "sequence"),
              help="What a sample is. auto decides by shape and dtype: three axes or a plane of "
              "bytes are an image, decimal numbers a vector, integers a sequence of indices."),
)  # fmt: skip
TEXT: tuple[ParamSpec, ...] = (
    ParamSpec(name="path", kind=ParamKind.PATH, default="", label="File or folder",
              help="A text file. For a language model also a folder of text files, for "
              "classification also a folder with a folder for each class, which may be inside "
              "train, val and test."),
    ParamSpec(name="task", kind=CHOICE, default="language_model",
              choices=("language_model", "classification", "pairs"),
              help="language_model predicts the next token at every position. classification "
              "expects lines of a label, a tab and a text (or the other way round) or class "
              "folders. pairs, for translation, expects lines of a text, a tab and its "
              "counterpart."),
    ParamSpec(name="class_folders", kind=CHOICE, default="outer", choices=("outer", "inner"),
              when="task=classification", label="Class folders",
              help="Which folders are the classes, of texts in files: outer, those directly in "
              "the folder, or in its train, val and test; inner, those in which the "
              "files lie, such as ill and well in patient1/ill and patient1/well. The folders "
              "within or around the classes are the column folder, by which the split keeps groups "
              "together."),
    ParamSpec(name="tokens", kind=CHOICE, default="characters",
              choices=("characters", "words", "bytes", "bpe"),
              help="What the text is divided into. bpe are subwords by a byte pair encoding, which "
              "is trained on the training set. The vocabulary is that of the training set; words "
              "that occur there only once count as unknown."),
    ParamSpec(name="vocabulary_size", kind=INT, default=4000, minimum=260, maximum=200_000,
              when="tokens=bpe",
              help="The number of subwords. With more of them a text becomes shorter, but the "
              "output of a step wider. A short text yields fewer."),
    ParamSpec(name="min_frequency", kind=INT, default=2, minimum=1, maximum=1_000_000,
              when="tokens=bpe",
              help="How often two neighbours must occur to be merged into one subword."),
    ParamSpec(name="tokenizer", kind=ParamKind.PATH, default="", label="Tokenizer file",
              when="tokens=bpe",
              help="A tokenizer.json that was trained elsewhere, to divide texts by it instead of "
              "training one. It decides about letters and vocabulary. Leave empty to train one on "
              "the training set."),
    ParamSpec(name="length", kind=INT, default=64, minimum=1, maximum=100_000,
              help="The number of tokens per sample. Shorter texts are padded with <pad>, longer "
              "ones truncated."),
    ParamSpec(name="fill", kind=CHOICE, default="length", choices=("length", "batch"),
              label="Fill up to", when="task=classification|pairs", advanced=True,
              help="length: all texts are padded to the length above. batch: a text that the model "
              "reads keeps its own length, at most the one above, and is padded to the longest of "
              "its batch, so that short texts take less time, above all with the sampler bucketed; "
              "the model must accept any length. A text to be written is padded to the length "
              "above."),
    ParamSpec(name="stride", kind=INT, default=0, minimum=0, maximum=1_000_000,
              when="task=language_model",
              help="The distance between the starts of two samples, in tokens. 0: the length, so "
              "that samples do not overlap."),
    ParamSpec(name="letters", kind=CHOICE, default="all", choices=("all", "lowercase", "ascii"),
              help="all keeps the text as it is, lowercase makes all letters lowercase, ascii also "
              "removes accents. Words are always lowercase."),
    ParamSpec(name="reverse", kind=BOOL, default=False, when="task=pairs",
              help="Translate from the second column to the first."),
    ParamSpec(name="prefixes", kind=STR, default="", when="task=pairs",
              help="Only use pairs whose first column starts with one of these, separated by "
              "commas. Leave empty to use all pairs."),
    ParamSpec(name="drop_long", kind=BOOL, default=False, when="task=pairs",
              help="Leave out pairs that are longer than the length instead of truncating them."),
    ParamSpec(name="encoding", kind=STR, default="auto", advanced=True,
              choices=("auto", "utf-8", "gb18030", "big5", "cp1252", "shift_jis", "utf-16"),
              help="The encoding of the text. auto detects it."),
)  # fmt: skip
PLAYS: tuple[ParamSpec, ...] = (
    ParamSpec(name="tokens", kind=CHOICE, default="characters",
              choices=("characters", "words", "bytes"),
              help="What the text is divided into. The vocabulary is that of the training set; "
              "words that occur there only once count as unknown."),
    ParamSpec(name="length", kind=INT, default=64, minimum=1, maximum=100_000,
              help="The number of tokens per sample."),
    ParamSpec(name="stride", kind=INT, default=0, minimum=0, maximum=1_000_000,
              help="The distance between the starts of two samples, in tokens. 0: the length, so "
              "that samples do not overlap."),
)  # fmt: skip
SERIES: tuple[ParamSpec, ...] = (
    ParamSpec(name="path", kind=ParamKind.PATH, default="", label="File",
              help="A table with a header and a row for each point in time (CSV, workbook, "
              "Parquet, JSON lines, SQLite), or an npy file with one or two axes."),
    ParamSpec(name="length", kind=INT, default=24, minimum=1, maximum=100_000,
              help="The number of rows that the model reads."),
    ParamSpec(name="horizon", kind=INT, default=1, minimum=1, maximum=100_000,
              help="The number of rows after them that the model predicts."),
    ParamSpec(name="stride", kind=INT, default=1, minimum=1, maximum=1_000_000,
              help="The number of rows between the starts of two samples."),
    ParamSpec(name="features", kind=STR, default="",
              help="The columns that the model reads, separated by commas. Leave empty for all "
              "columns of numbers."),
    ParamSpec(name="targets", kind=STR, default="",
              help="The columns that the model predicts, separated by commas. Leave empty for all "
              "columns of numbers."),
    ParamSpec(name="time", kind=STR, default="", label="Time column",
              help="The column with the time (numbers, or dates such as 2026-11-26), by which the "
              "rows are ordered. Leave empty if they are in order."),
    ParamSpec(name="missing", kind=ParamKind.CHOICE, default="forward", label="Missing numbers",
              choices=("forward", "linear", "none"),
              help="What stands for a missing number, in inputs and targets: the last value before "
              "it (forward), or the one on the line between its neighbours (linear), which uses a "
              "later value, also one of the test set. Before the first value of a column stands "
              "that. none: data with gaps is refused."),
)  # fmt: skip
FILES: tuple[tuple[str, str, tuple[str, ...], str, tuple[ParamSpec, ...]], ...] = (
    ("arrays", "Arrays", ANY,
     "Arrays in NumPy, safetensors, PyTorch or idx files: images, vectors or sequences.", ARRAYS),
    ("text", "Text", ("classification", "binary"),
     "Text files: to predict the next token, to classify texts, or to translate.", TEXT),
    ("series", "Time series", ("regression",),
     "Rows of a table in the order of time: predict the next ones from those before.", SERIES),
)  # fmt: skip


def file_entries() -> list[Entry]:
    """Return the sources that read the user's files, a kind of file each."""
    return [
        Entry(
            key=key,
            group=EntryGroup.DATA,
            category="Files",
            label=label,
            summary=text,
            doc=f"{text}\n",
            params=params,
            tasks=tasks,
        )
        for key, label, tasks, text, params in FILES
    ]

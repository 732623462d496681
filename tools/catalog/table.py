"""The data source of tables: described by hand."""

from msgspec.structs import replace

from engine.catalog.spec import FOLDER, Entry, EntryGroup, ParamKind, ParamSpec
from tools.catalog.file_part import TEXT
from tools.catalog.image_source import FIT, MASK_CLASSES, MODE, SIZE

CHOICE = ParamKind.CHOICE
_TOKENS = (
    "tokens", "vocabulary_size", "min_frequency", "tokenizer", "length", "fill", "letters",
)  # fmt: skip
_PARAMS = (
    ParamSpec(name="path", kind=ParamKind.PATH, default="", label="File",
              help="A CSV, TSV, JSON, Parquet or Feather file, a workbook (xlsx, xls, ods), "
              "an SQLite database, a data set folder of Hugging Face (Parquet or Arrow files), or "
              "captions of pictures as COCO has them (their folder or JSON file). It is only "
              "read."),
    ParamSpec(name="target", kind=ParamKind.STR, default="",
              help="The column to predict, or several numbers separated by commas. Leave empty "
              "to use a column named target, label or class, else the last one."),
    ParamSpec(name="inputs", kind=ParamKind.STR, default="",
              help="The columns to predict from, separated by commas. Leave empty to use all that "
              "are numbers, dates or categories."),
    ParamSpec(name="ignored", kind=ParamKind.STR, default="", label="Ignored columns",
              help="Columns that are left out, separated by commas."),
    ParamSpec(name="group", kind=ParamKind.STR, default="", label="Group column",
              help="A column such as a patient or customer, whose samples belong together. It is "
              "no input unless you list it there."),
    ParamSpec(name="weight", kind=ParamKind.STR, default="", label="Weight column",
              help="A column of numbers from 0 on, how much the loss of each row counts: the loss "
              "of a batch is the mean of each sample's loss times its weight, "
              "(loss * weight).mean(), in training and evaluation. Metrics are not weighed. "
              "Predicting does not need the column."),
    ParamSpec(name="kinds", kind=ParamKind.STR, default="",
              help="Kinds of columns other than proposed, such as age=number, zip=category. Kinds: "
              "number, category, binary, date, ignored; tags for any number of labels in a cell "
              "(circle square, a;b;c), each of which is predicted; text for sentences; textfile, "
              "image, mask, array, sound and video for paths of files, each of which becomes an "
              "input field of its own. A column of masks can also be the target, and one of "
              "sentences (text, textfile): the model learns to write them."),
    ParamSpec(name="folder", kind=ParamKind.PATH, default="", choices=(FOLDER,),
              label="Folder of files",
              help="The folder in which the files lie that a column names. Leave empty for the "
              "folder of the table. Files outside of it are not read."),
    ParamSpec(name="missing", kind=CHOICE, default="mean", choices=("mean", "median", "drop"),
              label="Missing values",
              help="Fill missing numbers with the mean or median of the training set and make "
              "missing categories a category, or drop rows with missing values. Rows without a "
              "target are always dropped."),
    ParamSpec(name="categories", kind=CHOICE, default="index", choices=("index", "one_hot"),
              help="Categories as indices for embeddings (field categories), or as columns of 0 "
              "and 1 among the features."),
    ParamSpec(name="dates", kind=CHOICE, default="days", choices=("days", "parts", "both"),
              help="Dates as one number, the days since 1970-01-01, or as several: year, month, "
              "day, weekday (0 is Monday) and hour, as far as they differ. both has all of them. "
              "Parts let a model learn what comes again each year, week or day."),
    *(replace(param, advanced=True, default=default) for param, default in (
        (SIZE, 64), (FIT, FIT.default), (MODE, MODE.default))),
    *(replace(param, name=name, advanced=True, label=label) for param, (name, label) in zip(
        MASK_CLASSES, (("classes", "Classes of masks"), ("names", "Class names"),
                       ("colors", "Class colors"), ("ignored_pixels", "Ignored pixels")),
        strict=True)),
    ParamSpec(name="frames", kind=ParamKind.INT, default=8, minimum=1, maximum=1024, advanced=True,
              label="Frames of videos",
              help="How many frames of a video the model reads, of the size above: one of as many "
              "segments of equal length, at random in training, else the middle one."),
    ParamSpec(name="rate", kind=ParamKind.INT, default=16_000, minimum=1000, maximum=192_000,
              advanced=True, label="Sample rate of sounds",
              help="Samples per second of sounds, which become log-mel spectrograms. Sounds of "
              "other rates are resampled."),
    ParamSpec(name="seconds", kind=ParamKind.FLOAT, default=5.0, minimum=0.01, maximum=120.0,
              advanced=True, label="Seconds of sounds",
              help="The duration that all sounds get: of longer ones a piece is taken, at random "
              "in training, else the middle one; shorter ones are followed by silence."),
    *(replace(param, advanced=True, default="words" if param.name == "tokens" else param.default,
              when="" if param.name == "fill" else param.when)
      for param in TEXT if param.name in _TOKENS),
    ParamSpec(name="encoding", kind=ParamKind.STR, default="auto", advanced=True,
              choices=("auto", "utf-8", "utf-16", "gb18030", "big5", "shift_jis", "cp1252"),
              help="The encoding of a text file. auto detects it."),
    ParamSpec(name="delimiter", kind=ParamKind.STR, default="auto", advanced=True,
              choices=("auto", "comma", "semicolon", "tab", "space", "|"),
              help="What separates the cells of a text file. auto detects it."),
    ParamSpec(name="decimal", kind=CHOICE, default="auto", choices=("auto", "point", "comma"),
              advanced=True, label="Decimal mark",
              help="The decimal mark of the numbers in a text file. auto finds it for each column; "
              "where numbers with a point stand beside others with a comma (0.5 and 0,5), one mark "
              "alone is read as the decimal mark. Choose point or comma where the other mark "
              "separates thousands."),
    ParamSpec(name="skip_rows", kind=ParamKind.INT, default="auto", minimum=-1, maximum=1000,
              auto=True, advanced=True, label="Skipped lines",
              help="How many lines of a text file stand above its table, such as a title, and are "
              "not read. auto finds it, and a row of units below the header, too."),
    ParamSpec(name="keep_totals", kind=ParamKind.BOOL, default=False, advanced=True,
              label="Keep totals and notes",
              help="Whether last rows are samples that sum the others up (with a word such as "
              "Total, which their column has nowhere else, and numbers) or that have text in one "
              "cell alone, such as a source."),
    ParamSpec(name="header", kind=CHOICE, default="auto", choices=("auto", "yes", "no"),
              advanced=True, help="Whether the first row has the names of the columns."),
    ParamSpec(name="sheet", kind=ParamKind.STR, default="", advanced=True,
              help="The sheet of a workbook or the table of a database. Leave empty for the first "
              "one that looks like a table."),
)  # fmt: skip


def table_entry() -> Entry:
    """Return the source ``table``."""
    text = "Rows of a table of your own: a CSV file, a workbook, a database."
    return Entry(
        key="table",
        group=EntryGroup.DATA,
        category="Your data",
        label="Table",
        summary=text,
        doc=f"{text}\n\nDates become days since 1970-01-01, or their parts. Columns that name rows "
        "are ignored.\n",
        params=_PARAMS,
        tasks=("classification", "binary", "regression"),
    )

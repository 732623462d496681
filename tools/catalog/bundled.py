"""Real data that ships with the program or a library it needs: described by hand."""

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec
from tools.catalog.file_part import PLAYS

INT, CHOICE = ParamKind.INT, ParamKind.CHOICE
CLASSES = ("classification",)
REGRESSION = ("regression",)

_BUNDLED: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
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
    ("penguins", "Penguins", ("regression", "classification", "binary"),
     "344 penguins of three species: measurements beside categories, with gaps.",
     ("K. Gorman, T. Williams, W. Fraser, Palmer Station LTER, 2014; CC0; ships with the"
      " program.")),
    ("weather", "Weather", REGRESSION,
     "1,461 days of weather in Seattle as a time series: predict the next days.",
     ("National Oceanic and Atmospheric Administration (US); public domain; ships with the"
      " program.")),
    ("shakespeare", "Shakespeare", CLASSES,
     "400,000 characters of Shakespeare's plays, to predict the next token.",
     "Public domain; ships with the program."),
    ("names", "Given names", CLASSES,
     "5,163 given names, one a line, to predict the next character.",
     ("U.S. Census Bureau, names that occurred frequently in the census of 1990; public domain;"
      " ships with the program.")),
)  # fmt: skip
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
_PENGUINS = (
    ParamSpec(name="target", kind=CHOICE, default="body_mass_g",
              choices=("body_mass_g", "species", "sex"),
              help="The column to predict. Rows without it are left out."),
    ParamSpec(name="categories", kind=CHOICE, default="index", choices=("index", "one_hot"),
              help="Categories as indices for embeddings (field categories), or as columns of 0 "
              "and 1 among the features."),
)  # fmt: skip
_WEATHER = (
    ParamSpec(name="length", kind=INT, default=14, minimum=1, maximum=1000,
              help="The number of days that the model reads."),
    ParamSpec(name="horizon", kind=INT, default=1, minimum=1, maximum=400,
              help="The number of days after them that the model predicts."),
    ParamSpec(name="target", kind=CHOICE, default="temp_max",
              choices=("temp_max", "temp_min", "precipitation", "wind", "all"),
              help="What to predict of each day: the maximum or minimum temperature (°C), the "
              "precipitation (mm), the wind speed (m/s), or all of them."),
)  # fmt: skip
_NAMES = (
    ParamSpec(name="length", kind=INT, default=32, minimum=1, maximum=10_000,
              help="The number of characters per sample: some names, one after the other."),
    ParamSpec(name="stride", kind=INT, default=0, minimum=0, maximum=10_000,
              help="The distance between the starts of two samples, in characters. 0: the length, "
              "so that samples do not overlap."),
    ParamSpec(name="vocabulary", kind=CHOICE, default="names", choices=("names", "plays"),
              help="The characters that are known: those of the training set, or those of "
              "Shakespeare's plays, for a model that has learned these."),
)  # fmt: skip
_PARAMS = {
    "digits": _DIGITS, "penguins": _PENGUINS, "weather": _WEATHER, "shakespeare": PLAYS,
    "names": _NAMES,
}  # fmt: skip


def bundled_entries() -> list[Entry]:
    """Return the real data sets."""
    return [
        Entry(
            key=key,
            group=EntryGroup.DATA,
            category="Real data",
            label=label,
            summary=text,
            doc=f"{text}\n\n{credit}\n",
            params=_PARAMS.get(key, ()),
            tasks=tasks,
        )
        for key, label, tasks, text, credit in _BUNDLED
    ]

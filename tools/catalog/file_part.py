"""Data sources that read files of the user: described by hand."""

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec

INT, BOOL, CHOICE, STR = ParamKind.INT, ParamKind.BOOL, ParamKind.CHOICE, ParamKind.STR
ANY = ("classification", "binary", "regression")

ARRAYS: tuple[ParamSpec, ...] = (
    ParamSpec(name="path", kind=STR, default="", label="File or folder",
              help="A file with arrays (npy, npz, safetensors, pt or idx), or a folder with npy or "
              "idx files, such as the four files of MNIST."),
    ParamSpec(name="target_path", kind=STR, default="", label="File with targets",
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
FILES: tuple[tuple[str, str, tuple[str, ...], str, tuple[ParamSpec, ...]], ...] = (
    ("arrays", "Arrays", ANY,
     "Arrays in NumPy, safetensors, PyTorch or idx files: images, vectors or sequences.", ARRAYS),
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

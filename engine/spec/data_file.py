"""Names of files that the data of a project are read from."""

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".ppm", ".pgm")
"""The endings of pictures, in small letters."""

TENSORS = (".pt", ".pth", ".safetensors")
"""The endings of files that hold arrays of samples, or weights of a model."""

_TABLES = (
    *(".csv", ".tsv", ".tab", ".gz", ".data", ".dat", ".jsonl", ".ndjson", ".json"),
    *(".parquet", ".pq", ".feather", ".arrow", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    *(".sqlite", ".sqlite3", ".db", ".db3"),
)
_ARRAYS = (".npy", ".npz", ".idx", ".h5", ".hdf5")  # of the last two it is told how to save them
_TEXTS = (".txt", ".md", ".text")
DATA = (*_TABLES, *_ARRAYS, *_TEXTS)
"""The usual endings of files of data. What a file is, its content decides."""


def is_data_name(name: str) -> bool:
    """Return whether a file is called as files of data are."""
    return name.lower().endswith(DATA) or "ubyte" in name


def patterns(endings: tuple[str, ...]) -> str:
    """Return what a dialog for files looks for: ``*.csv *.tsv``."""
    return " ".join(f"*{ending}" for ending in endings)

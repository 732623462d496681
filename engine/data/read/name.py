"""Names of files as any document can hold them."""

from pathlib import Path


def stored_name(file: Path | str, folder: Path | None = None) -> str:
    r"""Return a path, below a folder where one is given, with slashes; a byte of it that is no
    character stands as ``\xff``.
    """
    path = file if isinstance(file, str) else file.relative_to(folder or "").as_posix()
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

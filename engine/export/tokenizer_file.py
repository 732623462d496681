"""Files of tokenizers beside an exported model, which cut texts as the data of its run was cut."""

from collections.abc import Mapping
from pathlib import Path

from engine.files import atomic_write

_SUFFIX = ".tokenizer.json"


def tokenizer_names(tokenizers: Mapping[str, str], output: str) -> dict[str, str]:
    """Return the file of the tokenizer of each field, beside a file: one for all where they share
    it. ``tokenizers`` are their contents by field.
    """
    stem = Path(output).stem
    owners: dict[str, str] = {}
    for field, content in tokenizers.items():
        owners.setdefault(content, field)
    if len(owners) < 2:
        return dict.fromkeys(tokenizers, f"{stem}{_SUFFIX}")
    numbers = {content: number for number, content in enumerate(owners, 1)}
    return {field: f"{stem}-{numbers[content]}{_SUFFIX}" for field, content in tokenizers.items()}


def tokenizer_files(tokenizers: Mapping[str, str], output: Path) -> dict[Path, str]:
    """Return the files beside an exported one, and what stands in each."""
    names = tokenizer_names(tokenizers, output.name)
    return {output.with_name(names[field]): content for field, content in tokenizers.items()}


def write_tokenizers(tokenizers: Mapping[str, str], output: Path) -> tuple[Path, ...]:
    """Write the files and return them. Raises :class:`DiagnosticError` where that fails."""
    files = tokenizer_files(tokenizers, output)
    for file, content in files.items():
        atomic_write(file, content.encode())
    return tuple(files)

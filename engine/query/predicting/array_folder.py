"""Samples that are rows of the arrays in a folder: of npy or idx files, or of a published set."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.read.array import SUFFIXES, find_arrays
from engine.data.read.idx import is_idx
from engine.data.read.natural import natural_key
from engine.data.read.stored import StoredArray
from engine.data.source.arrays import IDX_NAME, INPUTS
from engine.data.source.registry import load_source
from engine.data.source.source import PART_WORDS, PARTS, Source
from engine.data.source.vision.array_set import ARRAY_MARKERS
from engine.data.source.vision.loader import find_set, find_variant, set_of_folder
from engine.diagnostics import DiagnosticError
from engine.query.predicting.arrays import given_arrays
from engine.query.predicting.given import GivenData, GivenSample, Samples, given_inputs
from engine.spec.data import FieldInfo
from engine.spec.run import Choice
from engine.train.training import Training

ARRAY_FILES = (".npy", "*-idx*-ubyte", "*.idx", "*.gz")
"""The names of files of arrays that are found in a folder; of the last, idx files that are packed.
"""
_BLOCK = 1024  # samples of a published set that are read at a time


def is_array_file(path: Path) -> bool:
    """Return whether a file holds arrays, by its name."""
    return path.suffix.lower() in SUFFIXES or is_idx(path.name)


def folder_arrays(path: Path, training: Training) -> GivenData | None:
    """Return the rows of the inputs in a folder of npy or idx files, or of a set of torchvision
    that is stored as arrays, all parts one after the other; None for a folder without any. The
    files of labels are not read where they are files of their own.

    Raises :class:`DiagnosticError` as :func:`~engine.query.predicting.arrays.given_arrays` does,
    and as reading the files or the set does.
    """
    inputs = given_inputs(training)
    only = inputs[0] if len(inputs) == 1 else None
    name, root = set_of_folder(path) or (find_set(path), path)
    if only is not None and name in ARRAY_MARKERS:
        path, inner = root, root / ARRAY_MARKERS[name]
        if name == "EMNIST" or inner.name != "raw" or not _files(inner):
            return _published(name, path, only)
        path = inner  # idx files, of which those of the labels may be missing
    files = _files(path)
    if not files or not inputs:
        return None
    if only is None:
        wanted = {each.name.lower() for each in inputs}
        files = {name: file for name, file in files.items() if name.lower() in wanted} or files
        return given_arrays(
            {name: _array(file) for name, file in files.items()}, path.name, training
        )
    chosen = _chosen(only, files)
    several = len(chosen) > 1
    given = [
        given_arrays(
            {name: _array(files[name])}, files[name].name, training, f"{name}/" if several else ""
        )
        for name in chosen
    ]
    return GivenData(
        sum(each.total for each in given), chain.from_iterable(each.samples for each in given)
    )


def _files(folder: Path) -> dict[str, Path]:
    """Return the npy and idx files in a folder by what they are called; of one that is there packed
    and unpacked, that which needs no unpacking.
    """
    try:
        files = [each for each in folder.iterdir() if each.suffix == ".npy" or is_idx(each.name)]
    except OSError:
        return {}  # whatever looks next into it says so
    files.sort(key=lambda each: each.suffix != ".gz")
    named = {_name(each): each for each in files}  # those that are not packed come last
    return {name: named[name] for name in sorted(named, key=natural_key)}


def _name(file: Path) -> str:
    name = re.sub(r"\.gz$", "", file.name)
    return re.sub(r"([-_.]idx\d[-_.]ubyte|\.idx|\.npy)$", "", name, flags=re.IGNORECASE)


def _array(file: Path) -> StoredArray:
    return next(iter(find_arrays(file).values()))


def _chosen(info: FieldInfo, files: dict[str, Path]) -> list[str]:
    """Return which arrays are of an input: the one that is called like it, else all that have a
    usual name, of whatever part, else the only one. Raises :class:`DiagnosticError` P054 for none.
    """
    alike = [name for name in files if name.lower() == info.name.lower()]
    usual = [name for name, file in files.items() if _is_input(name, file)]
    chosen = alike or usual or ([*files] if len(files) == 1 else [])
    if not chosen:
        raise DiagnosticError.of("P054", name=info.name, names=", ".join([*files][:20]))
    return chosen


def _is_input(name: str, file: Path) -> bool:
    matched = IDX_NAME.fullmatch(file.name)
    if matched is not None:
        return matched["role"].lower() == "images"
    words = [word for word in re.split(r"[-_. ]", name.lower()) if word not in PART_WORDS]
    return len(words) == 1 and words[0] in INPUTS


def _published(name: str, path: Path, info: FieldInfo) -> GivenData:
    """Return the pictures of a set of torchvision. Raises :class:`DiagnosticError` P055 where they
    are of another size than those of the run, and as loading it does.
    """
    variant = find_variant(name, path)
    params: dict[str, Value] = {"path": str(path), **({"variant": variant} if variant else {})}
    source = load_source(Choice(type=name, params=params))
    image = source.infos[0]
    if image.shape != info.shape or image.dtype != info.dtype:
        given, wanted = (" × ".join(map(str, each.shape)) for each in (image, info))
        raise DiagnosticError.of(
            "P055", name=name, shape=given, dtype=image.dtype, wanted=wanted, kind="numbers"
        )
    return GivenData(source.samples, _samples(source, image.name, info.name))


def _samples(source: Source, stored: str, name: str) -> Samples:
    names = _row_names(source)
    for start in range(0, source.samples, _BLOCK):
        rows = range(start, min(start + _BLOCK, source.samples))
        for value in source.read(rows)[stored]:
            yield GivenSample(next(names), {name: value})


def _row_names(source: Source) -> Iterator[str]:
    """Yield what rows are called: by part and number in it, where there are parts."""
    parts = source.given_parts()
    if parts is None:
        yield from map(str, range(source.samples))
        return
    counts = [0] * len(PARTS)
    for part in parts.tolist():
        yield f"{PARTS[part]}/{counts[part]}"
        counts[part] += 1

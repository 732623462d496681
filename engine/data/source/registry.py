"""Registry of the sources by key, with a cache of those already loaded.

A new kind of source (a folder, a table, a download) is a loader in a file of its own, a line here
and an entry in the catalogue.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NoReturn

from engine.catalog.spec import Entry, EntryGroup, ParamKind, Value
from engine.custom.trust import require_trust
from engine.data.source.arrays import load_arrays
from engine.data.source.boxes.folder import load_detection_folder
from engine.data.source.bundled import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)
from engine.data.source.custom.loader import load_custom
from engine.data.source.digit_pairs import load_digit_pairs
from engine.data.source.image_folder import load_image_folder
from engine.data.source.names import load_names
from engine.data.source.pattern import load_random
from engine.data.source.penguins import load_penguins
from engine.data.source.phrases import load_phrase_pairs, load_phrases
from engine.data.source.segmentation_folder import load_segmentation_folder
from engine.data.source.sentences import load_sentences
from engine.data.source.series import load_series
from engine.data.source.shakespeare import load_shakespeare
from engine.data.source.shapes import load_shapes
from engine.data.source.sound_folder import load_sound_folder
from engine.data.source.source import Loader, Source
from engine.data.source.subwords import with_kept
from engine.data.source.synthetic import load_random_regression, load_sin
from engine.data.source.table_loader import load_table
from engine.data.source.text_file import load_text
from engine.data.source.toy import load_blobs, load_circles, load_moons, load_spiral
from engine.data.source.version import FileVersion, file_version
from engine.data.source.video_folder import load_video_folder
from engine.data.source.vision.loader import vision_loaders
from engine.data.source.weather import load_weather
from engine.diagnostics import DiagnosticError
from engine.graph.code import code_digest, code_symbol, file_of
from engine.spec.choice import NO_CODE, Code, chosen_entry
from engine.spec.data_root import root_of
from engine.spec.run import Choice

LOADERS: Mapping[str, Loader] = {
    "digits": load_digits,
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "diabetes": load_diabetes,
    "penguins": load_penguins,
    "weather": load_weather,
    "shakespeare": load_shakespeare,
    "names": load_names,
    "spiral": load_spiral,
    "moons": load_moons,
    "circles": load_circles,
    "blobs": load_blobs,
    "sin": load_sin,
    "random_regression": load_random_regression,
    "sentences": load_sentences,
    "shapes": load_shapes,
    "digit_pairs": load_digit_pairs,
    "phrases": load_phrases,
    "phrase_pairs": load_phrase_pairs,
    "random": load_random,
    "table": load_table,
    "image_folder": load_image_folder,
    "arrays": load_arrays,
    "text": load_text,
    "series": load_series,
    "segmentation_folder": load_segmentation_folder,
    "sound_folder": load_sound_folder,
    "video_folder": load_video_folder,
    "detection_folder": load_detection_folder,
    **vision_loaders(),
}
NOTHING_KEPT: Mapping[str, str] = MappingProxyType({})
_KEPT_SOURCES = 8
_Key = tuple[str, tuple[tuple[str, Value], ...], tuple[FileVersion | None, ...], str]
_kept: OrderedDict[_Key, Source] = OrderedDict()


def load_source(
    choice: Choice, code: Code = NO_CODE, kept: Mapping[str, str] = NOTHING_KEPT
) -> Source:
    """Return all samples of a source, from memory where it was loaded before and its files are as
    they were. ``code`` is the user's own (``Graph.code``), for data of a class of theirs.
    ``kept`` are the tokenizers that a run has used so far (:meth:`Source.used_tokenizers`).

    Raises ``DiagnosticError``: D003 for an unknown key, D340 for an unknown root of a path, U027
    for custom code that nobody has trusted, what its loader says where it cannot be loaded.
    """
    entry = _entry(choice, code)
    params = with_kept(_params(entry, choice), kept)
    if entry.is_custom():
        require_trust(code)
    versions = tuple(_versions(entry, params))
    digest = code_digest(code) if entry.is_custom() else ""
    key = (choice.type, tuple(sorted(params.items())), versions, digest)
    source = _kept.pop(key, None)
    if source is None or not source.is_current():
        source = (
            load_custom(entry, params, code) if entry.is_custom() else LOADERS[choice.type](params)
        )
    _kept[key] = source
    while len(_kept) > _KEPT_SOURCES:
        _kept.popitem(last=False)
    return source


def _versions(entry: Entry, params: Mapping[str, Value]) -> Iterator[FileVersion | None]:
    for param in entry.params:
        path = params[param.name]
        if param.kind is ParamKind.PATH and isinstance(path, str):
            if root := root_of(path):
                field = f"data.source.{param.name}"
                raise DiagnosticError.of("D340", field=field, path=path, root=root)
            yield file_version(path)


def source_params(choice: Choice, code: Code = NO_CODE) -> dict[str, Value]:
    """Return the parameters of a source, defaults filled in. Raises ``DiagnosticError`` (D003) for
    an unknown key.
    """
    return _params(_entry(choice, code), choice)


def _params(entry: Entry, choice: Choice) -> dict[str, Value]:
    return {param.name: entry.value(choice.params, param.name) for param in entry.params}


def _entry(choice: Choice, code: Code) -> Entry:
    entry = chosen_entry(EntryGroup.DATA, choice, code)
    if entry is None or not (entry.is_custom() or choice.type in LOADERS):
        _refuse(choice.type, code)
    return entry


def _refuse(key: str, code: Code) -> NoReturn:
    symbol = code_symbol(key)
    problem = None if symbol is None else file_of(code, symbol.file).problem
    if symbol is not None and problem is not None:
        params = {"name": symbol.name, **problem.params}
        raise DiagnosticError.of("U002", field="data.source", **params)
    name = "D258" if symbol is not None else "D003"
    raise DiagnosticError.of(name, field="data.source", source=key)


def forget_sources() -> None:
    """Load every source anew from now on."""
    _kept.clear()

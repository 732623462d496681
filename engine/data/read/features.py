"""Features of a data set of Hugging Face: what its description says of the columns."""

from collections.abc import Mapping

import msgspec

from engine.decoding import decode_json
from engine.files import UNDECODABLE

Features = Mapping[str, object]
"""What is said of columns, by their names."""


class _Info(msgspec.Struct):
    features: dict[str, object] = {}


class _Metadata(msgspec.Struct):
    info: _Info = msgspec.field(default_factory=_Info)


def decode_info(content: bytes) -> Features:
    """Return the features in ``dataset_info.json``; none where it is no such document."""
    try:
        return decode_json(content, _Info).features
    except UNDECODABLE:
        return {}


def decode_metadata(content: str) -> Features:
    """Return the features that stand in the metadata of a Parquet or Arrow file."""
    try:
        return decode_json(content, _Metadata).info.features
    except UNDECODABLE:
        return {}


def class_names(features: Features) -> dict[str, tuple[str, ...]]:
    """Return the names of the classes of columns that have numbers of them."""
    found: dict[str, tuple[str, ...]] = {}
    for name, feature in features.items():
        if kind_of(feature) == "ClassLabel" and isinstance(feature, dict):
            names = feature.get("names")
            if isinstance(names, list) and all(isinstance(each, str) and each for each in names):
                found[name] = tuple(names)
    return found


def named(cell: str, classes: tuple[str, ...]) -> str:
    """Return the name of the class with a number; what is no such number stays."""
    number = int(cell) if cell.isdecimal() and len(cell) < len("1000000") else -1
    if cell == "-1":
        return ""  # what has no class
    return classes[number] if 0 <= number < len(classes) else cell


def kind_of(feature: object) -> str:
    """Return what a feature says that a column holds: ``Image``, ``ClassLabel``; empty where it
    does not.
    """
    kind = feature.get("_type") if isinstance(feature, dict) else None
    return kind if isinstance(kind, str) else ""

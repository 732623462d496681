"""Version of the data that a run was trained on: what it came from and what was made of it."""

import hashlib
from typing import Literal

import msgspec

from engine.spec.choice import NO_CODE, Code
from engine.spec.data_edits import DataEdits
from engine.spec.data_path import changed_params, data_key
from engine.spec.run import COLLATES, DataSpec
from engine.spec.transform import is_custom

VersionPart = Literal["source", "files", "edits", "split", "transforms"]
VERSION_PARTS: tuple[VersionPart, ...] = ("source", "files", "edits", "split", "transforms")
_BYTES = 8


class DataVersion(msgspec.Struct, frozen=True, kw_only=True):
    """Hashes in hex, equal where the data is: ``source`` what is read and with which settings,
    ``files`` what it contains (``empty``: it could not be read), ``edits`` samples that were left
    out, relabelled or moved, ``split`` the parts, ``transforms`` with normalisation.
    """

    source: str = ""
    files: str = ""
    edits: str = ""
    split: str = ""
    transforms: str = ""

    @property
    def short(self) -> str:
        """All of it in a few letters."""
        return digest([getattr(self, part) for part in VERSION_PARTS])[:10]

    def differences(self, other: "DataVersion") -> tuple[VersionPart, ...]:
        """Return what differs from another version."""
        return tuple(part for part in VERSION_PARTS if getattr(self, part) != getattr(other, part))


def version_of(spec: DataSpec, files: str, code: Code = NO_CODE) -> DataVersion:
    """Return the version of the data of a specification whose files have a hash. Where the files
    lie, and tags of samples, do not matter. ``code`` is the user's own, which the data may be of.
    """
    return DataVersion(
        source=digest([spec.source.type, changed_params(spec.source, code)]),
        files=files,
        edits=digest(_effective(spec.edits.of(data_key(spec.source, code)))),
        split=digest(spec.split),
        transforms=digest(_transforms(spec, code)),
    )


def _transforms(spec: DataSpec, code: Code) -> list[object]:
    """Return what is done with samples; stacking without what tells of padding is left
    out, as in versions that are older.
    """
    transforms: list[dict[str, object]] = msgspec.to_builtins(spec.transforms)
    for step in transforms:
        if not step["level"]:  # as in versions that are older
            del step["level"]
    done: list[object] = [transforms, spec.batch_transforms, spec.normalization]
    if any(step.enabled and is_custom(step.type) for step in spec.transforms):
        done.append(dict(code))
    if spec.collate != "stack":
        done += [spec.collate, dict(code) if spec.collate not in COLLATES else {}]
    return done if spec.padding_info == "none" else [*done, spec.padding_info]


def digest(value: object) -> str:
    """Return the hash of plain values and structs in hex."""
    text = msgspec.json.encode(value, order="sorted")
    return hashlib.blake2b(text, digest_size=_BYTES).hexdigest()


def _effective(edits: DataEdits) -> list[list[object]]:
    return [
        [name, edit.excluded, "" if edit.excluded else edit.label, edit.part]
        for name, edit in sorted(edits.samples.items())
        if edit.excluded or edit.label or edit.part
    ]

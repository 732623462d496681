"""Edits of data: what the user decided about single samples, beside files that stay as they are.

Samples go by a name that survives (the path of a file in its folder; the number of a row with a
hash of what is written there), so that the edits mean the same samples when others come or go.
Reading, writing and limits are those of documents that anybody may have made.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec.structs import replace

PartName = Literal["", "train", "validation", "test"]

MOST_SAMPLES = 1_000_000
MOST_TAGS = 20
LONGEST_NAME = 1024
LONGEST_LABEL = 200
LONGEST_TAG = 60

_HASH_BYTES = 8
_NOT_KNOWN: Mapping[str, str] = MappingProxyType({})
_BY_CONTENT = re.compile(r"(\d{1,18}):([0-9a-f]{16})")


def edit_name(number: str, content: bytes) -> str:
    """Return the name by which an edit knows a sample without a file of its own: its number, and a
    hash of what it holds.
    """
    return f"{number}:{content_hash(content)}"


def content_hash(content: bytes) -> str:
    """Return the hash of what a sample holds."""
    return hashlib.blake2b(content, digest_size=_HASH_BYTES).hexdigest()


def split_name(name: str) -> tuple[str, str]:
    """Return the number and the hash in the name of an edit; other names, with an empty hash."""
    found = _BY_CONTENT.fullmatch(name)
    return (name, "") if found is None else (found[1], found[2])


class SampleEdit(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """What was decided about a sample. One that is ``excluded`` is in no part. ``label`` is the
    name of a class and ``part`` where it goes, each empty for what the data itself says; ``tags``
    are words of the user's own.
    """

    excluded: bool = False
    label: str = ""
    part: PartName = ""
    tags: tuple[str, ...] = ()


NO_EDIT = SampleEdit()


class DataEdits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Edits of samples by name; those that change nothing are left out. ``source`` says which data
    they are of (:func:`engine.spec.data_path.data_key`): they hold for no other.
    """

    source: str = ""
    samples: dict[str, SampleEdit] = {}

    def __len__(self) -> int:
        """Return the number of samples that were edited."""
        return len(self.samples)

    def of(self, source: str) -> "DataEdits":
        """Return the edits that hold for some data: none where they are of other data."""
        return self if self.source == source else DataEdits(source=source)

    def excluding(self, names: Iterable[str], *, is_excluded: bool) -> "DataEdits":
        """Return the edits with some samples left out, or brought back."""
        return self._with({name: {"excluded": is_excluded} for name in names})

    def relabelled(
        self, names: Iterable[str], label: str, own: Mapping[str, str] = _NOT_KNOWN
    ) -> "DataEdits":
        """Return the edits with another class of some samples; empty for the one of the data, which
        ``own`` has by name as far as it is known: to give a sample that one is no edit.
        """
        return self._with(
            {name: {"label": "" if own.get(name) == label else label} for name in names}
        )

    def moved(self, names: Iterable[str], part: PartName) -> "DataEdits":
        """Return the edits with some samples in a part; empty for the one that the split says."""
        return self._with({name: {"part": part} for name in names})

    def tagged(self, names: Iterable[str], tag: str, *, is_set: bool = True) -> "DataEdits":
        """Return the edits with a tag on some samples, or without it."""
        changes: dict[str, dict[str, object]] = {}
        for name in names:
            others = [each for each in self.samples.get(name, NO_EDIT).tags if each != tag]
            changes[name] = {"tags": tuple(sorted([*others, *([tag] if is_set else [])]))}
        return self._with(changes)

    def without(self, names: Iterable[str]) -> "DataEdits":
        """Return the edits without those of some samples."""
        gone = set(names)
        kept = {name: edit for name, edit in self.samples.items() if name not in gone}
        return replace(self, samples=kept) if kept else DataEdits()

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags that there are, in order."""
        return tuple(sorted({tag for edit in self.samples.values() for tag in edit.tags}))

    def _with(self, changes: dict[str, dict[str, object]]) -> "DataEdits":
        samples = dict(self.samples)
        for name, change in changes.items():
            edit = replace(samples.get(name, NO_EDIT), **change)
            if edit == NO_EDIT:
                samples.pop(name, None)
            else:
                samples[name] = edit
        return replace(self, samples=samples) if samples else DataEdits()


def edits_fault(edits: DataEdits) -> str:
    """Return what is beyond the limits of edits, empty for nothing."""
    if len(edits.samples) > MOST_SAMPLES:
        return f"Expected at most {MOST_SAMPLES} samples"
    if len(edits.source) > LONGEST_NAME:
        return f"Expected at most {LONGEST_NAME} characters - at `$.source`"
    for name, edit in edits.samples.items():
        if not name or len(name) > LONGEST_NAME:
            return f"Expected a name of 1 to {LONGEST_NAME} characters, got `{name[:60]}`"
        if len(edit.label) > LONGEST_LABEL:
            return f"Expected a label of at most {LONGEST_LABEL} characters at `{name[:60]}`"
        if len(edit.tags) > MOST_TAGS or not all(0 < len(tag) <= LONGEST_TAG for tag in edit.tags):
            text = f"Expected at most {MOST_TAGS} tags of 1 to {LONGEST_TAG} characters"
            return f"{text} at `{name[:60]}`"
    return ""


def edits_text(edits: DataEdits, version: int) -> str:
    """Return the text of edits for a file: a sample a line, in order, the same for equal edits."""
    lines = [
        f"  {_json(name)}: {_json(msgspec.to_builtins(edit))}"
        for name, edit in sorted(edits.samples.items())
    ]
    samples = "{\n" + ",\n".join(lines) + "\n }" if lines else "{}"
    return (
        f'{{\n "format": {version},\n "samples": {samples},\n "source": {_json(edits.source)}\n}}\n'
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

"""Source of arrays in files: npy, npz, safetensors, pt, idx; one file, two, or a folder."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import cast

import msgspec
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.array import find_arrays
from engine.data.read.idx import is_idx
from engine.data.read.stored import StoredArray
from engine.data.source.array_field import ArrayField, ArrayKind, input_field, target_field
from engine.data.source.array_form import RowsForm
from engine.data.source.array_rows import ArrayRows
from engine.data.source.check import check_fields
from engine.data.source.field import TensorField, truth_field
from engine.data.source.parameter import is_small, path_param, text_param
from engine.data.source.source import PART_WORDS, PARTS, Part, Source, Values, consecutive_parts
from engine.data.source.tensors import TensorSource, class_info
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import is_file
from engine.spec.data import FieldInfo, Task

INPUTS = ("x", "images", "image", "data", "features", "inputs", "input")
"""What arrays of inputs are called, in small letters."""

TARGETS = ("y", "labels", "label", "targets", "target")
_SHOWN_NAMES = 12
_IDX_ENDING = r"(?:[-_.]idx\d[-_.]ubyte|\.idx)(?:\.gz)?"
IDX_NAME = re.compile(rf"(?P<part>|.*[-_.])(?P<role>images|labels){_IDX_ENDING}", re.IGNORECASE)
"""What files of the idx format are called that hold pictures, or the classes of these."""


Arrays = Mapping[str, StoredArray]


@dataclass(frozen=True, kw_only=True)
class ArraySource(Source):
    """Arrays that are larger than is kept in memory: rows are read when a batch needs them."""

    task: Task
    fields: tuple[ArrayField, ...]
    parts: Tensor | None = None

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return tuple(field.info for field in self.fields)

    @property
    @override
    def samples(self) -> int:
        return self.fields[0].rows.shape[0]

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        return {field.info.name: field.read(indices) for field in self.fields}

    @override
    def column(self, name: str) -> Tensor | None:
        """Return the values of a field with one number a sample."""
        field = next((field for field in self.fields if field.info.name == name), None)
        return field.all() if field is not None and field.info.kind == "class" else None

    @override
    def relabelled(self, labels: Tensor) -> "ArraySource | None":
        label = class_info(self.infos)
        if label is None:
            return None
        numbers = ArrayRows((labels.numpy(),))
        fields = tuple(
            replace(field, rows=numbers, values=None) if field.info is label else field
            for field in self.fields
        )
        return replace(self, fields=fields)

    @override
    def array_form(self, name: str) -> RowsForm | None:
        return next((field.form for field in self.fields if field.info.name == name), None)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        fields = [field.rows.read(indices) for field in self.fields]
        return [b"".join(rows[at].tobytes() for rows in fields) for at in range(len(indices))]

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        labels = [
            TensorField(info=field.info, values=field.all())
            for field in self.fields
            if field.info.kind == "class"
        ]
        return check_fields(labels, indices)


def load_arrays(params: Mapping[str, Value]) -> Source:
    """Return arrays as fields that are called like the arrays, the target of classes ``label``.
    The labels of an idx file are those of the file beside it that is called so.

    Raises ``DiagnosticError``: D140 where no file is chosen, D141 to D148 for files and arrays that
    cannot be used, D508 and D509 for an idx file of labels.
    """
    path = path_param(params, "path", "D140")
    _require_inputs(path)
    arrays = dict(find_arrays(path))
    targets = arrays
    if text_param(params, "target_path"):
        targets = dict(find_arrays(path_param(params, "target_path", "D140")))
    elif is_idx(path.name) and (beside := targets_beside(path)) is not None:
        targets = dict(find_arrays(beside))  # an idx file has one array: its labels lie beside it
    pairs = _chosen(params, arrays, targets)
    inputs, answers = [pair[0] for pair in pairs], [pair[1] for pair in pairs if pair[1]]
    _require_alike(inputs, answers)
    kind = cast("ArrayKind", text_param(params, "kind") or "auto")
    fields = [_input(_name(inputs, "input"), inputs, kind)]
    if answers:
        fields.append(_target(answers, fields[0].info))
    parts = consecutive_parts((part, first.samples) for (_, first), _, part in pairs)
    return array_source(tuple(fields), parts)


def targets_beside(path: Path) -> Path | None:
    """Return the file that has the targets of a file of inputs, by their names: ``y_train.npy``
    beside ``X_train.npy``, ``train-labels-idx1-ubyte.gz`` beside ``train-images-idx3-ubyte``,
    ``some-labels.idx`` beside ``some.idx``; None where there is none.
    """
    if is_idx(path.name):
        return _idx_labels(path)
    if path.suffix != ".npy":
        return None
    pattern = "|".join(INPUTS)
    for match in re.finditer(rf"(?<![^\W_])({pattern})(?![^\W_])", path.stem, re.IGNORECASE):
        for word in TARGETS:
            name = path.stem[: match.start()] + word + path.stem[match.end() :]
            for known in (name, name.lower()):
                beside = path.with_name(known + path.suffix)
                if is_file(beside):
                    return beside
    return None


def idx_labels_name(name: str) -> str:
    """Return what the file with the labels of an idx file is called."""
    matched = IDX_NAME.fullmatch(name)
    if matched is None:
        return f"{_idx_stem(name)}-labels{name[len(_idx_stem(name)) :]}".replace("idx3", "idx1")
    start, end = matched.span("role")
    return f"{name[:start]}labels{name[end:].replace('idx3', 'idx1')}"


def _idx_labels(path: Path) -> Path | None:
    matched = IDX_NAME.fullmatch(path.name)
    if matched is None:
        return _idx_beside(path, rf"{re.escape(_idx_stem(path.name))}[-_.]labels")
    if matched["role"].lower() == "labels":
        return None
    return _idx_beside(path, rf"{re.escape(matched['part'])}labels")


def _idx_inputs(path: Path, part: str) -> Path | None:
    """Return the file whose labels an idx file has: that of the images, or of no role."""
    images = _idx_beside(path, rf"{re.escape(part)}images")
    whole = part.rstrip("-_.")
    return _idx_beside(path, re.escape(whole)) if images is None and whole else images


def _idx_stem(name: str) -> str:
    return re.sub(rf"{_IDX_ENDING}$", "", name, flags=re.IGNORECASE)


def _idx_beside(path: Path, start: str) -> Path | None:
    """Return the file in the folder of an idx file whose name begins with a pattern, packed or
    not.
    """
    beside = re.compile(start + _IDX_ENDING, re.IGNORECASE)
    found = [each for each in path.parent.iterdir() if beside.fullmatch(each.name)]
    found.sort(key=lambda each: (each.suffix != path.suffix, each.name))
    return next(filter(is_file, found), None)


def _require_inputs(path: Path) -> None:
    """Raise ``DiagnosticError`` (D508) for an idx file of labels, which says nothing to learn
    from.
    """
    matched = IDX_NAME.fullmatch(path.name)
    if matched is None or matched["role"] != "labels" or not is_file(path):
        return
    inputs = _idx_inputs(path, matched["part"])
    code = "D508" if inputs is not None else "D509"
    name = "" if inputs is None else inputs.name
    raise DiagnosticError.of(code, field="data.source.path", file=path.name, inputs=name)


Named = tuple[str, StoredArray]


def _chosen(
    params: Mapping[str, Value], arrays: Arrays, targets: Arrays
) -> list[tuple[Named, Named | None, Part | None]]:
    """Return input and target of each part that there is, or of all samples."""
    wanted, answer = text_param(params, "input"), text_param(params, "target")
    if not wanted and not answer and targets is arrays:
        parts = _parts(arrays)
        if parts:
            return parts
    first = _picked("input", wanted, arrays, INPUTS, ())
    assert first is not None
    second = _picked("target", answer, targets, TARGETS, (first[0],) if targets is arrays else ())
    return [(first, second, None)]


def _parts(arrays: Arrays) -> list[tuple[Named, Named | None, Part | None]]:
    """Return the arrays of the parts where they are named so: ``x_train``, ``train_images``."""
    pairs: dict[Part, dict[str, Named]] = {}
    for name, array in arrays.items():
        words = name.lower().replace("-", "_").split("_")
        part: Part | None = next((PART_WORDS[word] for word in words if word in PART_WORDS), None)
        rest = [word for word in words if word not in PART_WORDS]
        if part is None or len(rest) != 1:
            continue
        role = "input" if rest[0] in INPUTS else "target" if rest[0] in TARGETS else ""
        if role:
            pairs.setdefault(part, {})[role] = (name, array)
    complete: list[Part] = [part for part in PARTS if "input" in pairs.get(part, {})]
    if "train" not in complete or len({"target" in pairs[part] for part in complete}) > 1:
        return []
    return [(pairs[part]["input"], pairs[part].get("target"), part) for part in complete]


def _picked(
    role: str, wanted: str, arrays: Arrays, usual: tuple[str, ...], taken: tuple[str, ...]
) -> Named | None:
    """Return the array of a name, or the one with a usual name, or the only one that is left; None
    for a target where no array is left.
    """
    rest = [name for name in arrays if name not in taken]
    if wanted:
        if wanted not in arrays:
            raise _missing(role, wanted, arrays)
        return wanted, arrays[wanted]
    by_name = {name.lower(): name for name in reversed(rest)}
    known = next((by_name[name] for name in usual if name in by_name), None)
    if known is None and (len(rest) == 1 or (role == "input" and len(rest) == 2)):
        known = rest[0]
    if known is None and role == "target" and not rest:
        return None
    if known is None:
        raise _missing(role, "", arrays)
    return known, arrays[known]


def _missing(role: str, wanted: str, arrays: Arrays) -> DiagnosticError:
    names = ", ".join([*arrays][:_SHOWN_NAMES])
    code = "D145" if wanted else "D146"
    return DiagnosticError.of(
        code, field=f"data.source.{role}", name=wanted[:60], role=role, names=names
    )


def _require_alike(inputs: Sequence[Named], answers: Sequence[Named]) -> None:
    """Refuse parts of different shapes, and other numbers of targets than of inputs."""
    for group in (inputs, answers):
        for name, array in group:
            if not array.shape or not array.samples or array.shape[1:] != group[0][1].shape[1:]:
                shape = " × ".join(map(str, array.shape)) or "()"
                raise DiagnosticError.of("D147", name=name, shape=shape, dtype=str(array.dtype))
    for (name, array), (other, answer) in zip(inputs, answers, strict=False):
        if array.samples != answer.samples:
            raise DiagnosticError.of(
                "D149",
                field="data.source.path",
                input=name,
                inputs=array.samples,
                target=other,
                targets=answer.samples,
            )


def _rows(arrays: Sequence[Named], *, is_kept: bool) -> ArrayRows:
    """Return the rows of arrays; ``is_kept`` reads them now, as does a file that is packed."""
    parts = tuple(array.read() if is_kept or array.offset is None else array for _, array in arrays)
    return ArrayRows(parts)


def _input(name: str, arrays: Sequence[Named], kind: ArrayKind) -> ArrayField:
    count = sum(prod(array.shape) for _, array in arrays)
    return input_field(name, _rows(arrays, is_kept=is_small(count)), kind)


def _target(arrays: Sequence[Named], source: FieldInfo) -> ArrayField:
    count = sum(prod(array.shape) for _, array in arrays)
    steps = source.shape[0] if source.kind == "sequence" else 0
    field = target_field("target", _rows(arrays, is_kept=is_small(count)), steps)
    if field.info.kind != "class":
        return field
    info = msgspec.structs.replace(field.info, name="label")
    return ArrayField(info=info, rows=field.rows, values=field.values)


def _name(arrays: Sequence[Named], other: str) -> str:
    """Return what the field is called: like its array, where that says nothing of a part."""
    name = arrays[0][0]
    return name if len(arrays) == 1 and name.isidentifier() and name not in TARGETS else other


def array_source(fields: tuple[ArrayField, ...], parts: Tensor | None) -> Source:
    """Return fields of arrays as a source, the target last: tensors where they are small."""
    target = fields[-1].info
    task: Task = "regression"
    if target.role == "target" and target.classes:
        is_binary = target.kind == "class" and len(target.classes) == 2
        task = "binary" if is_binary else "classification"
    elif target.role == "target" and target.columns:
        task = "binary"  # labels, a yes or no for each
    numbers = sum(field.rows.shape[0] * prod(field.info.shape) for field in fields)
    if not is_small(numbers):
        return ArraySource(task=task, fields=fields, parts=parts)
    tensors = [
        TensorField(info=field.info, values=field.all(), form=field.form) for field in fields
    ]
    if task == "binary" and target.kind == "class":
        tensors.append(truth_field(tensors[-1].values))
    return TensorSource(task=task, fields=tuple(tensors), parts=parts)

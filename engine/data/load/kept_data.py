"""Data of a run that is not there any more, by what the run keeps of it: enough to predict the
user's own files, rows and texts, not to train or evaluate.
"""

from pathlib import Path

import msgspec
import torch
from torch import Tensor

from engine.data.load.form_lookup import forms_of
from engine.data.load.kept_source import KeptSource
from engine.data.load.load import LoadedData, all_scalings
from engine.data.load.normalization import Scaling
from engine.data.load.part import PartData, StreamedPart
from engine.data.load.sampler import EpochSampler
from engine.data.load.source_forms import SourceForms
from engine.data.source.source import PARTS, Part
from engine.data.split.kept import Division
from engine.data.transform.collate import build_collation
from engine.data.transform.plan import plan_transforms
from engine.decoding import decode_msgpack
from engine.files import UNDECODABLE, atomic_write, read_file
from engine.spec.choice import Code
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.run import DataSpec

_LONGEST = 1 << 30  # bytes of the file
_FILE = "source.msgpack"


class _Scale(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A :class:`Scaling`, number by number."""

    shape: tuple[int, ...]
    shift: tuple[float, ...]
    scale: tuple[float, ...]

    @property
    def scaling(self) -> Scaling:
        shift, scale = (torch.tensor(each).reshape(self.shape) for each in (self.shift, self.scale))
        return Scaling(shift=shift, scale=scale)


class KeptData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a run keeps of its data: the ``forms`` of the source, the fields as they are trained on
    (``info``) and evaluated, and their normalisation; ``trained`` is how many samples it had to
    train on.
    """

    forms: SourceForms
    info: DataInfo
    evaluated: tuple[FieldInfo, ...]
    scalings: dict[str, _Scale]
    trained: int


def write_kept_data(artefacts: Path, data: LoadedData) -> None:
    """Keep what is needed of the data among the files of a run. Raises
    :class:`~engine.diagnostics.DiagnosticError` where a sample cannot be read, or nothing written.
    """
    part = data.parts["train"]
    fields = part.infos if isinstance(part, StreamedPart) else data.source.infos
    kept = KeptData(
        forms=forms_of(data.source, int(data.indices["train"][0])),
        info=msgspec.structs.replace(data.info, problems=()),
        evaluated=tuple(fields),
        scalings={name: _scale(each) for name, each in data.scalings.items()},
        trained=data.samples("train"),
    )
    atomic_write(artefacts / _FILE, msgspec.msgpack.encode(kept))


def read_kept_data(artefacts: Path) -> KeptData | None:
    """Return what a run keeps of its data; None where it keeps nothing, or the file is damaged."""
    try:
        content = read_file(artefacts / _FILE, _LONGEST, follow=False)
        return decode_msgpack(content, KeptData)
    except (OSError, ValueError, *UNDECODABLE):
        return None


def load_kept_data(kept: KeptData, spec: DataSpec, code: Code) -> LoadedData:
    """Return the data of a specification by what a run keeps of it: its one sample is empty.

    Raises :class:`~engine.diagnostics.DiagnosticError` as planning the transforms does.
    """
    source = KeptSource(kept.forms, kept.forms.task)
    indices: dict[Part, Tensor] = {part: torch.arange(int(part == "train")) for part in PARTS}
    collation = build_collation(spec, code)
    plan = plan_transforms(spec.transforms, source, indices, collation, code)
    scalings = {name: each.scaling for name, each in kept.scalings.items()}
    fitted = {name: each for name, each in scalings.items() if name not in plan.evaluation.norms}
    parts: dict[Part, PartData] = {
        part: StreamedPart(
            source, index, kept.evaluated, plan.evaluation.chain, collation, scalings
        )
        for part, index in indices.items()
    }
    training = StreamedPart(
        source,
        indices["train"],
        kept.info.fields,
        plan.training.chain,
        collation,
        all_scalings(plan.training, fitted),
    )
    return LoadedData(
        info=kept.info,
        source=source,
        indices=indices,
        parts=parts,
        training=training,
        division=Division(source, spec.split, indices),
        scalings=scalings,
        sampler=EpochSampler(spec=spec, samples=kept.trained),
        preparation=plan.evaluation.chain,
        collation=collation,
    )


def _scale(scaling: Scaling) -> _Scale:
    shift, scale = torch.broadcast_tensors(scaling.shift, scaling.scale)
    numbers = (tuple(each.reshape(-1).tolist()) for each in (shift, scale))
    first, second = numbers
    return _Scale(shape=tuple(shift.shape), shift=first, scale=second)

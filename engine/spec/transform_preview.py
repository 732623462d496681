"""One sample on its way through the transforms, as plain values for the window."""

import msgspec

from engine.diagnostics import Diagnostic


class FieldStage(msgspec.Struct, frozen=True, kw_only=True):
    """A field at one stage. ``low`` and ``high`` are the ends of its values; ``values`` the first
    of them where it is no picture; ``pixels`` a picture as bytes (height × width × channels, one
    or three), not larger than it can be shown: ``size`` is its height, width and channels. Decimal
    numbers from 0 to 1 are shown as they are, others from ``low`` to ``high``; those of a mask are
    its classes.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    dtype: str
    low: float = 0.0
    high: float = 0.0
    values: tuple[float, ...] = ()
    pixels: bytes = b""
    size: tuple[int, int, int] = (0, 0, 0)


class TransformStage(msgspec.Struct, frozen=True, kw_only=True):
    """The sample after one transform: ``number`` is that of the specification (from 0), -1 before
    the first; ``problem`` is why it failed: it is the last stage then, without fields.
    """

    number: int
    name: str
    fields: tuple[FieldStage, ...] = ()
    problem: Diagnostic | None = None


class TransformPreview(msgspec.Struct, frozen=True, kw_only=True):
    """A sample from how it is read to how the model gets it: sample ``number`` of the ``samples``
    of its part, ``index`` in the source. ``label`` is the name of its class, if it has one.
    """

    index: int
    stages: tuple[TransformStage, ...]
    number: int = 0
    samples: int = 0
    label: str = ""


class DrawnSamples(msgspec.Struct, frozen=True, kw_only=True):
    """Some training samples as the model gets them: of each only its last stage. ``problems`` is
    why others that were asked for are left out.
    """

    samples: tuple[TransformPreview, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


class BlendedSample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample of a batch: its image as in :class:`FieldStage`, and its target: the share of each
    class that has one, by name, or a number for what is no class.
    """

    image: FieldStage
    shares: tuple[tuple[str, float], ...] = ()
    number: float | None = None


class BatchPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The first samples of a training batch as the model gets them. ``name`` is the transform that
    was drawn for the batch (empty: none), ``weight`` the share that each sample keeps.
    """

    samples: tuple[BlendedSample, ...]
    batch_size: int
    name: str = ""
    weight: float = 1.0

"""What reading and writing weights finds out, as plain values (no torch)."""

import msgspec

from engine.diagnostics import Diagnostic


class TensorEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor of a file: its name, shape, dtype ("float32") and size in bytes."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    size_bytes: int


class OptimizerGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter group of an optimizer in a checkpoint: the dotted name of the ``optimizer`` there
    and the number of the group, how many ``parameters`` it has, its ``settings`` as text (lr,
    betas), what is ``kept`` of each parameter ("exp_avg"), how many ``steps`` were taken (None:
    they are not counted) and the bytes of all that is kept.
    """

    optimizer: str
    number: int
    parameters: int
    settings: dict[str, str] = {}
    kept: tuple[str, ...] = ()
    steps: int | None = None
    size_bytes: int = 0


class CheckpointContents(msgspec.Struct, frozen=True, kw_only=True):
    """What a file of weights or a checkpoint holds.

    ``kind`` tells what it was recognised as; ``tensors`` are those of the model; ``sections`` the
    sizes in bytes of all parts of a checkpoint (model, optimizer, ...); ``values`` its plain
    entries (epoch, step, loss) as text; ``elements`` the number of elements of all ``tensors``;
    ``prefix`` was on all the names in the file and is taken off (``module.``); ``optimizers`` are
    the parameter groups of the optimizers in it.
    """

    file: str
    kind: str  # "checkpoint", "state-dict" or "safetensors"
    size_bytes: int
    tensors: tuple[TensorEntry, ...] = ()
    elements: int = 0
    sections: dict[str, int] = {}
    values: dict[str, str] = {}
    prefix: str = ""
    optimizers: tuple[OptimizerGroup, ...] = ()


class Mismatch(msgspec.Struct, frozen=True, kw_only=True):
    """A name that stands on both sides with another shape or dtype."""

    name: str
    expected_shape: tuple[int, ...]
    expected_dtype: str
    found_shape: tuple[int, ...]
    found_dtype: str


class CheckpointComparison(msgspec.Struct, frozen=True, kw_only=True):
    """A file of weights beside a model: names the file lacks, names the model lacks, and names with
    another shape or dtype. ``matched`` are the tensors that fit, ``matching`` is their number.
    ``problems`` says the same in sentences; empty when the weights fit.
    """

    file: str
    matching: int
    matched: tuple[TensorEntry, ...] = ()
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[Mismatch, ...] = ()
    prefix: str = ""
    problems: tuple[Diagnostic, ...] = ()

    def fits(self) -> bool:
        """Return whether every weight of the model is there, in its shape and dtype."""
        return not (self.missing or self.unexpected or self.mismatched)


class Renaming(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken off the beginnings of names in a file, and what is put before all of them."""

    remove: str = ""
    add: str = ""


class WeightsReport(msgspec.Struct, frozen=True, kw_only=True):
    """A file of weights beside a model under other names, and what names on both sides begin with,
    the most frequent first.
    """

    comparison: CheckpointComparison
    renaming: Renaming = Renaming()
    file_prefixes: tuple[str, ...] = ()
    model_prefixes: tuple[str, ...] = ()


class Int8Report(msgspec.Struct, frozen=True, kw_only=True):
    """A model with int8 weights beside the one that was trained: how many ``layers`` have them, the
    bytes of all weights and of the ``file``, and, on a part of the data, loss and metrics of the
    model as its run evaluates it and of the one in the file. ``problems`` say why these were not
    measured.
    """

    layers: int
    weights_bytes: int
    file_bytes: int
    split: str = ""
    before: dict[str, float] = {}
    after: dict[str, float] = {}
    problems: tuple[Diagnostic, ...] = ()


class ExportReport(msgspec.Struct, frozen=True, kw_only=True):
    """An export that was written, loaded back and compared.

    ``largest_difference`` is the largest absolute difference of any output element between the
    module that was trained and what was read back from ``files``, over ``batches`` random batches,
    or batches of so many ``samples`` of the user's own where that is not 0. ``seconds`` is how long
    it took, ``snippet`` the code that loads the file where the format has one; ``notices`` are to
    be told.
    """

    format: str
    files: tuple[str, ...]
    size_bytes: int
    largest_difference: float
    batches: int
    checkpoint: str = ""
    int8: Int8Report | None = None
    samples: int = 0
    seconds: float = 0.0
    snippet: str = ""
    notices: tuple[Diagnostic, ...] = ()

"""Questions about the results of a run: its predictions, and those for the user's input."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.request import Request, Split
from engine.query.results.mask_sample import MaskSamples
from engine.query.results.number_score import NumberScore
from engine.query.results.text_tokens import TextTokens
from engine.runs.record.surface import Surface
from engine.runs.record.tensor_capture import CapturedTensor, TensorKind, TensorListing
from engine.spec.data import FieldInfo, PreviewInfo, Task
from engine.spec.plane import Plane
from engine.spec.run import DataSpec


class ClassScore(msgspec.Struct, frozen=True, kw_only=True):
    """How well one class is found: shares from 0 to 1, None where nothing can be divided by;
    ``support`` is the number of its samples, of masks that of its pixels. ``iou`` is the number of
    hits over that of the true and the predicted together. Of boxes, ``average_precision`` is that
    of COCO, ``average_precision_50`` where half of the united area makes a hit; the others are at
    the ``score`` where F1 is the highest, and ``support`` counts the true boxes.
    """

    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    support: int
    iou: float | None = None
    average_precision: float | None = None
    average_precision_50: float | None = None
    score: float | None = None


class ScoreCurve(msgspec.Struct, frozen=True, kw_only=True):
    """A curve of one class against the rest. ``area`` is the one under a ROC curve, or the average
    precision.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    area: float


class ResultReport(msgspec.Struct, frozen=True, kw_only=True):
    """Every sample of a part with what was predicted for it.

    ``indices`` are the places in the source, ``losses`` what each sample costs alone. ``targets``
    and ``predictions`` hold ``outputs`` numbers a sample, one after the other: of a classifier the
    number of the class, with ``chances``, the probability that it gave; of a sample with very many
    numbers (``width``), such as a picture, an even choice of them. ``points`` are the inputs where
    a sample is one number, ``fields`` those of the data. The last curve of several classes is
    their mean (of labels, of which a sample has any number, there is none, and their probabilities
    are the numbers predicted); where all would take too much memory there are only curves of the
    most frequent classes and no mean, and no ``matrix``. ``names`` are what the ``outputs`` are
    called, empty where they have no names; of several with names, ``columns`` has the errors of
    each. Of a time series, ``times`` are those of the first row
    that each sample predicts, or the numbers of these rows (``time_kind``: ``time`` or ``row``).

    Of masks there are no targets and predictions here (:class:`PredictMasks` has them), but
    ``ious``: for each sample the mean over the classes that it has; ``matrix`` and ``scores`` count
    pixels. Of sequences (:class:`PredictSequences` has them) there are ``hits``, for each sample
    the share of its tokens that are right, and ``positions``, the same for each position; both are
    not a number where nothing is compared. Of boxes neither (:class:`PredictBoxes` has them), but
    ``box_counts``, the number of true ones of each sample. ``notices`` tell of samples that came or
    went since the run divided them.
    """

    checkpoint: str
    split: str
    step: int
    task: Task
    fields: tuple[FieldInfo, ...]
    classes: tuple[str, ...] = ()
    outputs: int = 1
    width: int = 1
    names: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    time_kind: str = ""
    indices: tuple[int, ...] = ()
    targets: tuple[float, ...] = ()
    predictions: tuple[float, ...] = ()
    chances: tuple[float, ...] = ()
    losses: tuple[float, ...] = ()
    ious: tuple[float, ...] = ()
    hits: tuple[float, ...] = ()
    positions: tuple[float, ...] = ()
    box_counts: tuple[int, ...] = ()
    points: tuple[float, ...] = ()
    matrix: tuple[tuple[int, ...], ...] = ()
    scores: tuple[ClassScore, ...] = ()
    columns: tuple[NumberScore, ...] = ()
    roc: tuple[ScoreCurve, ...] = ()
    precision_recall: tuple[ScoreCurve, ...] = ()
    metrics: dict[str, float] = {}
    notices: tuple[Diagnostic, ...] = ()


class ExamineStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far the evaluation of a checkpoint's file is, in samples; the report when it is done."""

    checkpoint: str
    sha256: str
    done: int
    total: int
    report: ResultReport | None = None


_PICTURE_AXES = 3
_CHANNELS = (1, 3)


class ModelInput(msgspec.Struct, frozen=True, kw_only=True):
    """One field that a model is fed with: the range of its values in the data, before
    normalisation, and the values of one sample, with its ``text`` where it is a sentence. Of a
    series ``columns`` are the names of the numbers of each row.
    """

    info: FieldInfo
    low: float
    high: float
    example: tuple[float, ...]
    text: str = ""
    columns: tuple[str, ...] = ()


class TypedColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a table whose cell is typed: its ``kind`` (:data:`engine.spec.table.ColumnKind`),
    what stands in it for the example, and the ``choices`` where it has few values.
    """

    name: str
    kind: str
    text: str = ""
    choices: tuple[str, ...] = ()


class ModelInputs(msgspec.Struct, frozen=True, kw_only=True):
    """What the model of a run reads and what it answers with; ``classes`` is empty for numbers.
    ``columns`` are what the fields ``row_fields`` are made of, where they are those of a table.
    ``continues`` is the field of the text that a language model goes on with: it reads the last
    tokens of that, not the first. ``diffuses`` is the field of which a diffusion model makes
    samples, and nothing else; ``decodes`` that of which one draws samples from latent variables;
    ``generates`` that of which the generator of a GAN makes samples.
    ``answers`` are what the numbers of an answer are called, empty where they have no names.
    ``points`` are the names of the points in the picture that the answer has x and y of.
    ``output`` is the name of the output that is the answer where the data has nothing that it is
    compared with, and ``is_loss`` whether it is a loss that the model computes itself. With
    ``has_labels`` each of the ``answers`` is a label that a sample has or has not. ``others`` tell
    the same of further outputs, by name; ``judged`` is the name of the first one then.
    """

    step: int
    fields: tuple[ModelInput, ...]
    classes: tuple[str, ...] = ()
    task: Task = "regression"
    finds_boxes: bool = False
    columns: tuple[TypedColumn, ...] = ()
    row_fields: tuple[str, ...] = ()
    continues: str = ""
    diffuses: str = ""
    decodes: str = ""
    generates: str = ""
    answers: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    output: str = ""
    is_loss: bool = False
    has_labels: bool = False
    judged: str = ""
    others: "dict[str, ModelInputs]" = {}

    @property
    def drawn(self) -> ModelInput | None:
        """The field that a model with latent variables draws, where that is a picture."""
        for field in self.fields:
            shape = field.info.shape
            is_picture = len(shape) == _PICTURE_AXES and shape[0] in _CHANNELS
            if field.info.name == self.decodes and field.info.kind == "image" and is_picture:
                return field
        return None

    @property
    def makes_samples(self) -> bool:
        """Whether the model makes samples, rather than predict something for an input."""
        return bool(self.diffuses or self.generates) or self.drawn is not None


class TrueBox(msgspec.Struct, frozen=True, kw_only=True):
    """A true box: ``corners`` are left, top, right and bottom as shares of width and height of the
    picture, ``label`` is the number of its class.
    """

    corners: tuple[float, float, float, float]
    label: int


class FoundBox(msgspec.Struct, frozen=True, kw_only=True):
    """A box that a model found, as :class:`TrueBox`, with its ``score``. ``hit`` is the number of
    the true box of its class with which it shares half of the united area or more, unless a
    likelier one takes it; below 0 for none.
    """

    corners: tuple[float, float, float, float]
    label: int
    score: float
    hit: int = -1


class FileInput(msgspec.Struct, frozen=True, kw_only=True):
    """A picture, a sound or a video as a value of a field: flat, before normalisation."""

    values: tuple[float, ...]


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """What a model says about one sample: a probability for each class, or its numbers; ``step`` is
    that of its weights. Of a mask, of height and width ``size``, ``mask`` has the class of each
    pixel (int16, row by row), and ``values`` the share of each class. A detector gives ``boxes``,
    the likeliest first, and no ``values``; one that finds masks too has the number of the box that
    each pixel is of in ``shapes`` (255: none), a byte each, of height and width ``shape_size``.
    ``tokens`` are those of the texts that were given, by field. A model that predicts a token for
    each position has ``following``, a probability for each token that may come next, and
    ``continued``, what it writes when it goes on with the likeliest each time; of a text that is
    predicted from another one that is all of it. ``notices`` tell of cells with two meanings.
    ``others`` are the answers of further outputs, by name.
    """

    step: int
    values: tuple[float, ...]
    size: tuple[int, int] = (0, 0)
    mask: bytes = b""
    tokens: dict[str, TextTokens] = {}
    boxes: tuple[FoundBox, ...] = ()
    shapes: bytes = b""
    shape_size: tuple[int, int] = (0, 0)
    following: tuple[float, ...] = ()
    continued: str = ""
    notices: tuple[Diagnostic, ...] = ()
    others: "dict[str, Prediction]" = {}


class BoxSample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample with its boxes, the picture not larger than it can be looked at: its ``index`` in
    the source and its ``number`` in the part, ``pixels`` the picture as bytes (channels × height ×
    width, ``picture_size``, of one or three channels). What was found stands in the order of the
    scores, the likeliest 100. Where masks are known, ``true_shapes`` and ``found_shapes`` have the
    number of the box that each pixel is of (255: none), a byte each.
    """

    index: int
    number: int
    picture_size: tuple[int, int, int]
    pixels: bytes
    truth: tuple[TrueBox, ...]
    found: tuple[FoundBox, ...]
    true_shapes: bytes = b""
    found_shapes: bytes = b""


class BoxSamples(msgspec.Struct, frozen=True, kw_only=True):
    """Some samples with the boxes that the weights of a step find."""

    step: int
    samples: tuple[BoxSample, ...]


class SequenceSample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample with its tokens as text: its ``index`` in the source and its ``number`` in the part,
    what the model read, what should follow and what the model says, each position on its own.
    Where the text is about a picture, ``written`` is what the model writes without knowing it, and
    ``pixels`` the picture as bytes (channels × height × width, ``picture_size``).
    """

    index: int
    number: int
    text: str
    truth: str
    prediction: str
    written: str = ""
    picture_size: tuple[int, int, int] = (0, 0, 0)
    pixels: bytes = b""


class SequenceSamples(msgspec.Struct, frozen=True, kw_only=True):
    """Some samples with the tokens that the weights of a step predict."""

    step: int
    samples: tuple[SequenceSample, ...]


class Examine(Request[ExamineStep], frozen=True, kw_only=True):
    """Go on with what a checkpoint predicts for a part, for about ``seconds``; ask again until the
    report comes. ``checkpoint`` is ``best``, ``last`` or a file name; with the ``sha256`` that the
    step before told, it is that very file, though the run has replaced it
    meanwhile. ``output`` is one of several that are compared with the data, empty: the first.
    """

    run_folder: str
    checkpoint: str = "best"
    sha256: str = ""
    split: Split = "test"
    output: str = ""
    seconds: float = 0.25

    handler = "engine.query.results.answer.examine"
    custom_code = "run"
    is_slow = True
    supersedes = True


class PredictionStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far predictions for all samples are, and the ``key`` that names them when they are done
    (``has_parts``: with PARTS_OF_RUN, too). ``unread`` could not be read, the first for ``reason``.
    """

    checkpoint: str
    sha256: str
    done: int
    total: int
    key: str = ""
    has_parts: bool = False
    unread: int = 0
    reason: Diagnostic | None = None


class PredictSamples(Request[PredictionStep], frozen=True, kw_only=True):
    """Go on with what a checkpoint predicts for all samples of the data of its run, for about
    ``seconds``; ask again until there is a key. What was predicted before is there at once. Of more
    than ``most`` samples (0: any number) nothing is predicted, only their number is told.
    ``checkpoint``, ``sha256`` and ``output`` as in :class:`Examine`.
    """

    run_folder: str
    checkpoint: str = "best"
    sha256: str = ""
    output: str = ""
    most: int = 0
    seconds: float = 0.25

    handler = "engine.query.results.answer.predict_samples"
    custom_code = "run"
    is_slow = True
    supersedes = True


class LookUp(Request[PreviewInfo], frozen=True, kw_only=True):
    """The samples at some places of the data."""

    data: DataSpec
    places: tuple[int, ...]
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.results.answer.look_up"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class PredictMasks(Request[MaskSamples], frozen=True, kw_only=True):
    """What the model of a checkpoint predicts for some samples of a part, by their numbers in it,
    where that is a class for each pixel.
    """

    run_folder: str
    checkpoint: str
    split: Split
    numbers: tuple[int, ...]
    output: str = ""

    handler = "engine.query.results.answer.predict_masks"
    custom_code = "run"
    is_slow = True
    supersedes = True


class PredictSequences(Request[SequenceSamples], frozen=True, kw_only=True):
    """What the model of a checkpoint predicts for some samples of a part, by their numbers in it,
    where that is a token for each position.
    """

    run_folder: str
    checkpoint: str
    split: Split
    numbers: tuple[int, ...]
    output: str = ""

    handler = "engine.query.results.answer.predict_sequences"
    custom_code = "run"
    is_slow = True
    supersedes = True


class PredictBoxes(Request[BoxSamples], frozen=True, kw_only=True):
    """What the model of a checkpoint finds in some samples of a part, by their numbers in it, where
    it finds boxes.
    """

    run_folder: str
    checkpoint: str
    split: Split
    numbers: tuple[int, ...]

    handler = "engine.query.results.answer.predict_boxes"
    custom_code = "run"
    is_slow = True
    supersedes = True


class DescribeModel(Request[ModelInputs], frozen=True, kw_only=True):
    """What the model of a checkpoint reads and answers. The example is the sample of that number in
    the source, the first one of the training part where there is none.
    """

    run_folder: str
    checkpoint: str = "best"
    sample: int = -1

    handler = "engine.query.results.answer.describe_model"
    custom_code = "run"
    is_slow = True
    supersedes = True


class TakeFile(Request[FileInput], frozen=True, kw_only=True):
    """A picture, a sound or a video of the user as the model of a checkpoint reads it: the file at
    ``path`` as a value of ``field``.
    """

    run_folder: str
    checkpoint: str
    field: str
    path: str

    handler = "engine.query.results.answer.take_file"
    custom_code = "run"
    is_slow = True
    supersedes = True


class Predict(Request[Prediction], frozen=True, kw_only=True):
    """What the model of a checkpoint says about values, flat by field, before normalisation.
    What is not there as values may be given as the data has it: ``texts`` by field, ``cells`` of a
    row by column, and the paths of ``files`` by field.
    """

    run_folder: str
    checkpoint: str
    values: dict[str, tuple[float, ...]]
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    cells: dict[str, str] = msgspec.field(default_factory=dict)
    files: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.results.answer.predict"
    custom_code = "run"
    is_slow = True
    supersedes = True


class DrawSurface(Request[Surface], frozen=True, kw_only=True):
    """What the model of a checkpoint answers over a plane of its inputs."""

    run_folder: str
    checkpoint: str = "last"
    plane: Plane = Plane()

    handler = "engine.query.results.answer.draw_surface"
    custom_code = "run"
    is_slow = True
    supersedes = True


class ListKeptTensors(Request[TensorListing], frozen=True, kw_only=True):
    """Which tensors a checkpoint keeps: parameters, buffers and the state of the optimizer."""

    run_folder: str
    checkpoint: str = "last"

    handler = "engine.query.results.answer.list_kept_tensors"
    custom_code = "run"
    is_slow = True
    supersedes = True


class TakeKeptTensor(Request[CapturedTensor], frozen=True, kw_only=True):
    """One of the tensors that a checkpoint keeps."""

    run_folder: str
    checkpoint: str
    kind: TensorKind
    name: str

    handler = "engine.query.results.answer.take_kept_tensor"
    custom_code = "run"
    is_slow = True
    supersedes = True

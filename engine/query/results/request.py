"""Questions about the results of a run: its predictions, and those for the user's input."""

from engine.query.request import Request, Split
from engine.query.results.report import ExamineStep, ModelInputs, Prediction
from engine.runs.record.surface import Surface
from engine.runs.record.tensor_capture import CapturedTensor, TensorKind, TensorListing
from engine.spec.data import PreviewInfo
from engine.spec.run import DataSpec


class Examine(Request[ExamineStep], frozen=True, kw_only=True, tag="Examine"):
    """Go on with what a checkpoint predicts for a part, for about ``seconds``; ask again until the
    report comes. ``checkpoint`` is ``best``, ``last`` or a file name; with the ``sha256`` that the
    step before told, it is that very file, though the run has replaced it meanwhile.
    """

    run_folder: str
    checkpoint: str = "best"
    sha256: str = ""
    split: Split = "test"
    seconds: float = 0.25

    answer_type = ExamineStep
    handler = "engine.query.results.answer.examine"
    custom_code = "run"
    is_slow = True
    supersedes = True


class LookUp(Request[PreviewInfo], frozen=True, kw_only=True, tag="LookUp"):
    """The samples at some places of the data."""

    data: DataSpec
    places: tuple[int, ...]

    answer_type = PreviewInfo
    handler = "engine.query.results.answer.look_up"
    is_slow = True
    supersedes = True


class DescribeModel(Request[ModelInputs], frozen=True, kw_only=True, tag="DescribeModel"):
    """What the model of a checkpoint reads and answers."""

    run_folder: str
    checkpoint: str = "best"

    answer_type = ModelInputs
    handler = "engine.query.results.answer.describe_model"
    custom_code = "run"
    is_slow = True
    supersedes = True


class Predict(Request[Prediction], frozen=True, kw_only=True, tag="Predict"):
    """What the model of a checkpoint says about values, flat by field, before normalisation."""

    run_folder: str
    checkpoint: str
    values: dict[str, tuple[float, ...]]

    answer_type = Prediction
    handler = "engine.query.results.answer.predict"
    custom_code = "run"
    is_slow = True
    supersedes = True


class DrawSurface(Request[Surface], frozen=True, kw_only=True, tag="DrawSurface"):
    """What the model of a checkpoint answers over the plane of its two inputs."""

    run_folder: str
    checkpoint: str = "last"

    answer_type = Surface
    handler = "engine.query.results.answer.draw_surface"
    custom_code = "run"
    is_slow = True
    supersedes = True


class ListKeptTensors(Request[TensorListing], frozen=True, kw_only=True, tag="ListKeptTensors"):
    """Which tensors a checkpoint keeps: parameters, buffers and the state of the optimizer."""

    run_folder: str
    checkpoint: str = "last"

    answer_type = TensorListing
    handler = "engine.query.results.answer.list_kept_tensors"
    custom_code = "run"
    is_slow = True
    supersedes = True


class TakeKeptTensor(Request[CapturedTensor], frozen=True, kw_only=True, tag="TakeKeptTensor"):
    """One of the tensors that a checkpoint keeps."""

    run_folder: str
    checkpoint: str
    kind: TensorKind
    name: str

    answer_type = CapturedTensor
    handler = "engine.query.results.answer.take_kept_tensor"
    custom_code = "run"
    is_slow = True
    supersedes = True

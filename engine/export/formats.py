"""The formats that can be written now. A new one is a file with a function and a line here."""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.diagnostics import DiagnosticError
from engine.export.written import Written

if TYPE_CHECKING:
    from engine.export.job import ExportJob


class Format(NamedTuple):
    """A format: the ending of its file, the function that writes it (imported when used), what it
    is in a few words, the endings of further files that are written beside it, what the name of the
    file must hold so that its reader finds it, and whether it is of a model, which needs the
    tokenizers of its texts; ``is_apart``: it is traced and checked in a process of its own, as
    that takes long; ``needs`` are its packages, ``extra`` is the extra of Trellis that has
    them (empty: none has).
    """

    suffix: str
    module: str
    function: str
    text: str
    beside: tuple[str, ...] = ()
    found_by: str = ""
    is_model: bool = True
    is_apart: bool = False
    extra: str = ""
    needs: tuple[str, ...] = ()

    def targets(self, output: Path) -> tuple[Path, ...]:
        """Return the files that are written for an output."""
        return (output, *map(output.with_suffix, self.beside))

    @property
    def has_preparation_beside(self) -> bool:
        """Whether its file cannot hold how inputs are prepared, so that a file beside it does."""
        return ".json" in self.beside

    def missing(self) -> tuple[str, ...]:
        """Return the packages that it needs and that are not installed."""
        return tuple(name for name in self.needs if find_spec(name) is None)

    def writer(self) -> Callable[["ExportJob", Path], Written | tuple[tuple[Path, ...], float]]:
        """Return the function: (job, output) -> (files, largest difference), or more. Imports
        torch.
        """
        return getattr(import_module(self.module), self.function)


FORMATS: dict[str, Format] = {
    "state-dict": Format(
        ".pt",
        "engine.export.state_dict",
        "write_state_dict",
        "the weights by name, for torch.load",
        (".json",),
    ),
    "state-dict-half": Format(
        ".pt",
        "engine.export.half",
        "write_half",
        "the weights in half precision (float16)",
        (".json",),
    ),
    "safetensors": Format(
        ".safetensors",
        "engine.export.safetensors",
        "write_safetensors",
        "the weights in a file that cannot contain code",
    ),
    "safetensors-half": Format(
        ".safetensors",
        "engine.export.half",
        "write_half_safetensors",
        "the weights in half precision (float16) in such a file",
    ),
    "safetensors-bfloat16": Format(
        ".safetensors",
        "engine.export.half",
        "write_bfloat16",
        "the weights in bfloat16 in such a file: the range of float32 with fewer digits",
    ),
    "int8": Format(
        ".safetensors",
        "engine.export.int8",
        "write_int8",
        "weights of 8 bits (int8), with a Python file that loads them",
        (".py",),
    ),
    "python": Format(
        ".py",
        "engine.export.python_file",
        "write_python",
        "the class as trained, with its weights beside it",
        (".pt",),
    ),
    "python-class": Format(
        ".py",
        "engine.export.training_file",
        "write_training_class",
        "the class with the code that trains it",
        (".pt", ".samples.jsonl", ".samples.npz", ".start.pt", ".README.md"),
    ),
    "project": Format(
        ".zip",
        "engine.export.project.write",
        "write_project",
        "a Python project: package, commands to train, evaluate and predict, tests and README",
        is_model=False,
        is_apart=True,
    ),
    "service": Format(
        ".zip",
        "engine.export.service.write",
        "write_service",
        "a prediction service with a page to try it, for FastAPI",
        is_model=False,
        is_apart=True,
    ),
    "notebook": Format(
        ".ipynb",
        "engine.export.notebook",
        "write_notebook",
        "a Jupyter notebook: model, data, training, evaluation and predictions, cell by cell",
        (".pt", ".samples.jsonl", ".samples.npz", ".start.pt"),
        is_apart=True,
    ),
    "lightning": Format(
        ".py",
        "engine.export.lightning_file",
        "write_lightning",
        "a LightningModule with the training of the run, for PyTorch Lightning",
        (".pt", ".samples.jsonl", ".samples.npz", ".start.pt"),
        is_apart=True,
    ),
    "huggingface": Format(
        ".zip",
        "engine.export.huggingface",
        "write_huggingface",
        "a folder for Hugging Face: config, safetensors, model card, and the code of the model",
        is_model=False,
        is_apart=True,
    ),
    "bundle": Format(
        ".zip",
        "engine.export.bundle",
        "write_bundle",
        "all of a run to make it again: project, weights, recipe, data version, environment, card",
        is_model=False,
        is_apart=True,
    ),
    "whole-model": Format(
        ".pt",
        "engine.export.pickled_model",
        "write_whole_model",
        "the whole model as a pickle, whose class lies beside it; loading a pickle runs its code",
        (".py",),
        is_apart=True,
    ),
    "torch-export": Format(
        ".pt2",
        "engine.export.program",
        "write_program",
        "the whole computation with its weights for any batch size, for torch.export.load",
        (".py",),
        is_apart=True,
    ),
    "aot-inductor": Format(
        ".pt2",
        "engine.export.compiled",
        "write_compiled",
        "the whole computation as machine code for this kind of processor, by AOTInductor",
        (".py",),
        is_apart=True,
    ),
    "onnx": Format(
        ".onnx",
        "engine.export.onnx_file",
        "write_onnx",
        "the whole computation with its weights for ONNX Runtime and other programs than PyTorch",
        (".py",),
        is_apart=True,
        extra="onnx",
        needs=("onnx", "onnxscript", "onnxruntime"),
    ),
    "torchscript": Format(
        ".ts",
        "engine.export.torchscript",
        "write_torchscript",
        "the whole computation as TorchScript, which PyTorch has deprecated",
        (".py",),
        is_apart=True,
    ),
    "tensorboard": Format(
        ".tfevents",
        "engine.export.tensorboard",
        "write_tensorboard",
        "the curves of the run, the model and some samples as a TensorBoard log",
        found_by="tfevents",
        is_model=False,
    ),
    "csv": Format(
        ".csv",
        "engine.export.run_table",
        "write_csv",
        "all that the run recorded as a table, settings and events beside it",
        (".run.json",),
        is_model=False,
    ),
    "parquet": Format(
        ".parquet",
        "engine.export.run_table",
        "write_parquet",
        "the same table as Parquet",
        (".run.json",),
        is_model=False,
        extra="parquet",
        needs=("pyarrow",),
    ),
    "mlflow": Format(
        ".mlflow.db",
        "engine.export.trackers.write",
        "write_mlflow",
        "the curves and settings of the run as a database of MLflow",
        is_model=False,
        is_apart=True,
        needs=("mlflow",),
    ),
    "wandb": Format(
        ".wandb",
        "engine.export.trackers.write",
        "write_wandb",
        "the curves and settings of the run as an offline run of Weights & Biases",
        is_model=False,
        is_apart=True,
        needs=("wandb",),
    ),
    "trackio": Format(
        ".db",
        "engine.export.trackers.write",
        "write_trackio",
        "the curves and settings of the run as a database of Trackio",
        is_model=False,
        is_apart=True,
        needs=("trackio",),
    ),
}


def find_format(name: str) -> Format:
    """Return a format. Raises :class:`DiagnosticError` (X003) with those that there are."""
    if name not in FORMATS:
        raise DiagnosticError.of("X003", format=name, known=", ".join(FORMATS))
    return FORMATS[name]

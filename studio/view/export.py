"""Choices of an export, and the result of writing it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.runs.record.state import RunState
from engine.runtime import CheckpointContents, ExportReport, Int8Report
from engine.spec.export_stage import Stage
from engine.spec.technique import AVERAGED, RAW, AveragingSpec
from studio.i18n import listed, translate
from studio.view.run import series_label
from studio.view.wording import metric_text, size_text
from widgets.tables.view_model import ColumnView, RowView, TableData


@dataclass(frozen=True, kw_only=True)
class FormatView:
    """One form of export: its key, title, what it is for, and the ending of its file."""

    key: str
    title: str
    text: str
    suffix: str


def present_formats(keys: Iterable[str]) -> tuple[FormatView, ...]:
    """Return the forms of export in the order of the form."""
    known = _weight_formats() | _half_formats() | _code_formats() | _program_formats()
    known |= _shared_formats() | _computation_formats() | _runtime_formats() | _tracker_formats()
    views = []
    for key in keys:
        title, text, suffix = known.get(key, (key, "", ""))
        views.append(FormatView(key=key, title=title, text=text, suffix=suffix))
    return tuple(views)


def _weight_formats() -> dict[str, tuple[str, str, str]]:
    """Return title, text and ending of the formats that hold weights alone."""
    return {
        "state-dict": (
            translate("Export", "Weights: state_dict (.pt)"),
            translate("Export", "The weights by name, for torch.load."),
            ".pt",
        ),
        "state-dict-half": (
            translate("Export", "Weights in half precision (float16, .pt)"),
            translate(
                "Export",
                "For model.half(): half the memory, and faster on GPUs. The input must be "
                "float16 too. The comparison shows how much the outputs differ.",
            ),
            ".pt",
        ),
        "safetensors": (
            translate("Export", "Weights: safetensors"),
            translate(
                "Export", "The weights in a format that cannot contain code and loads quickly."
            ),
            ".safetensors",
        ),
    }


def _half_formats() -> dict[str, tuple[str, str, str]]:
    """Return title, text and ending of the formats of weights in fewer bits."""
    return {
        "safetensors-half": (
            translate("Export", "Weights in half precision (float16, .safetensors)"),
            translate(
                "Export",
                "For model.half(), in a format that cannot contain code. The comparison shows how "
                "much the outputs differ.",
            ),
            ".safetensors",
        ),
        "safetensors-bfloat16": (
            translate("Export", "Weights in half precision (bfloat16, .safetensors)"),
            translate(
                "Export",
                "For model.bfloat16(): half the memory, the range of float32 and fewer digits than "
                "float16. The comparison shows how much the outputs differ.",
            ),
            ".safetensors",
        ),
        "int8": (
            translate("Export", "Weights of 8 bits (int8, .safetensors)"),
            translate(
                "Export",
                "About a quarter of the memory: linear and convolution layers have int8 weights "
                "with a scale for each channel. A Python file beside it loads them. Results on "
                "your data are compared before and after.",
            ),
            ".safetensors",
        ),
    }


def _code_formats() -> dict[str, tuple[str, str, str]]:
    return {
        "python": (
            translate("Export", "Python file and weights"),
            translate(
                "Export",
                "The class as trained and a function that loads its weights. Runs without Trellis.",
            ),
            ".py",
        ),
        "python-class": (
            translate("Export", "Python class with training code"),
            translate(
                "Export",
                "The class with its loss, metric, optimizer, learning rate schedule and "
                "precision, and a fit() method to continue training without Trellis. The "
                "weights, a list of the samples and a README are saved beside it: with "
                "--data PATH it trains on another machine.",
            ),
            ".py",
        ),
        "project": (
            translate("Export", "Python project (.zip)"),
            translate(
                "Export",
                "A package with the model, its training code and the weights, commands that "
                "train, evaluate and predict your own files, tests, a README and a pyproject.toml. "
                "Another process unpacks it and computes the same on samples of yours.",
            ),
            ".zip",
        ),
        "notebook": (
            translate("Export", "Jupyter notebook (.ipynb)"),
            translate(
                "Export",
                "Cells with the model, its data, training with the losses of the run, evaluation "
                "and predictions of your own files. The weights and a list of the samples are "
                "saved beside it. Another process runs the definitions and computes the same on "
                "samples of yours.",
            ),
            ".ipynb",
        ),
    }


def _program_formats() -> dict[str, tuple[str, str, str]]:
    """Return title, text and ending of the formats that hold a program around a model."""
    return {
        "lightning": (
            translate("Export", "PyTorch Lightning (.py)"),
            translate(
                "Export",
                "A LightningModule with the loss, metric, optimizer and schedule of the run, and a "
                "command that trains with the Trainer of Lightning. The weights and a list of the "
                "samples are saved beside it. Requires lightning.",
            ),
            ".py",
        ),
        "service": (
            translate("Export", "Prediction service (.zip)"),
            translate(
                "Export",
                "A program that answers over HTTP (FastAPI), with a page to try the model in a "
                "browser, the weights and what prepares your pictures, texts, rows and numbers. "
                "Runs on any machine, without Trellis.",
            ),
            ".zip",
        ),
    }


def _shared_formats() -> dict[str, tuple[str, str, str]]:
    """Return title, text and ending of the formats for those that a model is given to."""
    return {
        "huggingface": (
            translate("Export", "Hugging Face folder (.zip)"),
            translate(
                "Export",
                "config.json, model.safetensors, a model card, and modeling.py with the class, "
                "which reads your data as in training: transformers does not know a model of your "
                "own. Unpack it and share it with hf upload. Another process unpacks it and "
                "computes the same on samples of yours.",
            ),
            ".zip",
        ),
        "bundle": (
            translate("Export", "Reproducible bundle (.zip)"),
            translate(
                "Export",
                "All that is needed to make the model again: the Python project, the weights, the "
                "recipe, the version of the data, the environment, the recorded curves, a model "
                "card and checksums. Another process unpacks it, checks it and computes the same.",
            ),
            ".zip",
        ),
        "whole-model": (
            translate("Export", "Whole model: pickle (.pt)"),
            translate(
                "Export",
                "The model as torch.save writes it, for programs that expect it: "
                "torch.load(file, weights_only=False). It is a pickle, which runs code when it is "
                "loaded, and needs the Python file with the class that is saved beside it.",
            ),
            ".pt",
        ),
    }


def _computation_formats() -> dict[str, tuple[str, str, str]]:
    """Return title, text and ending of the formats of computations that PyTorch runs."""
    return {
        "torch-export": (
            translate("Export", "Whole computation: torch.export (.pt2)"),
            translate(
                "Export",
                "The model with its weights for any batch size, without its Python code: for "
                "torch.export.load, in a program of yours. Traced with 2 samples and compared "
                "on others of yours in another process. A Python file beside it prepares your "
                "files as the run did.",
            ),
            ".pt2",
        ),
        "aot-inductor": (
            translate("Export", "Machine code: AOTInductor (.pt2)"),
            translate(
                "Export",
                "The computation compiled by a C++ compiler, which takes minutes: faster, and for "
                "this kind of processor and this version of PyTorch alone. A Python file beside it "
                "prepares your files as the run did.",
            ),
            ".pt2",
        ),
    }


def _runtime_formats() -> dict[str, tuple[str, str, str]]:
    """Return title, text and ending of the formats for other runtimes and for TensorBoard."""
    return {
        "onnx": (
            translate("Export", "Whole computation: ONNX (.onnx)"),
            translate(
                "Export",
                "The model with its weights for ONNX Runtime and other programs than PyTorch, for "
                "any batch size. Compared by ONNX Runtime on samples of yours in another process. "
                "A Python file beside it prepares your files as the run did.",
            ),
            ".onnx",
        ),
        "torchscript": (
            translate("Export", "Whole computation: TorchScript (.ts, deprecated)"),
            translate(
                "Export",
                "For programs that cannot do without it: PyTorch has deprecated TorchScript and "
                "may remove it. Compared in another process on samples of yours. A Python file "
                "beside it prepares your files as the run did.",
            ),
            ".ts",
        ),
        "tensorboard": (
            translate("Export", "TensorBoard log"),
            translate(
                "Export",
                "All curves, histograms and settings of the run, the model and some samples "
                "(pictures, sounds, texts, rows). View them with "
                "tensorboard --logdir and the folder of the file.",
            ),
            ".tfevents",
        ),
    }


def _tracker_formats() -> dict[str, tuple[str, str, str]]:
    """Return title, text and ending of the formats of records and trackers of runs."""
    return {
        "csv": (
            translate("Export", "Table of the run (.csv)"),
            translate(
                "Export",
                "All curves and statistics of layers as one table (series, step, time, value); "
                "settings and events are saved beside it as JSON.",
            ),
            ".csv",
        ),
        "parquet": (
            translate("Export", "Table of the run (.parquet)"),
            translate("Export", "The same table in a small file that quickly loads."),
            ".parquet",
        ),
        "mlflow": (
            translate("Export", "MLflow database"),
            translate(
                "Export",
                "All curves and settings of the run, written by MLflow and read back. Open it with "
                "mlflow server --backend-store-uri sqlite:///FILE. Requires mlflow.",
            ),
            ".mlflow.db",
        ),
        "wandb": (
            translate("Export", "Weights & Biases offline run"),
            translate(
                "Export",
                "All curves and settings of the run, written by wandb without a network and read "
                "back. Upload it with wandb beta sync FILE when you want to. Requires wandb.",
            ),
            ".wandb",
        ),
        "trackio": (
            translate("Export", "Trackio database"),
            translate(
                "Export",
                "All curves and settings of the run, written by Trackio and read back. Open it "
                "with TRACKIO_DIR=FOLDER trackio show: the file names the project. "
                "Requires trackio.",
            ),
            ".db",
        ),
    }


def present_checkpoint_choices(
    state: RunState, averaging: AveragingSpec
) -> tuple[tuple[str, str], ...]:
    """Return what can be chosen of a run: the best, the last, and each by its file; of a run that
    averages its weights the best and the last twice, first with the weights that it evaluates.
    """
    choices: list[tuple[str, str]] = []
    if state.best is not None:
        text = translate("Export", "best (step {step})").format(step=state.best.step)
        choices.append(("best", text))
    if state.last is not None:
        text = translate("Export", "last (step {step})").format(step=state.last.step)
        choices.append(("last", text))
    if averaging.kind != "none":
        kinds = (AVERAGED, RAW) if averaging.evaluate else (RAW, AVERAGED)
        texts = {
            AVERAGED: translate("Export", "{checkpoint}, averaged weights"),
            RAW: translate("Export", "{checkpoint}, weights not averaged"),
        }
        evaluated, other = ((kind, texts[kind]) for kind in kinds)
        choices = [
            *((key, evaluated[1].format(checkpoint=text)) for key, text in choices),
            *((f"{key}:{other[0]}", other[1].format(checkpoint=text)) for key, text in choices),
        ]
    choices += [(info.file, info.file) for info in state.checkpoints]
    return tuple(choices)


def checkpoint_file(state: RunState, chosen: str) -> str:
    """Return the file that is meant by a choice of :func:`present_checkpoint_choices`, with the
    mark of its weights.
    """
    name, mark, kind = chosen.partition(":")
    info = {"best": state.best or state.last, "last": state.last}.get(name)
    return f"{info.file if info else name}{mark}{kind}"


def present_report(report: ExportReport, unmeasured: str = "") -> str:
    """Return what was written and how well it reads back; ``unmeasured`` says why int8 weights were
    not measured on the data.
    """
    files = [Path(file) for file in report.files]
    lines = [translate("Export", "Written: {file}").format(file=file) for file in files]
    text = translate("Export", "Verified. Largest difference: {value}.")
    lines.append(text.format(value=metric_text(report.largest_difference)))
    lines += [] if report.int8 is None else _int8_lines(report.int8)
    lines += _check_lines(report) if report.snippet else []
    if unmeasured:
        text = translate("Export", "Not measured on the data: {reason}")
        lines.append(text.format(reason=unmeasured))
    return "\n".join(lines)


def present_stage(stage: Stage) -> str:
    """Return what an export is at."""
    match stage:
        case "load":
            return translate("Export", "Loading the model…")
        case "trace":
            return translate("Export", "Tracing the model…")
        case "compile":
            return translate("Export", "Compiling the model, which takes minutes…")
        case "write":
            return translate("Export", "Writing the file…")
        case "check":
            return translate("Export", "Comparing in another process…")


def _check_lines(report: ExportReport) -> list[str]:
    """Return what was compared, size and time, and the code that loads the file."""
    text = translate(
        "Export",
        "Compared in another process: {batches} batches of other sizes, {samples} samples of "
        "yours. {size}, {seconds} s. To load it:",
    )
    told = text.format(
        batches=report.batches,
        samples=report.samples,
        size=size_text(report.size_bytes),
        seconds=f"{report.seconds:.1f}",
    )
    return [told, report.snippet]


def _int8_lines(report: Int8Report) -> list[str]:
    """Return what int8 weights save and what they cost."""
    layers = translate("Export", "Layers with int8 weights: {count}. Size: {before} → {after}.")
    lines = [
        layers.format(
            count=report.layers,
            before=size_text(report.weights_bytes),
            after=size_text(report.file_bytes),
        )
    ]
    for name, value in report.before.items():
        after = metric_text(report.after.get(name, math.nan))
        series = series_label(f"{report.split}.{name}")
        text = translate("Export", "{name}: {before} → {after}")
        lines.append(text.format(name=series, before=metric_text(value), after=after))
    return lines


def present_optimizers(contents: CheckpointContents | None) -> TableData:
    """Return the parameter groups of the optimizers in a checkpoint, and what is kept for each."""
    columns = (
        ColumnView(key="group", title=translate("Export", "Optimizer"), kind="code"),
        ColumnView(key="parameters", title=translate("Export", "Parameters"), kind="count"),
        ColumnView(key="kept", title=translate("Export", "State"), kind="code"),
        ColumnView(key="steps", title=translate("Export", "Steps"), kind="count"),
        ColumnView(key="size", title=translate("Export", "Size"), kind="size"),
        ColumnView(key="settings", title=translate("Export", "Settings"), kind="code"),
    )
    groups = () if contents is None else contents.optimizers
    rows = tuple(
        RowView(
            id=f"{group.optimizer}.{group.number}",
            cells=(
                f"{group.optimizer}[{group.number}]",
                group.parameters,
                listed(group.kept) or "–",
                group.steps,
                group.size_bytes,
                listed(f"{key}={value}" for key, value in group.settings.items()),
            ),
            tooltip="\n".join(f"{key} = {value}" for key, value in group.settings.items()),
        )
        for group in groups
    )
    return TableData(columns=columns, rows=rows)


def present_contents(contents: CheckpointContents | None) -> TableData:
    """Return the tensors of a checkpoint."""
    columns = (
        ColumnView(key="name", title=translate("Export", "Tensor"), kind="code"),
        ColumnView(key="shape", title=translate("Export", "Shape"), kind="code"),
        ColumnView(key="dtype", title=translate("Export", "Type"), kind="code"),
        ColumnView(key="size", title=translate("Export", "Size"), kind="size"),
    )
    if contents is None:
        text = translate("Export", "Train a model first. Its checkpoints appear here.")
        return TableData(columns=columns, empty_text=text)
    rows = tuple(
        RowView(
            id=tensor.name,
            cells=(
                tensor.name,
                "×".join(map(str, tensor.shape)) or "()",
                tensor.dtype,
                tensor.size_bytes,
            ),
            tooltip=size_text(tensor.size_bytes),
        )
        for tensor in contents.tensors
    )
    return TableData(columns=columns, rows=rows)

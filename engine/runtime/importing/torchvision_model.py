"""The models of torchvision by name, with trained weights where they are asked for."""

import difflib
import inspect
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from engine.catalog.zoo import zoo
from engine.diagnostics import DiagnosticError
from engine.files import sha256
from engine.runtime.importing.request import InputSize

_PIXELS = {"inception_v3": 299, "quantized_inception_v3": 299}
_VIDEO_PIXELS = {"s3d": 224, "mvit_v1_b": 224, "mvit_v2_s": 224}
_WITH_HELPERS = (  # outputs that exist in training only
    *("googlenet", "inception_v3"),
    *("quantized_googlenet", "quantized_inception_v3"),
)
_SHOWN = 6


def require_known(name: str) -> None:
    """Raise :class:`DiagnosticError` (I020) for what torchvision does not have."""
    from torchvision.models import list_models

    known: list[str] = list_models()
    if name not in known:
        near = difflib.get_close_matches(name.lower(), known, n=_SHOWN, cutoff=0.4) or known
        raise DiagnosticError.of("I020", name=name, known=", ".join(near[:_SHOWN]))


def untrained(name: str, arguments: dict[str, Any]) -> nn.Module:
    """Return a model with random weights."""
    builder = _builder(name)
    options: dict[str, Any] = {"weights": None}
    if "weights_backbone" in inspect.signature(builder).parameters:
        options["weights_backbone"] = None
    if name in _WITH_HELPERS:
        options |= {"aux_logits": False, "init_weights": True}
    return builder(**(options | arguments))


def trained(name: str, weights: str, file: Path, folder: Path) -> nn.Module:
    """Return a model with trained weights of torchvision, which are in a file already.

    Its own builder loads them, since it knows how those of old models are called; the file stands
    where it looks, in a cache under ``folder``, and is read without running code.
    """
    os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] = "1"
    entry = _builder_weights(name)[weights]
    torch.hub.set_dir(str(folder / "hub"))
    place = folder / "hub" / "checkpoints" / entry.url.rpartition("/")[2]
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.symlink_to(file)
    except OSError:  # not every system lets everybody make links
        shutil.copyfile(file, place)
    model = _builder(name)(weights=entry)
    if name == "inception_v3":  # as the builder leaves it for those that ask for none
        model.aux_logits, model.AuxLogits = False, None
    return model


def published(name: str, file: Path) -> str:
    """Return under which name torchvision publishes a file of weights; empty for any other."""
    digest = sha256(file)
    offered = zoo()[name].weights if name in zoo() else ()
    return next((w.name for w in offered if w.digest and digest.startswith(w.digest)), "")


def usual_inputs(name: str) -> Sequence[InputSize]:
    """Return the sizes that a model is made for."""
    if ".video." in str(getattr(_builder(name), "__module__", "")):
        shape = (3, 16, *(_VIDEO_PIXELS.get(name, 112),) * 2)
    else:
        shape = (3, *(_PIXELS.get(name, 224),) * 2)
    return (InputSize(shape=shape),) * (2 if name.startswith("raft_") else 1)  # two pictures


def _builder(name: str) -> Callable[..., Any]:
    from torchvision.models import get_model_builder

    return get_model_builder(name)


def _builder_weights(name: str) -> Any:
    from torchvision.models import get_model_weights

    return get_model_weights(name)

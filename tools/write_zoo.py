"""Write ``resources/catalog/zoo.json``: what the installed torchvision offers.

Run it from the root of the repository after an update of torchvision::

    python -m tools.write_zoo
"""

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from engine.catalog.zoo import FILE, ZooModel, ZooWeights
from engine.files import atomic_write
from tools.build_catalog import encoded

_FAMILIES = {
    "alexnet": "AlexNet",
    "convnext": "ConvNeXt",
    "deeplabv3": "DeepLabV3",
    "densenet": "DenseNet",
    "efficientnet": "EfficientNet",
    "faster_rcnn": "Faster R-CNN",
    "fcn": "FCN",
    "fcos": "FCOS",
    "googlenet": "GoogLeNet",
    "inception": "Inception",
    "keypoint_rcnn": "Keypoint R-CNN",
    "lraspp": "LR-ASPP",
    "mask_rcnn": "Mask R-CNN",
    "maxvit": "MaxViT",
    "mnasnet": "MNASNet",
    "mobilenetv2": "MobileNetV2",
    "mobilenetv3": "MobileNetV3",
    "mvit": "MViT",
    "raft": "RAFT",
    "regnet": "RegNet",
    "resnet": "ResNet",
    "retinanet": "RetinaNet",
    "s3d": "S3D",
    "shufflenetv2": "ShuffleNetV2",
    "squeezenet": "SqueezeNet",
    "ssd": "SSD",
    "ssdlite": "SSDlite",
    "swin_transformer": "Swin Transformer",
    "vgg": "VGG",
    "vision_transformer": "Vision Transformer",
}
_FRAMES = 16


def model(name: str) -> ZooModel:
    """Return what torchvision says about a model."""
    from torchvision.models import get_model_builder, get_model_weights

    builder = get_model_builder(name)
    parts = builder.__module__.split(".")[2:]
    task = parts[0] if len(parts) > 1 else "classification"
    pixels = 299 if name == "inception_v3" else 224
    if task == "video":
        pixels = 224 if name.startswith(("s3d", "mvit")) else 112
    found = [weights(entry, task) for entry in get_model_weights(name)]
    built = _build(builder)
    return ZooModel(
        name=name,
        family=_FAMILIES[parts[-1]],
        task=task,
        parameters=_parameters(built),
        shape=_shape(task, pixels),
        classes=_classes(builder, task, [entry.classes for entry in found]),
        weights=tuple(found),
    )


def weights(entry: Any, task: str) -> ZooWeights:
    """Return what torchvision says about trained weights."""
    transforms = getattr(entry.transforms, "keywords", {})
    crop = transforms.get("crop_size", 0)
    pixels = crop[0] if isinstance(crop, tuple | list) else crop
    metrics = {
        f"{data} {name}": value
        for data, values in entry.meta["_metrics"].items()
        for name, value in values.items()
        if math.isfinite(value)
    }
    return ZooWeights(
        name=entry.name,
        url=entry.url,
        size_bytes=round(entry.meta["_file_size"] * (1 << 20)),
        shape=_shape(task, pixels or 224),
        metrics=metrics,
        classes=len(entry.meta.get("categories") or ()),
        recipe=entry.meta.get("recipe") or "",
    )


def _shape(task: str, pixels: int) -> tuple[int, ...]:
    return (3, _FRAMES, pixels, pixels) if task == "video" else (3, pixels, pixels)


def _classes(builder: Callable[..., nn.Module], task: str, trained: list[int]) -> int:
    """Return the usual number of classes, where the builder takes one."""
    accepted = inspect.signature(builder).parameters
    if task in ("optical_flow", "quantization") or not (
        "num_classes" in accepted or "kwargs" in accepted
    ):
        return 0
    usual = {"segmentation": 21, "detection": 91, "video": 400}
    return next((count for count in trained if count), usual.get(task, 1000))


def _build(builder: Callable[..., nn.Module]) -> nn.Module:
    options: dict[str, Any] = {"weights": None}
    if "weights_backbone" in inspect.signature(builder).parameters:
        options["weights_backbone"] = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with torch.device("meta"):
                return builder(**options)
        except (RuntimeError, NotImplementedError):  # some compute with their sizes as they begin
            return builder(**options)


def _parameters(built: nn.Module) -> int:
    return sum(parameter.numel() for parameter in built.parameters())


def main() -> None:
    """Write the file."""
    from torchvision.models import list_models

    models = [model(name) for name in list_models()]
    atomic_write(FILE, encoded(models))
    print(f"{FILE.name}: {len(models)} models")


if __name__ == "__main__":
    main()

"""The transforms of torchvision.transforms.v2: of a sample, and of a batch."""

import inspect
from collections.abc import Mapping
from typing import Any

from engine.catalog.spec import Entry, EntryGroup, Need, ParamKind, ParamSpec
from engine.spec.transform_outline import MOST_LEVELS
from tools.catalog.bound import UNIT
from tools.catalog.docstring import markdown
from tools.catalog.introspect import param_of, params_of, signature_of

CROP, GEOMETRY, COLOR = "Crop and size", "Geometry", "Color"
SEVERAL, FRAMES = "Several transforms", "Frames of videos"
NOISE, CONVERSION, AUTO, BATCH = "Blur and noise", "Conversion", "Automatic augmentation", "Batch"
OFFERED: dict[str, tuple[str, str]] = {
    "Resize": (CROP, "Resizes the image; one number is the length of the shorter side."),
    "CenterCrop": (CROP, "Crops the center of the image."),
    "RandomCrop": (CROP, "Crops the image at a random position."),
    "RandomResizedCrop": (CROP, "Crops a random part of the image and resizes it."),
    "Pad": (CROP, "Adds a border around the image."),
    "RandomResize": (CROP, "Resizes the shorter side to a random length."),
    "RandomShortestSize": (CROP, "Resizes the shorter side to a random one of several lengths."),
    "ScaleJitter": (CROP, "Resizes the image by a random factor, as in large-scale jittering."),
    "RandomIoUCrop": (CROP, "Crops a random part that keeps enough of a box, as for SSD."),
    "RandomZoomOut": (CROP, "Places the image at random on a larger canvas."),
    "RandomHorizontalFlip": (GEOMETRY, "Flips the image left to right at random."),
    "RandomVerticalFlip": (GEOMETRY, "Flips the image upside down at random."),
    "RandomRotation": (GEOMETRY, "Rotates the image by a random angle."),
    "RandomAffine": (GEOMETRY, "Rotates, shifts, scales and shears the image at random."),
    "RandomPerspective": (GEOMETRY, "Changes the perspective of the image at random."),
    "ElasticTransform": (GEOMETRY, "Distorts the image as if seen through water."),
    "ColorJitter": (COLOR, "Changes brightness, contrast, saturation and hue at random."),
    "RandomPhotometricDistort": (COLOR, "Distorts the colors of the image at random, as for SSD."),
    "RandomGrayscale": (COLOR, "Converts the image to grayscale at random."),
    "RandomInvert": (COLOR, "Inverts the colors at random."),
    "RandomPosterize": (COLOR, "Reduces the number of bits per color channel at random."),
    "RandomSolarize": (COLOR, "Inverts all pixel values above a threshold at random."),
    "RandomAutocontrast": (COLOR, "Stretches the contrast to the full range at random."),
    "RandomEqualize": (COLOR, "Equalizes the histogram of the image at random."),
    "RandomAdjustSharpness": (COLOR, "Changes the sharpness of the image at random."),
    "RandomChannelPermutation": (COLOR, "Puts the color channels into a random order."),
    "GaussianBlur": (NOISE, "Blurs the image with a random strength."),
    "GaussianNoise": (NOISE, "Adds Gaussian noise to the image."),
    "RandomErasing": (NOISE, "Erases a random rectangle of the image."),
    "ToDtype": (CONVERSION, "Converts the image to another data type."),
    "Normalize": (CONVERSION, "Subtracts a mean and divides by a standard deviation per channel."),
    "Grayscale": (CONVERSION, "Converts the image to grayscale."),
    "RGB": (CONVERSION, "Converts the image to three color channels."),
    "RandAugment": (AUTO, "Applies a few random operations, all of the same strength."),
    "TrivialAugmentWide": (AUTO, "Applies a single random operation of random strength."),
    "AutoAugment": (AUTO, "Applies a random one of the policies that were learned on a data set."),
    "AugMix": (AUTO, "Mixes several randomly augmented versions of the image."),
    "RandomApply": (SEVERAL, "Applies the transforms in it, one after the other, or none of them."),
    "RandomChoice": (SEVERAL, "Applies a random one of the transforms in it."),
    "RandomOrder": (SEVERAL, "Applies all transforms in it in a random order."),
    "UniformTemporalSubsample": (FRAMES, "Keeps so many frames of a video, at even distances."),
    "MixUp": (BATCH, "Blends each sample and its label with another sample of the batch."),
    "CutMix": (BATCH, "Pastes a rectangle of another sample of the batch and blends the labels."),
}
_SEVERAL = "Takes other transforms; the list of transforms does that."
_POINTS_STAY = "A sample keeps all its points, those outside of the picture too."
_PIL = "Converts to or from PIL images; all transforms work on tensors here."
TRANSFORMS_NOT_OFFERED = {  # nn has an Identity too
    "v2.ClampBoundingBoxes": "Done after each transform that moves boxes.",
    "v2.ClampKeyPoints": _POINTS_STAY,
    "v2.Compose": _SEVERAL,
    "v2.ConvertBoundingBoxFormat": "All boxes have the format XYXY here.",
    "v2.ConvertImageDtype": "Deprecated in favor of ToDtype, which is offered.",
    "v2.FiveCrop": "Makes five samples of one; a sample stays a sample here.",
    "v2.Identity": "Changes nothing; RandomApply leaves samples as they are by chance.",
    "v2.JPEG": "Its encoder of images is deprecated in torchvision.",
    "v2.Lambda": "A function of the project's code is a transform without it.",
    "v2.LinearTransformation": "Needs a whitening matrix as large as the square of an image.",
    "v2.PILToTensor": _PIL,
    "v2.SanitizeBoundingBoxes": "Done after each transform that moves boxes.",
    "v2.SanitizeKeyPoints": _POINTS_STAY,
    "v2.SetClampingMode": "A setting of bounding boxes, not a change of a sample.",
    "v2.TenCrop": "Makes ten samples of one; a sample stays a sample here.",
    "v2.ToImage": _PIL,
    "v2.ToPILImage": _PIL,
    "v2.ToPureTensor": "Done at the end of the transforms anyway.",
    "v2.ToTensor": "Deprecated in favor of ToDtype with scale, which is offered.",
}
FIXED = {
    "Resize", "CenterCrop", "Pad", "ToDtype", "Normalize", "Grayscale", "RGB",
    "UniformTemporalSubsample",
}  # fmt: skip
NEEDS = {
    "Normalize": (Need.FLOAT_IMAGE,),
    "UniformTemporalSubsample": (Need.VIDEO,),
    **dict.fromkeys(("RandomApply", "RandomChoice", "RandomOrder"), (Need.STEPS,)),
}
_CHOICE, _INTS, _FLOATS = ParamKind.CHOICE, ParamKind.INTS, ParamKind.FLOATS
_SIDE = {"minimum": 1, "maximum": 16_384}
_SIZE = {"kind": _INTS, "length": 2, "single": True, **_SIDE, "suggested": 224}
_WARPING = ("nearest", "bilinear")  # what warping an image can interpolate with
_STRENGTH = {"kind": _FLOATS, "length": 2, "single": True, "minimum": 0.0, "maximum": 100.0}
_RANGE = {"kind": _FLOATS, "length": 2, "single": False, "minimum": 0.0, "maximum": 100.0}
_ANGLE = {"kind": _FLOATS, "length": 2, "single": True, "minimum": -360.0, "maximum": 360.0}
_CENTER = {"kind": _FLOATS, "length": 2, "single": False, "minimum": -1e5, "maximum": 1e5}
_ABOVE_ZERO = {"minimum": 0.0, "exclusive_minimum": True}
OVERLAY: dict[str, dict[str, Any]] = {
    "size": _SIZE,
    "max_size": {"kind": ParamKind.INT, **_SIDE, "advanced": True},
    "min_size": {"kind": ParamKind.INT, **_SIDE, "suggested": 224},
    "target_size": {"kind": _INTS, "length": 2, "single": False, **_SIDE, "suggested": (224, 224)},
    "interpolation": {
        "kind": _CHOICE,
        "choices": ("nearest", "nearest-exact", "bilinear", "bicubic"),
        "advanced": True,
    },
    "antialias": {"kind": ParamKind.BOOL, "optional": False, "advanced": True},
    "fill": {"kind": _FLOATS, "length": 0, "single": True, "minimum": -1e6, "maximum": 1e6,
             "advanced": True},
    "padding": {"kind": _INTS, "length": 0, "single": True, "minimum": 0, "maximum": 16_384},
    "pad_if_needed": {"advanced": True},
    "padding_mode": {"advanced": True},
    "p": UNIT,
    "degrees": {**_ANGLE, "suggested": 15.0},
    "translate": {**_RANGE, "maximum": 1.0},
    "scale": {**_RANGE, **_ABOVE_ZERO},
    "ratio": {**_RANGE, **_ABOVE_ZERO},
    "scale_range": {**_RANGE, **_ABOVE_ZERO},
    "side_range": {**_RANGE, "minimum": 1.0},
    "min_scale": {"minimum": 0.05, "maximum": 1.0},
    "max_scale": {"minimum": 0.05, "maximum": 1.0},
    "min_aspect_ratio": {"minimum": 0.01, "maximum": 100.0},
    "max_aspect_ratio": {"minimum": 0.01, "maximum": 100.0},
    "trials": {"minimum": 1, "maximum": 1000, "advanced": True},
    "shear": {"kind": _FLOATS, "length": 0, "single": True, "minimum": -89.0, "maximum": 89.0},
    "expand": {"advanced": True},
    "center": {**_CENTER, "advanced": True},
    "distortion_scale": UNIT,
    "brightness": _STRENGTH,
    "contrast": _STRENGTH,
    "saturation": _STRENGTH,
    "hue": {**_STRENGTH, "minimum": -0.5, "maximum": 0.5},
    "bits": {"minimum": 0, "maximum": 8, "suggested": 4},
    "threshold": {"minimum": 0.0, "maximum": 255.0, "suggested": 0.5},
    "sharpness_factor": {"minimum": 0.0, "maximum": 100.0, "suggested": 2.0},
    "kernel_size": {"kind": _INTS, "length": 2, "single": True, "minimum": 1, "maximum": 999,
                    "suggested": 3},
    "dtype": {"kind": _CHOICE, "choices": ("float32", "uint8"), "suggested": "float32"},
    "mean": {"kind": _FLOATS, "length": 0, "single": False, "minimum": -1e6, "maximum": 1e6,
             "suggested": (0.485, 0.456, 0.406)},
    "std": {"kind": _FLOATS, "length": 0, "single": False, **_ABOVE_ZERO, "maximum": 1e6,
            "suggested": (0.229, 0.224, 0.225)},
    "num_output_channels": {"minimum": 1, "maximum": 3},
    "num_ops": {"minimum": 0, "maximum": 20},
    "magnitude": {"minimum": 0, "maximum": 1000},
    "num_magnitude_bins": {"minimum": 2, "maximum": 1000, "advanced": True},
    "policy": {"kind": _CHOICE, "choices": ("imagenet", "cifar10", "svhn")},
    "severity": {"minimum": 1, "maximum": 10},
    "mixture_width": {"minimum": 1, "maximum": 20},
    "chain_depth": {"minimum": -1, "maximum": 20},
    "all_ops": {"advanced": True},
    "num_samples": {"minimum": 1, "maximum": 100_000, "suggested": 8},
}  # fmt: skip
BY_CLASS: dict[str, dict[str, dict[str, Any]]] = {
    **{
        name: {"interpolation": {"choices": _WARPING}}
        for name in (
            "RandomRotation", "RandomAffine", "RandomPerspective", "RandAugment",
            "TrivialAugmentWide", "AutoAugment",
        )
    },
    "Resize": {"size": {"optional": False, "suggested": (224, 224)}},
    "RandomShortestSize": {
        "min_size": {"kind": _INTS, "length": 0, "single": True, "suggested": (192, 224, 256)},
    },
    "ColorJitter": {
        **{name: {"suggested": 0.2} for name in ("brightness", "contrast", "saturation")},
        "hue": {"suggested": 0.05},
    },
    "RandomResize": {"max_size": {"advanced": False, "suggested": 256}},
    "Pad": {"padding": {"suggested": 4}},
    "ToDtype": {"scale": {"kind": ParamKind.BOOL, "suggested": True, "length": 0, "single": True,
                          "minimum": None, "maximum": None, "exclusive_minimum": False}},
    "GaussianBlur": {"sigma": {**_STRENGTH, **_ABOVE_ZERO}},
    "GaussianNoise": {
        "mean": {"kind": ParamKind.FLOAT, "length": 0, "single": True, "suggested": None},
        "sigma": {"minimum": 0.0, "maximum": 1000.0},
    },
    "ElasticTransform": {
        "interpolation": {"choices": _WARPING},
        "alpha": {**_STRENGTH, "maximum": 10_000.0},
        "sigma": {**_STRENGTH, "maximum": 1000.0, **_ABOVE_ZERO},
    },
    "RandomErasing": {
        "value": {"kind": _FLOATS, "length": 0, "single": True},
        "scale": {"maximum": 1.0},
    },
    "RandomResizedCrop": {"scale": {"maximum": 1.0}},
    "RandomPhotometricDistort": {
        name: {"single": False} for name in ("brightness", "contrast", "saturation", "hue")
    },
    "AugMix": {
        "alpha": {**_ABOVE_ZERO, "maximum": 1000.0},
        "interpolation": {"choices": _WARPING},
    },
    "RandomChoice": {
        "p": {"kind": _FLOATS, "length": 0, "single": False, "minimum": 0.0, "maximum": 1e6},
    },
    "MixUp": {"alpha": {**_ABOVE_ZERO, "maximum": 1000.0}},
    "CutMix": {"alpha": {**_ABOVE_ZERO, "maximum": 1000.0}},
}  # fmt: skip
HELP = {
    "size": "The height and width: one number for both, or one for each.",
    "Resize.size": (
        "The height and width; a single number is the length of the shorter side, which leaves"
        " images of different shapes."
    ),
    "max_size": "The maximum length of the longer side.",
    "RandomResize.max_size": "The greatest length of the shorter side.",
    "min_size": "The smallest length of the shorter side.",
    "RandomShortestSize.min_size": "The lengths of the shorter side, one of which is drawn.",
    "target_size": "The height and width that a factor of 1 stands for.",
    "scale_range": "The smallest and the greatest factor.",
    "side_range": "The smallest and the greatest factor for the sides of the canvas.",
    "min_scale": "The smallest part of the width and of the height to keep.",
    "max_scale": "The greatest part of the width and of the height to keep.",
    "min_aspect_ratio": "The smallest ratio of width to height of what is kept.",
    "max_aspect_ratio": "The greatest ratio of width to height of what is kept.",
    "trials": "How often a crop is tried before another overlap with a box is drawn.",
    "interpolation": "How pixel values between pixels are computed.",
    "antialias": "Smooth the image when it becomes smaller.",
    "fill": "The value of new pixels: one number, or one for each channel.",
    "padding": "The width of the border: one number, left/right and top/bottom, or four sides.",
    "pad_if_needed": "Pad images that are smaller than the crop.",
    "padding_mode": "How the border is filled.",
    "p": "The probability that the image is changed.",
    "RandomApply.p": "The probability that the transforms in it are applied.",
    "RandomChoice.p": (
        "How probable each of the transforms in it is: one number for each, in their order and in"
        " proportion to each other. None: all are as probable."
    ),
    "num_samples": (
        "The number of frames that are kept, the first and the last among them; a video with fewer"
        " has some of them several times."
    ),
    "RandomPhotometricDistort.p": "The probability of each of the changes.",
    "degrees": "The greatest angle in both directions, or the smallest and the greatest angle.",
    "translate": "The greatest horizontal and vertical shift, as fractions of the image.",
    "RandomAffine.scale": "The smallest and the greatest factor; None: the size stays.",
    "RandomResizedCrop.scale": "The smallest and the greatest fraction of the area to crop.",
    "RandomErasing.scale": "The smallest and the greatest fraction of the area to erase.",
    "ToDtype.scale": (
        "Scale the values to the range of the data type: 0 to 1 for decimal numbers, 0 to 255"
        " for whole ones."
    ),
    "ratio": "The smallest and the greatest ratio of width to height.",
    "shear": "The greatest shear angle, or the range in x, or the ranges in x and y.",
    "expand": "Enlarge the image so that all of the rotated one fits.",
    "center": "The center in pixels (x, y); None: that of the image.",
    "distortion_scale": "The strength of the distortion, from 0 to 1.",
    "brightness": "The range of the brightness factor: 0.2 means 0.8 to 1.2.",
    "contrast": "The range of the contrast factor: 0.2 means 0.8 to 1.2.",
    "saturation": "The range of the saturation factor: 0.2 means 0.8 to 1.2.",
    "hue": "The range of the hue shift, at most from -0.5 to 0.5.",
    "bits": "The number of bits that each channel keeps.",
    "threshold": (
        "Values from here on are inverted: between 0 and 1 for decimal numbers, up to 255 for"
        " whole ones."
    ),
    "sharpness_factor": "0 blurs, 1 changes nothing, 2 doubles the sharpness.",
    "kernel_size": "The size of the filter, an odd number.",
    "sigma": "The standard deviation of the filter: one number, or a range to draw it from.",
    "ElasticTransform.sigma": "How smooth the displacements are.",
    "GaussianNoise.sigma": "The standard deviation of the noise.",
    "ElasticTransform.alpha": "How strong the displacements are.",
    "AugMix.alpha": "How evenly the versions are mixed.",
    "alpha": "The parameter of the Beta distribution: the greater, the stronger the blending.",
    "mean": "The mean of each channel that is subtracted.",
    "GaussianNoise.mean": "The mean of the noise.",
    "std": "The standard deviation of each channel that is divided by.",
    "clip": "Limit the values to the range of the data type afterwards.",
    "value": "The value of the erased pixels: one number, or one for each channel.",
    "dtype": "The data type of the values.",
    "num_output_channels": "1 for a gray image, 3 for a gray image with three equal channels.",
    "num_ops": "The number of operations that are applied one after another.",
    "magnitude": "The strength of the operations, below the number of magnitude bins.",
    "num_magnitude_bins": "The number of strengths to distinguish.",
    "policy": "The data set on which the policies were learned.",
    "severity": "The strength of the operations, from 1 to 10.",
    "mixture_width": "The number of versions that are mixed.",
    "chain_depth": "The number of operations per version; -1: one to three, at random.",
    "all_ops": "Use brightness, contrast, color and sharpness too.",
}
HIDDEN = (
    "inplace",
    "labels_getter",
    "num_classes",
    "transforms",  # of containers: those in them
    "sampler_options",  # without a last way out it would look for ever
)  # in place only saves memory; classes are known
ALIASES = {
    "RandomHorizontalFlip": ("mirror",),
    "RandomErasing": ("cutout",),
    "Normalize": ("standardize", "mean", "standard deviation"),
    "ToDtype": ("float", "convert", "to tensor"),
    "RandomAffine": ("shift", "translate", "shear", "zoom"),
    "RandomIoUCrop": ("boxes", "ssd", "detection"),
    "RandomApply": ("container", "group", "probability", "several"),
    "RandomChoice": ("container", "group", "one of", "several"),
    "RandomOrder": ("container", "group", "shuffle", "several"),
    "UniformTemporalSubsample": ("video", "frames", "clip"),
    "ScaleJitter": ("large scale jitter", "lsj"),
}


def transform_names() -> list[str]:
    """Return the transforms that torchvision.transforms.v2 exports."""
    from torchvision.transforms import v2

    return [
        name
        for name, member in inspect.getmembers(v2, inspect.isclass)
        if (issubclass(member, v2.Transform) or name == "ToTensor") and member is not v2.Transform
    ]


def transform_entries() -> list[Entry]:
    """Return the transforms of a sample by category."""
    unknown = set(transform_names()) - set(OFFERED)
    unknown -= {name.removeprefix("v2.") for name in TRANSFORMS_NOT_OFFERED}
    if unknown:
        raise LookupError(f"Transforms that are neither offered nor left out: {sorted(unknown)}")
    return _entries(EntryGroup.TRANSFORM)


def batch_transform_entries() -> list[Entry]:
    """Return the transforms of a batch."""
    return _entries(EntryGroup.BATCH_TRANSFORM)


def transform_setting_entries() -> list[Entry]:
    """Return the settings of a transform besides its own parameters."""
    enabled = ParamSpec(
        name="enabled", kind=ParamKind.BOOL, label="Enabled", default=True,
        help="Apply the transform; switched off, it keeps its settings.",
    )  # fmt: skip
    image = ParamSpec(
        name="field", kind=ParamKind.STR, label="Image", default="", advanced=True,
        help="The field of the data to transform. Empty: all images of a sample, with their masks"
             " and boxes; for a function of your code, its inputs one by one.",
    )  # fmt: skip
    parts = ParamSpec(
        name="parts", kind=_CHOICE, label="Applied to", default="auto",
        choices=("auto", "train", "evaluation", "all"),
        help="The parts of the data: train, evaluation (validation, test and use of the model) or"
             " all. auto applies random transforms in training only and all others everywhere.",
    )  # fmt: skip
    level = ParamSpec(
        name="level", kind=ParamKind.INT, label="Level", default=0, minimum=0,
        maximum=MOST_LEVELS, advanced=True,
        help="How deep the transform is in others: 0 is outside, 1 in the container before it"
             " (RandomApply, RandomChoice or RandomOrder), 2 in a container in that one.",
    )  # fmt: skip
    sections = (
        ("transform", "Transform", "A change of each sample before the model gets it.",
         (image, enabled, parts, level)),
        ("batch_transform", "Batch transform", "A change of each training batch.", (enabled,)),
    )  # fmt: skip
    return [
        Entry(key=key, group=EntryGroup.SETTING, category="Run", label=label, summary=text,
              params=params)
        for key, label, text, params in sections
    ]  # fmt: skip


def _entries(group: EntryGroup) -> list[Entry]:
    is_batch = group is EntryGroup.BATCH_TRANSFORM
    return [
        _entry(name, group, category, text)
        for name, (category, text) in OFFERED.items()
        if (category == BATCH) == is_batch
    ]


def _entry(name: str, group: EntryGroup, category: str, text: str) -> Entry:
    from torchvision.transforms import v2

    owner = getattr(v2, name)
    overlay = _overlay(name)
    params = params_of(owner, overlay, 0, HIDDEN)
    if name == "ToDtype":  # hidden elsewhere: layers get the type of their weights from the run
        dtype = param_of("dtype", signature_of(owner)["dtype"], "", overlay["dtype"])
        params = (dtype, *params)
    is_random = name not in FIXED
    return Entry(
        key=name,
        group=group,
        category=category,
        label=name,
        target=f"torchvision.transforms.v2.{name}",
        summary=text,
        doc=markdown(owner.__doc__ or ""),
        params=params,
        aliases=ALIASES.get(name, ()),
        needs=(*((Need.RANDOM_NUMBERS,) if is_random else ()), *NEEDS.get(name, ())),
    )


def _overlay(name: str) -> dict[str, Mapping[str, Any]]:
    own = BY_CLASS.get(name, {})
    return {
        key: OVERLAY.get(key, {})
        | own.get(key, {})
        | {"help": HELP.get(f"{name}.{key}", HELP.get(key, ""))}
        for key in OVERLAY | own | HELP
    }

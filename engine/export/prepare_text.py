"""Text of the transforms that images go through before a model: what evaluation applied to them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from engine.catalog.spec import Value
from engine.syntax.format import INDENT


@dataclass(frozen=True, kw_only=True)
class ImageTransform:
    """A transform of torchvision on the way of the image ``field``."""

    field: str
    type: str
    params: dict[str, Value]


_PREPARE = Template('''
$TRANSFORMS = {$transforms
}


def $prepare(image, field=$first):
    """Return an image as a batch of one, transformed as in evaluation; it has the shape (channels,
    height, width) and values of type uint8, or decimal numbers.
    """
    image = $v2.Compose($TRANSFORMS[field])($tv_tensors.Image(image))
    return $v2.functional.to_dtype(image, torch.float32, scale=True).as_subclass(torch.Tensor)[None]
''')


def prepare_text(
    transforms: Sequence[ImageTransform], names: dict[str, str], v2: str, tv_tensors: str
) -> str:
    """Return the transforms by field and the function that applies them; ``names`` are the names of
    both in the file, ``v2`` and ``tv_tensors`` those of torchvision's modules.
    """
    fields = dict.fromkeys(transform.field for transform in transforms)
    entries = "".join(
        f"\n{INDENT}{json.dumps(field)}: [\n{_steps(transforms, field, v2)}{INDENT}],"
        for field in fields
    )
    return _PREPARE.substitute(
        transforms=entries, first=json.dumps(next(iter(fields))), v2=v2, tv_tensors=tv_tensors,
        **names,
    )  # fmt: skip


def _steps(transforms: Sequence[ImageTransform], field: str, v2: str) -> str:
    lines = [
        f"{INDENT * 2}{v2}.{transform.type}({_arguments(transform, v2)}),\n"
        for transform in transforms
        if transform.field == field
    ]
    return "".join(lines)


def _arguments(transform: ImageTransform, v2: str) -> str:
    return ", ".join(
        f"{name}={_value(name, value, v2)}" for name, value in transform.params.items()
    )


def _value(name: str, value: Value, v2: str) -> str:
    if name == "dtype":
        return f"torch.{value}"
    if name == "policy":
        return f"{v2}.AutoAugmentPolicy({json.dumps(value)})"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(list(value) if isinstance(value, tuple) else value)

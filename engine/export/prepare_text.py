"""Text of the transforms that images go through before a model: what evaluation applied to them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from string import Template

from engine.catalog.spec import Value
from engine.export.library_text import Library
from engine.syntax.format import INDENT


@dataclass(frozen=True, kw_only=True)
class ImageTransform:
    """A transform of torchvision on the way of the image, or of the video, ``field``."""

    field: str
    kind: str
    type: str
    params: dict[str, Value]


_PREPARE = Template('''
$TRANSFORMS = {$transforms
}


def $prepare(image, field=$first):
    """Return an image as a batch of one, transformed as in evaluation; it has the shape (channels,
    height, width) and values of type uint8, or decimal numbers.
    """
$apply
    return $image_numbers(image.as_subclass(torch.Tensor))[None]
''')
_APPLY = Template("""\
    image = $v2.Compose($TRANSFORMS[field])($tv_tensors.Image(image))""")
_APPLY_TO_VIDEOS = Template("""\
    transforms = $v2.Compose($TRANSFORMS[field])
    if image.ndim == 4:  # a video; torchvision has the frames before the channels
        image = transforms($tv_tensors.Video(image.transpose(0, 1)))
        image = image.transpose(0, 1).contiguous()
    else:
        image = transforms($tv_tensors.Image(image))""")


def prepare_text(
    transforms: Sequence[ImageTransform], names: dict[str, str], library: Library
) -> str:
    """Return the transforms by field and the function that applies them; ``names`` are the names of
    both in the file.
    """
    v2 = library.imported("torchvision.transforms", "v2")
    fields = dict.fromkeys(transform.field for transform in transforms)
    entries = "".join(
        f"\n{INDENT}{json.dumps(field)}: [\n{_steps(transforms, field, v2)}{INDENT}],"
        for field in fields
    )
    has_videos = any(transform.kind == "video" for transform in transforms)
    apply = (_APPLY_TO_VIDEOS if has_videos else _APPLY).substitute(
        names, v2=v2, tv_tensors=library.imported("torchvision", "tv_tensors")
    )
    return _PREPARE.substitute(
        names,
        transforms=entries,
        first=json.dumps(next(iter(fields))),
        apply=apply,
        image_numbers=library.name("engine.data.transform.chain", "image_numbers"),
    )


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

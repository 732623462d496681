"""Text of the transforms that pictures and sounds go through before a model: what evaluation
applied to them.
"""

import dataclasses
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Value
from engine.data.transform.container import RandomApply, RandomChoice
from engine.data.transform.container_step import ContainerStep
from engine.data.transform.sound import SOUND_TRANSFORMS
from engine.export.custom_transform import custom_text
from engine.export.library_text import Library
from engine.spec.choice import NO_CODE, Code
from engine.spec.transform import is_custom
from engine.syntax.format import INDENT


@dataclass(frozen=True, kw_only=True)
class FieldTransform:
    """A transform on the way of the image, the video or the sound ``field``: a container with its
    ``steps``, and the ``chance`` of them as arguments. None of these: one that does nothing for
    the field, which can be drawn like the others.
    """

    field: str
    kind: str
    type: str
    params: dict[str, Value]
    code: Code = dataclasses.field(default_factory=dict[str, str])
    steps: tuple["FieldTransform | None", ...] = ()
    chance: str = ""


def with_inner(transforms: Iterable["FieldTransform | None"]) -> Iterator[FieldTransform]:
    """Yield transforms, each before what is in it."""
    for each in transforms:
        if each is not None:
            yield each
            yield from with_inner(each.steps)


_PREPARE = Template('''
$TRANSFORMS = {$transforms
}


def $prepare($value, field=$first):
    """Return $what as a batch of one, transformed as in evaluation$form."""
$apply
''')
_FORM = """; an image has the shape (channels,
    height, width) and values of type uint8, or decimal numbers"""
_APPLY = Template("""\
    image = $v2.Compose($TRANSFORMS[field])($tv_tensors.Image(image))
    return $image_numbers(image.as_subclass(torch.Tensor))[None]""")
_APPLY_TO_VIDEOS = Template("""\
    transforms = $v2.Compose($TRANSFORMS[field])
    if image.ndim == 4:  # a video; torchvision has the frames before the channels
        image = transforms($tv_tensors.Video(image.transpose(0, 1)))
        image = image.transpose(0, 1).contiguous()
    else:
        image = transforms($tv_tensors.Image(image))
    return $image_numbers(image.as_subclass(torch.Tensor))[None]""")
_APPLY_TO_SOUNDS = Template("""\
    for transform in $TRANSFORMS[field]:
        sound = transform(sound)
    return sound[None]""")
_CHOOSE = Template("""\
    if field in $sounds:
        for transform in $TRANSFORMS[field]:
            image = transform(image)
        return image[None]
""")


def prepare_text(
    transforms: Sequence[FieldTransform], names: dict[str, str], library: Library
) -> str:
    """Return the transforms by field and the function that applies them; ``names`` are the names of
    both in the file.
    """
    fields = {transform.field: transform.kind for transform in transforms}
    entries = "".join(
        f"\n{INDENT}{json.dumps(field)}: [\n{_steps(transforms, field, library)}{INDENT}],"
        for field in fields
    )
    sounds = tuple(field for field, kind in fields.items() if kind == "sound")
    is_of_sounds = len(sounds) == len(fields)
    return _PREPARE.substitute(
        names,
        transforms=entries,
        first=json.dumps(next(iter(fields))),
        value="sound" if is_of_sounds else "image",
        what="a sound" if is_of_sounds else "an image or a sound" if sounds else "an image",
        form="" if is_of_sounds else _FORM,
        apply=_apply(fields.values(), sounds, names, library),
    )


def _apply(
    kinds: Collection[str], sounds: tuple[str, ...], names: Mapping[str, str], library: Library
) -> str:
    """Return the lines that transform a value."""
    if set(kinds) == {"sound"}:
        return _APPLY_TO_SOUNDS.substitute(names)
    chosen = _CHOOSE.substitute(names, sounds=repr(sounds)) if sounds else ""
    apply = _APPLY_TO_VIDEOS if "video" in kinds else _APPLY
    return chosen + apply.substitute(
        names,
        v2=library.imported("torchvision.transforms", "v2"),
        tv_tensors=library.imported("torchvision", "tv_tensors"),
        image_numbers=library.name("engine.data.transform.chain", "image_numbers"),
    )


def _steps(transforms: Sequence[FieldTransform], field: str, library: Library) -> str:
    return "".join(
        f"{INDENT * 2}{_step(each, library)},\n" for each in transforms if each.field == field
    )


def _step(transform: FieldTransform | None, library: Library) -> str:
    if transform is not None and not transform.steps:
        return transform_text(transform.type, transform.params, library, code=transform.code)
    v2 = library.imported("torchvision.transforms", "v2")
    if transform is None:
        return f"{v2}.Identity()"
    inner = ", ".join(_step(each, library) for each in transform.steps)
    return f"{v2}.{transform.type}([{inner}]{transform.chance})"


def chance_text(step: ContainerStep) -> str:
    """Return the argument of a container that says how probable its steps are, with a comma before
    it; empty where it takes none.
    """
    match step.container:
        case RandomApply(p=chance) | RandomChoice(weights=[*_] as chance):
            return f", p={chance!r}"
        case _:
            return ""


def transform_text(
    kind: str,
    params: Mapping[str, Value],
    library: Library,
    masks: Mapping[str, int] | None = None,
    code: Code = NO_CODE,
) -> str:
    """Return the call that makes a transform of torchvision, of sounds or of the user's ``code``;
    ``masks`` says by the class of a mask what new pixels of it are, where such are transformed.
    """
    if is_custom(kind):
        return custom_text(kind, params, library, code)
    if kind in SOUND_TRANSFORMS:
        made = library.name("engine.data.transform.sound", kind)
        return f"{made}({', '.join(f'{name}={value!r}' for name, value in params.items())})"
    v2 = library.imported("torchvision.transforms", "v2")
    values = {name: _value(name, value, v2) for name, value in params.items()}
    entry = catalog().entry(EntryGroup.TRANSFORM, kind)
    fill = None if entry is None else entry.param("fill")
    if masks and fill is not None:
        others = values.get("fill", repr(fill.default))
        filled = [f"{mask}: {number}" for mask, number in masks.items()]
        values["fill"] = f'{{{", ".join(filled)}, "others": {others}}}'
    return f"{v2}.{kind}({', '.join(f'{name}={value}' for name, value in values.items())})"


def _value(name: str, value: Value, v2: str) -> str:
    if name == "dtype":
        return f"torch.{value}"
    if name == "policy":
        return f"{v2}.AutoAugmentPolicy({json.dumps(value)})"
    if isinstance(value, str):
        return json.dumps(value)
    return repr(list(value) if isinstance(value, tuple) else value)

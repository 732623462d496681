"""Text of what is done to a sample of the data of a run, and to a batch of its training."""

import json
from collections.abc import Mapping, Sequence
from string import Template

import torch

from engine.catalog.spec import Need
from engine.data.load.blended import BlendedPart
from engine.data.load.load import LoadedData
from engine.data.load.part import PartData, StreamedPart
from engine.data.source.custom.source import CustomSource
from engine.data.source.source import Draws
from engine.data.transform.batch import BatchTransforms
from engine.data.transform.chain import CORNERS, POINTS, Chain
from engine.data.transform.container_step import ContainerStep
from engine.data.transform.custom_step import CustomStep
from engine.data.transform.step import Step
from engine.export.library_text import Library
from engine.export.prepare_text import chance_text, transform_text
from engine.spec.choice import NO_CODE
from engine.spec.data import IGNORED
from engine.spec.run import DataSpec
from engine.spec.transform import BatchTransformSpec
from engine.syntax.format import INDENT

_STEPS = Template('''
# What is done to a sample in training and in evaluation: transforms, and what each changes.
$STEPS = {$entries
}


def $transformed(sample, steps, seed):
    """Return a sample after steps, whose random numbers follow from ``seed``."""
    fields = {$wrapped
    }
    with $one_thread(), $seeded(seed):
        for transform, names in $drawn:
$apply
    values = {name: value.as_subclass(torch.Tensor) for name, value in fields.items()}
$plain    return {**sample, **values}
''')
_EACH = """\
            fields |= {name: transform(fields[name]) for name in names}"""
_TOGETHER = """\
            fields |= transform({name: fields[name] for name in names})"""
_EITHER = Template("""\
            if isinstance(transform, $v2.Transform):
                fields |= transform({name: fields[name] for name in names})
            else:
                fields |= {name: transform(fields[name]) for name in names}""")
_BOXES = Template("""\
            boxes = fields[$boxes]
""")
_KEEP_BOXES = Template("""
            if fields[$boxes] is not boxes:  # those of which less than a pixel is left go
                inside = $v2.functional.clamp_bounding_boxes(fields[$boxes])
                fields[$boxes], is_left = $v2.functional.sanitize_bounding_boxes(inside)
$others""")
_OBJECT_MASK = Template('''

class $ObjectMask($tv_tensors.Mask):
    """Which pixels are of each object: none where a mask ends."""

''')
_BLENDED = Template('''
# How batches are blended in training: one of these is drawn for each.
$BLENDS = [$modules]


def $draw_blend(shapes, seed):
    """Return the share that a sample keeps and, for CutMix, the box that comes from another."""
    with $seeded(seed):
        number = int(torch.randint(len($BLENDS), ())) if len($BLENDS) > 1 else 0
        drawn = $BLENDS[number].make_params([torch.empty(0, *shape) for shape in shapes])
    found = [drawn["lam_adjusted"], *drawn["box"]] if "box" in drawn else [drawn["lam"]]
    return torch.tensor(found, dtype=torch.float64)


def $blended(values, blend):
    """Return values blended with those of the sample before in the batch."""
    weight, *box = blend.tolist()
    others = values.roll(1, 0)
    if not box:
        return others.mul(1.0 - weight).add_(values.mul(weight))
    left, top, right, bottom = map(int, box)
    values = values.clone()
    values[..., top:bottom, left:right] = others[..., top:bottom, left:right]
    return values
''')
_SEED = "engine.data.seed"
_CONTAINER = "engine.data.transform.container"
_POINTS = "engine.data.transform.points"
_TRIED = 4  # samples
_WRAPPED = {
    "image": "{tv}.Image({value})",
    "mask": "{tv}.Mask({value})",
    "box_masks": "{object_mask}({value})",
    "sound": "{value}",
    "video": "{tv}.Video({value}.transpose(0, 1))",
    "boxes": "{tv}.BoundingBoxes({value}, format={tv}.BoundingBoxFormat.XYXY, canvas_size={size})",
    POINTS: "{key_points}({value}, {size})",
}


def trained_part(data: LoadedData) -> PartData:
    """Return the part that is trained on, before its batches are blended."""
    return data.training.part if isinstance(data.training, BlendedPart) else data.training


def training_chain(data: LoadedData) -> Chain | None:
    """Return the transforms of the training."""
    part = trained_part(data)
    chain = part.preparation if isinstance(part, StreamedPart) else None
    return chain if isinstance(chain, Chain) else None


def blending(data: LoadedData | None) -> BatchTransforms | None:
    """Return how batches are blended in training, None where they are not."""
    if data is None or not isinstance(data.training, BlendedPart):
        return None
    return data.training.transforms


def training_draws(data: LoadedData, names: Sequence[str]) -> dict[str, Draws]:
    """Return the random numbers that choose what of a file is read in training, by field."""
    part = trained_part(data)
    if not isinstance(part, StreamedPart):
        return {}
    found = {name: part.source.draws(name) for name in names}
    return {name: each for name, each in found.items() if each is not None}


def has_other_training(data: LoadedData, names: Sequence[str]) -> bool:
    """Return whether a sample of the training is another than in evaluation."""
    chains = training_chain(data), data.preparation
    numbers = [[step.number for step in chain.steps] if chain else [] for chain in chains]
    return numbers[0] != numbers[1] or bool(training_draws(data, names))


def has_chain(data: LoadedData) -> bool:
    """Return whether samples are transformed."""
    return data.preparation is not None or training_chain(data) is not None


def is_drawn(data: LoadedData, names: Sequence[str]) -> bool:
    """Return whether random numbers of a sample follow from its index."""
    chains = (training_chain(data), data.preparation)
    is_random = any(chain is not None and chain.is_random for chain in chains)
    return is_random or bool(training_draws(data, names)) or data.collation.is_custom


def chain_text(
    spec: DataSpec,
    data: LoadedData,
    carried: Sequence[str],
    names: Mapping[str, str],
    library: Library,
) -> str:
    """Return the function that transforms the ``carried`` fields of a sample, and the steps that it
    goes by; empty where nothing is transformed. ``names`` are what these are called.
    """
    chains = {"training": training_chain(data), "evaluation": data.preparation}
    known = [chain for chain in chains.values() if chain is not None]
    if not known:
        return ""
    kinds = {name: kind for name, kind in known[0].kinds.items() if name in carried}
    writer = _ChainWriter(spec, kinds, known[0].mirrors, library)
    entries = "".join(
        f"\n{INDENT}{json.dumps(part)}: [{writer.steps(chain)}]," for part, chain in chains.items()
    )
    labels = [name for name in known[0].labels if name in carried]
    is_own = any(chain.custom_steps for chain in known)
    text = _STEPS.substitute(
        names,
        entries=entries,
        wrapped=writer.wrapped(),
        apply=writer.apply(known) + writer.kept_boxes(labels),
        plain=writer.plain(),
        drawn=writer.drawn(known),
        one_thread=library.name(_SEED, "one_thread"),
        seeded=library.name(_SEED, "all_seeded" if is_own else "seeded"),
    )
    return writer.classes() + text


class _ChainWriter:
    """Writes the steps of chains for fields of some ``kinds``, by name."""

    def __init__(
        self,
        spec: DataSpec,
        kinds: Mapping[str, str],
        mirrors: Mapping[str, Sequence[int]],
        library: Library,
    ) -> None:
        self._spec, self._kinds, self._mirrors, self._library = spec, kinds, mirrors, library
        self._object_mask = "ObjectMask" if "box_masks" in kinds.values() else ""

    @property
    def _tv_tensors(self) -> str:
        return self._library.imported("torchvision", "tv_tensors")

    @property
    def _v2(self) -> str:
        return self._library.imported("torchvision.transforms", "v2")

    def steps(self, chain: Chain | None) -> str:
        """Return the steps of a chain with the names of what each changes."""
        lines = [self._step(step) for step in (chain.steps if chain is not None else ())]
        return "".join(f"\n{INDENT * 2}{line}," for line in lines if line) + (
            f"\n{INDENT}" if lines else ""
        )

    def _step(self, step: Step) -> str:
        """Return an entry of the steps; empty for one that changes nothing that is carried."""
        names = self._changed(step)
        if not names:
            return ""
        if isinstance(step, ContainerStep):
            nothing = "(torch.nn.Identity(), [])"  # can be drawn like the others
            inner = ", ".join(self._step(each) or nothing for each in step.steps)
            name = self._library.name(_CONTAINER, type(step.container).__name__)
            return f"{name}([{inner}]{chance_text(step)})"
        if POINTS in map(self._kinds.get, names) and not isinstance(step, CustomStep):
            names.append(CORNERS)
        fills: dict[str, int] = {}
        if "mask" in self._kinds.values():
            fills[f"{self._tv_tensors}.Mask"] = IGNORED
        if self._object_mask:
            fills[self._object_mask] = 0
        chosen = self._spec.transforms[step.number]
        code = step.code if isinstance(step, CustomStep) else NO_CODE
        made = transform_text(chosen.type, chosen.params, self._library, fills, code)
        return f"({made}, {json.dumps(names)})"

    def drawn(self, chains: Sequence[Chain]) -> str:
        """Return the steps that a sample goes through: those that containers draw."""
        if all(chain.leaves == chain.steps for chain in chains):
            return "steps"
        return f"{self._library.name(_CONTAINER, 'drawn')}(steps)"

    def _changed(self, step: Step) -> list[str]:
        return [name for name, kind in self._kinds.items() if step.changes(name, kind)]

    def wrapped(self) -> str:
        """Return the entries of the fields as transforms take them."""
        picture = next(
            (name for name, kind in self._kinds.items() if kind in ("image", "video")), ""
        )
        entries = sorted(self._kinds.items(), key=lambda each: each[1] == "boxes")
        lines = [(name, self._wrapped(name, kind, picture)) for name, kind in entries]
        if POINTS in self._kinds.values():
            corners = self._library.name(_POINTS, "corner_points")
            lines.append((CORNERS, f"{corners}({_size_text(picture)})"))
        return "".join(f"\n{INDENT * 2}{json.dumps(name)}: {value}," for name, value in lines)

    def _wrapped(self, name: str, kind: str, picture: str) -> str:
        return _WRAPPED[kind].format(
            tv="" if kind == "sound" else self._tv_tensors,
            value=f"sample[{json.dumps(name)}]",
            object_mask=self._object_mask,
            size=_size_text(picture),
            key_points=self._library.name(_POINTS, "key_points") if kind == POINTS else "",
        )

    def apply(self, chains: Sequence[Chain]) -> str:
        """Return the lines that take a step: pictures are changed together, sounds one by one."""
        steps = [step for chain in chains for step in chain.leaves]
        boxes = self._boxes
        before = _BOXES.substitute(boxes=json.dumps(boxes)) if boxes else ""
        alone = [step.is_of_sounds or _is_each(step) for step in steps]
        pairs = zip(steps, alone, strict=True)
        is_joint = any(len(self._changed(step)) > 1 and not is_alone for step, is_alone in pairs)
        if not is_joint:
            return before + _EACH
        if not any(alone):
            return before + _TOGETHER
        return before + _EITHER.substitute(v2=self._v2)

    @property
    def _boxes(self) -> str:
        return next((name for name, kind in self._kinds.items() if kind == "boxes"), "")

    def kept_boxes(self, labels: Sequence[str]) -> str:
        """Return the lines after a step that leave out boxes outside of the picture."""
        boxes = self._boxes
        if not boxes:
            return ""
        lines = [
            f"{INDENT * 4}sample = {{**sample, {json.dumps(name)}: "
            f"sample[{json.dumps(name)}][is_left]}}"
            for name in labels
        ]
        for name, kind in self._kinds.items():
            if kind == "box_masks":
                key = f"fields[{json.dumps(name)}]"
                plain = f"{key}.as_subclass(torch.Tensor)[is_left]"
                lines.append(f"{INDENT * 4}{key} = {self._object_mask}({plain})")
        return _KEEP_BOXES.substitute(boxes=json.dumps(boxes), v2=self._v2, others="\n".join(lines))

    def plain(self) -> str:
        """Return the lines that give values the axes and the numbers that they had."""
        lines: list[str] = []
        for name, kind in self._kinds.items():
            value = f"values[{json.dumps(name)}]"
            if kind == "video":
                lines.append(f"{INDENT}{value} = {value}.transpose(0, 1).contiguous()\n")
            elif kind == "mask":
                lines.append(
                    f"{INDENT}if {value}.is_floating_point():  # planes: new pixels are in none\n"
                    f"{INDENT * 2}{value} = {value}.clamp(min=0)\n"
                )
            elif kind == POINTS:
                shares = self._library.name(_POINTS, "point_shares")
                field, corners = (f"fields[{json.dumps(each)}]" for each in (name, CORNERS))
                order = list(self._mirrors[name])
                lines.append(f"{INDENT}{value} = {shares}({field}, {corners}, {order})\n")
        if POINTS in self._kinds.values():
            lines.append(f"{INDENT}del values[{json.dumps(CORNERS)}]\n")
        return "".join(lines)

    def classes(self) -> str:
        """Return the class of masks of objects, where there are such."""
        if not self._object_mask:
            return ""
        return _OBJECT_MASK.substitute(ObjectMask=self._object_mask, tv_tensors=self._tv_tensors)


def _size_text(picture: str) -> str:
    return f"tuple(sample[{json.dumps(picture)}].shape[-2:])"


def _is_each(step: Step) -> bool:
    """Return whether own code is called with one field after the other."""
    return isinstance(step, CustomStep) and Need.TOGETHER not in step.needs


def blend_text(
    transforms: Sequence[BatchTransformSpec], names: Mapping[str, str], library: Library
) -> str:
    """Return the functions that blend a batch; empty where no transform is on."""
    chosen = [each for each in transforms if each.enabled]
    if not chosen:
        return ""
    modules = [transform_text(each.type, each.params, library) for each in chosen]
    return _BLENDED.substitute(
        names, modules=", ".join(modules), seeded=library.name(_SEED, "seeded")
    )


def has_same_scalings(data: LoadedData) -> bool:
    """Return whether the training normalizes its samples as evaluation does."""
    part = trained_part(data)
    scalings = part.scalings if isinstance(part, StreamedPart) else data.scalings
    return scalings.keys() == data.scalings.keys() and all(
        torch.equal(each.shift, data.scalings[name].shift)
        and torch.equal(each.scale, data.scalings[name].scale)
        for name, each in scalings.items()
    )


def draws_by_itself(data: LoadedData) -> bool:
    """Return whether the data gives other values in another epoch, but for what is known to be
    drawn (:func:`training_draws`): tried on the first samples.
    """
    if not isinstance(data.source, CustomSource):
        return False
    indices = data.indices["train"][:_TRIED].tolist()
    first, other = (data.source.read_at(indices, 0, epoch) for epoch in (0, 1))
    return any(
        not torch.equal(one, two)
        for name in first
        for one, two in zip(first[name], other[name], strict=True)
    )

"""Step that holds others, and the steps of an outline of transforms."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
from typing_extensions import override

from engine.catalog.spec import Need
from engine.data.transform.container import RandomApply, RandomChoice, RandomOrder
from engine.data.transform.step import Sample, Step
from engine.diagnostics import DiagnosticError
from engine.spec.transform import TransformSpec, holds_steps
from engine.spec.transform_outline import CHOICE, inside, parents, weights_of

Container = RandomApply | RandomChoice | RandomOrder
Build = Callable[[int, TransformSpec], Step]

CONTAINERS: dict[str, Callable[..., Container]] = {
    "RandomApply": RandomApply,
    CHOICE: RandomChoice,
    "RandomOrder": RandomOrder,
}
"""The containers by their type in the catalogue."""


@dataclass(frozen=True, kw_only=True)
class ContainerStep(Step):
    """A container with its steps, which the chain applies as it draws them."""

    container: Container

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps in it."""
        return tuple(self.container.steps)

    @override
    def changes(self, name: str, kind: str) -> bool:
        return any(step.changes(name, kind) for step in self.steps)

    @override
    def apply(self, sample: Sample, index: int) -> Sample:
        """Return the sample as it is: nothing was drawn of what is in the container."""
        return sample

    def branches(self) -> list["ContainerStep"]:
        """Return containers that leave nothing to chance, whose samples are all that this one can
        make, but for the order of the steps and for containers in containers, which are in step.
        """
        inner = [branches_of(step) for step in self.steps]
        count = max(map(len, inner), default=1)
        each_of = [
            tuple(branches[min(number, len(branches) - 1)] for branches in inner)
            for number in range(count)
        ]
        if isinstance(self.container, RandomApply):
            chances = [p for p in (0.0, 1.0) if self.container.p != 1.0 - p]
            made = [RandomApply(steps, p) for steps in each_of for p in chances]
        elif isinstance(self.container, RandomChoice):
            made = [
                RandomChoice([step])
                for branches, p in zip(inner, self.container.p, strict=True)
                if p > 0
                for step in branches
            ]
        else:
            made = [RandomOrder(steps) for steps in each_of]
        return [replace(self, container=container) for container in made]


def branches_of(step: Step) -> list[Step]:
    """Return what a step can be: itself, or of a container all that it can apply."""
    return [*step.branches()] if isinstance(step, ContainerStep) else [step]


def leaves(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield steps, in the place of containers what is in them."""
    for step in steps:
        if isinstance(step, ContainerStep):
            yield from leaves(step.steps)
        else:
            yield step


def walked(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield the steps that are applied to a sample, drawn as it comes to them; a container of which
    nothing is drawn stands for itself.
    """
    for step in steps:
        chosen = step.container.draw() if isinstance(step, ContainerStep) else []
        if chosen:
            yield from walked(chosen)
        else:
            yield step


def build_steps(
    transforms: Sequence[TransformSpec],
    chosen: Sequence[tuple[int, TransformSpec]],
    build: Build,
) -> Iterator[Step]:
    """Yield the outermost steps of an outline, of which some are ``chosen``; containers of nothing
    are left out. What is in a container changes the field that the container is for, unless it
    says another.

    Raises what ``build`` does, and :class:`DiagnosticError` D562 where a container has not as many
    weights as steps.
    """
    known = dict(chosen)
    held, of = inside(transforms), parents(transforms)
    for number, transform in chosen:
        if of[number] is None:
            step = _built(number, transform, held, known, build)
            if step is not None:
                yield step


def _built(
    number: int,
    transform: TransformSpec,
    held: Sequence[Sequence[int]],
    known: Mapping[int, TransformSpec],
    build: Build,
) -> Step | None:
    if not holds_steps(transform.type):
        return build(number, transform)
    steps: list[Step] = []
    weights: list[object] = []
    given = weights_of(transform, len(held[number]))
    for at, each in enumerate(held[number]):
        if each not in known:
            continue
        inner = known[each]
        inner = msgspec.structs.replace(inner, field=inner.field or transform.field)
        step = _built(each, inner, held, known, build)
        if step is not None:
            steps.append(step)
            weights.append(given[at] if given else None)
    if not steps:
        return None
    return ContainerStep(
        number=number,
        name=transform.type,
        field=transform.field,
        needs=(Need.STEPS, Need.RANDOM_NUMBERS),
        container=_container(number, transform, steps, weights),
    )


def _container(
    number: int, transform: TransformSpec, steps: Sequence[Step], weights: Sequence[object]
) -> Container:
    params = {name: value for name, value in transform.params.items() if name == "p"}
    if transform.type == CHOICE and params.get("p") is not None:
        numbers = [float(each) for each in weights if isinstance(each, int | float)]
        if len(numbers) != len(steps) or min(numbers) < 0 or not sum(numbers) > 0:
            raise DiagnosticError.of(
                "D562",
                field=f"data.transforms.{number}.p",
                number=number + 1,
                name=transform.type,
                count=len(steps),
            )
        params["p"] = numbers  # type: ignore[assignment]
    return CONTAINERS[transform.type](steps, **params)

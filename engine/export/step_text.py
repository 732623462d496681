"""One step of the optimizer as text of the exported training class."""

from string import Template
from typing import NamedTuple

from engine.export.python_file import SourceParts
from engine.export.technique_text import TechniqueText
from engine.spec.run import RunSpec
from engine.syntax.format import INDENT

_STEP = Template("""\
        self.optimizer.zero_grad()
        outputs = self.forward_batch($given)
        loss = self.loss_func(outputs, batch)
        $backward$update
        return self.batch_result(loss, outputs, batch)""")
_PHASE_STEP = Template("""\
        self.train_only(phases)
        self.zero_grad()
        outputs = self.forward_batch($given)
        loss = self.loss_func(outputs, batch$terms)
        $backward$update
        return self.batch_result(loss, outputs, batch)""")
_PHASE_SEVERAL = Template("""\
        self.train_only(phases)
        self.zero_grad()
        samples = sum(len($first) for batch in batches)
        results = []
        for batch in batches:
            outputs = self.forward_batch($given)
            loss = self.loss_func(outputs, batch$terms)
            results.append(self.batch_result(loss, outputs, batch))
            share = results[-1]["samples"] / samples
            $backward$update
        return results""")
_PHASE_UPDATE = Template("""$clip
        for index in phases:
            self.optimizers[index].step()$counted""")
_PHASE_SCALED_UPDATE = Template("""
        for index in phases:
            self.scaler.unscale_(self.optimizers[index])$clip
        for index in phases:
            self.scaler.step(self.optimizers[index])
        self.scaler.update()$counted""")
_CLOSURE_STEP = Template("""\
        result = {}

        def closure():
            self.optimizer.zero_grad()
            outputs = self.forward_batch(batch)
            loss = self.loss_func(outputs, batch)
            if not result:
                result.update(self.batch_result(loss, outputs, batch))
$total            loss.backward()$clip
            return loss

        self.optimizer.step(closure)$counted
        return result""")
_UPDATE = Template("""$clip
        self.optimizer.step()$counted""")
_SCALED_UPDATE = Template("""
        self.scaler.unscale_(self.optimizer)$clip
        self.scaler.step(self.optimizer)
        self.scaler.update()$counted""")
_SEVERAL = Template("""\
        self.optimizer.zero_grad()
        samples = sum(len($first) for batch in batches)
        results = []
        for batch in batches:
            outputs = self.forward_batch($given)
            loss = self.loss_func(outputs, batch)
            results.append(self.batch_result(loss, outputs, batch))
            share = results[-1]["samples"] / samples
            $backward$update
        return results""")
_CLOSURE_SEVERAL = Template("""\
        samples = sum(len($first) for batch in batches)
        results = []

        def closure():
            self.optimizer.zero_grad()
            is_first, total = not results, 0.0
            for batch in batches:
                outputs = self.forward_batch(batch)
                loss = self.loss_func(outputs, batch)
                if is_first:
                    results.append(self.batch_result(loss, outputs, batch))
                loss = $loss * (len($first) / samples)
                loss.backward()
                total = total + loss.detach()$clip
            return total

        self.optimizer.step(closure)$counted
        return results""")
_CLIPS = {"norm": "clip_grad_norm_", "value": "clip_grad_value_"}
_ONE_DOC = "Update the parameters once; return the loss and metric from before the update."
_PHASE_CALLS = """\
for batch in batches:
                phases = self.phases_at(epoch, step)
                results.append(self.train_step(batch, phases))
                step += 1"""
_PHASE_SEVERAL_CALLS = Template("""\
rest = iter(batches)
            while group := list($islice(rest, $count)):
                phases = self.phases_at(epoch, step)
                results += self.train_step(group, phases)
                step += 1""")
_SEVERAL_DOC = (
    "Update the parameters once by the gradient of a list of batches; return the loss and\n"
    "        metric of each from before the update.\n        "
)


class StepText(NamedTuple):
    """The method of a ``step``, and the lines of an epoch that call it. ``taken`` is its parameter,
    ``task`` its docstring.
    """

    taken: str
    task: str
    step: str
    calls: str


def step_text(
    spec: RunSpec, techniques: TechniqueText, source: SourceParts, first: str, *, is_repeated: bool
) -> StepText:
    """Return the text of an optimizer step; an optimizer that evaluates the loss several times
    (``is_repeated``) gets a closure, which a scaled loss does not allow. ``first`` is a field of a
    batch.
    """
    has_closure = is_repeated and spec.compute.precision != "float16"
    count = spec.accumulation.batches
    if count == 1:
        calls = "for batch in batches:\n                results.append(self.train_step(batch))"
        body = _one(spec, techniques, has_closure=has_closure)
        return StepText("batch", _ONE_DOC, body, calls)
    islice = source.imported("itertools", "islice")
    calls = (
        "rest = iter(batches)\n"
        f"{INDENT * 3}while group := list({islice}(rest, {count})):\n"
        f"{INDENT * 4}results += self.train_step(group)"
    )
    body = _several(spec, techniques, first, has_closure=has_closure)
    return StepText("batches", _SEVERAL_DOC, body, calls)


def phase_step_text(
    spec: RunSpec, techniques: TechniqueText, source: SourceParts, first: str, terms: str
) -> StepText:
    """Return the text of a step of some phases; ``terms`` is what the loss is given of them."""
    loss, count = techniques.penalized or "loss", spec.accumulation.batches
    is_scaled = spec.compute.precision == "float16"
    template = _PHASE_SCALED_UPDATE if is_scaled else _PHASE_UPDATE
    update = template.substitute(clip=_after(spec, techniques, 2), counted=techniques.counted)
    if count == 1:
        body = _PHASE_STEP.substitute(
            terms=terms, given=techniques.given, backward=_backward(spec, loss), update=update
        )
        return StepText("batch, phases", _ONE_DOC, body, _PHASE_CALLS)
    share = f"{loss} * share" if is_scaled else f"({loss} * share)"
    body = _PHASE_SEVERAL.substitute(
        terms=terms,
        first=first,
        given=techniques.given,
        backward=_backward(spec, share),
        update=update,
    )
    islice = source.imported("itertools", "islice")
    calls = _PHASE_SEVERAL_CALLS.substitute(islice=islice, count=count)
    return StepText("batches, phases", _SEVERAL_DOC, body, calls)


def _one(spec: RunSpec, techniques: TechniqueText, *, has_closure: bool) -> str:
    loss = techniques.penalized
    if has_closure:
        total = f"{INDENT * 3}loss = {loss}\n" if loss else ""
        after = _after(spec, techniques, 3)
        return _CLOSURE_STEP.substitute(clip=after, total=total, counted=techniques.counted)
    update = _update(spec, techniques)
    backward = _backward(spec, loss or "loss")
    return _STEP.substitute(given=techniques.given, backward=backward, update=update)


def _several(spec: RunSpec, techniques: TechniqueText, first: str, *, has_closure: bool) -> str:
    """Return the lines of a step that adds up the gradients of several batches."""
    loss = techniques.penalized or "loss"
    if has_closure:
        after = _after(spec, techniques, 3)
        return _CLOSURE_SEVERAL.substitute(
            first=first, loss=loss, clip=after, counted=techniques.counted
        )
    is_scaled = spec.compute.precision == "float16"
    backward = _backward(spec, f"{loss} * share" if is_scaled else f"({loss} * share)")
    return _SEVERAL.substitute(
        first=first,
        given=techniques.given,
        backward=backward,
        update=_update(spec, techniques),
    )


def _backward(spec: RunSpec, loss: str) -> str:
    """Return the call that goes backward from a loss."""
    if spec.compute.precision == "float16":
        return f"self.scaler.scale({loss}).backward()"
    return f"{loss}.backward()"


def _update(spec: RunSpec, techniques: TechniqueText) -> str:
    """Return the lines that change the parameters by their gradients."""
    update = _SCALED_UPDATE if spec.compute.precision == "float16" else _UPDATE
    return update.substitute(clip=_after(spec, techniques, 2), counted=techniques.counted)


def _after(spec: RunSpec, techniques: TechniqueText, depth: int) -> str:
    """Return the lines that change the gradients, each on a new line."""
    function = _CLIPS.get(spec.clip.kind)
    calls = [techniques.noise] if techniques.noise else []
    if function is not None:
        calls.append(f"nn.utils.{function}(self.parameters(), {spec.clip.limit})")
    return "".join(f"\n{INDENT * depth}{line}" for line in calls)

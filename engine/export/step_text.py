"""One step of the optimizer as text of the exported training class."""

from string import Template

from engine.export.technique_text import TechniqueText
from engine.spec.run import RunSpec
from engine.syntax.format import INDENT

_STEP = Template("""\
        self.optimizer.zero_grad()
        outputs = self.forward_batch(batch)
        loss = self.loss_func(outputs, batch)
$update
        return self.batch_result(loss, outputs, batch)""")
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
_UPDATE = Template("""\
        $loss.backward()$clip
        self.optimizer.step()$counted""")
_SCALED_UPDATE = Template("""\
        self.scaler.scale($loss).backward()
        self.scaler.unscale_(self.optimizer)$clip
        self.scaler.step(self.optimizer)
        self.scaler.update()$counted""")
_CLIPS = {"norm": "clip_grad_norm_", "value": "clip_grad_value_"}


def step_text(spec: RunSpec, techniques: TechniqueText, is_repeated: bool) -> str:
    """Return the lines of an optimizer step; an optimizer that evaluates the loss several
    times (``is_repeated``) gets a closure, which a scaled loss does not allow.
    """
    is_scaled = spec.compute.precision == "float16"
    has_closure = is_repeated and not is_scaled
    function = _CLIPS.get(spec.clip.kind)
    calls = [techniques.noise] if techniques.noise else []
    if function is not None:
        calls.append(f"nn.utils.{function}(self.parameters(), {spec.clip.limit})")
    indent = f"\n{INDENT * (3 if has_closure else 2)}"
    after, loss = "".join(indent + line for line in calls), techniques.penalized
    if has_closure:
        total = f"{INDENT * 3}loss = {loss}\n" if loss else ""
        return _CLOSURE_STEP.substitute(clip=after, total=total, counted=techniques.counted)
    update = _SCALED_UPDATE if is_scaled else _UPDATE
    lines = update.substitute(clip=after, loss=loss or "loss", counted=techniques.counted)
    return _STEP.substitute(update=lines)

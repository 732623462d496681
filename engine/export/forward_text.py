"""Text of the method that goes forward with a batch, in the exported training class."""

from collections.abc import Sequence
from string import Template

from engine.data.transform.batch import BatchTransforms
from engine.export.job import ExportJob
from engine.export.source_parts import SourceParts
from engine.syntax.format import INDENT
from engine.train.precision import is_double

_AUTOCAST = Template("""\
        with torch.autocast(inputs[0].device.type, torch.$dtype):
            outputs = $model(*inputs)
        return $outputs""")
_DOUBLE = "x.double() if x.is_floating_point() else x"
_CHANNELS_LAST = """\
        {model}.to(memory_format=torch.channels_last)  # nothing to do where it is
        inputs = tuple(
            x.contiguous(memory_format=torch.channels_last) if x.ndim == 4 else x for x in inputs
        )"""
_BLEND = Template("""\
        if "blend" in batch:  # of the run: as its samples are blended in training
            are_images = $are_images
            inputs = tuple(
                $blended(x, batch["blend"]) if is_image else x
                for x, is_image in zip(inputs, are_images, strict=True)
            )""")


def fields_of(job: ExportJob) -> list[str]:
    """Return the fields of a batch that a model reads, in the order of its inputs."""
    inputs = [node for node in job.graph.nodes.values() if node.type == "Input"]
    return [str(node.params.get("field", "") or node.name) for node in inputs]


def forward_text(
    job: ExportJob,
    fields: Sequence[str],
    source: SourceParts,
    blends: BatchTransforms | None,
    *,
    model: str = "self",
    outputs: int = 0,
) -> str:
    """Return the lines that compute the outputs for a batch, in the precision of the run;
    ``blends`` says how batches of the training are blended, ``model`` what computes, with so many
    ``outputs`` (0: as the model of the run).
    """
    values = ", ".join(f'batch["{field}"]' for field in fields)
    scaled = f"{source.names['scale']}({values})" if any(job.scalings) else ""
    compute = job.spec.compute
    is_mixed = compute.precision in ("float16", "bfloat16")
    changes = [
        *([f"{INDENT * 2}inputs = tuple({_DOUBLE} for x in inputs)"] if is_double(compute) else []),
        *([] if blends is None else [_blend(fields, source, blends)]),
        *([_CHANNELS_LAST.format(model=model)] if compute.channels_last else []),
    ]
    if not changes and not is_mixed:
        return f"{INDENT * 2}return {model}({f'*{scaled}' if scaled else values})"
    lines = [f"{INDENT * 2}inputs = {scaled or f'({values},)'}", *changes]
    if not is_mixed:
        return "\n".join([*lines, f"{INDENT * 2}return {model}(*inputs)"])
    own = sum(node.type == "Output" for node in job.graph.nodes.values())
    each = "tuple(x.float() if x.is_floating_point() else x for x in outputs)"
    result = "outputs.float()" if (outputs or own) == 1 else each
    text = _AUTOCAST.substitute(dtype=compute.precision, outputs=result, model=model)
    return "\n".join([*lines, text])


def _blend(fields: Sequence[str], source: SourceParts, blends: BatchTransforms) -> str:
    return _BLEND.substitute(
        blended=source.names["blended"],
        are_images=repr(tuple(field in blends.images for field in fields)),
    )

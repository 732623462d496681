"""A diffusion model small enough for a test, of points or of pictures."""

from engine.graph.draft import Draft
from engine.graph.model import Graph
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import Choice, LossTerm

LOSSES = (LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": "model.loss"}),)


def diffusion_graph(width: int = 64) -> Graph:
    """Return a model of points in the plane that tells the noise in them."""
    noising = (
        Draft().put("clean", "BlockInput").put("noise", "BlockInput").put("time", "BlockInput")
    )
    noising.put("angle", "mul", other=1.5).put("share", "cos")
    noising.put("kept", "mul", after={"input": "share", "other": "clean"})
    noising.put("spread", "sin", after="angle")
    noising.put("added", "mul", after={"input": "spread", "other": "noise"})
    noising.put("sum", "add", after={"input": "kept", "other": "added"})
    denoiser = Draft().put("noised", "BlockInput").put("time", "BlockInput")
    denoiser.put("both", "cat", after={"tensors.0": "noised", "tensors.1": "time"}, dim=1)
    for number in (1, 2):
        denoiser.put(f"hidden{number}", "Linear", out_features=width).put(f"act{number}", "SiLU")
    denoiser.put("out", "Linear", out_features=2).put("noise", "BlockOutput")
    blocks = {
        "Noising": noising.put("noised", "BlockOutput").block(),
        "Denoiser": denoiser.block(),
    }
    draft = (
        Draft(blocks).put("point", "Input", field="point", shape=(2,)).put("noise", "randn_like")
    )
    draft.put("one", "narrow", after="point", dim=1, start=0, length=1).put("time", "rand_like")
    draft.put("mix", "block.Noising", after={"clean": "point", "noise": "noise", "time": "time"})
    draft.put("net", "block.Denoiser", after={"noised": "mix", "time": "time"})
    draft.put("error", "sub", after={"input": "net", "other": "noise"}).put("square", "square")
    return draft.put("loss", "Output").model()

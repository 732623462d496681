"""An autoencoder with latent variables, small enough for a test."""

from engine.graph.draft import Draft
from engine.graph.model import Graph
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import Choice, LossTerm

SIDE, SIZE = 4, 3
LOSSES = (LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": "model.loss"}),)


def autoencoder(rows: int = SIDE) -> Graph:
    """Return a linear model of images (1, 4, 4) with three latent variables, of which neither the
    mean nor the image is the first output of its block. It draws images of that many ``rows``.
    """
    encoder = Draft().put("x", "BlockInput").put("flat", "Flatten")
    encoder.put("scale", "Linear", out_features=SIZE).put("log_variance", "BlockOutput")
    encoder.put("centre", "Linear", after="flat", out_features=SIZE).put("mean", "BlockOutput")
    decoder = Draft().put("latent", "BlockInput").put("pixels", "Linear", out_features=rows * SIDE)
    decoder.put("grid", "Unflatten", dim=1, unflattened_size=(1, rows, SIDE))
    decoder.put("inverse", "mul", other=-1.0).put("negative", "BlockOutput")
    decoder.put("image", "BlockOutput", after="grid")
    blocks = {"Encoder": encoder.block(), "Decoder": decoder.block()}
    draft = Draft(blocks).put("image", "Input", field="image", shape=(1, SIDE, SIDE))
    draft.put("net", "block.Encoder").put("spread", "exp", after="net.log_variance")
    draft.put("z", "add", after={"input": "net.mean", "other": "spread"})
    draft.put("draw", "block.Decoder").put("square", "square", after="draw.image")
    draft.put("sum", "sum", dim=(1, 2, 3))
    return draft.put("loss", "Output").model()

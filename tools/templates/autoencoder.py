"""A variational autoencoder: images are drawn from a few normally distributed numbers."""

from engine.graph.draft import Draft
from engine.graph.model import Block
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import Choice, LossTerm, RunSpec
from tools.templates.draft import Template, made_data

_SIDE = 8
_PIXELS = _SIDE * _SIDE
_WIDTH = 128
_LATENT = 2
_PRECISION = 12.5  # 1 / (2 σ²) for the standard deviation σ = 0.2 of a pixel
_EPOCHS = 100
_OUTPUTS = ("recon", "kl")


def autoencoder_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_digits()]


def _encoder() -> Block:
    draft = Draft().put("image", "BlockInput").put("flat", "Flatten")
    for number in (1, 2):
        draft.put(f"hidden{number}", "Linear", out_features=_WIDTH).put(f"act{number}", "SiLU")
    draft.put("centre", "Linear", out_features=_LATENT).put("mean", "BlockOutput")
    draft.put("scale", "Linear", after="act2", out_features=_LATENT)
    return draft.put("log_variance", "BlockOutput").block(
        "Tells the mean and the logarithm of the variance of the latent variables of an image."
    )


def _decoder() -> Block:
    draft = Draft().put("latent", "BlockInput")
    for number in (1, 2):
        draft.put(f"hidden{number}", "Linear", out_features=_WIDTH).put(f"act{number}", "SiLU")
    draft.put("pixels", "Linear", out_features=_PIXELS).put("bounded", "Sigmoid")
    draft.put("rows", "Unflatten", dim=1, unflattened_size=(1, _SIDE, _SIDE))
    return draft.put("image", "BlockOutput").block("Draws an image from latent variables.")


def _sampling() -> Block:
    draft = Draft().put("mean", "BlockInput").put("log_variance", "BlockInput")
    draft.put("noise", "BlockInput").put("halved", "mul", after="log_variance", other=0.5)
    draft.put("deviation", "exp")
    draft.put("spread", "mul", after={"input": "deviation", "other": "noise"})
    draft.put("sum", "add", after={"input": "mean", "other": "spread"})
    return draft.put("latent", "BlockOutput").block(
        "Latent variables of that mean and variance: mean + standard deviation * noise, so that "
        "gradients reach both (the reparameterization trick)."
    )


def _reconstruction() -> Block:
    draft = Draft().put("drawn", "BlockInput").put("image", "BlockInput")
    draft.put("error", "sub", after={"input": "drawn", "other": "image"}).put("square", "square")
    draft.put("sum", "sum", dim=(1, 2, 3)).put("scaled", "mul", other=_PRECISION)
    return draft.put("loss", "BlockOutput").block(
        "Negative log-likelihood of an image whose pixels are normally distributed around those "
        "drawn, with the standard deviation 0.2; without its constant."
    )


def _divergence() -> Block:
    draft = Draft().put("mean", "BlockInput").put("log_variance", "BlockInput")
    draft.put("square", "square", after="mean").put("variance", "exp", after="log_variance")
    draft.put("energy", "add", after={"input": "square", "other": "variance"})
    draft.put("excess", "sub", after={"input": "energy", "other": "log_variance"})
    draft.put("less_one", "sub", other=1.0).put("sum", "sum", dim=1)
    return (
        draft.put("halved", "mul", other=0.5)
        .put("loss", "BlockOutput")
        .block(
            "Kullback-Leibler divergence of the latent variables from N(0, 1): half the sum of "
            "mean² + variance - log(variance) - 1 (Kingma and Welling, 2013, appendix B)."
        )
    )


def _model() -> Draft:
    """Return the model: image, latent variables, image again, and both losses of each sample."""
    blocks = {
        "Encoder": _encoder(),
        "Sampling": _sampling(),
        "Decoder": _decoder(),
        "Reconstruction": _reconstruction(),
        "Divergence": _divergence(),
    }
    draft = Draft(blocks).put("image", "Input", field="image", shape=(1, _SIDE, _SIDE))
    draft.put("encoder", "block.Encoder").put("noise", "randn_like")
    encoded = {"mean": "encoder.mean", "log_variance": "encoder.log_variance"}
    draft.put("sampling", "block.Sampling", after={**encoded, "noise": "noise"})
    draft.put("decoder", "block.Decoder")
    draft.put(
        "reconstruction", "block.Reconstruction", after={"drawn": "decoder", "image": "image"}
    )
    draft.put("loss_recon", "Output")
    return draft.put("divergence", "block.Divergence", after=encoded).put("loss_kl", "Output")


def _digits() -> Template:
    losses = tuple(
        LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": f"model.loss_{name}"})
        for name in _OUTPUTS
    )
    return Template(
        name="vae-digits",
        group="block",
        order=59,
        title=("Variational autoencoder on digits", "手写数字上的变分自编码器"),
        description=(
            (
                "An encoder and a decoder learn to describe handwritten digits by two latent "
                "variables (Kingma and Welling, 2013). In the Playground, walk through them and "
                "see what the decoder draws. On the test set the loss, the negative ELBO without "
                "its constant, is about 33.6."
            ),
            (
                "编码器和解码器学习用两个隐变量描述手写数字（Kingma 与 Welling，2013）。"
                "在试验场中改变隐变量，可看到解码器生成的图像。"
                "测试集上的损失，即去掉常数项的负 ELBO，约为 33.6。"
            ),
        ),
        task="generation",
        minutes=0.5,
        graph=_model().model(),
        spec=RunSpec(
            data=made_data("digits", batch_size=64),
            losses=losses,
            optimizer=Choice(type="Adam", params={"lr": 2e-3}),
            scheduler=Choice(type="CosineAnnealingLR", params={"T_max": _EPOCHS}),
            metrics=(),
            epochs=_EPOCHS,
        ),
    )

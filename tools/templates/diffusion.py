"""Denoising diffusion: a network learns how much noise is in a sample, and samples are made of
noise by taking it away step by step.
"""

from msgspec.structs import replace

from engine.graph.draft import Draft
from engine.graph.model import Block
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import Choice, LossTerm, RunSpec
from engine.spec.technique import AveragingSpec
from tools.templates.draft import Template, made_data

_QUARTER = 1.56  # of a turn: a little less than π / 2, so that some of the data is left at the end
_WIDTH = 128
_EPOCHS = 300


def diffusion_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_moons()]


def _noising() -> Block:
    draft = Draft().put("clean", "BlockInput").put("noise", "BlockInput")
    draft.put("time", "BlockInput").put("angle", "mul", other=_QUARTER)
    draft.put("share", "cos", after="angle")
    draft.put("kept", "mul", after={"input": "share", "other": "clean"})
    draft.put("spread", "sin", after="angle")
    draft.put("added", "mul", after={"input": "spread", "other": "noise"})
    draft.put("sum", "add", after={"input": "kept", "other": "added"})
    return draft.put("noised", "BlockOutput").block(
        "Mixes a sample with noise: nearly the sample at time 0, nearly noise at time 1. The "
        "squares of both shares add up to 1 (a cosine schedule, Nichol and Dhariwal, 2021)."
    )


def _denoiser() -> Block:
    draft = Draft().put("noised", "BlockInput").put("time", "BlockInput")
    draft.put("clock", "Linear", out_features=_WIDTH).put("clock_act", "SiLU")
    draft.put("moment", "Linear", out_features=_WIDTH)
    before = "noised"
    for number in (1, 2, 3):
        draft.put(f"hidden{number}", "Linear", after=before, out_features=_WIDTH)
        draft.put(f"timed{number}", "add", after={"input": f"hidden{number}", "other": "moment"})
        draft.put(f"act{number}", "SiLU")
        before = f"act{number}"
    return (
        draft.put("out", "Linear", out_features=2)
        .put("noise", "BlockOutput")
        .block("Tells which noise is in a noised sample, given the time.")
    )


def _moons() -> Template:
    draft = Draft({"Noising": _noising(), "Denoiser": _denoiser()})
    draft.put("point", "Input", field="point", shape=(2,))
    draft.put("noise", "randn_like")
    draft.put("one", "narrow", after="point", dim=1, start=0, length=1).put("time", "rand_like")
    draft.put(
        "noising", "block.Noising", after={"clean": "point", "noise": "noise", "time": "time"}
    )
    draft.put("denoiser", "block.Denoiser", after={"noised": "noising", "time": "time"})
    draft.put("error", "sub", after={"input": "denoiser", "other": "noise"})
    draft.put("loss_noise", "square").put("loss", "Output")
    adam = Choice(type="Adam", params={"lr": 2e-3})
    return Template(
        name="diffusion-moons",
        group="block",
        order=57,
        title=("Diffusion on two moons", "双月数据上的扩散模型"),
        description=(
            (
                "A network learns which noise was mixed into points of two moons (DDPM, Ho et al., "
                "2020). In the Playground it makes new points out of noise, step by step: about "
                "93 % of them lie within 0.15 of the moons, and their energy distance to the test "
                "set, about 0.016 for 1,000 points, is that of the training data."
            ),
            (
                "网络学习双月数据的点中混入了哪些噪声（DDPM，Ho 等，2020）。"
                "在试验场中，它从噪声逐步生成新的点：约 93% 落在双月 0.15 以内；"
                "1,000 个点到测试集的能量距离约 0.016，与训练数据相当。"
            ),
        ),
        task="generation",
        minutes=0.5,
        graph=draft.model(),
        spec=RunSpec(
            data=replace(
                made_data("moons", batch_size=64, samples=2000, noise=0.05),
                normalization="standard",
            ),
            losses=(LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": "model.loss"}),),
            optimizer=adam,
            scheduler=Choice(type="CosineAnnealingLR", params={"T_max": _EPOCHS}),
            averaging=AveragingSpec(kind="ema", decay=0.995),
            metrics=(),
            epochs=_EPOCHS,
        ),
    )

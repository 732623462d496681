"""Denoising diffusion: a network learns how much noise is in a sample, and samples are made of
noise by taking it away step by step.
"""

from msgspec.structs import replace

from engine.graph.draft import Draft
from engine.graph.model import Block
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm, RunSpec
from engine.spec.series import LATEST
from engine.spec.technique import AveragingSpec
from tools.templates.draft import Template, made_data

_QUARTER = 1.56  # of a turn: a little less than π / 2, so that some of the data is left at the end
_WIDTH = 128
_EPOCHS = 300
_CHANNELS = 32
_PICTURE_EPOCHS = 100


def diffusion_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_moons(), _digits()]


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
    return _template(
        "diffusion-moons",
        57,
        title=("Diffusion on two moons", "双月数据上的扩散模型"),
        description=(
            (
                "A network learns which noise was mixed into points of two moons (DDPM, Ho et al., "
                "2020). In the Playground it makes new points out of noise, step by step: about "
                "94 % of them lie within 0.15 of the moons, and their energy distance to the test "
                "set is about 0.018 for 1,000 points (0.015 for training data). The latest "
                "checkpoint is used: the validation loss is that of one draw of noise."
            ),
            (
                "网络学习双月数据的点中混入了哪些噪声（DDPM，Ho 等，2020）。"
                "在试验场中，它从噪声逐步生成新的点：约 94% 落在双月 0.15 以内；"
                "1,000 个点到测试集的能量距离约 0.018（训练数据为 0.015）。"
                "使用最新的检查点：验证损失只是一次噪声抽样的损失。"
            ),
        ),
        minutes=0.5,
        draft=draft,
        field="point",
        data=made_data("moons", batch_size=64, samples=2000, noise=0.05),
        epochs=_EPOCHS,
    )


def _template(
    name: str,
    order: int,
    *,
    title: tuple[str, str],
    description: tuple[str, str],
    minutes: float,
    draft: Draft,
    field: str,
    data: DataSpec,
    epochs: int,
) -> Template:
    """Return a template whose draft has an Input of the field, its ``noise`` and the ``time``."""
    draft.put("noising", "block.Noising", after={"clean": field, "noise": "noise", "time": "time"})
    draft.put("denoiser", "block.Denoiser", after={"noised": "noising", "time": "time"})
    draft.put("error", "sub", after={"input": "denoiser", "other": "noise"})
    draft.put("loss_noise", "square").put("loss", "Output")
    return Template(
        name=name,
        group="block",
        order=order,
        title=title,
        description=description,
        task="generation",
        minutes=minutes,
        graph=draft.model(),
        spec=RunSpec(
            data=replace(data, normalization="standard"),
            losses=(LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": "model.loss"}),),
            optimizer=Choice(type="Adam", params={"lr": 2e-3}),
            scheduler=Choice(type="CosineAnnealingLR", params={"T_max": epochs}),
            averaging=AveragingSpec(kind="ema", decay=0.995),
            metrics=(),
            epochs=epochs,
            checkpoint=CheckpointSpec(monitor=LATEST),
        ),
    )


def _picture_denoiser() -> Block:
    draft = Draft().put("noised", "BlockInput").put("time", "BlockInput")
    draft.put("clock", "Conv2d", out_channels=64, kernel_size=1).put("clock_act", "SiLU")
    draft.put("moment", "Conv2d", out_channels=_CHANNELS, kernel_size=1)
    draft.put("moment_low", "Conv2d", after="clock_act", out_channels=2 * _CHANNELS, kernel_size=1)

    def convolve(name: str, before: str, channels: int, timed: str = "", stride: int = 1) -> str:
        """Add a convolution of ``before``, with a time added to it, and its activation."""
        size = {"out_channels": channels, "kernel_size": 3, "stride": stride, "padding": 1}
        draft.put(name, "Conv2d", after=before, **size)
        if timed:
            draft.put(f"{name}_timed", "add", after={"input": name, "other": timed})
        draft.put(f"{name}_act", "SiLU")
        return f"{name}_act"

    high = convolve("high2", convolve("high1", "noised", _CHANNELS), _CHANNELS, "moment")
    low = convolve("down", high, 2 * _CHANNELS, stride=2)
    for number in (1, 2):
        changed = convolve(f"low{number}", low, 2 * _CHANNELS, "moment_low")
        low = f"low{number}_sum"
        before = "down_act" if number == 1 else "low1_sum"
        draft.put(low, "add", after={"input": before, "other": changed})
    draft.put("up", "ConvTranspose2d", out_channels=_CHANNELS, kernel_size=2, stride=2)
    draft.put("both", "cat", after={"tensors.0": high, "tensors.1": "up"}, dim=1)
    convolve("last", "both", _CHANNELS, "moment")
    draft.put("out", "Conv2d", out_channels=1, kernel_size=3, padding=1)
    return draft.put("noise", "BlockOutput").block(
        "A small U-Net that tells which noise is in a noised picture: once at full size, once at "
        "half, and the time is added to the channels."
    )


def _digits() -> Template:
    draft = Draft({"Noising": _noising(), "Denoiser": _picture_denoiser()})
    draft.put("image", "Input", field="image", shape=(1, 8, 8))
    draft.put("noise", "randn_like")
    draft.put("one", "mean", after="image", dim=(1, 2, 3), keepdim=True).put("time", "rand_like")
    return _template(
        "diffusion-digits",
        58,
        title=("Diffusion on digits", "手写数字上的扩散模型"),
        description=(
            (
                "A small U-Net learns which noise was mixed into handwritten digits (DDPM, Ho et "
                "al., 2020). In the Playground it makes new digits out of noise, step by step. "
                "The energy distance of 270 of them to the test set is about 0.03; of as many "
                "training samples it is 0.024. The latest checkpoint is used: the validation "
                "loss is that of one draw of noise."
            ),
            (
                "小型 U-Net 学习手写数字中混入了哪些噪声（DDPM，Ho 等，2020）。"
                "在试验场中，它从噪声逐步生成新的数字。"
                "270 个样本到测试集的能量距离约 0.03；同样多的训练样本为 0.024。"
                "使用最新的检查点：验证损失只是一次噪声抽样的损失。"
            ),
        ),
        minutes=1.0,
        draft=draft,
        field="image",
        data=made_data("digits", batch_size=64),
        epochs=_PICTURE_EPOCHS,
    )

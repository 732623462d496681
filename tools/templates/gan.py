"""Generative adversarial networks: two blocks and two phases that take turns."""

from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.graph.draft import Draft
from engine.graph.model import Block, Graph
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import (
    CheckpointSpec,
    Choice,
    DataSpec,
    LossTerm,
    PhaseRule,
    PhaseSpec,
    RunSpec,
)
from engine.spec.series import LATEST
from engine.spec.technique import AveragingSpec
from tools.templates.draft import Template, made_data

_EPOCHS = 500
_PICTURE_EPOCHS = 300
_SIDE = 8
_WIDTH = 256


def gan_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_moons(), _digits()]


def _points(out: int, activation: str, **params: Value) -> Block:
    """Return a network of two hidden layers from points of the plane to ``out`` numbers."""
    draft = Draft().put("x", "BlockInput")
    for number in (1, 2):
        draft.put(f"hidden{number}", "Linear", out_features=64).put(
            f"act{number}", activation, **params
        )
    return draft.put("out", "Linear", out_features=out).put("y", "BlockOutput").block()


def _graph(field: str, shape: tuple[int, ...], generator: Block, discriminator: Block) -> Graph:
    """Return a model that computes the losses of both (Goodfellow et al., 2014): that of the
    generator is the one that does not vanish where all that it makes is told from the data.
    """
    draft = Draft({"Generator": generator, "Discriminator": discriminator})
    draft.put(field, "Input", field=field, shape=shape)
    draft.put("discriminator", "block.Discriminator").put("minus_real", "neg")
    draft.put("loss_real", "softplus").put("real", "Output")
    draft.put("noise", "randn_like", after=field).put("generator", "block.Generator")
    draft.put("judged", "block.Discriminator", after="generator", shares="discriminator")
    draft.put("loss_fake", "softplus").put("fake", "Output")
    draft.put("minus_fake", "neg", after="judged").put("loss_fooled", "softplus")
    return draft.put("fooled", "Output").model()


def _recipe(data: DataSpec, epochs: int, steps: int) -> RunSpec:
    """Return a recipe in which the discriminator takes so many steps for one of the generator."""
    adam = Choice(type="Adam", params={"lr": 1e-3, "betas": (0.5, 0.999)})
    falling = Choice(type="CosineAnnealingLR", params={"T_max": epochs})
    return RunSpec(
        data=data,
        losses=tuple(
            LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": f"model.{name}"})
            for name in ("real", "fake", "fooled")
        ),
        optimizer=adam,
        scheduler=falling,
        phase=PhaseRule(name="discriminator", match="discriminator", losses="1, 2", steps=steps),
        phases=(
            PhaseSpec(
                name="generator",
                match="generator",
                losses="3",
                steps=1,
                optimizer=adam,
                scheduler=falling,
            ),
        ),
        metrics=(),
        epochs=epochs,
        checkpoint=CheckpointSpec(monitor=LATEST),
    )


def _moons() -> Template:
    return Template(
        name="gan-moons",
        group="block",
        order=55,
        title=("A GAN on two moons", "双月数据上的 GAN"),
        description=(
            (
                "A generator makes points of the plane from noise, and a discriminator tells "
                "them from the points of two moons (Goodfellow et al., 2014). Two phases take "
                "turns, each with an optimizer of its own. In the Playground, about 90 % of the "
                "points that the generator makes lie within 0.15 of the moons. The latest "
                "checkpoint is used: the losses do not say which one is best."
            ),
            (
                "生成器把噪声变成平面上的点，判别器把它们与双月数据的点区分开"
                "（Goodfellow 等，2014）。两个阶段轮流训练，各有自己的优化器。"
                "在试验场中，生成器生成的点约 90% 落在双月 0.15 以内。"
                "使用最新的检查点：损失并不能说明哪个最好。"
            ),
        ),
        task="generation",
        minutes=0.4,
        graph=_graph(
            "point",
            (2,),
            _points(2, "ReLU"),
            _points(1, "LeakyReLU", negative_slope=0.2),
        ),
        spec=_recipe(made_data("moons", batch_size=64, samples=2000, noise=0.05), _EPOCHS, steps=2),
    )


def _picture_generator() -> Block:
    draft = Draft().put("x", "BlockInput").put("flat", "Flatten")
    for number, width in ((1, _WIDTH), (2, 2 * _WIDTH)):
        draft.put(f"hidden{number}", "Linear", out_features=width)
        draft.put(f"norm{number}", "BatchNorm1d").put(f"act{number}", "ReLU")
    draft.put("out", "Linear", out_features=_SIDE * _SIDE).put("gray", "Sigmoid")
    draft.put("grid", "Unflatten", dim=1, unflattened_size=(1, _SIDE, _SIDE))
    return draft.put("y", "BlockOutput").block("Makes a picture of as many random numbers.")


def _picture_discriminator() -> Block:
    draft = Draft().put("x", "BlockInput").put("flat", "Flatten")
    for number, width in ((1, 2 * _WIDTH), (2, _WIDTH)):
        draft.put(f"hidden{number}", "Linear", out_features=width)
        draft.put(f"act{number}", "LeakyReLU", negative_slope=0.2)
        draft.put(f"drop{number}", "Dropout", p=0.3)
    draft.put("out", "Linear", out_features=1).put("y", "BlockOutput")
    return draft.block("Tells pictures of the data (above 0) from those of the generator.")


def _digits() -> Template:
    data = replace(made_data("digits", batch_size=64), normalization="minmax")
    recipe = _recipe(data, _PICTURE_EPOCHS, steps=1)
    return Template(
        name="gan-digits",
        group="block",
        order=56,
        title=("A GAN on digits", "手写数字上的 GAN"),
        description=(
            (
                "A generator makes handwritten digits from noise, and a discriminator tells them "
                "from those of the data (Goodfellow et al., 2014). An average of the weights (EMA) "
                "is kept, which is what makes samples. See them in the Playground beside held-out "
                "ones: the energy distance of 270 of them to the test set is about 0.03; of as "
                "many training samples it is 0.024."
            ),
            (
                "生成器把噪声变成手写数字，判别器把它们与数据中的数字区分开"
                "（Goodfellow 等，2014）。训练同时保留权重的平均值（EMA），用它来生成。"
                "可在试验场中与未参与训练的数字并排查看："
                "270 个样本到测试集的能量距离约 0.03；同样多的训练样本为 0.024。"
            ),
        ),
        task="generation",
        minutes=1.0,
        graph=_graph("image", (1, _SIDE, _SIDE), _picture_generator(), _picture_discriminator()),
        spec=replace(recipe, averaging=AveragingSpec(kind="ema", decay=0.998, use_buffers=True)),
    )

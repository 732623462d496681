"""Networks that are put together from blocks."""

from pathlib import Path

from msgspec.structs import replace

from engine.graph.draft import Draft, sequential
from engine.graph.model import Block, BlockStyle
from engine.spec.run import (
    Choice,
    DataSpec,
    RunSpec,
)
from tools.templates.draft import Template, made_data, term

_IMAGE = (3, 32, 32)
_SINE = DataSpec(source=Choice(type="sin", params={"samples": 500}), normalization="standard")
_CONTROL = Path(__file__).parents[2] / "resources" / "templates" / "nest-mlp" / "code"


def composed_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [
        _mlp_two_ways(),
        _nest_mlp(),
        _my_network(),
        _feature_levels(),
        _bilinear(),
    ]


def _mlp_two_ways() -> Template:
    subclass = Draft().put("x", "BlockInput").put("hidden", "Linear", out_features=256)
    subclass.put("relu", "relu").put("out", "Linear", out_features=10)
    blocks = {
        "Net": sequential(
            ("hidden", "Linear", {"out_features": 256}),
            ("relu", "ReLU", {}),
            ("out", "Linear", {"out_features": 10}),
            note="A hidden layer as nn.Sequential: children are called 0, 1 and 2.",
        ),
        "MLP": subclass.put("scores", "BlockOutput").block(
            "The same as a class of its own: children are called hidden and out."
        ),
    }
    draft = Draft(blocks).put("x", "Input", field="features", shape=(20,))
    draft.put("net", "block.Net").put("net_scores", "Output")
    draft.put("mlp", "block.MLP", after="x").put("mlp_scores", "Output")
    return Template(
        name="mlp-two-ways",
        group="block",
        order=50,
        title=("One network, two ways", "一个网络，两种写法"),
        description=(
            (
                "20 inputs, 256 hidden units, 10 classes: once as nn.Sequential and once "
                "as a separate class, trained side by side. Compare them in the code. Means of "
                "rows and columns of handwritten digits; about 95 % of the test set are right."
            ),
            (
                "20 个数、256、10 个类别：一次写成 nn.Sequential，一次写成自己的类，两者并排学习。"
                "可在代码中对照。数据是手写数字各行各列的平均值，测试集上约 95% 判断正确。"
            ),
        ),
        task="classification",
        minutes=0.1,
        graph=draft.model(),
        spec=RunSpec(
            data=replace(made_data("digits", kind="vector"), normalization="standard"),
            epochs=30,
            losses=(
                term("CrossEntropyLoss", "net_scores", "label"),
                term("CrossEntropyLoss", "mlp_scores", "label"),
            ),
        ),
    )


def _nest_mlp() -> Template:
    net = sequential(
        ("linear1", "Linear", {"out_features": 64}),
        ("relu1", "ReLU", {}),
        ("linear2", "Linear", {"out_features": 32}),
        ("relu2", "ReLU", {}),
    )
    nest = Draft({"NestNet": net}).put("x", "BlockInput").put("net", "block.NestNet")
    nest.put("linear", "Linear", out_features=16).put("y", "BlockOutput")
    blocks = {
        "NestNet": net,
        "NestMLP": nest.block("A chain inside a block."),
        "FixedHiddenMLP": _fixed_hidden(),
    }
    chimera = Draft(blocks).put("input", "BlockInput")
    chimera.put("nest", "block.NestMLP", called="0")
    chimera.put("linear", "Linear", called="1", out_features=20)
    chimera.put("fixed", "block.FixedHiddenMLP", called="2").put("output", "BlockOutput")
    blocks["Chimera"] = chimera.block("Blocks in a chain.", BlockStyle.SEQUENTIAL)
    draft = Draft(blocks, _control()).put("x", "Input", field="features", shape=(4,))
    draft.put("chimera", "block.Chimera").put("total", "Output")
    return Template(
        name="nest-mlp",
        group="block",
        order=51,
        title=("Blocks inside blocks", "块中有块"),
        description=(
            (
                "A model of three parts: a nested network, a dense layer, and a network "
                "with fixed random weights that uses one layer twice and halves its values "
                "in a Python loop. Double-click a block to open it. It fits a noisy sine "
                "(R² of about 0.99)."
            ),
            (
                "由三部分组成的“嵌合体”：嵌套的网络、全连接层，以及带固定随机权重、同一层用两次、"
                "并用 Python 循环把数值减半的网络。"
                "双击块即可进入。它拟合带噪声的正弦（R² 约 0.99）。"
            ),
        ),
        task="regression",
        minutes=0.1,
        graph=draft.model(),
        spec=RunSpec(
            data=_SINE,
            losses=(term("MSELoss", "total", "target"),),
            epochs=60,
        ),
    )


def _control() -> dict[str, str]:
    """Return the code of the template, which is kept by hand beside it."""
    return {path.name: path.read_text(encoding="utf-8") for path in _CONTROL.glob("*.py")}


def _fixed_hidden() -> Block:
    draft = Draft(code=_control()).put("x", "BlockInput").put("linear", "Linear", out_features=20)
    draft.put("rand_weight", "Constant", shape=(20, 20), fill="uniform")
    draft.put("matmul", "matmul", after={"input": "linear", "other": "rand_weight"})
    draft.put("plus_one", "add", other=1.0).put("relu", "relu")
    draft.put("linear_again", "Linear", shares="linear", out_features=20)
    draft.put("halve", "code.control.halve_until_small")
    draft.put("sum", "sum", dim=(1,), keepdim=True).put("total", "BlockOutput")
    return draft.block(
        "One dense layer used twice, fixed random weights in between that are never trained, a"
        " loop in code of the project, and the sum of each sample at the end."
    )


def _my_network() -> Template:
    body = Draft().put("image", "BlockInput")
    body.put("conv", "Conv2d", out_channels=64, kernel_size=3, padding=1)
    body.begin("weight", "kaiming_normal_", mode="fan_out", nonlinearity="relu")
    body.begin("bias", "zeros_").put("bn", "BatchNorm2d")
    body.begin("weight", "ones_").begin("bias", "zeros_")
    body.put("relu", "ReLU").put("pool", "MaxPool2d", kernel_size=2)
    body.put("flatten", "flatten", start_dim=1).put("fc", "Linear", out_features=512)
    body.begin("weight", "xavier_normal_").begin("bias", "constant_", val=0.0)
    block = body.put("features", "BlockOutput").block(
        "Convolution, batch norm, ReLU and pooling; 64 · 14 · 14 numbers become 512 features."
    )
    draft = Draft({"MyNetwork": block}).put("image", "Input", field="image", shape=(3, 28, 28))
    draft.put("features", "block.MyNetwork")
    draft.put("classifier", "Linear", out_features=10).put("logits", "Output")
    return Template(
        name="my-network",
        group="block",
        order=52,
        title=("A body and a head", "主干与头部"),
        description=(
            (
                "A block extracts 512 features from an image, and a dense layer classifies "
                "them: change the head and keep the body. Each type of layer has its own "
                "initialization. Handwritten digits in color, "
                "about 93 % of the test set are right."
            ),
            (
                "块把图像变成 512 个特征，全连接层判断类别：可换头部而保留主干。"
                "每种层各有自己的初始化方法。"
                "数据是 28×28 的彩色手写数字，测试集上约 93% 判断正确。"
            ),
        ),
        task="classification",
        minutes=0.5,
        graph=draft.model(),
        spec=RunSpec(
            data=made_data("digits", size=28, mode="RGB"),
            losses=(term("CrossEntropyLoss", "logits", "label"),),
        ),
    )


def _feature_levels() -> Template:
    blocks = {
        f"Level{number}": sequential(
            ("conv", "Conv2d", {"out_channels": channels, "kernel_size": 3, "padding": 1}),
            ("norm", "BatchNorm2d", {}),
            ("relu", "ReLU", {}),
            ("pool", "MaxPool2d", {"kernel_size": 2}),
            note="One level of features, half as high and wide as the one before.",
        )
        for number, channels in enumerate((16, 32, 64, 128), start=1)
    }
    draft = Draft(blocks).put("image", "Input", field="image", shape=_IMAGE)
    for number in range(1, 5):
        before = f"layer{number - 1}" if number > 1 else "image"
        draft.put(f"layer{number}", f"block.Level{number}", after=before)
        draft.put(f"features{number}", "Output")
    draft.put("global_average", "mean", after="layer4", dim=(2, 3))
    draft.put("fc", "Linear", out_features=10)
    return Template(
        name="feature-levels",
        group="block",
        order=53,
        title=("Features of every level", "各层特征"),
        description=(
            (
                "Four levels of convolutions; the model returns the features of each level "
                "and the scores, a starting point for feature visualization, style "
                "transfer and detection. Drawn shapes, over 99 % of the test set are right."
            ),
            (
                "四级卷积；模型除得分外还返回每一级的特征，这是观察内部、风格与检测的起点。"
                "数据是绘制的图形，测试集上超过 99% 判断正确。"
            ),
        ),
        task="classification",
        minutes=0.4,
        graph=draft.put("logits", "Output").model(),
        spec=RunSpec(
            data=made_data("shapes"), losses=(term("CrossEntropyLoss", "logits", "label"),)
        ),
    )


def _pooling() -> Block:
    draft = Draft().put("x", "BlockInput").put("positions", "flatten", start_dim=2)
    draft.put("turned", "transpose", dim0=1, dim1=2)
    draft.put("products", "bmm", after={"input": "positions", "mat2": "turned"})
    draft.put("mean", "div", other=64.0).put("flat", "flatten", start_dim=1)
    draft.put("sign", "sign").put("size", "abs", after="flat")
    draft.put("eps", "add", other=1e-5).put("sqrt", "sqrt")
    draft.put("signed_sqrt", "mul", after={"input": "sign", "other": "sqrt"})
    return (
        draft.put("unit", "normalize")
        .put("pooled", "BlockOutput")
        .block(
            "Bilinear pooling (Lin et al., 2015): the mean of X · Xᵀ over all positions, the signed"
            " square root, and length one.\n\n"
            "The number that is divided by is height times width of what comes in: 64 here."
        )
    )


def _bilinear() -> Template:
    draft = Draft({"BilinearPooling": _pooling()})
    draft.put("image", "Input", field="image", shape=_IMAGE)
    for number, channels in ((1, 16), (2, 32)):
        draft.put(f"conv{number}", "Conv2d", out_channels=channels, kernel_size=3, padding=1)
        draft.put(f"relu{number}", "relu").put(f"pool{number}", "MaxPool2d", kernel_size=2)
    draft.put("bilinear", "block.BilinearPooling").put("fc", "Linear", out_features=10)
    return Template(
        name="bilinear-pooling",
        group="block",
        order=54,
        title=("Bilinear pooling", "双线性池化"),
        description=(
            (
                "Pairwise feature products distinguish fine-grained classes: outer product "
                "of channels, signed square root and L2 normalization in a single block. "
                "Drawn shapes, about 86 % of the test set are right."
            ),
            (
                "特征两两如何同时出现可区分细粒度类别：所有通道的乘积、带符号的平方根、归一到单位长度，"
                "合为一个块。"
                "数据是绘制的图形，测试集上约 86% 判断正确。"
            ),
        ),
        task="classification",
        minutes=0.3,
        graph=draft.put("logits", "Output").model(),
        spec=RunSpec(
            data=made_data("shapes"),
            losses=(term("CrossEntropyLoss", "logits", "label"),),
            optimizer=Choice(type="Adam", params={"lr": 0.003}),
        ),
    )

"""Models that begin with what another one has learned: a frozen trunk with a new head, and LoRA.

``tools/write_base_weights.py`` trains the other ones (:func:`bases`), on data that ships
too, and writes their weights beside these templates.
"""

from dataclasses import dataclass

from msgspec.structs import replace

from engine.graph.draft import Draft
from engine.graph.edit.edits import apply
from engine.graph.edit.lora import AddLora
from engine.graph.model import Block, Graph, Node
from engine.spec.run import CheckpointSpec, Choice, DataSpec, RunSpec, SplitSpec
from engine.spec.series import LATEST
from engine.spec.weight_name import follow_names
from tools.templates.draft import Template, made_data, term
from tools.templates.gpt import GptSize, gpt

WEIGHTS = "weights/{name}.safetensors"
_IMAGE = (3, 32, 32)
_WIDTHS = (16, 32, 64)
_FROZEN = ("conv1", "bn1", "layer1", "layer2")
_READER = GptSize(window=64, width=64, heads=4, layers=2, characters=65)
_RANK = 8
_ALL = SplitSpec(train=1.0, validation=0.0, test=0.0)


@dataclass(frozen=True, kw_only=True)
class Base:
    """A model that is trained so that the ``template`` can begin with its weights: its graph and
    recipe, and the modules whose weights are ``dropped``.
    """

    template: str
    name: str
    graph: Graph
    spec: RunSpec
    dropped: tuple[str, ...] = ()


def pretrained_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_fine_tuning(), _adaptation()]


def bases() -> list[Base]:
    """Return the models whose weights these templates begin with."""
    return [_trunk(), _reader()]


def _residual(channels: int, stride: int) -> Block:
    draft = Draft().put("x", "BlockInput")
    draft.put(
        "conv1",
        "Conv2d",
        out_channels=channels,
        kernel_size=3,
        stride=stride,
        padding=1,
        bias=False,
    )
    draft.put("bn1", "BatchNorm2d").put("relu1", "ReLU")
    draft.put("conv2", "Conv2d", out_channels=channels, kernel_size=3, padding=1, bias=False)
    draft.put("bn2", "BatchNorm2d")
    before = "x"
    if stride > 1:
        draft.put(
            "shortcut",
            "Conv2d",
            after="x",
            out_channels=channels,
            kernel_size=1,
            stride=stride,
            bias=False,
        )
        draft.put("bn3", "BatchNorm2d")
        before = "bn3"
    draft.put("sum", "add", after={"input": "bn2", "other": before})
    return draft.put("relu2", "ReLU").put("y", "BlockOutput").block("A residual block (He, 2016).")


def _resnet(head: str, frozen: tuple[str, ...] = ()) -> Graph:
    """Return a small ResNet: its trunk, of which some nodes are frozen, and a ``head`` of ten
    classes.
    """
    blocks = {
        f"Residual{channels}": _residual(channels, 1 if channels == _WIDTHS[0] else 2)
        for channels in _WIDTHS
    }
    draft = Draft(blocks).put("image", "Input", field="image", shape=_IMAGE)

    def add(name: str, key: str, **params: object) -> None:
        draft.add(Node(id=name, type=key, name=name, params=params, frozen=name in frozen))  # type: ignore[arg-type]

    add("conv1", "Conv2d", out_channels=_WIDTHS[0], kernel_size=3, padding=1, bias=False)
    add("bn1", "BatchNorm2d")
    draft.put("relu", "ReLU")
    for number, channels in enumerate(_WIDTHS, 1):
        add(f"layer{number}", f"block.Residual{channels}")
    draft.put("avgpool", "AdaptiveAvgPool2d", output_size=1).put("flat", "Flatten")
    return draft.put(head, "Linear", out_features=10).put("logits", "Output").model()


def _trunk() -> Base:
    return Base(
        template="resnet-finetune",
        name="trunk",
        graph=_resnet("fc"),
        spec=RunSpec(
            data=replace(
                made_data("shapes", batch_size=64, samples=4000), normalization="standard"
            ),
            losses=(term("CrossEntropyLoss", "logits", "label"),),
            optimizer=Choice(type="Adam", params={"lr": 3e-3}),
            scheduler=Choice(type="OneCycleLR", params={"max_lr": 3e-3}),
            scheduler_interval="step",
            epochs=12,
            threads=1,
        ),
        dropped=("fc",),
    )


def _reader() -> Base:
    source = Choice(type="shakespeare", params={"length": _READER.window})
    return Base(
        template="gpt-lora",
        name="reader",
        graph=gpt(_READER),
        spec=RunSpec(
            data=DataSpec(source=source, split=_ALL, batch_size=32),
            losses=(term("CrossEntropyLoss", "logits", "target"),),
            optimizer=Choice(type="AdamW", params={"lr": 4e-3}),
            scheduler=Choice(type="OneCycleLR", params={"max_lr": 4e-3, "pct_start": 0.1}),
            scheduler_interval="step",
            checkpoint=CheckpointSpec(monitor=LATEST),
            metrics=("perplexity",),
            epochs=8,
            threads=1,
        ),
    )


def _fine_tuning() -> Template:
    data = made_data("digits", batch_size=32, size=_IMAGE[1], mode="RGB")
    split = SplitSpec(train=0.1, validation=0.1, test=0.8)
    return Template(
        name="resnet-finetune",
        group="image",
        order=29,
        title=("Fine-tuning a ResNet", "微调 ResNet"),
        description=(
            (
                "A small ResNet that has learned drawn shapes tells handwritten digits after 180 "
                "pictures: up to layer2 it is frozen, layer3 and a new head are trained. About "
                "92 % of the other digits are right; without what it learned before, 38 %."
            ),
            (
                "学过绘制图形的小型 ResNet 用 180 张图片学会识别手写数字："
                "到 layer2 为止被冻结，训练 layer3 和新的头部。"
                "其余数字约 92% 判断正确；没有先前所学则为 38%。"
            ),
        ),
        task="classification",
        minutes=0.2,
        graph=_resnet("digit", _FROZEN),
        spec=RunSpec(
            data=replace(data, split=split, normalization="standard"),
            losses=(term("CrossEntropyLoss", "logits", "label"),),
            optimizer=Choice(type="Adam", params={"lr": 3e-3}),
            weights=WEIGHTS.format(name="trunk"),
            epochs=40,
        ),
        weights=(
            "Weights: made for Trellis, Apache-2.0",
            "权重：为 Trellis 制作，Apache-2.0",
        ),
    )


def _adaptation() -> Template:
    plain = gpt(_READER)
    edit = AddLora(places=("layer1", "layer2", "head"), rank=_RANK, alpha=2.0 * _RANK)
    source = Choice(type="names", params={"length": _READER.window, "vocabulary": "plays"})
    spec = RunSpec(
        data=DataSpec(
            source=source,
            split=SplitSpec(kind="sequential", train=0.8, validation=0.1, test=0.1),
            batch_size=16,
        ),
        losses=(term("CrossEntropyLoss", "logits", "target"),),
        optimizer=Choice(type="AdamW", params={"lr": 1e-2}),
        scheduler=Choice(type="OneCycleLR", params={"max_lr": 1e-2, "pct_start": 0.1}),
        scheduler_interval="step",
        metrics=("accuracy", "perplexity"),
        weights=WEIGHTS.format(name="reader"),
        epochs=30,
    )
    graph = apply(edit, plain)
    return Template(
        name="gpt-lora",
        group="sequence",
        order=46,
        title=("LoRA on a GPT", "在 GPT 上使用 LoRA"),
        description=(
            (
                "A GPT that has learned Shakespeare learns to write names: it is frozen, and "
                "low-rank pairs beside its linear layers (LoRA, Hu et al., 2021) are trained, 9 % "
                "of the parameters. Unseen names then have a perplexity of about 8; it was 67."
            ),
            (
                "学过莎士比亚的 GPT 学习写人名：它被冻结，只训练各线性层旁的低秩矩阵对"
                "（LoRA，Hu 等，2021），占参数的 9%。之后未见过的人名困惑度约 8，之前为 67。"
            ),
        ),
        task="language model",
        minutes=0.5,
        graph=graph,
        spec=follow_names(spec, plain, graph, edit),
        weights=(
            "Weights: made for Trellis, Apache-2.0",
            "权重：为 Trellis 制作，Apache-2.0",
        ),
    )

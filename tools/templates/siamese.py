"""Siamese network: two branches that share their weights learn a distance."""

from engine.graph.draft import Draft
from engine.graph.model import Block
from engine.spec.run import Choice, DataSpec, RunSpec, SplitSpec
from tools.templates.draft import Template, term

_SIDE = 8
_EMBEDDING = 16
_EPOCHS = 30


def siamese_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_digits()]


def _branch() -> Block:
    draft = Draft().put("image", "BlockInput")
    for number, channels in ((1, 16), (2, 32)):
        draft.put(f"conv{number}", "Conv2d", out_channels=channels, kernel_size=3, padding=1)
        draft.put(f"act{number}", "ReLU").put(f"pool{number}", "MaxPool2d", kernel_size=2)
    draft.put("flat", "Flatten").put("project", "Linear", out_features=_EMBEDDING)
    return draft.put("embedding", "BlockOutput").block(
        "Turns the image of a digit into a vector: near those of digits that are alike."
    )


def _digits() -> Template:
    draft = Draft({"Branch": _branch()})
    for name in ("first", "second"):
        draft.put(name, "Input", field=name, shape=(1, _SIDE, _SIDE))
    draft.put("branch", "block.Branch", after="first")
    draft.put("same_branch", "block.Branch", after="second", shares="branch")
    draft.put(
        "distance", "PairwiseDistance", after={"x1": "branch", "x2": "same_branch"}, keepdim=True
    )
    draft.put("pair_distance", "Output", after="distance").put("fixed", "detach", after="distance")
    draft.put("threshold", "Linear", out_features=1).put("logit", "Output")
    split = SplitSpec(kind="group", column="group")
    return Template(
        name="siamese-digits",
        group="block",
        order=60,
        title=("Siamese network on digits", "手写数字上的孪生网络"),
        description=(
            (
                "Two branches that share their weights turn two digits into vectors, and the "
                "contrastive loss brings those of one class together and those of two apart "
                "(Hadsell et al., 2006). A threshold of the distance tells the same digit from "
                "two: about 95 % of the pairs are right, of scans that it never saw."
            ),
            (
                "两个共享权重的分支把两个数字变成向量；对比损失让同类的靠近、不同类的远离"
                "（Hadsell 等，2006）。"
                "用距离的阈值判断两个数字是否相同：在从未见过的扫描图上，约 95% 的配对判断正确。"
            ),
        ),
        task="binary",
        minutes=0.6,
        graph=draft.model(),
        spec=RunSpec(
            data=DataSpec(source=Choice(type="digit_pairs"), split=split, batch_size=64),
            losses=(
                term("BCEWithLogitsLoss", "logit", "target"),
                term("HingeEmbeddingLoss", "pair_distance", "sign", margin=2.0),
            ),
            optimizer=Choice(type="AdamW", params={"lr": 2e-3}),
            scheduler=Choice(type="CosineAnnealingLR", params={"T_max": _EPOCHS}),
            epochs=_EPOCHS,
        ),
    )

"""Networks that read rows of numbers and of categories."""

from engine.graph.draft import Draft
from engine.graph.model import Block
from engine.spec.run import Choice, DataSpec, RunSpec
from tools.templates.draft import (
    Template,
    all_for_training,
    checkpoints_by_training_loss,
    term,
)

_VALUES = (("species", 4), ("island", 4), ("sex", 4))
"""The categories of a penguin, and how many values each has: one is for what is unknown."""


def table_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_two_layer_raw(), _two_layer_sigmoid(), _penguins()]


def _two_layer_raw() -> Template:
    draft = Draft().put("x", "Input", field="features", shape=(1000,))
    draft.put("w1", "Parameter", shape=(1000, 100), fill="normal")
    draft.put("hidden", "matmul", after={"input": "x", "other": "w1"})
    draft.put("clamp", "clamp", min=0.0)
    draft.put("w2", "Parameter", shape=(100, 10), fill="normal")
    draft.put("product", "matmul", after={"input": "clamp", "other": "w2"}).put("y_pred", "Output")
    return Template(
        name="two-layer-raw",
        group="table",
        order=33,
        title=("Two weight matrices", "两个权重矩阵"),
        description=(
            (
                "Two plain parameters and matrix products: clamp(min=0), the sum of "
                "squared errors, and plain gradient descent with learning rate 1e-6, 500 "
                "steps, until a loss of about 0.00002 is left. The data are random numbers."
            ),
            (
                "两个普通参数与矩阵乘法：clamp(min=0)、平方差之和，学习率 1e-6 的普通梯度下降，"
                "共 500 步，损失降到约 0.00002。数据是随机数。"
            ),
        ),
        task="regression",
        minutes=0.1,
        graph=draft.model(),
        spec=RunSpec(
            data=all_for_training(Choice(type="random_regression"), 64),
            losses=(term("MSELoss", "y_pred", "target", reduction="sum"),),
            optimizer=Choice(type="SGD", params={"lr": 1e-6}),
            epochs=500,
            checkpoint=checkpoints_by_training_loss(100),
        ),
    )


def _two_layer_sigmoid() -> Template:
    draft = Draft().put("x", "Input", field="features", shape=(4,))
    draft.put("w1", "Parameter", shape=(4, 32), fill="xavier_normal")
    draft.put("hidden", "matmul", after={"input": "x", "other": "w1"})
    draft.put("sigmoid", "sigmoid")
    draft.put("w2", "Parameter", shape=(32, 1), fill="xavier_normal")
    draft.put("product", "matmul", after={"input": "sigmoid", "other": "w2"})
    draft.put("y_pred", "Output")
    return Template(
        name="two-layer-sigmoid",
        group="table",
        order=34,
        title=("Two matrices and a sigmoid", "两个矩阵与一个 sigmoid"),
        description=(
            (
                "sigmoid(x @ w1) @ w2 with plain parameters as weights, trained with "
                "gradient descent on the powers of x of a noisy sine (R² of about 0.97)."
            ),
            (
                "sigmoid(x @ w1) @ w2：权重是普通参数，用梯度下降拟合带噪声的正弦，"
                "输入是 x 的各次幂（R² 约 0.97）。"
            ),
        ),
        task="regression",
        minutes=0.1,
        graph=draft.model(),
        spec=RunSpec(
            data=DataSpec(
                source=Choice(type="sin", params={"samples": 500}), normalization="standard"
            ),
            losses=(term("MSELoss", "y_pred", "target"),),
            optimizer=Choice(type="SGD", params={"lr": 0.1}),
            epochs=200,
        ),
    )


def _embeddings() -> Block:
    draft = Draft().put("categories", "BlockInput").put("columns", "unbind", dim=1, count=3)
    for number, (name, rows) in enumerate(_VALUES):
        after = f"columns.output.{number}"
        draft.put(name, "Embedding", after=after, num_embeddings=rows, embedding_dim=3)
    joined = {f"tensors.{number}": name for number, (name, _) in enumerate(_VALUES)}
    draft.put("join", "cat", after=joined, dim=1)
    return draft.put("vectors", "BlockOutput").block(
        "Each category has a table of its own with a vector for each of its values; all vectors of "
        "a sample stand side by side."
    )


def _penguins() -> Template:
    draft = Draft({"Embeddings": _embeddings()})
    draft.put("categories", "Input", field="categories", shape=(3,), dtype="int64")
    draft.put("embeddings", "block.Embeddings")
    draft.put("features", "Input", field="features", shape=(3,))
    draft.put("join", "cat", after={"tensors.0": "features", "tensors.1": "embeddings"}, dim=1)
    for number in (1, 2):
        draft.put(f"hidden{number}", "Linear", out_features=32).put(f"relu{number}", "ReLU")
    draft.put("kilograms", "Linear", out_features=1).put("grams", "mul", other=1000.0)
    return Template(
        name="penguins-tabular",
        group="table",
        order=35,
        title=("Table with categories", "带类别的表格"),
        description=(
            (
                "Species, island and sex of a penguin are embeddings, joined with three "
                "measurements; an MLP tells the body mass with an R² of about 0.87. Values that "
                "are missing in the table are a category of their own."
            ),
            (
                "企鹅的种、岛屿和性别用嵌入表示，与三个测量值连接；"
                "MLP 预测体重，R² 约 0.87。表格中缺失的值自成一个类别。"
            ),
        ),
        task="regression",
        minutes=0.1,
        graph=draft.put("body_mass", "Output").model(),
        spec=RunSpec(
            data=DataSpec(source=Choice(type="penguins"), normalization="standard"),
            losses=(term("MSELoss", "body_mass", "target"),),
            optimizer=Choice(type="AdamW", params={"lr": 3e-3}),
            scheduler=Choice(type="CosineAnnealingLR", params={"T_max": 100}),
            epochs=100,
        ),
    )

"""Networks that read rows of numbers."""

from engine.graph.draft import Draft
from engine.spec.run import Choice, DataSpec, RunSpec
from tools.templates.draft import (
    Template,
    all_for_training,
    checkpoints_by_training_loss,
    term,
)


def table_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [_two_layer_raw(), _two_layer_sigmoid()]


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

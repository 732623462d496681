"""The template with code of its own; its files are kept by hand beside the project."""

from pathlib import Path

from engine.graph.draft import Draft
from engine.spec.run import Choice, DataSpec, RunSpec, SplitSpec
from tools.templates.draft import Template, term

_FILES = Path(__file__).parents[2] / "resources" / "templates" / "custom-code" / "code"


def own_code_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    code = {path.name: path.read_text(encoding="utf-8") for path in sorted(_FILES.glob("*.py"))}
    draft = Draft(code=code).put("features", "Input", field="features", shape=(4,))
    draft.put("norm", "code.layers.Norm")
    draft.put("net", "code.layers.TwoLayerNet", in_features="auto")
    draft.put("coefficient", "code.functions.GradCoeff", coeff=1.0).put("scores", "Output")
    split = SplitSpec(train=0.7, validation=0.15, test=0.15)
    data = DataSpec(source=Choice(type="iris"), split=split, batch_size=16)
    return [
        Template(
            name="custom-code",
            group="block",
            order=56,
            title=("Custom code", "自定义代码"),
            description=(
                (
                    "Layers, functions with their own backward pass and losses in Python files of"
                    " the project, on the iris data (about 95 % right): edit them, check their"
                    " gradients, train."
                ),
                (
                    "项目中的 Python 文件包含自定义层、自带反向传播的函数和损失，使用鸢尾花数据"
                    "（约 95% 正确）：可编辑、检查梯度并训练。"
                ),
            ),
            task="classification",
            minutes=0.1,
            graph=draft.model(),
            spec=RunSpec(
                data=data,
                losses=(term("code.losses.picked_log_softmax", "scores", "label"),),
                optimizer=Choice(type="Adam", params={"lr": 0.02}),
                epochs=40,
            ),
        )
    ]

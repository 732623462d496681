"""Networks that read images."""

from engine.catalog.spec import EntryGroup
from engine.data.load.load import describe_source, load_split
from engine.graph.draft import Draft, sequential
from engine.graph.model import Graph
from engine.graph.templates import TemplateTask
from engine.spec.choice import initial_choice
from engine.spec.defaults import default_losses
from engine.spec.first_model import double_convolution, first_model, unet
from engine.spec.run import CheckpointSpec, Choice, DataSpec, RunSpec
from tools.templates.draft import Template, made_data, term

_DIGITS = (
    " Handwritten digits, enlarged: about {percent} % of the test set are right.",
    "数据是放大的 1,797 个手写数字，测试集上约 {percent}% 判断正确。",
)


def _on_digits(english: str, chinese: str, percent: int) -> tuple[str, str]:
    """Return a text with the data and the figure that comes out, in both languages."""
    told = [text.format(percent=percent) for text in _DIGITS]
    return english + told[0], chinese + told[1]


def image_templates() -> list[Template]:
    """Return the templates of this group in their order."""
    return [
        _mnist_cnn(),
        _cnn_net(),
        _lenet(),
        _lenet_colour(),
        _conv_net(),
        _fashion_mlp(),
        _unet(),
        _segmentation(),
        _detection(),
    ]


def _template(
    name: str,
    order: int,
    *,
    title: tuple[str, str],
    text: tuple[str, str],
    graph: Graph,
    spec: RunSpec,
    minutes: float = 0.3,
    task: TemplateTask = "classification",
) -> Template:
    return Template(
        name=name,
        group="image",
        order=order,
        title=title,
        description=text,
        task=task,
        minutes=minutes,
        graph=graph,
        spec=spec,
    )


def _grey_images(batch_size: int = 32, side: int = 28) -> DataSpec:
    return made_data("digits", batch_size, size=side)


def _mnist_cnn() -> Template:
    draft = Draft().put("image", "Input", field="image", shape=(1, 28, 28))
    for number, channels in enumerate((32, 64, 64), start=1):
        draft.put(f"conv{number}", "Conv2d", out_channels=channels, kernel_size=3)
        draft.put(f"relu{number}", "relu")
        if number < 3:
            draft.put(f"pool{number}", "MaxPool2d", kernel_size=2)
    draft.put("flatten", "Flatten").put("dense1", "Linear", out_features=64)
    draft.put("relu4", "relu").put("dense2", "Linear", out_features=10)
    draft.put("logits", "Output").put("softmax", "softmax", after="dense2", dim=1)
    draft.put("probabilities", "Output")
    return _template(
        "mnist-cnn",
        20,
        title=("MNIST network", "MNIST 网络"),
        text=_on_digits(
            "Three convolutions and two dense layers, 93,322 parameters; the loss uses the scores"
            " before the softmax.",
            "三层卷积、两层全连接，93,322 个参数；损失取 softmax 之前的得分。",
            96,
        ),
        graph=draft.model(),
        spec=RunSpec(data=_grey_images(), losses=(term("CrossEntropyLoss", "logits", "label"),)),
    )


def _cnn_net() -> Template:
    draft = Draft().put("image", "Input", field="image", shape=(1, 28, 28))
    draft.put("conv1", "Conv2d", out_channels=32, kernel_size=3).put("relu1", "relu")
    draft.put("conv2", "Conv2d", out_channels=64, kernel_size=3).put("relu2", "relu")
    draft.put("pool", "max_pool2d", kernel_size=2).put("dropout1", "Dropout", p=0.25)
    draft.put("flatten", "flatten", start_dim=1).put("fc1", "Linear", out_features=128)
    draft.put("relu3", "relu").put("dropout2", "Dropout", p=0.5)
    draft.put("fc2", "Linear", out_features=10).put("log_softmax", "log_softmax", dim=1)
    draft.put("log_probabilities", "Output")
    return _template(
        "cnn-net",
        21,
        title=("CNNnet, shape by shape", "CNNnet：逐层看形状"),
        text=_on_digits(
            "From 28 × 28 to 26, 24, 12, 9,216 features and 10 classes: the wires show the shapes.",
            "从 28×28 到 26、24、12，再到 9,216 个数和 10 个类别：形状写在连线上。",
            96,
        ),
        graph=draft.model(),
        spec=RunSpec(
            data=_grey_images(100), losses=(term("NLLLoss", "log_probabilities", "label"),)
        ),
    )


def _tutorial(image: tuple[int, int, int]) -> Graph:
    draft = Draft().put("image", "Input", field="image", shape=image)
    draft.put("conv1", "Conv2d", out_channels=6, kernel_size=5).put("relu1", "relu")
    draft.put("pool", "MaxPool2d", kernel_size=2)
    draft.put("conv2", "Conv2d", out_channels=16, kernel_size=5).put("relu2", "relu")
    draft.put("pool_again", "MaxPool2d", shares="pool", kernel_size=2)
    draft.put("flatten", "flatten", start_dim=1)
    draft.put("fc1", "Linear", out_features=120).put("relu3", "relu")
    draft.put("fc2", "Linear", out_features=84).put("relu4", "relu")
    return draft.put("fc3", "Linear", out_features=10).put("logits", "Output").model()


def _lenet() -> Template:
    return _template(
        "lenet",
        22,
        title=("Classic LeNet", "经典 LeNet"),
        text=_on_digits(
            "The classic for grayscale images of 32 × 32 pixels (LeCun et al., 1998), with ReLU.",
            "用于 32×32 灰度图像的经典网络（LeCun 等，1998），用 ReLU。",
            96,
        ),
        graph=_tutorial((1, 32, 32)),
        spec=RunSpec(
            data=_grey_images(side=32), losses=(term("CrossEntropyLoss", "logits", "label"),)
        ),
    )


def _lenet_colour() -> Template:
    return _template(
        "lenet-colour",
        23,
        title=("LeNet in color", "彩色 LeNet"),
        text=(
            (
                "LeNet for color images of 32 × 32 pixels. It tells ten drawn shapes apart, "
                "about 82 % of the test set; for CIFAR-10, choose it as the data set. One "
                "pooling layer is used twice."
            ),
            (
                "用于 32×32 彩色图像的 LeNet，区分十种绘制的图形，测试集上约 82% 判断正确；"
                "也可选择 CIFAR-10 作为数据集。"
                "同一个池化层用了两次。"
            ),
        ),
        graph=_tutorial((3, 32, 32)),
        spec=RunSpec(
            data=made_data("shapes"),
            losses=(term("CrossEntropyLoss", "logits", "label"),),
            optimizer=Choice(type="SGD", params={"lr": 0.01, "momentum": 0.9}),
            epochs=20,
        ),
    )


def _conv_net() -> Template:
    blocks = {
        name: sequential(
            ("conv", "Conv2d", {"out_channels": channels, "kernel_size": 5, "padding": 2}),
            ("norm", "BatchNorm2d", {}),
            ("relu", "ReLU", {}),
            ("pool", "MaxPool2d", {"kernel_size": 2, "stride": 2}),
            note="Convolution, batch norm, ReLU and pooling: half the height and width.",
        )
        for name, channels in (("Layer1", 16), ("Layer2", 32))
    }
    draft = Draft(blocks).put("image", "Input", field="image", shape=(1, 28, 28))
    draft.put("layer1", "block.Layer1").put("layer2", "block.Layer2")
    draft.put("flatten", "flatten", start_dim=1).put("fc", "Linear", out_features=10)
    return _template(
        "conv-net",
        24,
        title=("ConvNet of two blocks", "两个块的 ConvNet"),
        text=_on_digits(
            "Two blocks of convolution, batch norm, ReLU and pooling, then one dense layer.",
            "两个块，各由卷积、批归一化、ReLU 和池化组成，再接一个全连接层。",
            98,
        ),
        graph=draft.put("logits", "Output").model(),
        spec=RunSpec(data=_grey_images(100), losses=(term("CrossEntropyLoss", "logits", "label"),)),
    )


def _fashion_mlp() -> Template:
    blocks = {
        "LinearReluStack": sequential(
            ("linear1", "Linear", {"out_features": 512}),
            ("relu1", "ReLU", {}),
            ("linear2", "Linear", {"out_features": 512}),
            ("relu2", "ReLU", {}),
            ("linear3", "Linear", {"out_features": 10}),
        )
    }
    draft = Draft(blocks).put("image", "Input", field="image", shape=(1, 28, 28))
    draft.put("flatten", "Flatten").put("linear_relu_stack", "block.LinearReluStack")
    return _template(
        "fashion-mlp",
        25,
        title=("Fashion with dense layers", "用全连接层识别服饰"),
        text=_on_digits(
            "784 pixels, 512, 512 and 10 classes: 669,706 parameters, made for FashionMNIST, which"
            " you can choose as the data set.",
            "784 个像素、512、512、10 个类别，共 669,706 个参数；为 FashionMNIST 而设计，可选它。",
            95,
        ),
        graph=draft.put("logits", "Output").model(),
        spec=RunSpec(
            data=_grey_images(64),
            losses=(term("CrossEntropyLoss", "logits", "label"),),
            optimizer=Choice(type="SGD", params={"lr": 0.01, "momentum": 0.9}),
            epochs=20,
        ),
    )


def _unet() -> Template:
    draft = Draft({f"Double{size}": double_convolution(size) for size in (16, 32, 64)})
    draft.put("image", "Input", field="image", shape=(1, 8, 8)).put("noise", "Dropout", p=0.5)
    draft.put("down1", "block.Double16").put("pool1", "MaxPool2d", kernel_size=2)
    draft.put("down2", "block.Double32").put("pool2", "MaxPool2d", kernel_size=2)
    draft.put("middle", "block.Double64")
    for number, channels in ((2, 32), (1, 16)):
        draft.put(f"up{number}", "ConvTranspose2d", out_channels=channels, kernel_size=2, stride=2)
        draft.put(
            f"cat{number}",
            "cat",
            after={"tensors.0": f"up{number}", "tensors.1": f"down{number}"},
            dim=1,
        )
        draft.put(f"across{number}", f"block.Double{channels}")
    draft.put("last", "Conv2d", out_channels=1, kernel_size=1)
    return _template(
        "unet",
        26,
        task="image to image",
        title=("U-Net that restores digits", "修复数字图像的 U-Net"),
        text=(
            (
                "Half of the pixels are dropped in training, and a U-Net restores them: "
                "down to 2 × 2 and up again, with a skip connection at each level. Real "
                "digits; on whole ones the mean squared error is about 0.05."
            ),
            (
                "训练时随机去掉一半像素，由 U-Net 补全：先下采样到 2×2，再上采样，"
                "每一级都有跳跃连接。数据是真实的手写数字；输入完整图像时均方误差约 0.05。"
            ),
        ),
        graph=draft.put("restored", "Output").model(),
        spec=RunSpec(
            data=DataSpec(source=Choice(type="digits"), batch_size=32),
            losses=(term("MSELoss", "restored", "image"),),
            optimizer=Choice(type="Adam", params={"lr": 0.002}),
            epochs=10,
        ),
    )


def _segmentation() -> Template:
    data = made_data("shapes", 16, samples=400, target="mask", classes=3)
    info = describe_source(data, *load_split(data))
    image, mask = info.fields
    return _template(
        "unet-shapes",
        27,
        task="segmentation",
        title=("U-Net that segments shapes", "分割图形的 U-Net"),
        text=(
            (
                "A class for each pixel: a U-Net finds circles, squares and triangles in noisy "
                "pictures. Mean IoU about 0.9 on the test part."
            ),
            (
                "给每个像素一个类别：U-Net 在带噪声的图片中找出圆形、正方形和三角形。"
                "测试集平均交并比约 0.9。"
            ),
        ),
        graph=unet([image], len(mask.classes), (16, 32, 64)),
        spec=RunSpec(
            data=data,
            losses=(term("CrossEntropyLoss", "output", "mask"),),
            optimizer=Choice(type="Adam", params={"lr": 0.003}),
            epochs=20,
        ),
        minutes=1.0,
    )


def _detection() -> Template:
    data = made_data("shapes", 16, samples=500, target="boxes", classes=3, size=64)
    info = describe_source(data, *load_split(data))
    graph = first_model(info)
    assert graph is not None  # there is one for boxes
    return _template(
        "detect-shapes",
        28,
        task="detection",
        title=("FCOS that finds shapes", "查找图形的 FCOS"),
        text=(
            (
                "A box around each object: a small FCOS finds circles, squares and triangles in "
                "noisy pictures. mAP about 0.88 on the test part."
            ),
            (
                "给每个物体一个边界框：小型 FCOS 在带噪声的图片中找出圆形、正方形和三角形。"
                "测试集 mAP 约 0.88。"
            ),
        ),
        graph=graph,
        spec=RunSpec(
            data=data,
            losses=default_losses(info, graph),
            optimizer=Choice(type="Adam", params={"lr": 0.003}),
            scheduler=initial_choice(EntryGroup.SCHEDULER, "CosineAnnealingLR"),
            epochs=20,
            checkpoint=CheckpointSpec(monitor="validation.map", mode="max"),
        ),
        minutes=1.0,
    )

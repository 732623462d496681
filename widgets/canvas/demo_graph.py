"""Graph of the demo: a small network with a branch, a join, an LSTM and two problems."""

from widgets.canvas.view_model import CanvasView, NodeView, PortView, SearchEntry, WireView

ENTRIES = (
    SearchEntry(
        key="Input",
        label="Input",
        category="Input and output",
        summary="A field of the data enters the model here.",
        has_inputs=False,
    ),
    SearchEntry(
        key="Conv2d",
        label="Conv2d",
        category="Convolution",
        summary="Slides small filters over an image and finds local patterns.",
        aliases=("convolution", "filter"),
    ),
    SearchEntry(
        key="ReLU",
        label="ReLU",
        category="Activation",
        summary="Keeps what is positive and sets the rest to zero.",
    ),
    SearchEntry(
        key="MaxPool2d",
        label="MaxPool2d",
        category="Pooling",
        summary="Keeps the largest value of each window; halves width and height.",
        aliases=("downsample",),
    ),
    SearchEntry(
        key="Linear",
        label="Linear",
        category="Linear",
        summary="Weights every input for every output: the fully connected layer.",
        aliases=("dense", "fully connected"),
    ),
    SearchEntry(
        key="BatchNorm2d",
        label="BatchNorm2d",
        category="Normalization",
        summary="Centres and scales each channel over the batch.",
    ),
    SearchEntry(
        key="LSTM",
        label="LSTM",
        category="Recurrent",
        summary="Reads a sequence step by step and remembers what matters.",
    ),
    SearchEntry(
        key="Dropout",
        label="Dropout",
        category="Dropout",
        summary="Forgets random values while training, against overfitting.",
    ),
    SearchEntry(
        key="cat",
        label="Concatenate",
        category="Join and split",
        summary="Puts tensors one after the other along an axis.",
        aliases=("cat", "join"),
    ),
    SearchEntry(
        key="flatten",
        label="Flatten",
        category="Reshape",
        summary="Makes one axis of several.",
    ),
    SearchEntry(
        key="Output",
        label="Output",
        category="Input and output",
        summary="What the model returns.",
        has_outputs=False,
    ),
)
_PORTS = {
    "LSTM": (("input", "hx.0", "hx.1"), ("output", "h_n", "c_n")),
    "cat": (("tensors.0", "tensors.1"), ("output",)),
    "Input": ((), ("output",)),
    "Output": (("input",), ()),
}
_ROWS = (
    ("Input", "image", "1×8×8 float32", "", 0, 80),
    ("Conv2d", "conv1", "Conv2d  1→16, k3 p1", "160", 280, 80),
    ("ReLU", "relu1", "ReLU", "", 560, 80),
    ("MaxPool2d", "pool", "MaxPool2d  2", "", 840, 20),
    ("Conv2d", "branch", "Conv2d  16→16, k2 s2", "1.0 k", 840, 160),
    ("cat", "joined", "Concatenate  dim=1", "", 1120, 80),
    ("BatchNorm2d", "norm", "BatchNorm2d  32", "64", 1400, 80),
    ("flatten", "flat", "Flatten", "", 1400, 240),
    ("Dropout", "rest", "Dropout  p=0.2", "", 1120, 320),
    ("Linear", "head", "Linear  512→10", "5.1 k", 1680, 240),
    ("Output", "logits", "Output", "", 1960, 240),
    ("LSTM", "memory", "LSTM  16→32", "6.4 k", 560, 280),
)
_WIRES = (
    ("image", "output", "conv1", "input", "N×1×8×8"),
    ("conv1", "output", "relu1", "input", "N×16×8×8"),
    ("relu1", "output", "pool", "input", "N×16×8×8"),
    ("relu1", "output", "branch", "input", "N×16×8×8"),
    ("pool", "output", "joined", "tensors.0", "N×16×4×4"),
    ("branch", "output", "joined", "tensors.1", "N×16×4×4"),
    ("joined", "output", "norm", "input", "N×32×4×4"),
    ("norm", "output", "flat", "input", "N×32×4×4"),
    ("flat", "output", "head", "input", "N×512"),
    ("head", "output", "logits", "input", "N×10"),
    ("memory", "output", "rest", "input", "N×8×32"),
)
_PROBLEMS = {
    "memory": ("error", "“input” has no wire: connect the tensor that the LSTM is to read."),
    "rest": ("warning", "The output of “rest” goes nowhere."),
}


def demo_node(key: str, name: str, x: float, y: float) -> NodeView:
    """Return a node as it is when it has just been added."""
    entry = next(entry for entry in ENTRIES if entry.key == key)
    inputs, outputs = _PORTS.get(key, (("input",), ("output",)))
    return NodeView(
        id=name,
        title=name,
        subtitle=entry.label,
        category=entry.category,
        x=x,
        y=y,
        inputs=tuple(PortView(name=port, is_required=not port.startswith("hx")) for port in inputs),
        outputs=tuple(PortView(name=port) for port in outputs),
    )


def demo_view() -> CanvasView:
    """Return the graph."""
    nodes: list[NodeView] = []
    for key, name, subtitle, badge, x, y in _ROWS:
        plain = demo_node(key, name, x, y)
        severity, problem = _PROBLEMS.get(name, (None, ""))
        nodes.append(
            NodeView(
                id=name,
                title=name,
                subtitle=subtitle,
                category=plain.category,
                x=x,
                y=y,
                inputs=plain.inputs,
                outputs=plain.outputs,
                severity=severity,
                problem=problem,
                badge=badge,
            )
        )
    wires = tuple(
        WireView(
            source=source,
            source_port=output,
            target=target,
            target_port=port,
            label=label,
            detail="float32",
        )
        for source, output, target, port, label in _WIRES
    )
    return CanvasView(nodes=tuple(nodes), wires=wires)

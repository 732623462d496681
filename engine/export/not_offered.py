"""Formats that people ask for and that cannot be written, with why and what to take instead."""

from typing import NamedTuple


class NotOffered(NamedTuple):
    """Why a format is not offered, in a sentence, and the format that serves in its place."""

    why: str
    instead: str


NOT_OFFERED: dict[str, NotOffered] = {
    "torchserve": NotOffered(
        "TorchServe (.mar) was archived in August 2025 and gets no security fixes any more.",
        "python",
    ),
    "coreml": NotOffered(
        "Core ML Tools 9.0 cannot convert pooling and recurrent layers of this version of PyTorch. "
        "On Apple devices, ONNX Runtime runs ONNX files with Core ML.",
        "onnx",
    ),
    "litert": NotOffered(
        "LiteRT (TensorFlow Lite) cannot be installed beside PyTorch 2.15: its converter requires "
        "an older one. On phones, ONNX Runtime runs ONNX files.",
        "onnx",
    ),
    "gguf": NotOffered(
        "GGUF holds weights for programs that bring the code of known language models, not models "
        "of your own.",
        "safetensors",
    ),
}

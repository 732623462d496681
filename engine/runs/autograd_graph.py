"""The graph that autograd builds, as plain values: for files of a run and for the window."""

import msgspec


class TensorMeta(msgspec.Struct, frozen=True):
    """Shape and type of the elements of a tensor that is not at hand."""

    shape: tuple[int, ...]
    dtype: str
    device: str = "cpu"


class SavedValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a Function keeps for its backward: a tensor, or a number or text.

    ``version`` counts the in-place changes of the tensor up to now. ``storage`` is the same number
    for tensors of one graph that share memory. ``size`` is in bytes.
    """

    name: str
    tensor: TensorMeta | None = None
    text: str = ""
    version: int = 0
    storage: int = 0
    size: int = 0


class AutogradNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A Function of the backward pass, or a leaf where gradients are accumulated.

    ``name`` is PyTorch's (``ConvolutionBackward0``, ``AccumulateGrad``); ``layer`` the module that
    made it, as in ``named_modules`` (empty: the model itself, or unknown). ``line`` is the line of
    that module's source in which it was made, 0 where that was not watched; ``place`` the path of
    the node of the canvas. ``parameter`` is the
    full name of a leaf's parameter. ``outputs`` are what the forward operation gave, so what the
    gradients look like that arrive here. ``sequence`` grows in the order of making; -1 for leaves.
    """

    id: str
    name: str
    layer: str = ""
    line: int = 0
    place: str = ""
    parameter: str = ""
    outputs: tuple[TensorMeta, ...] = ()
    saved: tuple[SavedValue, ...] = ()
    sequence: int = -1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first output; empty for a scalar."""
        return self.outputs[0].shape if self.outputs else ()


AutogradEdge = tuple[str, str, int]
"""From a Function to the one that its gradient goes to next, and which output of the forward
operation there it is the gradient of.
"""


class AutogradGraph(msgspec.Struct, frozen=True, kw_only=True):
    """Functions and edges, from the roots (the loss) to the leaves, each Function once.

    ``is_freed`` tells that backward has run and the saved tensors are gone.
    """

    nodes: tuple[AutogradNode, ...]
    edges: tuple[AutogradEdge, ...]
    roots: tuple[str, ...]
    is_freed: bool = False

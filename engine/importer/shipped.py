"""Code that ships with the program (``resources/code``) for parts of models that the catalogue has
nothing for; the files go into the project like any other own code.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import nn
from typing_extensions import override

from engine.catalog.code.file import read_file
from engine.catalog.spec import AUTO, Entry, Value
from engine.custom.module import load_custom_object
from engine.custom.trust import set_trust
from engine.graph.shipped_code import shipped_files, shipped_text

_FROZEN = ("torchvision.ops.misc", "FrozenBatchNorm2d")


class Shipped(NamedTuple):
    """A definition of a file that ships with the program, and the settings of one use of it."""

    file: str
    name: str
    settings: Mapping[str, Value]

    def entry(self) -> Entry:
        """Return its description."""
        return read_file(self.file, shipped_text(self.file)).nodes[self.name]

    def params(self) -> dict[str, Value]:
        """Return the settings that are not the usual ones."""
        defaults = {spec.name: spec.default for spec in self.entry().params}
        return {name: value for name, value in self.settings.items() if value != defaults[name]}

    def files(self) -> dict[str, str]:
        """Return the texts of its file and of those that it imports, by their names."""
        return shipped_files(self.file)


class ShippedCall(nn.Module):
    """Calls a function that ships with the program, or a layer without weights; in a model it is a
    node, not looked into.

    It is there to be followed: what it gives has sizes and no values.
    """

    def __init__(self, file: str, name: str, settings: Mapping[str, Value]) -> None:
        super().__init__()
        self.shipped = Shipped(file, name, settings)

    @override
    def forward(self, **tensors: Any) -> Any:
        files = self.shipped.files()
        set_trust(files, trusted=True)  # it is ours
        function, _ = load_custom_object(files, self.shipped.entry().target)
        settings = self.shipped.settings
        with torch.device("meta"):
            is_layer = isinstance(function, type)
            return function(**settings)(**tensors) if is_layer else function(**tensors, **settings)


def shipped(module: nn.Module) -> Shipped | None:
    """Return the definition that stands for a module, if one ships with the program. torchvision's
    are told by their names, so that it need not be loaded.
    """
    if isinstance(module, ShippedCall):
        return module.shipped
    kind = type(module)
    if (kind.__module__, kind.__name__) != _FROZEN:
        return None
    settings: dict[str, Value] = {"num_features": AUTO, "eps": float(getattr(module, "eps", 0.0))}
    return Shipped("frozen.py", "FrozenNorm", settings)

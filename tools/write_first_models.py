"""Write ``resources/first_models``: models of torchvision, imported as *Import model…* does it.

A proposal takes them from there, so that it needs neither torchvision nor the seconds of following
a model. Run it from the root of the repository after an update of torchvision or of the importer::

    python -m tools.write_first_models
"""

from pathlib import Path

import msgspec
import torch

from engine.files import atomic_write
from engine.graph import codec
from engine.importer.module import follow_module
from engine.runtime.importing.torchvision_model import untrained

FOLDER = Path(__file__).parents[1] / "resources" / "first_models"
NAMES = ("resnet18",)


def imported(name: str) -> bytes:
    """Return the document of a model of torchvision without weights, for 10 classes."""
    module = untrained(name, {"num_classes": 10})
    followed = follow_module(module, [torch.zeros(2, 3, 64, 64)])
    return msgspec.json.encode(codec.to_document(followed.graph)) + b"\n"


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in NAMES:
        atomic_write(FOLDER / f"{name}.json", imported(name))


if __name__ == "__main__":
    main()

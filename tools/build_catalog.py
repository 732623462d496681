"""Write ``resources/catalog/*.json`` from the installed torch and the hand-written overlays.

Run it from the root of the repository, after an update of torch or of an overlay::

    python -m tools.build_catalog

``tests/engine/catalog/test_conformity.py`` fails until the files agree with what this makes.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from engine.catalog.spec import Entry
from engine.files import atomic_write
from tools.catalog.image_source import image_entries
from tools.catalog.initialiser import initialiser_entries
from tools.catalog.layer import layer_entries
from tools.catalog.layer_overlay import NOT_OFFERED
from tools.catalog.loss import loss_entries
from tools.catalog.metric import metric_entries
from tools.catalog.node_io import io_entries
from tools.catalog.operator import operator_entries
from tools.catalog.optimizer import SCHEDULERS_NOT_OFFERED, optimizer_entries, scheduler_entries
from tools.catalog.run_part import data_entries, setting_entries
from tools.catalog.sound_source import sound_entries
from tools.catalog.sound_transform import sound_transform_entries
from tools.catalog.technique import technique_entries
from tools.catalog.tensor import tensor_entries
from tools.catalog.transform import (
    TRANSFORMS_NOT_OFFERED,
    batch_transform_entries,
    transform_entries,
    transform_setting_entries,
)
from tools.catalog.video_source import video_entries
from tools.catalog.vision_set import SETS_NOT_OFFERED, vision_entries

FOLDER = Path(__file__).parents[1] / "resources" / "catalog"
SOURCES: dict[str, Callable[[], Sequence[Entry]]] = {
    "io": io_entries,
    "tensors": tensor_entries,
    "layers": layer_entries,
    "operators": operator_entries,
    "losses": loss_entries,
    "optimizers": optimizer_entries,
    "schedulers": scheduler_entries,
    "metrics": metric_entries,
    "data": lambda: [
        *data_entries(),
        *image_entries(),
        *sound_entries(),
        *video_entries(),
        *vision_entries(),
    ],
    "transforms": lambda: [*transform_entries(), *sound_transform_entries()],
    "batch_transforms": batch_transform_entries,
    "settings": lambda: [
        *setting_entries(),
        *technique_entries(),
        *transform_setting_entries(),
    ],
    "initialisers": initialiser_entries,
}


def encoded(value: object) -> bytes:
    """Return a value as it stands in the file: indented, a line for each field."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def contents() -> dict[str, bytes]:
    """Return what every file of the catalogue should hold, by file name."""
    files = {f"{name}.json": encoded(source()) for name, source in SOURCES.items()}
    files["not_offered.json"] = encoded(
        NOT_OFFERED | SCHEDULERS_NOT_OFFERED | TRANSFORMS_NOT_OFFERED | SETS_NOT_OFFERED
    )
    return files


def main() -> None:
    """Write all files."""
    for name, content in contents().items():
        atomic_write(FOLDER / name, content)
        print(f"{name}: {len(content) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()

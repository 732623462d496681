"""Pictures inside Parquet files are the same samples, bit for bit, however the work is shared and
wherever it begins, also where few of them fit into memory; and the same as pictures in files.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from PIL import Image
from pyarrow import parquet

from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import Batch
from engine.data.read import enclosed
from engine.data.read.cache import cache_folder
from engine.spec.run import Choice, DataSpec, LoaderSpec, SplitSpec
from engine.spec.transform import BatchTransformSpec
from tests.engine.data.load.test_transforms import STRONG

COUNT, SIZE, SEED, EPOCH = 47, 5, 3, 1  # a last batch that is smaller, for some processes


def write(folder: Path) -> tuple[Path, Path]:
    """Write pictures as files named by a table, and inside a file of small row groups."""
    draw = np.random.default_rng(0)
    lines, rows = ["image,label"], []
    for at in range(COUNT):
        path = folder / f"{at}.png"
        Image.fromarray(draw.integers(0, 255, (20, 24, 3), np.uint8)).save(path)
        lines.append(f"{path.name},{'ab'[at % 2]}")
        rows.append({"image": {"bytes": path.read_bytes(), "path": None}, "label": "ab"[at % 2]})
    (folder / "files.csv").write_text("\n".join(lines))
    parquet.write_table(pa.Table.from_pylist(rows), folder / "inside.parquet", row_group_size=7)
    return folder / "files.csv", folder / "inside.parquet"


def loaded(path: Path) -> LoadedData:
    params = {"path": str(path), "kinds": "image=image", "size": 24, "target": "label"}
    return load_data(
        DataSpec(
            source=Choice(type="table", params=params),
            split=SplitSpec(train=1.0, validation=0.0, test=0.0),
            transforms=STRONG,
            batch_transforms=(BatchTransformSpec(type="MixUp"),),
            batch_size=SIZE,
        )
    )


def batches(
    data: LoadedData, workers: int = 0, start: int = 0, rank: int = 0, ranks: int = 1
) -> list[Batch]:
    plan = BatchPlan(
        order=data.sampler.order(SEED, EPOCH),
        size=SIZE,
        seed=SEED,
        epoch=EPOCH,
        start=start,
        select=None if ranks == 1 else lambda rows: rows.tensor_split(ranks)[rank],
    )
    return list(PartLoader(data.training, LoaderSpec(num_workers=workers)).batches(plan))


@pytest.mark.real
@pytest.mark.row("S143", "S190")
def test_that_pictures_inside_are_the_same_samples_as_files_however_they_are_read(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(enclosed, "_KEPT", 1)  # one row group: copies come about meanwhile
    monkeypatch.setattr(enclosed, "_groups", enclosed.RowGroups())
    files, inside = map(loaded, write(tmp_path))
    expected = batches(files)
    assert len(expected) == -(-COUNT // SIZE)
    for workers, start, ranks in ((2, 0, 2), (1, 2, 1), (0, 0, 1), (0, 2, 2), (1, 0, 2), (2, 2, 1)):
        shares = [batches(inside, workers, start, rank, ranks) for rank in range(ranks)]
        assert len(shares[0]) == len(expected) - start
        for whole, *parts in zip(expected[start:], *shares, strict=True):
            for name, values in whole.items():
                joined = torch.cat([part[name] for part in parts])
                assert torch.equal(joined, values), (workers, start, ranks, name)
    folder = cache_folder("row-groups")
    assert folder is not None
    assert len(list(folder.iterdir())) > 1

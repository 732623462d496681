"""Reading data for training against plain scripts: a folder of JPEGs against torchvision's
``ImageFolder``, a table against pandas, arrays against ``TensorDataset``.

    python -m benchmarks.data [--pictures 1024] [--rows 200000] [--rounds 5] [--workers 0 2]

The program makes photographs of 500 x 375 pixels in ten class folders. All ways give the same
batches: 64 pictures, the middle of each, 224 x 224, float32 from 0 to 1. They are taken in turn, a
whole epoch each; ``v2`` decodes with torchvision's ``decode_image`` and transforms tensors with
``torchvision.transforms.v2``, ``PIL`` is ImageFolder's default loader with the transforms of its
documentation. Workers are kept from epoch to epoch, as ours are. The median of the rounds counts.
Goals: at least as fast as v2, 1.3 times as fast as PIL; the index of a folder is read anew in less
than two seconds for 60,000 files, and from the cache in a tenth of that.

The table (CSV, eight numbers, a category, a target) and the arrays (npz, pictures of 28 x 28) are
opened, then read in shuffled batches of 64, without workers, as everybody would. Goal: an epoch at
least as fast as that of ``TensorDataset`` with a ``DataLoader``. What opening takes is told; it has
no goal.

Pictures inside Parquet files (600 MB, more than is kept in memory) are read in random order beside
the same pictures as files, once for the row groups that are usual and once for large ones. Goal: at
most 1.3 times as long as files, from the second round on; what the first costs is told.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pyarrow as pa
import torch
from PIL import Image
from pyarrow import parquet
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset
from torchvision.datasets import ImageFolder  # noqa: TID253 - it is what is compared
from torchvision.io import ImageReadMode, decode_image  # noqa: TID253
from torchvision.transforms import v2  # noqa: TID253

from engine.data.load.load import load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.order import epoch_order
from engine.data.source.image_cache import load_index
from engine.spec.run import Choice, DataSpec, LoaderSpec, SplitSpec

BATCH = 64
SIZE = 224
CLASSES = 10
FAST = 1.0
PIL_GOAL = 1.3
INDEX_S = 2.0
ENCLOSED_GOAL = 1.3
ENCLOSED_BYTES = 600_000_000
GROUPS = (100, 1000)  # rows
FILES = 60_000

Epoch = Callable[[int], Iterator[Tensor]]


def make_pictures(folder: Path, count: int) -> None:
    """Write photographs: smooth colors with grain, some 45 kB each as those of ImageNet."""
    chance = np.random.default_rng(0)
    for number in range(count):
        coarse = chance.integers(0, 255, (12, 16, 3), dtype=np.uint8)
        smooth = Image.fromarray(coarse).resize((500, 375), Image.Resampling.BICUBIC)
        values = np.asarray(smooth).astype(np.int16) + chance.integers(-8, 8, (375, 500, 3))
        path = folder / f"class {number % CLASSES}" / f"{number}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(values.clip(0, 255).astype(np.uint8)).save(path, quality=90)


def ours(folder: Path, workers: int) -> Epoch:
    source = Choice(type="image_folder", params={"path": str(folder), "size": SIZE})
    spec = DataSpec(source=source, split=SplitSpec(train=1.0, validation=0.0, test=0.0))
    part = load_data(spec).parts["train"]
    loader = PartLoader(part, LoaderSpec(num_workers=workers), is_persistent=True)

    def epoch(number: int) -> Iterator[Tensor]:
        order = epoch_order(len(part), 0, number, shuffle=True)
        plan = BatchPlan(order=order, size=BATCH, epoch=number)
        return (batch["image"] for batch in loader.batches(plan))

    return epoch


def decoded(path: str) -> Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of decode_image
        return decode_image(path, ImageReadMode.RGB, apply_exif_orientation=True)


def folder_loader(data: ImageFolder, workers: int) -> Epoch:
    loader = DataLoader(
        data,
        batch_size=BATCH,
        shuffle=True,
        num_workers=workers,
        persistent_workers=workers > 0,
    )
    return lambda _: (images for images, _ in loader)


def torchvision_v2(folder: Path, workers: int) -> Epoch:
    scaled = v2.ToDtype(torch.float32, scale=True)
    steps = v2.Compose([v2.Resize(SIZE), v2.CenterCrop(SIZE), scaled])
    return folder_loader(ImageFolder(str(folder), steps, loader=decoded), workers)


def torchvision_pil(folder: Path, workers: int) -> Epoch:
    scaled = v2.ToDtype(torch.float32, scale=True)
    steps = v2.Compose([v2.Resize(SIZE), v2.CenterCrop(SIZE), v2.ToImage(), scaled])
    return folder_loader(ImageFolder(str(folder), steps), workers)


WAYS = {"ours": ours, "v2": torchvision_v2, "PIL": torchvision_pil}


def seconds(epoch: Epoch, number: int, count: int) -> float:
    begun = time.perf_counter()
    read = sum(len(batch) for batch in epoch(number))
    assert read == count
    return time.perf_counter() - begun


def compare(folder: Path, count: int, workers: int, rounds: int) -> bool:
    """Print the times of an epoch; return whether the goals were kept."""
    epochs = {name: way(folder, workers) for name, way in WAYS.items()}
    times: dict[str, list[float]] = {name: [] for name in epochs}
    for number in range(rounds + 1):
        for name, epoch in epochs.items():
            spent = seconds(epoch, number, count)
            if number:  # the first round starts workers and fills the caches of the disk
                times[name].append(spent)
    ratios = {
        name: statistics.median(
            other / mine for other, mine in zip(times[name], times["ours"], strict=True)
        )
        for name in ("v2", "PIL")
    }
    rates = ", ".join(
        f"{name} {count / statistics.median(spent):6.0f}" for name, spent in times.items()
    )
    print(
        f"{workers} workers, pictures a second: {rates}; "
        f"ours is {ratios['v2']:.2f} times v2, {ratios['PIL']:.2f} times PIL"
    )
    return ratios["v2"] >= FAST and ratios["PIL"] >= PIL_GOAL


def index(folder: Path) -> bool:
    """Print the time of an index, built and read; return whether the goal was kept."""
    content = next(folder.rglob("*.jpg")).read_bytes()[:64]
    many = folder.parent / "many"
    for number in range(FILES):
        path = many / f"{number % 100}" / f"{number}.jpg"
        if number < 100:
            path.parent.mkdir(parents=True)
        path.write_bytes(content)
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        assert len(load_index(many)) == FILES
        times.append(time.perf_counter() - begun)
    print(f"index of {FILES:,} files: built in {times[0]:.2f} s, from the cache {times[1]:.3f} s")
    return times[0] < INDEX_S and times[1] < INDEX_S / 10


def in_turn(name: str, open_ways: dict[str, Callable[[], Epoch]], count: int, rounds: int) -> bool:
    """Print how long opening takes and the times of an epoch; return whether the goal was kept."""
    opened, epochs = dict[str, float](), dict[str, Epoch]()
    for way, opening in open_ways.items():
        begun = time.perf_counter()
        epochs[way] = opening()
        opened[way] = time.perf_counter() - begun
    times: dict[str, list[float]] = {way: [] for way in epochs}
    for number in range(rounds + 1):
        for way, epoch in epochs.items():
            spent = seconds(epoch, number, count)
            if number:
                times[way].append(spent)
    ratio = statistics.median(
        plain / mine for plain, mine in zip(times["plain"], times["ours"], strict=True)
    )
    mine, plain = (statistics.median(times[way]) for way in ("ours", "plain"))
    print(
        f"{name}, {count:,} samples: opened in {opened['ours']:.2f} s, plain "
        f"{opened['plain']:.2f} s; an epoch in {mine:.3f} s, plain {plain:.3f} s; "
        f"ours is {ratio:.2f} times as fast"
    )
    return ratio >= FAST


def our_epochs(source: Choice, most: int | None = None) -> Callable[[], Epoch]:
    def opening() -> Epoch:
        split = SplitSpec(train=1.0, validation=0.0, test=0.0)
        part = load_data(DataSpec(source=source, split=split)).parts["train"]
        loader = PartLoader(part, LoaderSpec(), is_persistent=True)

        def epoch(number: int) -> Iterator[Tensor]:
            order = epoch_order(len(part), 0, number, shuffle=True)[:most]
            batches = loader.batches(BatchPlan(order=order, size=BATCH, epoch=number))
            return (next(iter(batch.values())) for batch in batches)

        return epoch

    return opening


def tensor_epochs(tensors: Callable[[], tuple[Tensor, ...]]) -> Callable[[], Epoch]:
    def opening() -> Epoch:
        loader = DataLoader(TensorDataset(*tensors()), batch_size=BATCH, shuffle=True)
        return lambda _: (batch[0] for batch in loader)

    return opening


def table(folder: Path, rows: int, rounds: int) -> bool:
    """Compare a CSV with what pandas and ``TensorDataset`` make of it."""
    import pandas as pd

    chance = np.random.default_rng(0)
    frame = pd.DataFrame(chance.normal(size=(rows, 8)).round(4), columns=list("abcdefgh"))
    frame["city"] = chance.choice(["Rome", "Paris", "Oslo"], rows)
    frame["price"] = chance.normal(size=rows).round(4)
    path = folder / "table.csv"
    frame.to_csv(path, index=False)

    def plain() -> tuple[Tensor, ...]:
        read = pd.read_csv(path)
        cities = read["city"].astype("category").cat.codes.to_numpy(np.int64)
        numbers = read[list("abcdefgh")].to_numpy(np.float32)
        target = read["price"].to_numpy(np.float32)
        numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
        return tuple(map(torch.from_numpy, (numbers, cities.copy(), target.copy())))

    source = Choice(type="table", params={"path": str(path), "target": "price"})
    ways = {"ours": our_epochs(source), "plain": tensor_epochs(plain)}
    return in_turn("table", ways, rows, rounds)


def arrays(folder: Path, rows: int, rounds: int) -> bool:
    """Compare an npz with the same tensors in a ``TensorDataset``."""
    chance = np.random.default_rng(0)
    images = chance.normal(size=(rows, 1, 28, 28)).astype(np.float32)
    classes = chance.integers(0, 10, rows)
    path = folder / "arrays.npz"
    np.savez(path, x=images, y=classes)

    def plain() -> tuple[Tensor, ...]:
        with np.load(path) as read:
            return torch.from_numpy(read["x"]), torch.from_numpy(read["y"])

    source = Choice(type="arrays", params={"path": str(path)})
    ways = {"ours": our_epochs(source), "plain": tensor_epochs(plain)}
    return in_turn("arrays", ways, rows, rounds)


def marked(content: bytes, number: int) -> bytes:
    """Return a JPEG with a comment that makes it another file."""
    note = number.to_bytes(8, "big")
    return content[:2] + b"\xff\xfe" + (len(note) + 2).to_bytes(2, "big") + note + content[2:]


def write_enclosed(path: Path, contents: list[bytes], count: int, rows: int) -> None:
    """Write pictures in a Parquet file as those of the hub, so many rows in a row group."""
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    schema = pa.schema([("image", kind), ("label", pa.int64())])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, count, rows):
            numbers = range(start, min(start + rows, count))
            images = [
                {"bytes": marked(contents[at % len(contents)], at), "path": f"{at}.jpg"}
                for at in numbers
            ]
            labels = [at % CLASSES for at in numbers]
            table = pa.table({"image": images, "label": labels}, schema=schema)
            writer.write_table(table, row_group_size=rows)


def enclosed(folder: Path, pictures: Path, samples: int, rounds: int) -> bool:
    """Compare pictures inside Parquet files with the same as files."""
    contents = [path.read_bytes() for path in sorted(pictures.rglob("*.jpg"))[:100]]
    count = ENCLOSED_BYTES * len(contents) // sum(map(len, contents))
    files = folder / "files"
    for at in range(count):
        path = files / f"class {at % CLASSES}" / f"{at:06d}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(marked(contents[at % len(contents)], at))
    sources = {"files": Choice(type="image_folder", params={"path": str(files), "size": SIZE})}
    for rows in GROUPS:
        path = folder / f"groups of {rows}.parquet"
        write_enclosed(path, contents, count, rows)
        inside = {"path": str(path), "kinds": "image=image", "size": SIZE, "target": "label"}
        sources[f"groups of {rows}"] = Choice(type="table", params=inside)
    epochs = {name: our_epochs(source, samples)() for name, source in sources.items()}
    times: dict[str, list[float]] = {name: [] for name in epochs}
    for number in range(rounds + 1):
        for name, epoch in epochs.items():
            times[name].append(seconds(epoch, number, samples))
    is_kept = True
    for name in list(epochs)[1:]:
        ratios = [mine / plain for mine, plain in zip(times[name], times["files"], strict=True)]
        ratio = statistics.median(ratios[1:])
        print(
            f"{count:,} pictures inside Parquet, {name} rows, {samples:,} at random: "
            f"{ratios[0]:.2f} times as long as files at first, then {ratio:.2f} times"
        )
        is_kept = is_kept and ratio <= ENCLOSED_GOAL
    return is_kept


def main() -> int:
    """Run; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=1024)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 2])
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
        folder = Path(name) / "pictures"
        folder.mkdir()
        make_pictures(folder, options.pictures)
        kept = [
            compare(folder, options.pictures, workers, options.rounds)
            for workers in options.workers
        ]
        kept.append(enclosed(Path(name), folder, options.pictures, options.rounds))
        kept.append(index(folder))
        kept.append(table(Path(name), options.rows, options.rounds))
        kept.append(arrays(Path(name), min(options.rows, 60_000), options.rounds))
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())

"""Looking at the samples of a table with a million rows: sorted, searched, a window at a time.

    python -m benchmarks.browse [--rows 1000000]

The program writes a table of ten columns. Times are those of the processor, which other programs
on the machine do not change. The first rows are asked for before the table is read, and the first
pictures of a folder of 60,000 that nobody has looked at. The source is loaded once, as for a run;
then the questions of the Samples page are asked as the host answers them. The view of the window is
filled with rows as they are looked at, and its process measured before and after. Goals: the first
rows in 0.5 s, the first pictures in 2 s, a window in 20 ms, sorting with a condition in 2 s and
200 ms the second time, a text found anywhere in 2 s, 40 MB for the view of a million rows.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import psutil
from PIL import Image
from PySide6.QtWidgets import QApplication

from engine.query.data.browse import (
    browse_samples,
    list_columns,
    peek_samples,
    take_pictures,
)
from engine.query.data.request import BrowseSamples, ListColumns, PeekSamples, TakePictures
from engine.spec.browse import Condition, SampleQuery
from engine.spec.run import Choice, DataSpec
from widgets.paged.browser import PagedBrowser
from widgets.paged.view_model import PagedRow
from widgets.tables.view_model import ColumnView

ROWS_S, PICTURES_S = 0.5, 2.0
PICTURES = 60_000
WINDOW_S, SORT_S, AGAIN_S, SEARCH_S = 0.02, 2.0, 0.2, 2.0
VIEW_MB = 40.0
CITIES = ("Rome", "Paris", "Oslo")
SORTS = ("data.income", "data.city", "data.joined", "data.name", "data.id")


def write_table(path: Path, rows: int) -> None:
    chance = random.Random(0)
    with path.open("w") as file:
        file.write("id,name,age,income,city,score,flag,joined,note,target\n")
        for row in range(rows):
            file.write(
                f"{row},person {chance.randrange(10**7)},{chance.randrange(90)},"
                f"{chance.random() * 1e5:.2f},{chance.choice(CITIES)},{chance.gauss(0, 1):.4f},"
                f"{chance.choice(('yes', 'no'))},20{chance.randrange(10, 25)}-0"
                f"{chance.randrange(1, 10)}-1{chance.randrange(10)},a note of some words "
                f"{chance.randrange(1000)},{chance.choice('ab')}\n"
            )


def timed(name: str, goal: float, act: Callable[[], object]) -> bool:
    """Print how long something took; return whether the goal was kept."""
    begun = time.process_time()
    act()
    spent = time.process_time() - begun
    print(f"{name}: {1000 * spent:.1f} ms (goal {1000 * goal:.0f})")
    return spent <= goal


def engine(path: Path) -> bool:
    """Ask the questions; return whether all goals were kept."""
    data = DataSpec(source=Choice(type="table", params={"path": str(path), "target": "target"}))
    kept = [timed("first rows of the table", ROWS_S, lambda: first(data))]
    begun = time.process_time()
    list_columns(ListColumns(data=data))
    print(f"loading of the table, as for a run: {time.process_time() - begun:.2f} s")

    def ask(query: SampleQuery, start: int = 0) -> Callable[[], object]:
        return lambda: browse_samples(BrowseSamples(data=data, query=query, start=start, count=64))

    ask(SampleQuery())()
    kept.append(timed("a window in the middle", WINDOW_S, ask(SampleQuery(), 500_000)))
    rome = Condition(column="data.city", kind="is", values=("Rome",))
    grown = Condition(column="data.age", kind="between", low=18, high=40)
    for key in SORTS:
        query = SampleQuery(sort=key, is_descending=True, conditions=(rome, grown))
        kept.append(timed(f"sorted by {key}, two conditions", SORT_S, ask(query)))
        other = SampleQuery(sort=key, conditions=(rome,))
        kept.append(timed("  the other way, one condition", AGAIN_S, ask(other)))
    anywhere = Condition(column="", kind="contains", text="1234")
    kept.append(timed("a text in any column", SEARCH_S, ask(SampleQuery(conditions=(anywhere,)))))
    return all(kept)


def first(data: DataSpec) -> None:
    """Ask for the first rows of a table."""
    head = peek_samples(PeekSamples(source=data.source))
    assert head.rows, "there are no first rows"


def write_pictures(folder: Path, count: int) -> None:
    """Write a folder of so many pictures, in ten classes; links of a few, where there are links."""
    for label in range(10):
        inner = folder / str(label)
        inner.mkdir(parents=True)
        picture = inner / "0.png"
        Image.new("RGB", (64, 48), (20 * label, 90, 200)).save(picture)
        for number in range(1, count // 10):
            try:
                os.link(picture, inner / f"{number}.png")
            except OSError:
                shutil.copyfile(picture, inner / f"{number}.png")


def pictures(folder: Path) -> bool:
    """Ask for the first pictures of a folder; return whether the goal was kept."""
    source = Choice(type="image_folder", params={"path": str(folder), "size": 64})
    data = DataSpec(source=source)

    def look() -> None:
        list_columns(ListColumns(data=data))
        rows = browse_samples(BrowseSamples(data=data, count=64)).rows
        shown = tuple(row.index for row in rows[:24])
        assert take_pictures(TakePictures(data=data, indices=shown)).samples

    return timed(f"first pictures of {PICTURES:,}, with the index", PICTURES_S, look)


def view(rows: int) -> bool:
    """Scroll through a table and a gallery of so many rows; return whether they stayed small."""
    app = QApplication.instance() or QApplication([])
    process = psutil.Process()
    browser = PagedBrowser("benchmark")
    browser.resize(1000, 700)
    browser.set_columns((ColumnView(key="name", title="Name"),), frozenset())

    def bring() -> None:
        wanted = browser.model.wanted_rows()
        if wanted is not None:
            start, count = wanted
            span = range(start, min(start + count, rows))
            browser.put(start, [PagedRow(id=at, cells=(f"row {at}",)) for at in span])

    browser.wanted.connect(bring)
    browser.show()
    app.processEvents()
    before = process.memory_info().rss
    begun = time.process_time()
    browser.set_rows(rows, 0, ())
    app.processEvents()
    print(f"first rows of the view: {1000 * (time.process_time() - begun):.1f} ms")
    for shown in ("table", "gallery"):
        browser.set_form(shown)
        bar = (browser.table if shown == "table" else browser.grid).verticalScrollBar()
        for step in range(200):
            bar.setValue(bar.maximum() * step // 200)
            app.processEvents()
    grown = (process.memory_info().rss - before) / 1e6
    print(f"view of {rows:,} rows after scrolling: {grown:.1f} MB more (goal {VIEW_MB:.0f})")
    return grown <= VIEW_MB


def main() -> int:
    """Run; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    kept = [view(options.rows)]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "million.csv"
        write_table(path, options.rows)
        kept.append(engine(path))
        write_pictures(Path(name) / "pictures", PICTURES)
        os.environ["XDG_CACHE_HOME"] = name  # an index of its own
        kept.append(pictures(Path(name) / "pictures"))
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())

"""Samples that a played host lists, sorts and filters, for tests of the Samples page."""

import numpy as np
from msgspec.structs import replace

from engine.query.data.request import (
    BrowseSamples,
    ListColumns,
    ListValues,
    PickSamples,
    TakePictures,
)
from engine.spec.browse import (
    CORRECT,
    LOSS,
    ColumnValues,
    PictureSheet,
    SampleColumn,
    SampleColumns,
    SampleIndices,
    SamplePicture,
    SamplePictures,
    SampleRow,
    SampleWindow,
)

CLASSES = ("even", "odd")
PREDICTED = (SampleColumn(key=LOSS, kind="number"), SampleColumn(key=CORRECT, kind="truth"))
COLUMNS = (
    SampleColumn(key="index", kind="number"),
    SampleColumn(key="part", kind="part"),
    SampleColumn(key="data.name", kind="text", name="name", role="input"),
    SampleColumn(key="data.size", kind="number", name="size"),
    SampleColumn(key="data.label", kind="category", name="label", role="target"),
)


class PlayedSamples:
    """``count`` samples: sample n is called ``name n`` and its size is ``count - n``; with
    predictions it has a loss of ``n % 7``, and is right where that is 0.
    """

    def __init__(self, count: int, pictures: tuple[str, ...] = ("image",)) -> None:
        self.count = count
        self.columns = COLUMNS
        self.word = "name"
        self.pictures = pictures
        self.damaged: dict[int, object] = {}
        self.asked: list[object] = []

    def answers(self) -> dict[type, object]:
        """Return what a host says to the questions about samples."""
        played = {
            ListColumns: lambda request: SampleColumns(
                samples=self.count,
                columns=(*self.columns, *(PREDICTED if request.predictions else ())),
                pictures=self.pictures,
            ),
            BrowseSamples: self._window,
            PickSamples: self._picked,
            ListValues: self._values,
            TakePictures: self._sheet,
        }
        return {kind: self._noted(answer) for kind, answer in played.items()}

    def of(self, kind):
        """Return the questions of a kind."""
        return [request for request in self.asked if isinstance(request, kind)]

    def _noted(self, answer):
        def noted(request):
            self.asked.append(request)
            return answer(request)

        return noted

    def row(self, at: int) -> SampleRow:
        part = ("train", "validation", "test")[at % 3]
        cells = (at, part, f"{self.word} {at}", float(self.count - at), CLASSES[at % 2])
        predicted = (float(at % 7), "no" if at % 7 else "yes")
        return SampleRow(index=at, cells=(*cells[: len(self.columns)], *predicted))

    def order(self, query) -> list[int]:
        every = list(range(self.count))
        if query.part != "all":
            every = [at for at in every if self.row(at).cells[1] == query.part]
        for condition in query.conditions:
            every = [at for at in every if self._meets(at, condition)]
        if query.sort:
            place = [column.key for column in (*self.columns, *PREDICTED)].index(query.sort)
            every.sort(key=lambda at: self.row(at).cells[place], reverse=query.is_descending)
        return every

    def _meets(self, at: int, condition) -> bool:
        cells = self.row(at).cells
        if condition.kind == "contains":
            return (condition.text in str(cells[2])) is not condition.is_not
        place = [column.key for column in (*self.columns, *PREDICTED)].index(condition.column)
        if condition.kind == "is":
            return (str(cells[place]) in condition.values) is not condition.is_not
        low = -np.inf if condition.low is None else condition.low
        high = np.inf if condition.high is None else condition.high
        return (low <= cells[place] <= high) is not condition.is_not

    def _window(self, request) -> SampleWindow:
        order = self.order(request.query)
        chosen = order[request.start : request.start + request.count]
        width = len(self.columns) + (len(PREDICTED) if request.predictions else 0)
        rows = tuple(replace(row, cells=row.cells[:width]) for row in map(self.row, chosen))
        return SampleWindow(total=len(order), start=request.start, rows=rows)

    def _values(self, request) -> ColumnValues:
        values = ("train", "test") if request.column == "part" else CLASSES
        return ColumnValues(values=values, counts=(1, 1))

    def _picked(self, request) -> SampleIndices:
        order = np.array(self.order(request.query), "<i8")
        chosen = np.concatenate([order[start:end] for start, end in request.ranges])
        return SampleIndices(content=chosen.tobytes())

    def _sheet(self, request) -> PictureSheet:
        return PictureSheet(samples=tuple(map(self._shown, request.indices)))

    def _shown(self, index: int) -> SamplePictures:
        if index in self.damaged:
            return SamplePictures(index=index, problems=(self.damaged[index],))
        picture = SamplePicture(
            field="image",
            kind="image",
            width=2,
            height=1,
            channels=1,
            pixels=bytes((index % 256, 9)),
        )
        return SamplePictures(index=index, pictures=(picture,))

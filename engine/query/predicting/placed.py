"""Where pictures lie in what a model reads, to tell what it finds in pixels of the pictures."""

from collections.abc import Sequence

from engine.data.read.fit import fit_placement
from engine.data.read.image import read_size
from engine.data.read.picture_form import PictureForm
from engine.data.read.placement import Placement
from engine.data.transform.placement import chain_placement
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.query.predicting.files import picture_form
from engine.query.predicting.given import GivenSample
from engine.spec.data import FieldInfo
from engine.train.training import Training

Size = tuple[int, int]


class Placements:
    """Finds where the picture of each sample lies: first it is fitted to a size as it is read, then
    the transforms of evaluation come. ``notice`` says why that is not known, once it is so.
    """

    def __init__(self, training: Training) -> None:
        self._training = training
        self._known: dict[tuple[Size, bool], Placement] = {}
        self._field = _picture_field(training)
        self.notice: Diagnostic | None = None
        if self._field is not None and training.data.collation.is_custom:
            self.notice = Diagnostic(
                code="P067", severity=Severity.WARNING, params={"name": training.spec.data.collate}
            )

    def of_samples(self, places: Sequence[int]) -> list[Placement | None]:
        """Return where the pictures of samples of the data lie, by their places in the source; None
        where that is not known, or a sample has no picture.
        """
        field = self._usable
        if field is None:
            return [None] * len(places)
        return [self._placed(*self._size_at(field, place)) for place in places]

    def of_given(self, samples: Sequence[GivenSample]) -> list[Placement | None]:
        """Return where the pictures of given samples lie, as :meth:`of_samples` does."""
        field = self._usable
        if field is None:
            return [None] * len(samples)
        return [self._placed(*_given_size(field, sample)) for sample in samples]

    @property
    def _usable(self) -> FieldInfo | None:
        return self._field if self.notice is None else None

    def _size_at(self, field: FieldInfo, place: int) -> tuple[Size, bool]:
        """Return height and width of a picture before anything is done to it, and whether that is
        the one of its file.
        """
        source = self._training.data.source
        file = source.file(field.name, place)
        if file is not None and isinstance(source.file_form(field.name), PictureForm):
            return read_size(file), True
        height, width = field.shape[-2:]
        if min(height, width) < 1:
            height, width = source.read_field(field.name, [place])[0].shape[-2:]
        return (height, width), False

    def _placed(self, size: Size, is_file: bool) -> Placement | None:
        if self.notice is not None:
            return None
        if (size, is_file) not in self._known:
            try:
                self._known[size, is_file] = self._found(size, is_file)
            except DiagnosticError as error:
                if error.problems[0].code not in ("P066", "P068"):
                    raise
                self.notice = error.problems[0]
                return None
        return self._known[size, is_file]

    def _found(self, size: Size, is_file: bool) -> Placement:
        field = self._field
        if field is None:
            raise ValueError("no picture")
        data = self._training.data
        placement = Placement(picture=size, result=size)
        form = data.source.file_form(field.name) or picture_form(field)
        if is_file and isinstance(form, PictureForm) and form.size is not None:
            placement = fit_placement(size, *form.size, form.fit)
        if data.preparation is None:
            return placement
        return placement.then(chain_placement(data.preparation, field.name, placement.result))


def _picture_field(training: Training) -> FieldInfo | None:
    """Return the first picture that a model reads, as the data has it; None without one."""
    infos = {info.name: info for info in training.data.source.infos}
    fields = (infos[name] for name in training.input_fields if name in infos)
    return next((field for field in fields if field.kind == "image"), None)


def _given_size(field: FieldInfo, sample: GivenSample) -> tuple[Size, bool]:
    file = sample.files.get(field.name)
    if file is not None:
        return read_size(file), True
    height, width = sample.values[field.name].shape[-2:]
    return (height, width), False

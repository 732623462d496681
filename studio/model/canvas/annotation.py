"""Frames and notes on the canvas, the colours of nodes, and nodes shown by their title alone."""

from msgspec.structs import replace
from PySide6.QtCore import QRectF

from engine.graph.edit.annotation import (
    AddAnnotations,
    ChangeAnnotations,
    CollapseNodes,
    PaintNodes,
    Rect,
    frame_around,
    free_annotation_id,
    place_of_note,
)
from engine.graph.model import Annotation, AnnotationKind
from studio.i18n import translate
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from studio.session.session import Session
from widgets.canvas.canvas import Canvas

_FRAME_SIZE, _NOTE_SIZE = (420.0, 260.0), (220.0, 100.0)


class AnnotationController(Controller):
    """Glue between the commands for frames, notes and looks, the canvas and the session."""

    def __init__(self, services: Services, model: ModelController, *, canvas: Canvas) -> None:
        super().__init__(services, model)
        self._model = model
        self._canvas = canvas
        canvas.box_changed.connect(self._on_box_changed)
        canvas.writing_begun.connect(self._session.seal)

    def add_frame(self) -> None:
        """Put a frame around what is selected, or an empty one into what is seen; then its title
        can be written.
        """
        self._model.sizes()  # what was added a moment ago has its place
        scene = self._canvas.scene
        rects = [scene.item(key).rect() for key in self._model.chosen()]
        if rects:
            position, size = frame_around([_numbers(rect) for rect in rects])
        else:
            size = _FRAME_SIZE
            position = self._middle(size)
        text = translate("Model", "Frame")
        label = translate("Model", "Add frame")
        self._add(AnnotationKind.FRAME, text, position, size, label)

    def add_note(self) -> None:
        """Put a note beside what is selected, or into what is seen, over no node and no other
        note; then it can be written.
        """
        self._model.sizes()
        scene = self._canvas.scene
        rect = scene.bounds(self._model.chosen())
        if rect.isEmpty():
            rect = QRectF(*self._middle((_NOTE_SIZE[0], 0.0)), _NOTE_SIZE[0], 0.0)
        notes = [box for key, box in scene.boxes.items() if key in self._notes()]
        taken = [_numbers(item.rect()) for item in (*scene.nodes.values(), *notes)]
        position = place_of_note(_NOTE_SIZE, _numbers(rect), taken)
        label = translate("Model", "Add note")
        self._add(AnnotationKind.NOTE, translate("Model", "Note"), position, _NOTE_SIZE, label)

    def paint(self, color: str) -> None:
        """Give what is selected a colour; with an empty name its plain look."""
        chosen = self._model.chosen()
        if chosen:
            label = translate("Model", "Change color")
            self._model.try_edit(PaintNodes(ids=chosen, color=color), label)

    def toggle_collapse(self) -> None:
        """Show only the titles of the selected nodes; if all of them are so already, all again."""
        session = self._session
        if session.selection:
            is_on = not is_collapsed(session)
            label = translate("Model", "Collapse") if is_on else translate("Model", "Expand")
            edit = CollapseNodes(ids=session.selection, collapsed=is_on)
            self._model.try_edit(edit, label)

    def _add(
        self,
        kind: AnnotationKind,
        text: str,
        position: tuple[float, float],
        size: tuple[float, float],
        label: str,
    ) -> None:
        made = Annotation(
            id=free_annotation_id(kind, self._session.level.annotations),
            kind=kind,
            text=text,
            position=(round(position[0]), round(position[1])),
            size=(round(size[0]), round(size[1])),
        )
        if self._model.try_edit(AddAnnotations(annotations=(made,)), label):
            self._model.paint()
            self._canvas.begin_writing(made.id)

    def _notes(self) -> set[str]:
        annotations = self._session.level.annotations.values()
        return {note.id for note in annotations if note.kind is AnnotationKind.NOTE}

    def _middle(self, size: tuple[float, float]) -> tuple[float, float]:
        center = self._canvas.visible_center()
        return center.x() - size[0] / 2, center.y() - size[1] / 2

    def _on_box_changed(self, box_id: str, text: str, rect: QRectF) -> None:
        known = self._session.level.annotations.get(box_id)
        if known is None:
            return
        position, size = (rect.x(), rect.y()), (rect.width(), rect.height())
        changed = replace(known, text=text, position=position, size=size)
        label = translate("Model", "Edit frame or note")
        if changed == known:
            return
        key = f"writing:{box_id}" if text != known.text else None  # one step, however many pauses
        self._model.try_edit(ChangeAnnotations(annotations=(changed,)), label, key)
        self._model.paint()


def is_collapsed(session: Session) -> bool:
    """Return whether something is selected and all of it is collapsed."""
    chosen = [session.level.nodes[node_id] for node_id in session.selection]
    return bool(chosen) and all(node.collapsed for node in chosen)


def _numbers(rect: QRectF) -> Rect:
    return (rect.x(), rect.y(), rect.width(), rect.height())

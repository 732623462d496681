"""Bar over pictures with masks, boxes or points: which of them are laid over, how strongly, and the
colors of the classes.
"""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.images.class_color import box_color, class_color
from widgets.images.class_legend import ClassLegend, Item
from widgets.images.overlay import ADDED, MISSED, MIXED, Layer, Look, layers
from widgets.images.view_model import BoxView, KeypointView, MaskView, Overlay

_KEY = "M"


class OverlayBar(LiveWidget):
    """Chooses what is laid over pictures; ``changed`` says that ``look`` is another. It is hidden
    where there are no masks. M goes to the next mask, anywhere in the parent.
    """

    changed = Signal()

    def __init__(self, object_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._masks: Overlay | None = None
        self.look = Look()
        self.layer = parts.combo(self, f"{object_name}.layer")
        self.layer.activated.connect(lambda: self._choose(Layer(self.layer.currentData())))
        self.opacity = QSlider(Qt.Orientation.Horizontal, self)
        self.opacity.setObjectName(f"{object_name}.opacity")
        self.opacity.setRange(0, 100)
        self.opacity.setValue(round(self.look.opacity * 100))
        self.opacity.setFixedWidth(90)
        self.opacity.valueChanged.connect(self._on_opacity_changed)
        self.threshold = QSlider(Qt.Orientation.Horizontal, self)
        self.threshold.setObjectName(f"{object_name}.threshold")
        self.threshold.setRange(0, 100)
        self.threshold.setValue(round(self.look.threshold * 100))
        self.threshold.setFixedWidth(110)
        self.threshold.valueChanged.connect(self._on_threshold_changed)
        self.score = parts.label(self, f"{object_name}.score", role="muted")
        self.legend = ClassLegend(f"{object_name}.legend", self)
        row: QHBoxLayout = parts.row(
            self.layer,
            self.opacity,
            self.threshold,
            self.score,
            (self.legend, 1),
            margins=(10, 0, 10, 4),
            spacing=10,
            parent=self,
        )
        row.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        key = QShortcut(QKeySequence(_KEY), parent, self.show_next)
        key.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.hide()
        self.retranslate()

    @property
    def has_masks(self) -> bool:
        """Whether there is something to lay over pictures."""
        return self._masks is not None

    def set_overlay(self, masks: Overlay | None) -> None:
        """Offer what can be laid over pictures with such masks, boxes or points."""
        self._masks = masks
        self.setVisible(masks is not None)
        if masks is not None and self.look.layer not in layers(masks):
            self.look = replace(self.look, layer=layers(masks)[0])
        self.retranslate()

    def show_next(self) -> None:
        """Lay the next mask over the pictures."""
        offered = layers(self._masks) if self._masks is not None else ()
        if len(offered) > 1:
            self._choose(offered[(offered.index(self.look.layer) + 1) % len(offered)])

    def _choose(self, layer: Layer) -> None:
        self.look = replace(self.look, layer=layer)
        self.retranslate()
        self.changed.emit()

    def _on_opacity_changed(self, percent: int) -> None:
        self.look = replace(self.look, opacity=percent / 100)
        self.changed.emit()

    def _on_threshold_changed(self, percent: int) -> None:
        self.look = replace(self.look, threshold=percent / 100)
        self._show_threshold()
        self.changed.emit()

    def _show_threshold(self) -> None:
        """Say from which score on boxes are shown, where a model found some."""
        finds_boxes = isinstance(self._masks, BoxView) and self._masks.found is not None
        is_of_use = finds_boxes and self.look.layer is not Layer.TRUTH
        self.opacity.setVisible(not finds_boxes)
        self.threshold.setVisible(is_of_use)
        self.score.setVisible(is_of_use)
        self.score.setText(self.tr("score ≥ {score}").format(score=f"{self.look.threshold:.2f}"))

    def _titles(self) -> dict[Layer, str]:
        if isinstance(self._masks, BoxView):
            return {
                Layer.TRUTH: self.tr("True boxes"),
                Layer.PREDICTION: self.tr("Found boxes"),
                Layer.DIFFERENCE: self.tr("Missed and false"),
            }
        if isinstance(self._masks, KeypointView):
            return {
                Layer.TRUTH: self.tr("True points"),
                Layer.PREDICTION: self.tr("Predicted points"),
                Layer.DIFFERENCE: self.tr("Both"),
            }
        return {
            Layer.TRUTH: self.tr("Mask"),
            Layer.PREDICTION: self.tr("Prediction"),
            Layer.DIFFERENCE: self.tr("Differences"),
        }

    def _words(self) -> tuple[str, str, str]:
        """Return what the choice of a layer is called and says, and the name of the opacity."""
        if isinstance(self._masks, BoxView):
            return (
                self.tr("Boxes to show"),
                self.tr("Show the true boxes, the found ones, or what differs ({key})"),
                self.tr("Opacity of the boxes"),
            )
        if isinstance(self._masks, KeypointView):
            return (
                self.tr("Points to show"),
                self.tr("Show the true points, the predicted ones, or both ({key})"),
                self.tr("Opacity of the points"),
            )
        return (
            self.tr("Mask to show"),
            self.tr("Show the true mask, the prediction, or where they differ ({key})"),
            self.tr("Opacity of the mask"),
        )

    def _legend(self) -> list[Item]:
        masks = self._masks
        if masks is None:
            return []
        is_compared = self.look.layer is Layer.DIFFERENCE
        if isinstance(masks, KeypointView):
            if is_compared:
                return [(self.tr("true"), MISSED), (self.tr("predicted"), ADDED)]
            return [(name, box_color(number)) for number, name in enumerate(masks.names)]
        if is_compared:
            mixed = [(self.tr("another class"), MIXED)] if isinstance(masks, MaskView) else []
            return [(self.tr("missed"), MISSED), (self.tr("false"), ADDED), *mixed]
        color = class_color if isinstance(masks, MaskView) else box_color
        return [(name, color(number)) for number, name in enumerate(masks.classes)]

    @override
    def retranslate(self) -> None:
        offered = layers(self._masks) if self._masks is not None else ()
        choices = [(layer.value, self._titles()[layer]) for layer in offered]
        with QSignalBlocker(self.layer):
            parts.set_choices(self.layer, choices, self.look.layer.value)
        self.layer.setVisible(len(offered) > 1)
        name, text, title = self._words()
        self.layer.setAccessibleName(name)
        self.layer.setToolTip(plain_tip(text.format(key=_KEY)))
        self.threshold.setAccessibleName(self.tr("Lowest score"))
        self.threshold.setToolTip(self.tr("Show boxes with this score or a higher one"))
        self._show_threshold()
        self.opacity.setAccessibleName(title)
        self.opacity.setToolTip(plain_tip(title))
        self.legend.set_items(self._legend())

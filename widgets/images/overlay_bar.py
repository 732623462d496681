"""Bar over pictures with masks or boxes: which mask is laid over them, how strongly, and the colors
of the classes.
"""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QSlider, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.images.class_color import box_color, class_color
from widgets.images.class_legend import ClassLegend, Item
from widgets.images.overlay import ADDED, MISSED, MIXED, Layer, Look, layers
from widgets.images.view_model import BoxView, MaskView

_KEY = "M"


class OverlayBar(LiveWidget):
    """Chooses what is laid over pictures; ``changed`` says that ``look`` is another. It is hidden
    where there are no masks. M goes to the next mask, anywhere in the parent.
    """

    changed = Signal()

    def __init__(self, object_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self._masks: MaskView | BoxView | None = None
        self.look = Look()
        self.layer = parts.combo(self, f"{object_name}.layer")
        self.layer.activated.connect(lambda: self._choose(Layer(self.layer.currentData())))
        self.opacity = QSlider(Qt.Orientation.Horizontal, self)
        self.opacity.setObjectName(f"{object_name}.opacity")
        self.opacity.setRange(0, 100)
        self.opacity.setValue(round(self.look.opacity * 100))
        self.opacity.setFixedWidth(90)
        self.opacity.valueChanged.connect(self._on_opacity_changed)
        self.legend = ClassLegend(f"{object_name}.legend", self)
        row: QHBoxLayout = parts.row(
            self.layer,
            self.opacity,
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

    def set_overlay(self, masks: MaskView | BoxView | None) -> None:
        """Offer what can be laid over pictures with such masks or boxes."""
        self._masks = masks
        self.setVisible(masks is not None)
        if masks is not None and self.look.layer not in layers(masks):
            self.look = Look(layers(masks)[0], self.look.opacity)
        self.retranslate()

    def show_next(self) -> None:
        """Lay the next mask over the pictures."""
        offered = layers(self._masks) if self._masks is not None else ()
        if len(offered) > 1:
            self._choose(offered[(offered.index(self.look.layer) + 1) % len(offered)])

    def _choose(self, layer: Layer) -> None:
        self.look = Look(layer, self.look.opacity)
        self.retranslate()
        self.changed.emit()

    def _on_opacity_changed(self, percent: int) -> None:
        self.look = Look(self.look.layer, percent / 100)
        self.changed.emit()

    def _titles(self) -> dict[Layer, str]:
        return {
            Layer.TRUTH: self.tr("Mask"),
            Layer.PREDICTION: self.tr("Prediction"),
            Layer.DIFFERENCE: self.tr("Differences"),
        }

    def _legend(self) -> list[Item]:
        if self._masks is None:
            return []
        if self.look.layer is Layer.DIFFERENCE:
            return [
                (self.tr("missed"), MISSED),
                (self.tr("false"), ADDED),
                (self.tr("another class"), MIXED),
            ]
        color = box_color if isinstance(self._masks, BoxView) else class_color
        return [(name, color(number)) for number, name in enumerate(self._masks.classes)]

    @override
    def retranslate(self) -> None:
        offered = layers(self._masks) if self._masks is not None else ()
        choices = [(layer.value, self._titles()[layer]) for layer in offered]
        with QSignalBlocker(self.layer):
            parts.set_choices(self.layer, choices, self.look.layer.value)
        self.layer.setVisible(len(offered) > 1)
        self.layer.setAccessibleName(self.tr("Mask to show"))
        self.layer.setToolTip(
            self.tr("Show the true mask, the prediction, or where they differ ({key})").format(
                key=_KEY
            )
        )
        is_boxed = isinstance(self._masks, BoxView)
        title = self.tr("Opacity of the boxes") if is_boxed else self.tr("Opacity of the mask")
        self.opacity.setAccessibleName(title)
        self.opacity.setToolTip(title)
        self.legend.set_items(self._legend())

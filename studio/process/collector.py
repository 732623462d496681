"""Python's collector of reference cycles in the window's process.

Left to itself it works in whatever thread makes objects. A timer or a model of Qt that is part of a
cycle would be deleted in a thread of files or of a run, and Qt crashes. So it is called here, in
Qt's thread, and nowhere else.

It looks at every object each time. After the start there are some 300,000 that stay to the end:
a look at all of them stops the window for over 100 ms, now and then, also under the user's hands.
So it rests during the start (``studio.start``), and then leaves out what has been made by then.
"""

import gc
import time

from PySide6.QtCore import QObject, QTimer

SETTLED_MS = 4_000
"""How long after the last page everything that stays has been made."""

_INTERVAL_MS = 500
_SHARE = 500  # looks at everything take at most one part in so many of the time


class Collector(QObject):
    """Collects in the thread that made it, for as long as it lives; nobody else does."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._whole_at = 0.0
        self._timer = QTimer(self, interval=_INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect what is due by Python's own thresholds; all of it seldom, as that takes long."""
        due = [
            generation
            for generation, (count, limit) in enumerate(
                zip(gc.get_count(), gc.get_threshold(), strict=True)
            )
            if count > limit
        ]
        begun = time.monotonic()
        if begun < self._whole_at:
            due = [generation for generation in due if generation < 2]
        if due:
            gc.collect(due[-1])
        if due[-1:] == [2]:
            now = time.monotonic()
            self._whole_at = now + _SHARE * (now - begun)


def resume(app: QObject) -> None:
    """Collect again, in Qt's thread, but never look again at what there is now. Nothing where it
    did not rest or where a collector of the program is at work.
    """
    if not gc.isenabled() and app.findChild(Collector) is None:
        gc.freeze()
        Collector(app)

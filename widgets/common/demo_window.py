"""Window that runs one widget alone, in any theme, language and text size, to look at it."""

import argparse
import sys
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from widgets.common.theme import DARK, LIGHT, apply_theme


def run_demo(build: Callable[[str], QWidget], title: str) -> int:
    """Show what ``build(language)`` returns; ``--grab FILE`` saves a picture and ends."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--lang", choices=("en", "zh_CN"), default="en")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--grab", default="")
    options = parser.parse_args()
    app = QApplication(sys.argv[:1])
    apply_theme(app, DARK if options.theme == "dark" else LIGHT, options.scale)
    window = build(options.lang)
    window.setWindowTitle(title)
    width, height = (int(part) for part in options.size.split("x"))
    window.resize(width, height)
    window.show()
    if options.grab:

        def grab() -> None:
            window.grab().save(options.grab)
            app.quit()

        QTimer.singleShot(700, grab)
    return app.exec()

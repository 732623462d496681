"""Write the tables of keys into the user guides, from the table of commands."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from PySide6.QtCore import QCoreApplication

from studio.app.features import commands
from studio.help.presenter import present_keyboard
from studio.i18n import Language

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- keys -->\n", "<!-- /keys -->"
GUIDES = {"en": DOCS / "guide.md", "zh_CN": DOCS / "guide.zh_CN.md"}


def with_keys(text: str) -> str:
    """Return a guide with the tables of keys in the language that is switched on."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    table = present_keyboard(commands()).partition("\n\n")[2].replace("\n## ", "\n### ")
    return f"{before}{BEGIN}{table}\n{END}{after}"


def main() -> None:
    """Bring both guides up to date."""
    app = QCoreApplication(sys.argv)
    language = Language(app)
    for code, path in GUIDES.items():
        language.switch(code)
        path.write_text(with_keys(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

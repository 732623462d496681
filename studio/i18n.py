"""Languages: sources are English, translations are Linguist files, the switch works at run time.

Texts are written ``translate("Area", "Text")`` where they are shown; ``pyside6-lupdate`` finds
them. :class:`Language` installs ours and Qt's own translation; who shows texts builds them anew.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator

from engine.diagnostics import counted

LANGUAGES = ("en", "zh_CN")
_MNEMONIC = re.compile(r"\(&\w\)|&")
_PROPERTY = "trellis_language"
_FOLDER = Path(__file__).parent.parent / "resources" / "translations"


def translate(context: str, text: str) -> str:
    """Return a text of the program in the language that is switched on."""
    return QCoreApplication.translate(context, text)


def filled(text: str, **values: object) -> str:
    """Return a translated text with its values put in, and of ``{count|layer|layers}`` the word
    that goes with the number.
    """
    return counted(text, values).format(**values)


def listed(texts: Iterable[str]) -> str:
    """Return texts one after the other, with what stands between them in the language."""
    return translate("Punctuation", ", ").join(texts)


def labelled(name: str, text: str) -> str:
    """Return a text with its name before it."""
    return translate("Punctuation", "{name}: {text}").format(name=name, text=text)


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # noqa: N802 - lupdate knows this name
    """Return the text as it is; it is translated where it is shown."""
    return text


def without_mnemonic(title: str) -> str:
    """Return the title of a menu without the letter that opens it: ``File``, ``文件``."""
    return _MNEMONIC.sub("", title)


def language_code() -> str:
    """Return the language that is switched on."""
    app = QCoreApplication.instance()
    return str(app.property(_PROPERTY) or "en") if app is not None else "en"


def system_language() -> str:
    """Return the language of the program that fits the system's."""
    return "zh_CN" if QLocale.system().language() is QLocale.Language.Chinese else "en"


@cache
def _content(path: Path) -> bytes:
    """Return a translation file. Qt would map the file instead of reading it, and the program
    would crash when an update writes it anew; it keeps no copy, so the bytes stay here.
    """
    return path.read_bytes() if path.is_file() else b""


OF_QT = (  # what Qt's own Chinese translation leaves in English, by context
    ("QFileDialog", QT_TRANSLATE_NOOP("QFileDialog", "&Look in:")),
    ("QFileDialog", QT_TRANSLATE_NOOP("QFileDialog", "Files of &type:")),
    (
        "QFileSystemModel",
        QT_TRANSLATE_NOOP(
            "QFileSystemModel",
            '<b>The name "%1" can not be used.</b><p>Try using another name, with fewer '
            "characters or no punctuations marks.",
        ),
    ),
)


class Language(QObject):
    """The language that is switched on, with the translators that do it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.code = "en"
        self._translators: list[QTranslator] = []

    def switch(self, code: str) -> None:
        """Install the translations of a language (``auto`` is the system's) instead of those now.

        Raises ValueError for a language that the program does not have.
        """
        wanted = system_language() if code == "auto" else code
        if wanted not in LANGUAGES:
            raise ValueError(f"no such language: {wanted}")
        for translator in self._translators:
            QCoreApplication.removeTranslator(translator)
            translator.deleteLater()
        self._translators = []
        self.code = wanted
        if (app := QCoreApplication.instance()) is not None:
            app.setProperty(_PROPERTY, wanted)
        if wanted != "en":
            qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
            self._install(qt_folder, f"qtbase_{wanted}")
            self._install(str(_FOLDER), f"trellis_{wanted}")

    def _install(self, folder: str, name: str) -> None:
        translator = QTranslator(self)
        if translator.load(_content(Path(folder, f"{name}.qm"))):
            QCoreApplication.installTranslator(translator)
            self._translators.append(translator)

"""Note on the data of a template: where they are from, and what everybody may do with them."""

_COMPUTED = ("Data: computed, free to use", "数据：由程序计算，可自由使用")
_OWN = ("Data: made for Trellis, Apache-2.0", "数据：为 Trellis 制作，Apache-2.0")
_NOTES = {
    "digits": ("Data: UCI digits, CC BY 4.0", "数据：UCI 手写数字，CC BY 4.0"),
    "digit_pairs": ("Data: UCI digits, CC BY 4.0", "数据：UCI 手写数字，CC BY 4.0"),
    "iris": ("Data: R. A. Fisher, UCI, CC BY 4.0", "数据：R. A. Fisher，UCI，CC BY 4.0"),
    "sentences": _OWN,
    "phrases": _OWN,
    "phrase_pairs": _OWN,
    "shakespeare": ("Data: W. Shakespeare, public domain", "数据：莎士比亚，公有领域"),
    "names": ("Data: U.S. Census Bureau, public domain", "数据：美国人口普查局，公有领域"),
    "penguins": ("Data: Palmer Station LTER, CC0", "数据：帕尔默站 LTER，CC0"),
    "weather": ("Data: NOAA (US), public domain", "数据：美国 NOAA，公有领域"),
    "moons": _COMPUTED,
    "shapes": _COMPUTED,
    "sin": _COMPUTED,
    "spiral": _COMPUTED,
    "random_regression": _COMPUTED,
}


def data_note(source: str) -> tuple[str, str]:
    """Return the note for a source, in English and Chinese. Raises :class:`KeyError` for one that
    nothing is known of: no template may ship without.
    """
    return _NOTES[source]

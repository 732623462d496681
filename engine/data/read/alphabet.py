"""Which encoding of an alphabet a short text is in: by the letters of the languages written with
it. The column names of a table and the few words of five rows are too few for statistics of
syllables; single letters, and where small and large ones stand, tell encodings apart even so.
"""

import codecs
import re
import unicodedata
from collections import Counter
from functools import cache
from math import exp, log
from string import ascii_letters

# The letters of languages, the most frequent ones first; behind a space those that are seldom seen.
_RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф ъё"
_UKRAINIAN = "оанивіртекслмпудязьбгйчхцїшюжщєф ґ"
_BELARUSIAN = "анірсецлоквудмыптяўзьбйгчхшжюёэф"
_BULGARIAN = "аиоетнрсвлкдпмузябгчъцжщхюшйф ьѝ"
_SERBIAN = "аоиенрсјтукдвлмпгзбчшцжњћхљђф џѓќѕ"
_GREEK = "αοιετσνηυρπκμλςωίάγδέήόχθύφβξώζψ ϊϋΐΰ"
_HEBREW = "יוהלאתרמבשנקעדחפםכטגסןצזךץף"
_ARABIC = "اليمونترهبعدفسكقحجشصخىةضأطإغذثزءئ ظؤآًٌَُِّْ،؟\u200e\u200f"
_PERSIAN = "اينردهمتوسبلشكگزخپفعقحجصطذغضچ ظثآژئ،؟\u200c"
_THAI = "านรอกเงมยลวดทสตะปบคห่้ัีิแไใขจชพผโุูซำ์ถ็ธฟศณษฐภืฝ ฉึญฎ๊ฑฮฬฤๆฆ๋ฯ"
_GERMAN = "enisratdhulcgmobwfkzüvpäöß jyxqé"
_FRENCH = "esaitnrulodcpmévqfbghjàxèyêzçô kâîûwùïœëüæÿ"
_SPANISH = "eaosrnidlctumpbgvyqóíhfzjéáñxú küw"
_PORTUGUESE = "aeosrindmutclpvghqbfzãçáéíjxóêõúâ àôkwyü"
_ITALIAN = "eaionlrtscdupmvghfbqzòàùèì éjkxyw"
_DUTCH = "enatirodslgvhkmubpwjzcfé xyëïqöèüó"
_SWEDISH = "eanrtsildomkgväfhupåöbcjyx zwéq"
_DANISH = "ernitdasoglmkfvhubpåøæyj cwzxéqüò"
_FINNISH = "aintesloukäymvhrjpdögfb cåwxzqšž"
_ICELANDIC = "arniesutðglkmfhváþídojbyæúöpéýó xcwzq"
_CATALAN = "eaisrlntoucdmpàbvqfgéhóèxjíò yzúüçïkw·"
_POLISH = "iaoeznrwstcykdpmułjlbgęhąóżśćfńź vxq"
_CZECH = "oeanitvsrdlkumpíchzáyjběéřšýčžůfg úxňwóťďqö"
_SLOVAK = "aoeinrstvlkmdupcházybjčíýúéšžľťf ôxgňďóäŕĺwq"
_HUNGARIAN = "eatlnskromzáigédbvyöhjófupőícüúű xwqä"
_CROATIAN = "aioenrjstuvkldmpgzbčcšžćđfh xyqw"
_ROMANIAN = "eiarntulcosdpmăvfbgîşţâzh jxkwyqșț"
_TURKISH = "aeinrlıdkmuytsboüşzgçhğvcöpf jâîwxqû"
_LITHUANIAN = "iasotreunkmlpvdjgėbyšųžcąįūč fhzęxwq"
_LATVIAN = "aisteurnkoāmlpdvzīējbgcšķļņžčūf ģhxwy"
_ESTONIAN = "aiestlunkodmrvgpjhäõbü fcöšzžyxwq"
# Of tables of names from all over Europe.
_WESTERN = "eaionrstlducmgpbhfvkzywjqxéöüäáíóñçåøèàãßâêúôîëïæìòùûõœý"
_CENTRAL = "eaoinrstlkdmuvzpcybhjgfwxqáéíóúýčšžřěůąćęłńóśźżőűöüäăâîşţđňťďľ"

_SOUTHERN = (_SPANISH, _PORTUGUESE, _ITALIAN, _CATALAN)
_NORTHERN = (_SWEDISH, _DANISH, _FINNISH, _ICELANDIC)
_OF_THE_WEST = (_GERMAN, _FRENCH, _DUTCH, *_SOUTHERN, *_NORTHERN, _WESTERN)
_OF_THE_CENTRE = (_POLISH, _CZECH, _SLOVAK, _HUNGARIAN, _CROATIAN, _ROMANIAN, _GERMAN, _CENTRAL)
_CYRILLIC = (_RUSSIAN, _UKRAINIAN, _BELARUSIAN, _BULGARIAN, _SERBIAN)
_BALTIC = (_LITHUANIAN, _LATVIAN, _ESTONIAN)
_SELDOM = dict.fromkeys((_ICELANDIC, _BELARUSIAN, _PERSIAN, _CATALAN, _ESTONIAN), 1.0)
_DOUBT = {**_SELDOM, _WESTERN: 3.0, _CENTRAL: 3.0}

# Of two encodings in which a text reads the same, the first one is taken: what Windows writes
# before what other systems wrote, of the same letters.
_WINDOWS = {
    "cp1252": _OF_THE_WEST,
    "cp1250": _OF_THE_CENTRE,
    "cp1251": _CYRILLIC,
    "cp1253": (_GREEK,),
    "cp1254": (_TURKISH,),
    "cp1255": (_HEBREW,),
    "cp1256": (_ARABIC, _PERSIAN),
    "cp1257": _BALTIC,
    "cp874": (_THAI,),
}
_UNIX = {
    "iso8859_15": _OF_THE_WEST,
    "iso8859_2": _OF_THE_CENTRE,
    "koi8_r": _CYRILLIC,
    "koi8_u": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "iso8859_7": (_GREEK,),
    "iso8859_9": (_TURKISH,),
    "iso8859_8": (_HEBREW,),
    "iso8859_6": (_ARABIC,),
    "iso8859_13": _BALTIC,
}
_DOS = {
    "cp850": _OF_THE_WEST,
    "cp437": _OF_THE_WEST,
    "cp852": _OF_THE_CENTRE,
    "cp866": _CYRILLIC,
    "cp737": (_GREEK,),
    "cp857": (_TURKISH,),
    "cp862": (_HEBREW,),
    "cp775": _BALTIC,
}
_MAC = {
    "mac_roman": _OF_THE_WEST,
    "mac_cyrillic": _CYRILLIC,
    "mac_greek": (_GREEK,),
    "mac_turkish": (_TURKISH,),
}
# Natural logarithms of how often, about: what is read beside the letters.
_SYSTEMS = ((_WINDOWS, 0.0), (_UNIX, 1.0), (_DOS, 3.0), (_MAC, 3.0))
_ENCODINGS = {
    encoding: (languages, doubt)
    for system, doubt in _SYSTEMS
    for encoding, languages in system.items()
}
_SMALLER = {"cp1250": 1.0, "cp1257": 2.0}  # beside that of Western Europe

# Natural logarithms of how often, about: the figures only have to be apart.
_RANGE = -4.0  # from the most frequent letter of a language to the last one that is often seen
_SELDOM_SEEN = -7.0  # behind the most frequent letter
_FOREIGN = -11.0  # a letter that the language does not have
_LARGE = -1.0  # a capital letter beside the small one
_MARK = -6.0  # what people write beside letters
_SYMBOL = -9.0  # a sign that is rare in tables
_UNSEEN = -15.0  # a control character
_LATIN = -6.5  # a letter of ASCII in a text of another script
_WORD_LETTERS = 6
_MISPLACED = -5.0  # a capital behind a small letter, a sign in the middle of a word
_MARKS = frozenset("€£°²³§©®™µ±№–—…“”„‘«»‹›•¿¡×½¼º")
_JOINING = frozenset("’·\u00a0")  # within words, too

_WORD = re.compile(
    rb"(?:[A-Za-z]+ )?[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*(?: [A-Za-z]+(?![\x80-\xff]))?"
)
_CASE = re.compile(rb"[Llc][UC]|L[Uu]|l(?=U)")
_SCRIPTS = re.compile(rb"[ulUL][CcO]|[CcO][ulUL]")
_WITHIN = re.compile(rb"(?<=[uUlLCcO])[SM](?=[uUlLCcO])")
_LONE = re.compile(rb"(?<![OA])A")
_NONE, _UNDEFINED = "\uffff", b"0"
_MOST = 1500  # words
_PLAUSIBLE = -4.4  # a letter, on the average


def alphabet_encoding(sample: bytes) -> str | None:
    """Return the encoding of one byte a letter in which bytes are most plausibly words of a
    language; None where they are words of none.
    """
    words = list(dict.fromkeys(_WORD.findall(sample)))[:_MOST]
    if not words:
        return None
    text = b" " + b" ".join(words) + b" "
    counts = Counter(text)
    del counts[0x20]
    scores = {
        encoding: _score(text, counts, len(words), encoding)
        for encoding in _ENCODINGS
        if _UNDEFINED not in sample.translate(_signs(encoding))
    }
    best = max(scores, key=lambda encoding: scores[encoding], default="")
    return best if best and scores[best] > _PLAUSIBLE * counts.total() else None


def _score(text: bytes, counts: Counter[int], words: int, encoding: str) -> float:
    """Return how plausible words are in an encoding: by its likeliest language."""
    languages, doubt = _ENCODINGS[encoding]
    signs = text.translate(_signs(encoding))
    misplaced = sum(len(each.findall(signs)) for each in (_CASE, _SCRIPTS, _WITHIN, _LONE))
    best = max(_likelihood(counts, words, encoding, language) for language in languages)
    return best + misplaced * _MISPLACED - doubt - _SMALLER.get(encoding, 0.0)


def _likelihood(counts: Counter[int], words: int, encoding: str, language: str) -> float:
    table = _table(encoding, language)
    letters = sum(count * table[byte] for byte, count in counts.items())
    return letters + words * _rarity(language) - _DOUBT.get(language, 0.0)


@cache
def _letters(encoding: str) -> str:
    """Return the letter of each byte, ``_NONE`` for those that are none."""
    codec = codecs.lookup(encoding)
    found: list[str] = []
    for byte in range(256):
        try:
            found.append(codec.decode(bytes([byte]))[0])
        except UnicodeDecodeError:
            found.append(_NONE)
    return "".join(found)


@cache
def _signs(encoding: str) -> bytes:
    """Return the sort of each byte: ``U`` and ``L`` for large and small Latin letters (``u`` and
    ``l`` of ASCII), ``C`` and ``c`` for those of other scripts, ``O`` for those without case, ``A``
    for accents of their own, ``M`` for what stands beside words, ``J`` for what may stand within
    them, ``0`` for what is none, ``S`` for the rest.
    """
    return bytes(ord(_sign(letter)) for letter in _letters(encoding))


def _sign(letter: str) -> str:
    if letter.isupper() or letter.islower():
        signs = "ul" if letter.isascii() else "UL" if _is_latin(letter) else "Cc"
        return signs[letter.islower()]
    known = {_NONE: "0", " ": " ", **dict.fromkeys(_MARKS, "M"), **dict.fromkeys(_JOINING, "J")}
    if letter in known:
        return known[letter]
    if unicodedata.category(letter) in ("Mn", "Mc"):
        return "A"
    return "O" if letter.isalpha() else "S"


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN")


@cache
def _ranks(language: str) -> dict[str, float]:
    """Return the logarithm of the share of each small letter of a language."""
    often, _, seldom = language.partition(" ")
    ranks = {letter: _RANGE * rank / len(often) for rank, letter in enumerate(often)}
    ranks |= dict.fromkeys(seldom, _SELDOM_SEEN)
    whole = log(sum(map(exp, ranks.values())))
    return {letter: rank - whole for letter, rank in ranks.items()}


@cache
def _table(encoding: str, language: str) -> tuple[float, ...]:
    """Return the logarithm of how often each byte stands in texts of a language."""
    ranks = _ranks(language)
    if not language[0].isascii():
        ranks |= dict.fromkeys(ascii_letters, _LATIN)
    return tuple(_weight(letter, ranks) for letter in _letters(encoding))


@cache
def _rarity(language: str) -> float:
    """Return the negative logarithm of how often a word of a language has a letter beyond ASCII,
    about: only such words are looked at.
    """
    share = sum(
        exp(_ranks(language)[letter]) for letter in _ranks(language) if not letter.isascii()
    )
    return -log(min(1.0, _WORD_LETTERS * share))


def _weight(letter: str, ranks: dict[str, float]) -> float:
    small = letter.lower()[:1]  # of İ, i without the dot as a letter of its own
    if letter in ranks:
        return ranks[letter]
    if small in ranks:
        return ranks[small] + _LARGE
    if letter in _MARKS or letter in _JOINING:
        return _MARK
    category = unicodedata.category(letter)
    if category.startswith("C"):
        return _UNSEEN
    return _FOREIGN if category.startswith(("L", "M")) else _SYMBOL

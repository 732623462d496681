"""LaTeX of docstrings as text that reads well without a formula renderer."""

import re
import textwrap

SYMBOLS = {
    "times": "×", "cdot": "·", "odot": "⊙", "otimes": "⊗", "star": "⋆", "ast": "*", "div": "/",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "not": "≠", "ne": "≠",
    "approx": "≈", "infty": "∞", "sum": "Σ", "prod": "Π", "partial": "∂", "nabla": "∇", "in": "∈",
    "forall": "for all", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "lvert": "|",
    "rvert": "|", "lVert": "‖", "rVert": "‖", "Vert": "‖", "vert": "|", "mid": "|", "pm": "±",
    "ldots": "…", "dots": "…", "cdots": "…", "leftarrow": "←", "rightarrow": "→", "to": "→",
    "sim": "~", "equiv": "≡", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ",
    "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ", "lambda": "λ", "mu": "μ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "Phi": "Φ", "psi": "ψ",
    "omega": "ω", "Delta": "Δ", "Gamma": "Γ", "Omega": "Ω", "Sigma": "Σ", "ell": "l", "top": "T",
    "prime": "'", "quad": "  ", "qquad": "    ", "backslash": "\\", "circ": "°", "cup": "∪",
    "langle": "⟨", "rangle": "⟩", "gets": "←", "ll": "<<", "gg": ">>", "land": "and", "lor": "or",
    "uparrow": "↑", "downarrow": "↓", "colon": ":", "lbrace": "{", "rbrace": "}", "setminus": "\\",
    "xi": "ξ", "zeta": "ζ", "chi": "χ", "kappa": "κ", "nu": "ν", "Theta": "Θ", "Lambda": "Λ",
}  # fmt: skip
PLAIN = {
    "text", "mathrm", "mathbf", "textbf", "textit", "mathit", "operatorname", "mathcal", "mathbb",
    "boldsymbol", "bf", "texttt", "mathtt", "rm", "mathop", "textrm", "bm", "overline", "limits",
}  # fmt: skip
DROPPED = {
    "left", "right", "big", "Big", "bigg", "Bigg", "displaystyle", "nonumber", "limits", "it",
    "bigl", "bigr", "Bigl", "Bigr", "tag", "hfill", "nolimits", "textstyle", "bf", "rm",
}  # fmt: skip
TWO_ARGUMENTS = {"frac", "dfrac", "tfrac", "underset", "overset", "stackrel", "rule"}
ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}
TOKEN = re.compile(r"\\\\(?:\[[^\]]*\])?|\\[a-zA-Z]+\*?|\\.|[{}&^_~]|\s+|[^\\{}&^_~\s]")


class Formula:
    """A reader of one formula: tokens in, text out."""

    def __init__(self, latex: str) -> None:
        latex = re.sub(r"(?<!\\)%.*", "", latex)
        self.tokens = TOKEN.findall(latex)
        self.place = 0

    def text(self) -> str:
        """Return the whole formula, line by line."""
        raw = self.until("")
        lines = [re.sub(r"(?<=\S) {2,}", " ", line).rstrip() for line in raw.split("\n")]
        return "\n".join(line for line in lines if line.strip())

    def until(self, end: str) -> str:
        out: list[str] = []
        while self.place < len(self.tokens):
            token = self.tokens[self.place]
            self.place += 1
            if token == end:
                break
            out.append(self.one(token))
        return "".join(out)

    def one(self, token: str) -> str:
        if token == "{":
            return self.until("}")
        if token.isspace() or token in ("~", "&"):
            return "" if token == "&" else " "
        if token.startswith("\\\\"):
            return "\n"
        if token in ("^", "_"):
            return self.script(token)
        if token.startswith("\\"):
            return self.command(token[1:].rstrip("*"))
        return token

    def script(self, mark: str) -> str:
        inner = self.argument().strip()
        if mark == "^" and inner in ("T", "'", "°"):
            return inner
        if not inner:
            return ""
        simple = re.fullmatch(r"[\w.']+|[^\W\d_]|-?\d+|…", inner) is not None
        whole = simple or (inner.startswith("(") and inner.endswith(")"))
        return mark + (inner if whole else f"({inner})") + self.gap(inner)

    def gap(self, script: str) -> str:
        """Return a space where a script of several letters would run into the next word."""
        following = self.tokens[self.place] if self.place < len(self.tokens) else ""
        word = following.isalnum() or following.lstrip("\\") in PLAIN
        return " " if word and (len(script) > 1 or len(following) > 1) else ""

    def command(self, name: str) -> str:
        if name == "sqrt":
            return f"√{_bracketed(self.argument())}"
        if name in ("begin", "end"):
            return self.environment(name)
        if name in TWO_ARGUMENTS:
            return self.pair(name)
        if name in ACCENTS:
            inner = self.argument()
            return inner[:1] + ACCENTS[name] + inner[1:]
        if name == "hspace":
            return " " * max(1, int(re.sub(r"\D", "", self.argument()) or 4) // 3)
        return self.word(name)

    def pair(self, name: str) -> str:
        first, second = self.argument(), self.argument()
        if name == "rule":
            return ""  # a line across the page
        if name.endswith("frac"):
            return f"{_bracketed(first)} / {_bracketed(second)}"
        return f"{second}_({first}) "

    def environment(self, name: str) -> str:
        kind = self.argument()
        if kind.startswith("array") and name == "begin":
            self.argument()
        return "\n" if kind.startswith("cases") and name == "begin" else ""

    def word(self, name: str) -> str:
        if name == "not" and self.tokens[self.place : self.place + 1] == ["="]:
            self.place += 1
        if name in SYMBOLS:
            return SYMBOLS[name]
        if name in DROPPED:
            if self.place < len(self.tokens) and self.tokens[self.place] == ".":
                self.place += 1  # \left. and \right. draw nothing
            return ""
        if name in PLAIN:
            return self.argument()
        if not name.isalpha():
            return " " if name in (",", ";", ":", " ", "!", "/") else name
        return name

    def argument(self) -> str:
        while self.place < len(self.tokens) and self.tokens[self.place].isspace():
            self.place += 1
        if self.place == len(self.tokens):
            return ""
        token = self.tokens[self.place]
        self.place += 1
        return self.one(token)


def _bracketed(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"[\w.√̂']+", text) else f"({text})"


def readable(latex: str) -> str:
    """Return a LaTeX formula as plain text, one line for each of its lines."""
    text = Formula(latex.strip()).text()
    return textwrap.dedent(text).strip("\n")

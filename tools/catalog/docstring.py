"""Docstrings (reStructuredText with Google's sections) as Markdown, and the help of arguments."""

import inspect
import re
import textwrap

from tools.catalog.formula import readable

SECTIONS = {
    "args": "Parameters", "arguments": "Parameters", "parameters": "Parameters",
    "keyword args": "Keyword parameters", "shape": "Shape", "shapes": "Shape",
    "attributes": "Attributes", "variables": "Attributes", "examples": "Examples",
    "example": "Examples", "returns": "Returns", "return": "Returns", "inputs": "Inputs",
    "outputs": "Outputs", "input": "Inputs", "output": "Outputs", "raises": "Raises",
    "references": "References", "reference": "References",
}  # fmt: skip
LISTED = {"Parameters", "Keyword parameters", "Attributes"}
NOTES = {
    "note": "Note", "warning": "Warning", "tip": "Tip", "important": "Important",
    "caution": "Caution", "seealso": "See also", "deprecated": "Deprecated",
    "versionadded": "New in version", "versionchanged": "Changed in version",
    "hint": "Hint",
}  # fmt: skip
HEADER = re.compile(r"^(?P<name>[A-Z][A-Za-z ]+?):{1,2}(?P<rest>.*)$")
DIRECTIVE = re.compile(r"^\.\. (?P<name>[\w-]+)\s*::\s*(?P<rest>.*)$")
TARGET = re.compile(r"^\.\. _`?(?P<name>[^`]+?)`?:(?:\s+(?P<url>\S.*))?$", re.DOTALL)
ITEM = re.compile(r"^(?P<name>\*{0,2}\w[\w.,\[\] *]*?)\s*(?:\((?P<kind>[^)]*(?:\([^)]*\)[^)]*)*)\))?\s*:\s+(?P<text>.*)$")  # fmt: skip  # noqa: E501


def markdown(docstring: str) -> str:
    """Return a docstring as Markdown, its formulas as plain text."""
    text = inspect.cleandoc(docstring)
    text, targets = _without_targets(text)
    out = _blocks(text.split("\n"), targets)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def summary(docstring: str) -> str:
    """Return the first sentence of a docstring, as plain text."""
    text = inspect.cleandoc(docstring)
    paragraphs = [p for p in re.split(r"\n\s*\n", text) if p.strip()]
    first = next((p for p in paragraphs if not re.match(r"^\w+\(.*\)$", p.partition("\n")[0])), "")
    first = re.split(r"\n\s*\.\. ", first, maxsplit=1)[0]
    sentence = re.match(r".*?[.](?=\s|$)(?<!i\.e\.)(?<!e\.g\.)", _flat(first) + " ")
    return plain(sentence.group(0) if sentence else _flat(first)).strip().rstrip(":")


def argument_help(docstring: str) -> dict[str, str]:
    """Return the text for each argument that a docstring describes, as plain text."""
    found: dict[str, str] = {}
    text, _ = _without_targets(inspect.cleandoc(docstring))
    lines = text.split("\n")
    for index, line in enumerate(lines):
        header = HEADER.match(line)
        if header and SECTIONS.get(header["name"].lower()) in ("Parameters", "Keyword parameters"):
            body, _ = _indented(lines, index + 1)
            for name, _, item in _items(body):
                for each in re.split(r"[,\s]+", name.strip("* ")):
                    found[each] = _short(item)
    return found


def plain(text: str) -> str:
    """Return inline markup as plain text."""
    text = re.sub(r":math:\s*`([^`]*)`", lambda m: readable(m[1]), text)
    text = re.sub(r":\w+(?::\w+)?:`~?([^`<]*?)\s*(?:<[^>]*>)?`", lambda m: _tail(m[1]), text)
    text = re.sub(r"`([^`<]+?)\s*<[^>]*>`__?", r"\1", text)
    text = re.sub(r"`([^`]+)`__?", r"\1", text)
    text = re.sub(r"``([^`]+)``", r"\1", text)
    return text.replace("`", "").replace("\\", "")


def _short(item: str) -> str:
    text = plain(_flat(re.split(r"\n\s*\.\. ", item)[0]))
    text = re.sub(r"\s*\(?\b[Dd]efaults?(?: value)?(?::| to| is|=)\s*.*$", "", text).strip()
    sentences = re.findall(r".+?(?:[.](?=\s|$)(?<!e\.g\.)(?<!E\.g\.)(?<!i\.e\.)|$)", text)
    short = ""
    for sentence in sentences[:3]:
        if short and len(short) + len(sentence) > 280:
            break
        short += sentence
    short = short.strip().rstrip(",;(")
    if short and short[-1] not in ".!?":
        short += "."
    return short[:1].upper() + short[1:]


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _tail(name: str) -> str:
    return name.rpartition(".")[2] if re.fullmatch(r"[\w.]+(?:\(\))?", name) else name


def _without_targets(text: str) -> tuple[str, dict[str, str]]:
    targets: dict[str, str] = {}
    kept: list[str] = []
    for block in re.split(r"(?m)^(?=\s*\.\. _)", text):
        match = re.match(r"\s*(\.\. _.*(?:\n[ \t]+\S.*)*)", block)
        target = TARGET.match(match[1]) if match else None
        if match is None or target is None:
            kept.append(block)
            continue
        targets[_flat(target["name"]).lower()] = _flat(target["url"] or "").replace(" ", "")
        kept.append(block[match.end() :])
    return "".join(kept), targets


def _inline(text: str, targets: dict[str, str]) -> str:
    def named(match: re.Match[str]) -> str:
        url = targets.get(_flat(match[1]).lower())
        return f"[{_flat(match[1])}]({url})" if url else _flat(match[1])

    text = re.sub(
        r":math:\s*`([^`]*)`", lambda m: f"`{_flat(readable(m[1]))}`" if m[1].strip() else "", text
    )
    text = re.sub(r":\w+(?::\w+)?:`~?([^`<]*?)\s*(?:<[^>]*>)?`", lambda m: f"`{_tail(m[1])}`", text)
    text = re.sub(r"`([^`<]+?)\s*<(http[^>]*)>`__?", r"[\1](\2)", text)
    text = re.sub(r"`([^`<]+?)\s*<[^>]*>`__?", r"\1", text)
    text = re.sub(r"(?<!`)`([^`]+)`__?(?!`)", named, text)
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    return text.replace("\\ ", "")


def _indented(lines: list[str], start: int) -> tuple[list[str], int]:
    """Return the indented block from a line on, dedented, and the line after it."""
    end = start
    while end < len(lines) and (not lines[end].strip() or lines[end].startswith((" ", "\t"))):
        end += 1
    body = textwrap.dedent("\n".join(lines[start:end])).strip("\n").split("\n")
    return body, end


def _blocks(lines: list[str], targets: dict[str, str]) -> list[str]:
    out: list[str] = []
    index = 0
    is_list = False
    while index < len(lines):
        line = lines[index]
        header, directive = HEADER.match(line), DIRECTIVE.match(line.lstrip())
        if not line.strip():
            out.append("")
            index += 1
        elif directive:
            index = _nested_directive(directive, lines, index, targets, out)
        elif header and header["name"].lower() in SECTIONS | NOTES:
            body, index = _indented(lines, index + 1)
            out += _section(header["name"].lower(), header["rest"], body, targets)
        elif line.lstrip().startswith(">>>"):
            index = _session(lines, index, out)
        elif re.match(r"^(__init__|\w+)\(.*\)( ->.*)?$", line) and not "".join(out):
            index += 1
        elif line.startswith("  ") and not is_list:  # a quotation would become code
            body, index = _indented(lines, index)
            out += ["", *_blocks(body, targets), ""]
        else:
            if not line.startswith(" "):
                is_list = line.startswith(("- ", "* "))
            index = _paragraph(lines, index, targets, out)
    return out


def _nested_directive(
    directive: re.Match[str],
    lines: list[str],
    index: int,
    targets: dict[str, str],
    out: list[str],
) -> int:
    indent = len(lines[index]) - len(lines[index].lstrip())
    body, end = _deeper(lines, index + 1, indent)
    made = _directive(directive["name"], directive["rest"], body, targets)
    out += [" " * indent + line if line else "" for line in made]
    return end


def _session(lines: list[str], index: int, out: list[str]) -> int:
    end = index
    while end < len(lines) and lines[end].strip():
        end += 1
    code = textwrap.dedent("\n".join(lines[index:end])).split("\n")
    out += ["", "```python", *code, "```", ""]
    return end


def _paragraph(lines: list[str], index: int, targets: dict[str, str], out: list[str]) -> int:
    """Add lines up to the next block, their inline markup converted as one text."""
    end = index + 1
    while end < len(lines) and lines[end].strip() and not _begins_block(lines[end]):
        end += 1
    indent = len(lines[index]) - len(lines[index].lstrip())
    text = "\n".join(lines[index:end])
    code = text.rstrip().endswith("::")
    out += _inline(text.rstrip().removesuffix(":") if code else text, targets).split("\n")
    if code:
        body, end = _deeper(lines, end, indent)
        out += ["", "```python", *body, "```", ""]
    return end


def _begins_block(line: str) -> bool:
    header = HEADER.match(line)
    known = header is not None and header["name"].lower() in SECTIONS | NOTES
    return known or line.lstrip().startswith((">>>", ".. "))


def _deeper(lines: list[str], start: int, indent: int) -> tuple[list[str], int]:
    end = start
    while end < len(lines) and (
        not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent
    ):
        end += 1
    return textwrap.dedent("\n".join(lines[start:end])).strip("\n").split("\n"), end


def _directive(name: str, rest: str, body: list[str], targets: dict[str, str]) -> list[str]:
    if name == "math":
        formula = readable("\n".join([rest, *body]))
        return ["", "```text", *formula.split("\n"), "```", ""]
    if name in ("code", "code-block", "testcode", "sourcecode"):
        return ["", "```python", *body, "```", ""]
    if name in NOTES:
        return _quoted(NOTES[name], [rest, *body] if rest else body, targets)
    return []


def _quoted(title: str, body: list[str], targets: dict[str, str]) -> list[str]:
    inner = "\n".join(_blocks(body, targets)).strip("\n").split("\n")
    inner[0] = f"**{title}:** {inner[0]}"
    return ["", *(f"> {line}".rstrip() for line in inner), ""]


def _section(name: str, rest: str, body: list[str], targets: dict[str, str]) -> list[str]:
    rest = rest.strip().strip(":").strip()
    if name in NOTES:
        return _quoted(NOTES[name], [rest, *body] if rest else body, targets)
    title = SECTIONS[name]
    suffix = f": {_inline(rest, targets)}" if rest else ""
    out = ["", f"### {title}{suffix}", ""]
    if title in LISTED:
        for item, kind, text in _items(body):
            note = f" ({_inline(_flat(kind), targets)})" if kind else ""
            inner = "\n".join(_blocks(text.split("\n"), targets)).strip("\n").split("\n")
            out += [f"- **{item.strip('*')}**{note}: {inner[0]}"]
            out += [f"  {line}".rstrip() for line in inner[1:]]
    elif title == "Examples" and not any(line.lstrip().startswith(">>>") for line in body):
        out += ["```python", *body, "```"]
    else:
        out += _blocks(body, targets)
    return [*out, ""]


def _items(body: list[str]) -> list[tuple[str, str, str]]:
    """Return (name, type, text) of each item of a list of arguments."""
    items: list[list[str]] = []
    for line in body:
        if line.strip() and not line.startswith((" ", "\t")):
            items.append([line])
        elif items:
            items[-1].append(line)
    found: list[tuple[str, str, str]] = []
    for lines in items:
        head = lines[0] if ITEM.match(lines[0]) or len(lines) == 1 else _flat(" ".join(lines[:2]))
        rest = lines[1:] if head == lines[0] else lines[2:]
        match = ITEM.match(head)
        if match is None and (colon := re.match(r"^(\w+)\s*:?\s*(.*)$", head)):
            name, kind, text = colon[1], "", colon[2]
        elif match:
            name, kind, text = match["name"], match["kind"] or "", match["text"]
        else:
            continue
        found.append((name, kind, text + "\n" + textwrap.dedent("\n".join(rest))))
    return found

"""Chinese texts address the reader in one way."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
KINDS = {".json", ".md", ".ts", ".txt"}
TEXTS = [
    *(path for path in sorted((ROOT / "resources").rglob("*")) if path.suffix in KINDS),
    ROOT / "docs" / "guide.zh_CN.md",
]


def test_that_chinese_texts_of_every_kind_are_looked_at() -> None:
    names = {path.relative_to(ROOT).parts[1] for path in TEXTS}
    assert {"translations", "help", "diagnostics", "commands", "catalog"} <= names


def test_that_the_reader_is_addressed_by_one_word() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in TEXTS
        for line in path.read_text(encoding="utf-8").splitlines()
        if "你" in line
    ]
    assert found == [], "您 is the word elsewhere"

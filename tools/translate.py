"""Collect the window's strings into the Linguist file, compile it, or check that it is complete.

python tools/translate.py            update resources/translations/*.ts and compile *.qm
python tools/translate.py --check    exit 1 where a string is missing or a .qm is not current
"""

import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = ("zh_CN",)


def sources() -> list[str]:
    """Return the files that hold strings of the window, in a fixed order."""
    return sorted(
        str(path.relative_to(ROOT))
        for folder in ("studio", "widgets")
        for path in (ROOT / folder).rglob("*.py")
    )


def tool(name: str, *arguments: str) -> None:
    """Run one of Qt's translation tools of this environment."""
    program = Path(sys.executable).with_name(f"pyside6-{name}")
    done = subprocess.run(
        [str(program), *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{name}: {done.stdout}{done.stderr}")


def update(path: Path) -> None:
    """Bring a Linguist file up to date with the source; strings no longer used are dropped."""
    tool("lupdate", "-no-obsolete", "-locations", "none", *sources(), "-ts", str(path))


def compile_to(path: Path, target: Path) -> None:
    """Compile a Linguist file for the program."""
    tool("lrelease", "-silent", str(path), "-qm", str(target))


def unfinished(path: Path) -> list[str]:
    """Return the source strings that have no translation, or one that lost a placeholder."""
    missing = []
    for message in ET.parse(path).iter("message"):
        source = message.findtext("source") or ""
        translation = message.find("translation")
        forms = (
            []
            if translation is None
            else [f.text or "" for f in translation] or [translation.text or ""]
        )
        is_open = translation is None or translation.get("type") == "unfinished"
        wanted = set(re.findall(r"\{\w*\}|%\w+", source)) - {"%n"}
        if is_open or not all(forms) or any(not wanted <= set(placeholders(f)) for f in forms):
            missing.append(source)
    return missing


def placeholders(text: str) -> list[str]:
    """Return the placeholders of a string."""
    return re.findall(r"\{\w*\}|%\w+", text)


def check() -> int:
    """Compare the committed files with what the source says now."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            committed = FOLDER / f"trellis_{language}.ts"
            fresh = Path(folder) / committed.name
            shutil.copy(committed, fresh)
            update(fresh)
            for text in unfinished(fresh):
                failed = 1
                print(f"{language}: not translated: {text!r}")
            compiled = Path(folder) / f"trellis_{language}.qm"
            compile_to(fresh, compiled)
            if compiled.read_bytes() != committed.with_suffix(".qm").read_bytes():
                failed = 1
                print(f"{language}: the compiled file is not current; run tools/translate.py")
    return failed


def main() -> int:
    """Do what the command line asks."""
    if "--check" in sys.argv:
        return check()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        path = FOLDER / f"trellis_{language}.ts"
        if not path.exists():
            path.write_text(
                f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'
                f'<TS version="2.1" language="{language}" sourcelanguage="en">\n</TS>\n',
                encoding="utf-8",
            )
        update(path)
        compile_to(path, path.with_suffix(".qm"))
        print(f"{language}: {len(unfinished(path))} strings to translate")
    return 0


if __name__ == "__main__":
    sys.exit(main())

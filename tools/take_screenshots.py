"""Take the pictures of the window that the documents show.

python tools/take_screenshots.py            write docs/screenshots/*.png
python tools/take_screenshots.py --to DIR   write them elsewhere

A project is made from a template and trained for a few epochs, so that there are curves to see.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
TEMPLATE = "digits-cnn"
LIMIT_BYTES = 300_000
PICTURES: tuple[tuple[str, str, str], ...] = (  # workspace, theme, language
    *((name, "light", "en") for name in ("welcome", "model", "data", "train", "runs", "export")),
    *((name, "dark", "en") for name in ("welcome", "model", "data", "train", "runs", "export")),
    ("model", "light", "zh_CN"),
    ("train", "dark", "zh_CN"),
)


def trellis(*arguments: str) -> None:
    """Run a command of the program; its error ends this script."""
    subprocess.run([sys.executable, str(ROOT / "main.py"), *arguments], cwd=ROOT, check=True)


def file_name(workspace: str, theme: str, language: str) -> str:
    """Return the name of a picture: ``model-light.png``, ``model-light.zh_CN.png``."""
    return f"{workspace}-{theme}{'' if language == 'en' else f'.{language}'}.png"


def main() -> int:
    """Make a project, train it and take all pictures; 1 where one is too large."""
    parser = argparse.ArgumentParser(description="Take the pictures of the documents.")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "screenshots")
    folder = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    with TemporaryDirectory(prefix="trellis-") as place:
        project = str(Path(place) / "digits")
        trellis("new", project, "--template", TEMPLATE)
        trellis("train", project, "--epochs", "8", "--name", "First", "--quiet")
        trellis("train", project, "--epochs", "8", "--set", "optimizer=SGD", "--quiet")
        for workspace, theme, language in PICTURES:
            output = folder / file_name(workspace, theme, language)
            look = ("--theme", theme, "--lang", language, "--size", "1440x900")
            trellis("screenshot", project, "--workspace", workspace, "--output", str(output), *look)
            if output.stat().st_size > LIMIT_BYTES:
                failed = 1
                sys.stdout.write(f"{output.name}: more than {LIMIT_BYTES} bytes\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())

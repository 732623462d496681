"""Lines of commands in the language of the terminal: nothing of them stays English."""

import ast
import math
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.decoding import decode_json
from studio.cli.output import padded
from studio.cli.parser import build_parser, main

ROOT = Path(__file__).parents[3]
CHINESE = decode_json((ROOT / "resources" / "commands" / "zh_CN.json").read_bytes(), dict[str, str])
NAMED = (
    "engine/diagnostics.py",
    "engine/export/formats.py",
    "engine/export/not_offered.py",
    "engine/runs/search.py",
    "engine/spec/data_version.py",
)
FILES = [
    *(ROOT / "studio" / "cli").glob("*.py"),
    *(ROOT / "engine" / "data" / "health").glob("*.py"),
    *(ROOT / name for name in NAMED),
]
SOURCES = [path.read_text(encoding="utf-8") for path in FILES]
TYPED = r"--\w+|main\.py|[A-Z]+=[A-Z]+|\S*/\S*|\w+\.\w+\S*"
"""What is typed in every language: options, commands, paths and settings."""


def literals(kind: type[ast.AST]) -> set[str]:
    """Return the texts in the sources: all, or those that are told by ``said``."""
    found: set[str] = set()
    for node in (node for each in SOURCES for node in ast.walk(ast.parse(each))):
        if not isinstance(node, kind):
            continue
        text = node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            text = node.args[0] if node.func.id == "said" else node
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            found.add(text.value)
    return found


def test_that_every_text_of_a_command_has_a_translation_and_none_is_left_over() -> None:
    assert literals(ast.Call) <= set(CHINESE)
    assert set(CHINESE) <= literals(ast.Constant)


def test_that_a_translation_has_the_same_values() -> None:
    for english, chinese in CHINESE.items():
        shown, other = (set(re.findall(r"\{(\w+)\}", text)) for text in (english, chinese))
        assert shown == other, english
        assert re.search(r"[\u3000-\u303f\u4e00-\u9fff]", chinese), english


COMMANDS = sorted(set(re.findall(r"^ {4}([a-z-]+)", build_parser().format_help(), re.MULTILINE)))
NAMES = (
    r"Trellis|PyTorch|Python|JSON|CSV|Ctrl\+C|GPU|SSH|Slurm|TensorBoard|LoRA|SGD|DDPM|DDIM|MNIST|"
    r"CIFAR10|ONNX|Adam|TEXT|ENTRY|LAYER…|COMMAND|dropout|rank|ddp|fsdp|alpha|Windows|nn\.Module"
)
"""Words that are the same in Chinese: what things are called, and what stands for a value."""


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_that_no_line_of_help_is_left_in_english(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert main([*command.split(), "--help"]) == 0
    usage, *sections = capsys.readouterr().out.split("\n\n")
    assert usage.startswith("用法：main.py")
    for line in "\n".join(sections).splitlines():
        assert sum(2 if ord(letter) > 0x2E7F else 1 for letter in line) <= 80
        told = re.sub(r"^  +(-.*?|\S+)(  +|$)", "", line)
        assert not told or line.startswith("  ") or re.search(r"[\u4e00-\u9fff]", told), line
        english = re.findall(r"(?<![\w.-])[a-z]+ [a-z]+(?![\w.])", re.sub(NAMES, "", told))
        assert not english, line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "需要一个命令（见 main.py --help）"),
        (("train",), "缺少参数：PROJECT"),
        (("new", "p"), "需要下列参数之一：--template --data"),
        (("train", "p", "--nproc", "two"), "参数 --nproc：'two' 不是整数"),
        (("generate", "p", "--eta", "two"), "参数 --eta：'two' 不是数字"),
        (("train", "p", "--mode", "fast"), "参数 --mode：无效的选择 'fast'（可选："),
        (("train", "p", "--folds", "2", "--seeds", "2"), "参数 --seeds：不能与参数 --folds 同用"),
        (("train", "p", "--set"), "参数 --set：需要一个值"),
        (("train", "p", "--json=1"), "参数 --json：不接受值 '1'"),
        (("data", "p", "--tag"), "参数 --tag：至少需要一个值"),
        (("train", "p", "--fast"), "无法识别的参数：--fast"),
    ],
)
def test_that_wrong_usage_is_told_in_chinese(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], told: str
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    done = run(*arguments)
    assert done.code == 2
    assert done.err.startswith(f"trellis: {told}")


def test_that_columns_are_as_wide_with_letters_that_take_two() -> None:
    assert padded("来源", 6) == "来源  "
    assert padded("loss", 6) == "loss  "


WAVE = [f"{date(2024, 1, 1) + timedelta(day)},{math.sin(day / 9):.4f}" for day in range(300)]
CLASSES = ("a", '"b\nc"')
TABLES = {
    "表格": [
        "x,y,z",
        *(f"{number * 7 % 5},{number % 9},{CLASSES[number % 2]}" for number in range(60)),
    ],
    "时间序列": ["day,wind", *WAVE],
}


@pytest.mark.parametrize("source", TABLES)
def test_that_a_new_project_and_its_data_are_told_in_chinese(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    file = tmp_path / "table.csv"
    file.write_text("\n".join(TABLES[source]), encoding="utf-8")
    target = TABLES[source][0].rpartition(",")[2]
    done = run("new", "--data", file, "--target", target, tmp_path / "p")
    assert done.code == 0
    assert source in done.out
    for line in done.err.splitlines():
        plain = re.sub(f"{TYPED}|“.*?”|^trellis", "", line)
        assert not re.search(r"[a-z]{3}", plain.replace("table", "")), line
    titles = [line.split()[0] for line in done.out.splitlines()[1:]]
    assert not any(title.isascii() for title in titles)
    assert source != "表格" or "z (类别, 2 个类别): a, b c" in done.out
    seen = run("data", tmp_path / "p").out
    assert not re.search("vector|sequence|class|input", seen)
    assert "样本：" in seen
    assert "samples" not in seen

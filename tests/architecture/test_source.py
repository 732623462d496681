"""What must not stand anywhere in the source."""

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXEC_IS_REVIEWED = "engine/query/lab/statement.py"  # in a process of its own (decision 17)
WHOLE_MODELS_ARE_REVIEWED = {  # an export that was just written here, in a process of its own
    "engine/export/read_torch.py",
    "engine/export/pickled_model.py",  # in the words and code that it writes for others
    "studio/view/export.py",
}
FORBIDDEN = (
    r"weights_only\s*=\s*False",
    r"\bpickle\.loads?\(",
    r"\b(broadcast|scatter|send|recv)_object_list\(",  # they unpickle what others send
    r"\b(all_gather|gather)_object\(",
    r"(?<![\w.])eval\(",
    r"(?<![\w.])exec\(",
    r"shell\s*=\s*True",
    r"\byaml\.load\(",
    r"allow_pickle\s*=\s*True",
)
ADDRESSES = (r"https?://[^\s\"']+/(simple|packages)/", r"files\.pythonhosted")


def tracked(*suffixes: str) -> list[Path]:
    """Return the tracked files with one of the endings, in a checkout or in a plain copy."""
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    names = done.stdout.splitlines() or [str(p.relative_to(ROOT)) for p in ROOT.rglob("*.py")]
    return [ROOT / name for name in names if name.endswith(suffixes) and (ROOT / name).is_file()]


@cache
def sources() -> dict[str, str]:
    """Return what stands in the files of the program, by their names."""
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for folder in ("engine", "studio", "widgets", "tools", "benchmarks", "resources")
        for path in (ROOT / folder).rglob("*.py")
    }


@pytest.mark.fault("S10")
@pytest.mark.parametrize("pattern", FORBIDDEN)
def test_that_nothing_dangerous_is_called(pattern):
    search = re.compile(pattern).search
    calling = [name for name, text in sources().items() if search(text)]
    reviewed = WHOLE_MODELS_ARE_REVIEWED if "weights_only" in pattern else set[str]()
    assert set(calling) <= {EXEC_IS_REVIEWED} | reviewed


@pytest.mark.real
def test_that_no_registry_address_is_committed():
    for path in tracked(".toml", ".cfg", ".json", ".md", ".py", ".txt", "run"):
        text = path.read_text(encoding="utf-8")
        if path.name != Path(__file__).name:
            assert not any(re.search(address, text) for address in ADDRESSES), path
    assert (ROOT / "uv.lock") not in tracked(".lock")


def test_that_the_readme_names_the_two_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "\npython -m pip install uv && uv run main.py\n" in readme
    assert "\npython -m pip install uv && uv run pytest\n" in readme


def test_that_nothing_but_a_test_is_named_like_one():
    """What collects tests goes by names, also by those that a test imports."""
    misleading = [
        path.relative_to(ROOT).as_posix()
        for folder in ("engine", "studio", "widgets", "tools", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        if re.match(r"test_|.*_test\.py", path.name)
        or re.search(r"^(def test_|class Test)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert misleading == []

"""Tests see what a user or a caller sees: names of objects, texts, signals, pixels, results. What a
test read by a leading underscore of another object broke whenever the inside was written anew.

Replacing a private constant or function for a test (``monkeypatch.setattr``) is not counted.
"""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOREIGN = {  # that other libraries call so, and have no other way to
    "_C", "_FILES", "_actions", "_buffers", "_exit", "_forkserver", "_forward_hooks",
    "_forward_pre_hooks", "_functions", "_group_actions", "_local_scalar_dense", "_modules",
    "_parameters", "_replace", "_resource_tracker", "_schema", "_stop", "_subparsers", "_to_copy",
}  # fmt: skip
_ATTRIBUTE = re.compile(r"\.\s*_[a-zA-Z]")
LEFT: dict[str, int] = {
    "engine/data/source/test_subwords.py": 1,
    "engine/runs/record/test_journal.py": 1,
    "engine/runtime/test_run.py": 1,
    "studio/model/canvas/test_model_canvas.py": 1,
    "studio/run_control/test_newest_weights.py": 2,
    "studio/runs/table/test_runs_page.py": 3,
    "studio/session/test_repair.py": 1,
}
"""How often the tests of a file still reach inside; a number may only become smaller."""


def private_names(source: str) -> list[str]:
    """Return the private attributes of other objects that a source reads, calls or sets."""
    if not _ATTRIBUTE.search(source):
        return []
    return [
        node.attr
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in FOREIGN
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
        and not ast.unparse(node.value).startswith("super()")
    ]


def test_that_no_test_reaches_further_inside_than_before():
    found = Counter[str]()
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if names := private_names(path.read_text(encoding="utf-8")):
            found[path.relative_to(ROOT / "tests").as_posix()] = len(names)
    more = {name: count for name, count in found.items() if count > LEFT.get(name, 0)}
    assert more == {}, "test it by what a user or a caller sees"
    fewer = {name: found[name] for name, count in LEFT.items() if found[name] < count}
    assert fewer == {}, "write the smaller number into LEFT, or take the file out"


def test_that_the_scan_sees_what_is_read_called_and_set_of_others():
    source = "page._text.text()\npage._go(1)\npage._is_on = True\nlist(a.b._c)"
    assert sorted(private_names(source)) == ["_c", "_go", "_is_on", "_text"]
    assert private_names("self._x\ncls._x\nsuper()._x()\nx.__class__\nos._exit(0)") == []

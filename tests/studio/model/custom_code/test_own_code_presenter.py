"""Files of code as views: what they offer, what is wrong in them, names to complete with."""

from engine.diagnostics import Diagnostic, Severity
from engine.graph.code import MODEL_FILE, code_entries
from engine.query.gradient.request import GradientDifference, GradientReport
from studio.model.custom_code.presenter import definition_line, present_files, present_names
from studio.model.gradient.presenter import present_gradient

LAYER = (
    "from torch import nn\n\n\nclass Own(nn.Module):\n    def forward(self, x):\n        return x\n"
)


def found(code, file, line, severity=Severity.ERROR):
    params = {"file": file, "line": line, "name": "n", "error": "E", "reason": "r", "column": 1}
    return Diagnostic(code=code, severity=severity, params=params)


def test_that_problems_stand_at_their_line_in_their_file_once():
    code = {"a.py": LAYER, "b.py": "x = 1\n"}
    problems = (found("U014", "a.py", 6), found("U014", "a.py", 6), found("U014", "c.py", 1))
    first, second = present_files(code, problems, "en")
    assert [(mark.line, mark.severity) for mark in first.marks] == [(6, "error")]
    assert first.severity == "error"
    assert second.marks == ()
    assert second.severity == ""


def test_that_a_syntax_error_is_that_of_the_text_as_it_is():
    late = (found("U001", "a.py", 9), found("U014", "a.py", 2))
    (view,) = present_files({"a.py": "a = 1\nb = (\n"}, late, "en")
    assert [mark.line for mark in view.marks] == [2]
    (view,) = present_files({"a.py": LAYER}, late, "en")
    assert [mark.line for mark in view.marks] == [2]


def test_that_the_text_of_the_model_is_no_file_of_the_editor():
    views = present_files({MODEL_FILE: "class Model:\n    pass\n", "a.py": LAYER}, (), "en")
    assert [view.name for view in views] == ["a.py"]


def test_that_line_ends_of_windows_are_shown_as_lines():
    (view,) = present_files({"a.py": LAYER.replace("\n", "\r\n")}, (), "en")
    assert view.text == LAYER
    assert definition_line({"a.py": LAYER}, "a.py", "Own") == 4


def test_that_names_hold_pytorch_methods_of_tensors_and_own_classes():
    names = {view.name for view in present_names(code_entries({"a.py": LAYER}), "en")}
    assert {"nn.Conv2d", "torch.cat", ".reshape", "Own", "nn.init.kaiming_normal_"} <= names


def test_that_the_answer_about_gradients_names_what_stopped_it():
    assert "RuntimeError" in present_gradient(GradientReport(passed=False, reason="RuntimeError"))
    many = tuple(
        GradientDifference(
            of="y", by=f"x{i}", output_index=0, input_index=0, given=float(i), expected=0.0
        )
        for i in range(10)
    )
    text = present_gradient(GradientReport(passed=False, checked=("x0",), differences=many))
    assert len(text.splitlines()) == 5

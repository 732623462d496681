"""Formulas of docstrings read well as plain text."""

import pytest

from tools.catalog.docstring import argument_help, markdown, summary
from tools.catalog.formula import readable


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} * \gamma", "(x - μ) / (√(σ^2 + ε)) * γ"),
        (r"(N, C_{in}, H_\text{in})", "(N, C_in, H_in)"),
        (r"\left\lfloor\frac{a}{b}\right\rfloor", "⌊a / b⌋"),
        (r"\mathcal{U}(-\sqrt{k}, \sqrt{k})", "U(-√k, √k)"),
        (r"W_{hr}h_t", "W_hr h_t"),
        (r"x^{(l)}_t", "x^(l)_t"),
        (r"y \not= 0", "y ≠ 0"),
        (r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "a = b\nc = d"),
    ],
)
def test_that_a_formula_becomes_text(latex, text):
    assert readable(latex) == text


DOCSTRING = """Does a thing. And more.

    .. math:: y = \\frac{1}{2}

    Can be:

        - one :class:`~torch.nn.Linear`
        - two, see `here`_

    .. note::
        Mind ``this``.

    Args:
        size (int): the size. Default: 3
        shape, other: two of them

    .. _here: https://example.org
    """


def test_that_a_docstring_becomes_markdown():
    text = markdown(DOCSTRING)
    assert "```text\ny = 1 / 2\n```" in text
    assert "\n- one `Linear`\n- two, see [here](https://example.org)\n" in text
    assert "> **Note:** Mind `this`." in text
    assert "### Parameters\n\n- **size** (int): the size. Default: 3\n" in text
    assert "_here" not in text


def test_that_summary_and_arguments_are_read():
    assert summary(DOCSTRING) == "Does a thing."
    assert argument_help(DOCSTRING) == {
        "size": "The size.",
        "shape": "Two of them.",
        "other": "Two of them.",
    }

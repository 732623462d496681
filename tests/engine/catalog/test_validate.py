"""Values are refused at the field with their range, and nothing but a diagnostic comes out."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, ParamKind, ParamSpec, Value
from engine.catalog.validate import (
    check_params,
    check_value,
    format_value,
    parse_value,
    range_of,
)
from engine.diagnostics import Diagnostic, DiagnosticError, sentence

PARAMS = [
    param for group in EntryGroup for entry in catalog().group(group) for param in entry.params
]
HUGE = 10**400


def param_of(group: str, key: str, name: str) -> ParamSpec:
    entry = catalog().entry(EntryGroup(group), key)
    assert entry is not None
    param = entry.param(name)
    assert param is not None
    return param


ADAM_LR = ("optimizer", "Adam", "lr")
BATCH = ("setting", "data", "batch_size")
BETAS = ("optimizer", "Adam", "betas")
KERNEL = ("layer", "Conv2d", "kernel_size")
PADDING = ("layer", "Conv2d", "padding")
FEATURES = ("layer", "Linear", "in_features")


@pytest.mark.fault("B09")
@pytest.mark.parametrize(
    ("where", "value"),
    [
        *((ADAM_LR, value) for value in (float("nan"), float("inf"), -1.0, 0.0, 0, 1e30, HUGE)),
        *((BATCH, value) for value in (0, -1, 10**9, 2.0, True, None, "32", HUGE)),
        *((("setting", "run", "epochs"), value) for value in (0, -1, 10**9)),
        *((BETAS, value) for value in ((0.9, 1.0), (-0.1, 0.9), (0.9,), (0.9, 0.99, 0.9), "x")),
        *((("layer", "Dropout", "p"), value) for value in (1.5, -0.1, float("nan"))),
        *((KERNEL, value) for value in (0, -1, (3, 0), (3, 3, 3), (), 10**9, "same", None)),
        *((("layer", "Conv2d", "stride"), value) for value in (0, (1, 0))),
        *((("layer", "Conv2d", "groups"), value) for value in (0, 1.5, "auto")),
        (("scheduler", "StepLR", "step_size"), 0),
        (("scheduler", "ReduceLROnPlateau", "factor"), 1.0),
        (("setting", "split", "train"), 0.0),
        (("setting", "split", "test"), 1.1),
        (("setting", "clip", "limit"), 0.0),
        (("setting", "checkpoint", "keep_last"), 1),
        (("data", "spiral", "samples"), 0),
        (("loss", "CrossEntropyLoss", "reduction"), "none"),
        (("operator", "cast", "dtype"), "float31"),
        (("layer", "Conv2d", "bias"), 1),
        (PADDING, "valid-ish"),
        (("io", "Input", "shape"), (0,)),
        (("io", "Input", "shape"), 3),
    ],
)
def test_that_nonsense_is_refused_at_the_field(where, value):
    problem = check_value(param_of(*where), value)
    assert problem is not None
    assert problem.field == where[2]


@pytest.mark.row("S297")
def test_that_one_number_typed_where_only_several_are_taken_is_the_only_one_of_them() -> None:
    sizes = ParamSpec(name="sizes", kind=ParamKind.INTS, single=False)  # of a shape assertion
    assert parse_value(sizes, "31") == parse_value(sizes, "31,") == (31,)
    assert parse_value(param_of("loss", "CrossEntropyLoss", "weight"), "0.5") == (0.5,)
    assert parse_value(param_of(*KERNEL), "3") == 3


@pytest.mark.fault("B09")
@pytest.mark.parametrize(
    ("where", "text", "code"),
    [
        (ADAM_LR, "", "C001"),
        (ADAM_LR, "   ", "C001"),
        (ADAM_LR, "nan", "C005"),
        (ADAM_LR, "inf", "C005"),
        (ADAM_LR, "-1", "C004"),
        (ADAM_LR, "0", "C004"),
        (ADAM_LR, "1e30", "C004"),
        (ADAM_LR, "1e999", "C005"),
        (ADAM_LR, "1,5", "C009"),
        (ADAM_LR, "３", "C008"),
        (ADAM_LR, "0．1", "C008"),
        (ADAM_LR, "abc", "C003"),
        (ADAM_LR, "__import__('os')", "C003"),
        (ADAM_LR, "auto", "C003"),
        (BATCH, "３", "C008"),
        (BATCH, "3.0", "C002"),
        (BATCH, "1e3", "C002"),
        (BATCH, "9" * 5000, "C004"),
        (BATCH, "٣", "C002"),
        (BETAS, "0.9, 1.0", "C004"),
        (BETAS, "0.9", "C015"),
        (("loss", "CrossEntropyLoss", "weight"), "()", "C016"),
        (KERNEL, "3, 0", "C004"),
        (KERNEL, "3，3", "C008"),
        (KERNEL, "3, 3, 3", "C007"),
        (KERNEL, "3,,3", "C002"),
        (KERNEL, "()", "C007"),
        (("layer", "Conv2d", "bias"), "maybe", "C010"),
        (("loss", "CrossEntropyLoss", "reduction"), "median", "C006"),
        (("operator", "einsum", "equation"), "a\nb", "C013"),
        (("operator", "einsum", "equation"), "a" * 1001, "C013"),
        (FEATURES, "auto", None),
        (("layer", "Linear", "out_features"), "auto", "C002"),
    ],
)
def test_that_typed_nonsense_is_refused_with_the_reason(where, text, code):
    param = param_of(*where)
    if code is None:
        parse_value(param, text)
        return
    with pytest.raises(DiagnosticError) as caught:
        parse_value(param, text)
    problem = caught.value.problems[0]
    assert problem.code == code
    for language in ("en", "zh_CN"):
        told = sentence(problem, language)
        assert param.name in told
        assert len(told) < 1000
        assert not re.search(r"\{\w+\}", told)


def test_that_a_sentence_names_the_value_and_the_range():
    with pytest.raises(DiagnosticError, match=r"cannot be -1\.0\. Allowed: 0 < x ≤ 1000"):
        parse_value(param_of(*ADAM_LR), "-1")
    with pytest.raises(DiagnosticError, match=r"Enter 1\.5"):
        parse_value(param_of(*ADAM_LR), "1,5")


@pytest.mark.parametrize(
    ("where", "text", "value"),
    [
        (KERNEL, "3", 3),
        (KERNEL, "3, 3", (3, 3)),
        (KERNEL, "(3,5)", (3, 5)),
        (KERNEL, "[3, 5]", (3, 5)),
        (PADDING, "same", "same"),
        (PADDING, "0", 0),
        (FEATURES, " auto ", AUTO),
        (("layer", "MaxPool2d", "stride"), "None", None),
        (("layer", "MaxPool2d", "stride"), "", None),
        (("layer", "Conv2d", "bias"), "False", False),
        (("layer", "Conv2d", "bias"), "yes", True),
        (ADAM_LR, "1e-3", 0.001),
        (ADAM_LR, ".5", 0.5),
        (BETAS, "0.9, 0.99", (0.9, 0.99)),
        (("io", "Input", "shape"), "64", (64,)),
        (("io", "Input", "shape"), "(64,)", (64,)),
        (("io", "Input", "shape"), "()", ()),
        (("operator", "view", "shape"), "-1, 64", (-1, 64)),
        (("operator", "pow", "other"), "2", 2.0),
        (("setting", "data", "normalization"), "none", "none"),
        (("setting", "clip", "kind"), "none", "none"),
        (("layer", "GELU", "approximate"), "none", "none"),
        (("setting", "data", "normalization"), "Standard", "standard"),
        (("operator", "cast", "dtype"), "int64", "int64"),
        (("data", "image_folder", "path"), "/data/cats and dogs", "/data/cats and dogs"),
        (("data", "image_folder", "path"), "C:\\图片\\１２", "C:\\图片\\１２"),
        (("data", "image_folder", "path"), "none", "none"),
        (("data", "image_folder", "path"), "", ""),
    ],
)
def test_that_what_people_type_is_understood(where, text, value):
    parsed = parse_value(param_of(*where), text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.fault("B09")
@settings(max_examples=400, deadline=None)
@given(
    param=st.sampled_from(PARAMS),
    text=st.one_of(
        st.text(max_size=30),
        st.from_regex(r"[-+(\[]?[0-9０-９.,e ]{0,12}[)\]]?", fullmatch=True),
        st.floats().map(str),
        st.integers().map(str),
    ),
)
def test_that_any_text_gives_a_fit_value_or_one_diagnostic(param, text):
    value, problems = parsed(param, text)
    if problems:
        assert [problem.field for problem in problems] == [param.name]
    else:
        assert check_value(param, value) is None
        assert parse_value(param, format_value(value)) == value


def parsed(param: ParamSpec, text: str) -> tuple[Value, tuple[Diagnostic, ...]]:
    try:
        return parse_value(param, text), ()
    except DiagnosticError as error:
        return None, error.problems


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=4,
)


@pytest.mark.fault("B09")
@settings(max_examples=400, deadline=None)
@given(param=st.sampled_from(PARAMS), value=VALUES)
def test_that_any_value_is_accepted_in_range_or_refused(param, value):
    problem = check_value(param, value)
    numbers = value if isinstance(value, tuple) else (value,)
    if problem is None and param.minimum is not None:
        for number in numbers:
            if isinstance(number, int | float):
                assert param.minimum <= number <= (param.maximum or number)


@pytest.mark.parametrize("group", EntryGroup)
def test_that_defaults_and_suggestions_pass_their_own_check(group):
    for entry in catalog().group(group):
        for param in entry.params:
            where = f"{entry.key}.{param.name}"
            if not param.required:
                assert check_value(param, param.default) is None, where
            if param.suggested is not None:
                assert check_value(param, param.suggested) is None, where
        assert check_params(entry, entry.initial_params()) == (), entry.key


def test_that_missing_and_unknown_parameters_are_found():
    linear = catalog().node("Linear")
    assert linear is not None
    found = check_params(linear, {"colour": 1})
    assert [(problem.code, problem.field) for problem in found] == [
        ("C011", "colour"),
        ("C001", "out_features"),
    ]


def test_that_every_number_has_a_range_to_name():
    numeric = {ParamKind.INT, ParamKind.FLOAT, ParamKind.INTS, ParamKind.FLOATS, ParamKind.SHAPE}
    for param in PARAMS:
        if param.kind in numeric:
            assert param.minimum is not None, param.name
            assert param.maximum is not None, param.name
            assert "≤" in range_of(param) or "<" in range_of(param)


def test_that_a_number_without_limits_is_told_so():
    free = ParamSpec(name="shift", kind=ParamKind.FLOAT, default=0.0)
    problem = check_value(free, "much")
    assert problem is not None
    assert problem.params["range"] == "−∞ < x < ∞"


def test_that_a_missing_text_is_not_asked_for_in_a_range():
    path = ParamSpec(name="path", kind=ParamKind.PATH, required=True)
    problem = check_value(path, None)
    assert problem is not None
    assert sentence(problem) == "“path” needs a value."

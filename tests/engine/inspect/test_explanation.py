"""Messages of PyTorch that beginners meet with several devices and processes, as it really words
them.
"""

from operator import attrgetter

import pytest
import torch
from torch import distributed

from engine.diagnostics import Severity, sentence
from engine.inspect.explanation import explain, explain_warning, meaning


def explained(act):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        act()
    problem = explain(caught.value)
    for language in ("en", "zh_CN"):
        assert sentence(problem, language).strip()
    return problem


@pytest.mark.row("S254")
@pytest.mark.row("S320")
def test_that_tensors_on_different_devices_are_explained():
    here, elsewhere = torch.ones(2, 2), torch.ones(2, 2, device="meta")
    assert explained(lambda: here + elsewhere).code == "L043"
    told = "Tensor for argument #3 'mat2' is on CPU, but expected it to be on GPU"
    assert explain(RuntimeError(told)).code == "L043"


@pytest.mark.row("S321")
def test_that_a_list_of_tensors_is_no_tensor():
    problem = explained(lambda: attrgetter("cuda")([torch.ones(1)]))
    assert (problem.code, problem.params) == ("L044", {"kind": "list", "name": "cuda"})


@pytest.mark.row("S322")
def test_that_dtypes_that_differ_are_explained():
    problem = explained(lambda: torch.mm(torch.ones(2, 2).double(), torch.ones(2, 2)))
    assert problem.code == "L026"


def test_that_a_name_and_an_error_without_words_are_explained_in_the_lab_alone():
    problem = explained(lambda: eval("np.ones(2)", {}))
    assert (problem.code, problem.params) == ("L009", {"name": "np"})
    assert meaning("name 'np' is not defined") is None
    problem = explain(AssertionError())
    assert (problem.code, problem.params) == ("L008", {"kind": "AssertionError"})
    told = "It is old. (Triggered internally at /a/b.cpp:12.)"
    assert sentence(explain_warning(told), "en") == "Warning: It is old."


@pytest.mark.row("S348")
def test_that_a_collective_before_the_processes_have_met_is_explained():
    assert explained(distributed.barrier).code == "L045"


@pytest.mark.row("S349")
def test_that_a_variable_that_is_missing_is_named(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    problem = explained(lambda: distributed.init_process_group("gloo"))
    assert (problem.code, problem.params) == ("L046", {"name": "RANK"})


@pytest.mark.parametrize(
    "told",
    ["Found no NVIDIA driver on your system.", "Torch not compiled with CUDA enabled"],
)
def test_that_a_cuda_device_that_is_not_there_is_explained(told):
    assert explain(RuntimeError(told)).code == "L049"


APEX = "import of apex failed: No module named 'apex'"
OTHER_CUDA = (
    "The detected CUDA version (11.1) mismatches the version that was used to compile"
    "PyTorch (12.6). Please make sure to use the same CUDA versions."
)
OLD_DRIVER = "The NVIDIA driver on your system is too old (found version 10020)."
NO_RUNTIME = "No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda'"
NEW_GPU = "CUDA error: no kernel image is available for execution on the device"


@pytest.mark.parametrize(
    ("told", "code", "name"),
    [
        pytest.param(NO_RUNTIME, "L039", None, marks=pytest.mark.row("S258")),
        pytest.param(OLD_DRIVER, "L039", None, marks=pytest.mark.row("S258")),
        pytest.param(NEW_GPU, "L056", None, marks=pytest.mark.row("S258")),
        pytest.param(APEX, "L057", "apex", marks=pytest.mark.row("S266")),
        pytest.param(
            "/usr/bin/ld: cannot find -lpthread",
            "L058",
            "pthread",
            marks=pytest.mark.row("S266", "S346"),
        ),
        pytest.param(
            "Ninja is required to load C++ extensions (pip install ninja to get it)",
            "L059",
            None,
            marks=pytest.mark.row("S345"),
        ),
        pytest.param(
            "No module named 'fused_adam_cuda'",
            "L057",
            "fused_adam_cuda",
            marks=pytest.mark.row("S345"),
        ),
        pytest.param(
            "#error -- unsupported GNU version! gcc versions later than 8 are not supported!",
            "L059",
            None,
            marks=pytest.mark.row("S345"),
        ),
        pytest.param(
            "CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
            "L064",
            None,
            marks=pytest.mark.row("S345"),
        ),
        pytest.param(OTHER_CUDA, "L064", None, marks=pytest.mark.row("S345")),
    ],
)
def test_that_what_is_wrong_with_drivers_and_extensions_is_explained(told, code, name):
    problem = explain(RuntimeError(told))
    assert (problem.code, problem.params.get("name")) == (code, name)
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)


def test_that_code_that_waits_for_input_is_told_to_hold_the_value():
    assert explain(EOFError("EOF when reading a line")).code == "L007"


MISMATCH = """[enforce fail at gloo/transport/tcp/pair.cc:464] op.preamble.length <= op.nbytes.
8 vs 4. Received data size doesn't match expected size. Is there a distributed collective mismatch
in your code?"""
UNUSED = """RuntimeError: Expected to have finished reduction in the prior iteration before starting
a new one. This error indicates that your module has parameters that were not used"""


@pytest.mark.row("S347")
@pytest.mark.parametrize(("told", "code"), [(MISMATCH, "L047"), (UNUSED, "L048")])
def test_that_processes_that_do_not_go_the_same_way_are_explained(told, code):
    found = meaning(told)
    assert found is not None
    assert (found.code, found.severity) == (code, Severity.HINT)


def test_that_only_the_lab_tells_of_the_limit_of_its_memory():
    assert explain(RuntimeError("can't allocate memory")).code == "L037"
    assert meaning("can't allocate memory") is None


@pytest.mark.row("S330")
def test_that_a_gradient_that_is_not_there_yet_is_explained():
    weight = torch.ones(2, requires_grad=True)
    problem = explained(lambda: attrgetter("data.zero_")(weight.grad))
    assert (problem.code, problem.params) == ("L027", {"name": "data"})
    weight.sum().backward()
    attrgetter("data.zero_")(weight.grad)()
    assert weight.grad.tolist() == [0, 0]


@pytest.mark.row("S331")
def test_that_a_group_of_parameters_without_its_key_is_explained():
    groups = [{"parameters": [torch.ones(1, requires_grad=True)]}]
    assert explained(lambda: torch.optim.SGD(groups, lr=0.1)).code == "L066"
    assert meaning("'params'") is None


@pytest.mark.row("S332")
def test_that_a_scheduler_that_goes_before_the_optimizer_is_explained():
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with pytest.warns(UserWarning, match="before") as caught:
        scheduler.step()
    found = explain_warning(str(caught[0].message))
    assert (found.code, found.severity) == ("L067", Severity.WARNING)


@pytest.mark.row("S333")
@pytest.mark.parametrize(
    ("target", "code"),
    [
        (torch.rand(4), "L069"),
        (torch.rand(4, 3), "L068"),
        (torch.zeros(4, 1, dtype=torch.long), "L068"),
    ],
)
def test_that_targets_that_are_no_class_indices_are_explained(target, code):
    scores = torch.zeros(4, 3)
    assert explained(lambda: torch.nn.functional.nll_loss(scores, target)).code == code


@pytest.mark.row("S334")
def test_that_a_divergence_that_is_averaged_over_all_numbers_is_explained():
    raw = torch.full((2, 3), -1.0)
    with pytest.warns(UserWarning, match="batchmean") as caught:
        assert torch.nn.functional.kl_div(raw, raw).isnan()
    found = explain_warning(str(caught[0].message))
    assert found.code == "L071"
    assert "NaN" in sentence(found, "en")


@pytest.mark.row("S336")
def test_that_a_batch_of_one_is_too_small_for_batch_norm():
    problem = explained(lambda: torch.nn.BatchNorm1d(3)(torch.ones(1, 3)))
    assert (problem.code, problem.params) == ("L070", {"shape": "[1, 3]"})

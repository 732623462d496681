"""What the lab says of code that does odd things."""

import gc
import logging

import msgspec

from engine.query.lab.request import LabReport, RunCode
from engine.query.lab.session import LabSession


def run(code: str, session: LabSession | None = None) -> LabReport:
    return (session or LabSession()).answer(RunCode(code=code))


def test_that_a_tensor_that_cannot_be_described_is_named_and_the_others_are_shown():
    report = run(
        "class Mute(torch.Tensor):\n"
        "    def __repr__(self):\n"
        "        raise ValueError('says nothing')\n"
        "mute = torch.ones(2).as_subclass(Mute)\n"
        "pieces = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)\n"
        "more = pieces * 2\n"
        "a = torch.ones(2)\n"
    )
    assert [each.name for each in report.tensors] == ["a"]
    told = {each.problem.params.get("name") for each in report.problems}
    assert told >= {"mute", "pieces", "more"}


def test_that_next_functions_have_the_names_that_python_shows():
    report = run("a = torch.ones(2, requires_grad=True)\nb = a + 1\n")
    told = dict(report.tensors[1].attributes)
    assert told["grad_fn.next_functions"] == "(AccumulateGrad, 0), (None, 0)"


def test_that_a_run_finds_the_settings_of_torch_as_a_new_process_has_them():
    session = LabSession()
    changed = "torch.set_printoptions(precision=1)\ntorch.autograd.set_detect_anomaly(True)\n"
    run(changed, session)
    told = run("torch.tensor(0.125)\ntorch.is_anomaly_enabled()\n", session)
    assert [each.text for each in told.outputs] == ["tensor(0.1250)", "False"]


def test_that_a_run_lets_go_of_what_the_one_before_had_made(capsys):
    session = LabSession()
    run(
        "def refers_to_all_of_it():\n    pass\n"
        "class Large:\n    def __del__(self):\n        print('gone')\n"
        "large = Large()\n",
        session,
    )
    gc.disable()  # nobody else is to find it meanwhile
    try:
        run("1", session)
    finally:
        gc.enable()
    assert capsys.readouterr().out == "gone\n"


def test_that_a_script_runs_with_its_main_part_and_its_error_output_is_shown():
    session, before = LabSession(), len(logging.root.handlers)
    code = (
        "import logging, sys\n"
        "logging.root.addHandler(logging.StreamHandler())\n"
        "if __name__ == '__main__':\n"
        "    print('half \\ud800', file=sys.stderr)\n"
    )
    for _ in range(2):
        report = run(code, session)
        assert [each.text for each in report.outputs] == ["half ?"]
        assert msgspec.msgpack.encode(report)
        assert len(logging.root.handlers) == before + 1  # none that writes into a run before
    run("1", session)
    assert len(logging.root.handlers) == before


def test_that_all_random_numbers_begin_anew_and_no_setting_of_determinism_stays():
    session = LabSession()
    code = (
        "import random\nimport numpy as np\n"
        "random.random(), np.random.rand(), torch.rand(1).item()\n"
        "torch.are_deterministic_algorithms_enabled()\n"
        "torch.use_deterministic_algorithms(True)\n"
    )
    told = [[each.text for each in run(code, session).outputs] for _ in range(2)]
    assert told[0] == told[1]
    assert told[0][-1] == "False"


def test_that_globals_that_are_no_names_are_passed_over():
    report = run("globals()[1] = torch.ones(2)\na = torch.ones(2)\n")
    assert [each.name for each in report.tensors] == ["a"]

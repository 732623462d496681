"""What the lab says of code that does odd things."""

from engine.inspect.lab.session import LabSession
from engine.runs.lab import LabReport, RunCode


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

"""What a run calls beside its layers fails: it ends in a sentence, and goes on from there."""

from pathlib import Path

import pytest
from torch.optim.lr_scheduler import StepLR

from engine.data.transform.step import CatalogStep
from engine.diagnostics import sentence
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec
from engine.spec.technique import EarlyStoppingSpec
from engine.spec.transform import TransformSpec
from engine.train.metrics import EpochMeter
from engine.train.technique.early_stopping import EarlyStopping
from tests.tiny_run import CROSS_ENTROPY, chain, curves, iris_spec, node, train

GRAPH = chain(
    node("Input", "image", field="image", shape=(3, 6, 6)),
    node("Flatten", "flat"),
    node("Linear", "head", out_features=3),
    node("Output", "logits"),
)
SPEC = iris_spec(
    data=DataSpec(
        source=Choice(type="random", params={"shape": (3, 6, 6), "samples": 80, "classes": 3}),
        batch_size=16,
        transforms=(TransformSpec(type="RandomHorizontalFlip"),),
    ),
    losses=(CROSS_ENTROPY,),
    scheduler=Choice(type="StepLR", params={"step_size": 1}),
    early_stopping=EarlyStoppingSpec(patience=50),
)
HOOKS = {
    "metric": (EpochMeter, "observe", 12),
    "scheduler": (StepLR, "step", 3),
    "callback": (EarlyStopping, "epoch_done", 2),
    "augmentation": (CatalogStep, "apply", 130),
}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    run = RunFolder.create(tmp_path_factory.mktemp("unbroken"), GRAPH, SPEC)
    assert train(run).status is RunStatus.FINISHED
    return run


@pytest.mark.fault("F12")
@pytest.mark.parametrize("hook", HOOKS)
def test_that_an_error_beside_the_layers_is_told_and_the_run_goes_on_without_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unbroken: RunFolder, hook: str
) -> None:
    owner, name, last = HOOKS[hook]
    original, calls = getattr(owner, name), iter(range(1, 1 << 30))

    def failing(*arguments: object, **options: object) -> object:
        if next(calls) == last:
            raise RuntimeError("the hook broke")
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, failing)
    run = RunFolder.create(tmp_path, GRAPH, SPEC)
    state = train(run)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert "the hook broke" in f"{state.problem.detail} {state.problem.params.get('reason')}"
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(state.problem, language)
        assert "Traceback" not in sentence(state.problem, language)
    assert state.last is not None
    assert 0 < state.last.step <= state.step
    monkeypatch.undo()
    assert train(run, "latest").status is RunStatus.FINISHED
    assert curves(run) == curves(unbroken)

"""The catalogue agrees with the installed torch: a new or changed class makes these tests fail."""

import inspect

import msgspec
import pytest
import torch
from torch import nn, optim
from torch.optim import lr_scheduler

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, Entry, EntryGroup, Need, ParamKind
from engine.data.transform.sound import SOUND_TRANSFORMS
from engine.spec.curriculum import CurriculumSpec
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import (
    CheckpointSpec,
    ClipSpec,
    ComputeSpec,
    DataSpec,
    LoaderSpec,
    LossTerm,
    ParameterGroup,
    PhaseRule,
    ProcessSpec,
    RunSpec,
    ScheduleTerm,
    SplitSpec,
    WatchSpec,
)
from engine.spec.schedule import COMPOSED, DRAWN, EXPRESSION
from engine.spec.technique import (
    TECHNIQUES,
    AccumulationSpec,
    AveragingSpec,
    DistillationSpec,
    EarlyStoppingSpec,
    GradientNoiseSpec,
    LayerRatesSpec,
    NoDecaySpec,
    PenaltySpec,
    QuantizationSpec,
    TeacherForcingSpec,
    UnfreezingSpec,
    ViewSpec,
)
from engine.spec.transform import BatchTransformSpec, TransformSpec
from tests.each import for_each
from tools.build_catalog import FOLDER, contents
from tools.catalog.introspect import HIDDEN, as_value, signature_of
from tools.catalog.layer import module_classes
from tools.catalog.optimizer import optimizer_names, scheduler_names
from tools.catalog.transform import transform_names

LAYERS = catalog().group(EntryGroup.LAYER)
LOSSES = tuple(e for e in catalog().group(EntryGroup.LOSS) if e.key != MODEL_OUTPUT)
OPTIMIZERS = catalog().group(EntryGroup.OPTIMIZER)
SCHEDULERS = catalog().group(EntryGroup.SCHEDULER)
TRANSFORMS = (
    *catalog().group(EntryGroup.TRANSFORM),
    *catalog().group(EntryGroup.BATCH_TRANSFORM),
)


def keys(entries: tuple[Entry, ...]) -> set[str]:
    return {entry.key for entry in entries}


def by_key(entry: Entry) -> str:
    return entry.key


def test_that_the_files_are_what_the_script_makes_of_the_installed_torch():
    for name, content in contents().items():
        is_same = (FOLDER / name).read_bytes() == content
        assert is_same, f"{name} is out of date: run python -m tools.build_catalog"


@pytest.mark.row("P02")
def test_that_every_module_class_of_torch_is_offered_or_left_out_with_a_reason():
    reasons = catalog().not_offered()
    offered = keys(LAYERS) | keys(LOSSES)
    exported = set(module_classes())
    assert offered <= exported
    assert exported - offered <= set(reasons)
    assert not offered & set(reasons)
    assert all(len(reason) > 20 for reason in reasons.values())


def test_that_every_loss_optimizer_and_scheduler_is_offered_or_left_out_with_a_reason():
    reasons = set(catalog().not_offered())
    losses = {name for name in dir(nn) if name.endswith("Loss")}
    assert losses - keys(LOSSES) == {"AdaptiveLogSoftmaxWithLoss", "LinearCrossEntropyLoss"}
    assert losses - keys(LOSSES) <= reasons
    assert set(optimizer_names()) == keys(OPTIMIZERS)
    assert set(scheduler_names()) - keys(SCHEDULERS) <= reasons
    assert keys(SCHEDULERS) - {*COMPOSED, DRAWN} <= set(scheduler_names())


def test_that_every_transform_of_torchvision_is_offered_or_left_out_with_a_reason():
    from torchvision.transforms import v2

    left_out = {name for name in catalog().not_offered() if name.startswith("v2.")}
    offered = {f"v2.{name}" for name in keys(TRANSFORMS) - set(SOUND_TRANSFORMS)}
    assert {f"v2.{name}" for name in transform_names()} == left_out | offered
    assert not left_out & offered
    classes = {name for name in dir(v2) if isinstance(getattr(v2, name), type)}
    others = {"Transform", "AutoAugmentPolicy", "InterpolationMode"}
    assert classes - set(transform_names()) == others


def test_that_keys_are_unique_among_nodes_and_within_groups():
    nodes = [entry.key for entry in catalog().nodes()]
    assert len(nodes) == len(set(nodes))
    for group in EntryGroup:
        assert len({entry.key for entry in catalog().group(group)}) == len(catalog().group(group))
        assert all(entry.group == group for entry in catalog().group(group))


@pytest.mark.row("P02")
def test_that_the_operators_a_forward_needs_are_there():
    wanted = """
    add sub mul div neg pow abs sqrt rsqrt exp log clamp minimum maximum matmul bmm einsum
    cat stack chunk split reshape view flatten unflatten permute transpose squeeze
    unsqueeze expand repeat contiguous mean sum amax amin max topk std var norm softmax
    log_softmax relu gelu silu sigmoid tanh leaky_relu elu where masked_fill tril triu
    cumsum argmax one_hot gather index_select select narrow flip roll interpolate pad
    take masked_select
    normalize cosine_similarity scaled_dot_product_attention cast detach clone zeros_like
    ones_like adaptive_avg_pool2d avg_pool2d max_pool2d
    """
    offered = keys(catalog().group(EntryGroup.OPERATOR))
    assert set(wanted.split()) <= offered
    assert not {"dropout", "alpha_dropout"} & offered


@pytest.mark.parametrize("entry", LOSSES, ids=lambda entry: entry.key)
def test_that_the_inputs_of_a_loss_are_those_of_its_forward(entry):
    forward = inspect.signature(getattr(nn, entry.key).forward).parameters
    assert [port.name for port in entry.inputs] == list(forward)[1:]
    assert all(port.content is not None for port in entry.inputs)


# Those of a class of PyTorch's own: the others are several in series.
SINGLE = [entry for entry in SCHEDULERS if entry.key not in (*COMPOSED, DRAWN)]
CONFIGURED = (*LAYERS, *LOSSES, *OPTIMIZERS, *SINGLE, *TRANSFORMS)
# A default that is ours on purpose, and parameters that are passed to forward or to a part.
OWN_DEFAULTS = {("OneCycleLR", "total_steps")}
LEFT_OUT = {
    "args", "kwargs", "custom_encoder", "custom_decoder", "encoder_layer", "decoder_layer", "norm",
    "enable_nested_tensor", "mask_check", "distance_function", "capturable", "differentiable",
    "scale_fn", "scale_mode", "epochs", "steps_per_epoch", "mode", "labels_getter", "num_classes",
    "transforms",
}  # fmt: skip


def owner_of(entry: Entry) -> type:
    if entry.group == "optimizer":
        return getattr(optim, entry.key)
    if entry.group in ("transform", "batch_transform"):
        from torchvision.transforms import v2

        return SOUND_TRANSFORMS.get(entry.key) or getattr(v2, entry.key)
    return getattr(lr_scheduler if entry.group == "scheduler" else nn, entry.key)


@for_each("entry", CONFIGURED, by_key)
def test_that_parameters_are_those_of_the_signature(entry):
    owner = nn.RNNBase if entry.key in ("RNN", "LSTM", "GRU") else owner_of(entry)
    signature = dict(signature_of(owner))
    for part in entry.parts:
        signature |= {
            name: parameter
            for name, parameter in signature_of(getattr(nn, part.target[3:])).items()
            if name in part.params
        }
    forward = inspect.signature(owner_of(entry).forward).parameters if entry.is_node() else {}
    for param in entry.params:
        if param.call:
            assert param.name in forward
        elif param.name != "nonlinearity":
            default = signature[param.name].default
            empty = default is inspect.Parameter.empty
            own = (entry.key, param.name) in OWN_DEFAULTS or entry.key.endswith(("max", "min"))
            assert own or param.required == empty
            assert own or empty or param.default == as_value(default)
    missing = set(signature) - {param.name for param in entry.params} - HIDDEN - LEFT_OUT
    allowed = {"proj_size"} if entry.key in ("RNN", "GRU") else set()
    allowed |= {"eps"} if entry.key == "Adafactor" else set()
    allowed |= {"inplace", "sampler_options"} if entry in TRANSFORMS else set()
    assert missing <= allowed


@for_each("entry", CONFIGURED, by_key)
def test_that_everything_is_explained(entry):
    assert len(entry.summary) > 15
    assert len(entry.doc) > 40
    for param in entry.params:
        assert param.help, param.name
        assert param.kind is not ParamKind.CHOICE or param.choices


STRUCTS = {
    "run": RunSpec,
    "data": DataSpec,
    "split": SplitSpec,
    "curriculum": CurriculumSpec,
    "loader": LoaderSpec,
    "clip": ClipSpec,
    "checkpoint": CheckpointSpec,
    "loss_term": LossTerm,
    "group": ParameterGroup,
    "phase": PhaseRule,
    "watch": WatchSpec,
    "compute": ComputeSpec,
    "processes": ProcessSpec,
    "accumulation": AccumulationSpec,
    "averaging": AveragingSpec,
    "no_decay": NoDecaySpec,
    "schedule": ScheduleTerm,
    "layer_rates": LayerRatesSpec,
    "early_stopping": EarlyStoppingSpec,
    "penalty": PenaltySpec,
    "gradient_noise": GradientNoiseSpec,
    "teacher_forcing": TeacherForcingSpec,
    "distillation": DistillationSpec,
    "quantization": QuantizationSpec,
    "unfreezing": UnfreezingSpec,
    "test_time": ViewSpec,
    "transform": TransformSpec,
    "batch_transform": BatchTransformSpec,
}
NESTED = {"data", "losses", "optimizer", "scheduler", "clip", "checkpoint", "source", "split"}
NESTED |= {"schedules", "watch", "compute", "processes", "loader", "curriculum", *TECHNIQUES}
NESTED |= {"loss", "inputs", "groups", "params", "renamed"}
NESTED |= {"transforms", "batch_transforms", "type", "edits", "phase", "phases"}


@pytest.mark.parametrize("key", STRUCTS)
def test_that_every_plain_field_of_the_run_specification_is_described(key):
    entry = catalog().entry(EntryGroup.SETTING, key)
    assert entry is not None
    described = {param.name: param for param in entry.params}
    fields = {field.name: field for field in msgspec.structs.fields(STRUCTS[key])}
    nested = NESTED - {"losses"} if key == "phase" else NESTED  # there they are numbers
    assert set(described) == set(fields) - nested
    for name, param in described.items():
        default = fields[name].default
        assert param.default == (default[0] if isinstance(default, tuple) else default)
        assert param.label
        assert param.help
        literal = msgspec.inspect.type_info(fields[name].type)
        if isinstance(literal, msgspec.inspect.LiteralType):
            assert set(param.choices) == set(literal.values)
            assert param.kind is ParamKind.CHOICE


def test_that_settings_are_exactly_the_structs():
    assert keys(catalog().group(EntryGroup.SETTING)) == set(STRUCTS)


@pytest.mark.row("S163", "S164", "S165")
@pytest.mark.parametrize("entry", OPTIMIZERS, ids=by_key)
def test_that_every_optimizer_builds_and_takes_a_step(entry):
    weight = nn.Parameter(torch.ones(3, 3))
    values = {param.name: param.default for param in entry.params} | entry.initial_params()
    optimizer = owner_of(entry)([weight], **values)
    is_sparse = Need.SPARSE_GRADIENTS in entry.needs

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        if is_sparse:
            assert weight.grad is not None
            weight.grad = weight.grad.to_sparse()
        return loss

    closure()
    optimizer.step(closure) if Need.CLOSURE in entry.needs else optimizer.step()
    assert not torch.equal(weight, torch.ones(3, 3))


@pytest.mark.parametrize("entry", SINGLE, ids=by_key)
def test_that_every_scheduler_builds_and_changes_the_rate(entry):
    optimizer = optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.9)
    values = {param.name: param.default for param in entry.params if not param.required}
    values |= entry.initial_params()
    values = {name: 20 if value == AUTO else value for name, value in values.items()}
    if EXPRESSION in values:
        values[EXPRESSION] = lambda step: 0.9**step
    scheduler = owner_of(entry)(optimizer, **values)
    rates = set()
    for _ in range(15):
        optimizer.step()
        scheduler.step(*([1.0] if Need.METRIC in entry.needs else []))
        rates.add(round(optimizer.param_groups[0]["lr"], 9))
    assert len(rates) > 1


@pytest.mark.parametrize(
    ("key", "target"),
    [(entry.key, entry.target) for entry in catalog().group(EntryGroup.METRIC)],
)
def test_that_every_metric_exists_in_torchmetrics(key, target):
    from torchmetrics import classification, regression, retrieval, text

    from engine.train import average_precision

    entry = catalog().entry(EntryGroup.METRIC, key)
    assert entry is not None
    for task in entry.tasks:
        if key.startswith("retrieval_"):
            assert hasattr(retrieval, target)
        elif task == "regression":
            assert hasattr(regression, target)
        elif key in ("perplexity", "bleu"):
            assert hasattr(text, target)
        elif task in ("detection", "instances"):  # torchmetrics wants a package for it
            assert hasattr(average_precision, target)
        else:
            prefix = "Binary" if task == "binary" else "Multiclass"
            assert hasattr(classification, f"{prefix}{target}")

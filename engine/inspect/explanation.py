"""Explanations of common messages of PyTorch and Python."""

import re

import msgspec

from engine.diagnostics import Diagnostic, Severity

# Parts of messages as PyTorch 2.15 words them, by the code of their sentence; the groups become its
# values. ``~`` stands for a number and ``@`` for a shape.
_MESSAGES = {
    "L009": r"^name '(?P<name>\w+)' is not defined",
    "L010": r"backward through the graph a second time",
    "L011": r"modified by an inplace operation: .* is (?P<which>output ~ of \w+), "
    r"is at version (?P<version>~); expected version (?P<expected>~)",
    "L012": r"leaf Variable that requires grad is being used in an in-place operation",
    "L013": r"grad can be implicitly created only for scalar outputs",
    "L014": r"does not require grad and does not have a grad_fn",
    "L015": r"view size is not compatible with input tensor's size and stride",
    "L016": r"shape '(?P<shape>@)' is invalid for input of size (?P<size>~)",
    "L017": r"Dimension out of range \(.*\[(?P<low>~), (?P<high>~)\], but got (?P<given>~)\)",
    "L018": r"step must be greater than zero",
    "L019": r"tensors with negative strides are not currently supported",
    "L020": r"not implemented for '(?P<dtype>\w+)'",
    "L021": r"a Tensor with (?P<count>~) elements cannot be converted to Scalar",
    "L022": r"Can't call numpy\(\) on Tensor that requires grad",
    "L023": r"The size of tensor a \((?P<first>~)\) must match the size of tensor b "
    r"\((?P<second>~)\) at non-singleton dimension (?P<axis>~)",
    "L024": r"shapes cannot be multiplied \((?P<first>~x~) and (?P<second>~x~)\)",
    "L025": r"first two dimensions of batch2 .*be: (?P<expected>@) but got: (?P<given>@)",
    "L026": r"have the same dtype, but got:? (?P<first>\w+) (?:!=|and) (?P<second>\w+)",
    "L027": r"'NoneType' object has no attribute '(?P<name>\w+)'",
    "L028": r"you can only change requires_grad flags of leaf variables",
    "L029": r"Only Tensors of floating point and complex dtype can require gradients",
    "L030": r"(?P<index>~) is out of bounds for dimension (?P<axis>~) with size (?P<size>~)",
    "L031": r"1D tensors expected, but got (?P<first>~D) and (?P<second>~D) tensors",
    "L032": r"Mismatch in shape: grad_output.*Size\((?P<given>@)\) and .*Size\((?P<expected>@)\)",
    "L033": r"expanded size of the tensor \((?P<size>~)\) must match .*\((?P<existing>~)\) at",
    "L034": r"stack expects each tensor to be equal size",
    "L035": r"Sizes of tensors must match except in dimension (?P<axis>~)",
    "L036": r"unexpected keyword argument 'names'",
    "L037": r"can't allocate memory|not enough memory",
    "L038": r"can't retain_grad on Tensor that has requires_grad=False",
    "L040": r"\.grad attribute of a Tensor that is not a leaf Tensor is being accessed",
    "L041": r"a target size \(.*?(?P<target>@)\)\) that is different to the input size "
    r"\(.*?(?P<given>@)\)\)",
    "L042": r"torch\.set_default_tensor_type\(\) is deprecated",
    "L043": r"but expected it to be on|is not on the expected device"
    r"|Expected all tensors to be on the same device",
    "L044": r"'(?P<kind>list|tuple|dict)' object has no attribute '(?P<name>cuda|to|cpu)'",
    "L045": r"Default process group has not been initialized",
    "L046": r"environment variable (?P<name>\w+) expected, but not set",
    "L047": r"Received data size doesn't match expected size|Detected mismatch between collectives",
    "L048": r"Expected to have finished reduction in the prior iteration",
    "L049": r"Found no NVIDIA driver|not compiled with CUDA|No CUDA GPUs are available",
    "L039": r"No CUDA runtime is found|driver on your system is too old"
    r"|CUDA driver version is insufficient",
    "L056": r"no kernel image is available for execution",
    "L057": r"No module named '(?P<name>apex|amp_C|fused_adam\w*)",
    "L058": r"cannot find -l(?P<name>\w+)",
    "L059": r"Ninja is required to load C\+\+ extensions|unsupported GNU version"
    r"|may be ABI-incompatible with PyTorch",
    "L066": r"^'params'$",
    "L067": r"Detected call of `lr_scheduler\.step\(\)` before `optimizer\.step\(\)`",
    "L068": r"0D or 1D target tensor expected, multi-target not supported",
    "L069": r"expected target dtype to be Long or Byte, but got (?P<dtype>\w+)",
    "L070": r"Expected more than 1 value per channel when training, .*\((?P<shape>@)\)",
    "L071": r"reduction: 'mean' divides the total loss by both the batch size and the support size",
    "L064": r"CUDA_HOME environment variable is not set"
    r"|mismatches the version that was used to compile\s*PyTorch",
}
_BY_TYPE = {
    RecursionError: "L004",
    SystemExit: "L005",
    EOFError: "L007",
    MemoryError: "L037",
}
_LAB_ONLY = frozenset({"L009", "L037", "L066"})  # words that may mean something else in a run
_TRIGGERED = re.compile(r" \(Triggered internally at [^)]*\)\.?")
_PATTERNS = {
    code: re.compile(text.replace("~", r"-?\d+").replace("@", r"\[[\d, -]*\]"))
    for code, text in _MESSAGES.items()
}


def explain(error: BaseException) -> Diagnostic:
    """Return what an error of the user's code means; without an explanation, the error as it is."""
    kind, text = type(error).__name__, str(error)
    detail = f"{kind}: {text}" if text else kind
    if isinstance(error, SyntaxError):
        return Diagnostic(code="L001", params={"problem": error.msg}, detail=detail)
    code = next((code for each, code in _BY_TYPE.items() if isinstance(error, each)), "")
    if code:
        return Diagnostic(code=code, detail=detail)
    if not text:
        return Diagnostic(code="L008", params={"kind": kind}, detail=detail)
    return _explained(text, detail) or Diagnostic(
        code="L002", params={"kind": kind, "problem": text.partition("\n")[0]}, detail=detail
    )


def explain_warning(text: str) -> Diagnostic:
    """Return what a warning of the user's code means."""
    text = _TRIGGERED.sub("", text)
    explained = _explained(text, text)
    if explained is None:
        explained = Diagnostic(
            code="L003", params={"problem": text.partition("\n")[0]}, detail=text
        )
    return Diagnostic(
        code=explained.code,
        severity=Severity.WARNING,
        params=explained.params,
        detail=explained.detail,
    )


def meaning(text: str) -> Diagnostic | None:
    """Return what a message that ended a run means, as a hint; None without an explanation."""
    explained = _explained(text, "")
    if explained is None or explained.code in _LAB_ONLY:
        return None
    return msgspec.structs.replace(explained, severity=Severity.HINT)


def _explained(text: str, detail: str) -> Diagnostic | None:
    for code, pattern in _PATTERNS.items():
        match = pattern.search(text)
        if match is not None:
            return Diagnostic(code=code, params=dict(match.groupdict()), detail=detail)
    return None

"""Custom losses: classes and functions of the user's code that compare something with a target."""

from collections.abc import Callable, Mapping, Sequence

from torch import Tensor, nn
from typing_extensions import override

from engine.catalog.spec import Entry, Value
from engine.custom.module import SourceLines, custom_traceback, error_line, load_custom_object
from engine.diagnostics import DiagnosticError
from engine.shape.execute import arguments_of
from engine.syntax.call import call_arguments, complete_params, constructor_arguments


class CustomLoss(nn.Module):
    """A function, or what ``apply`` of a class of ``torch.autograd`` does, as a module."""

    def __init__(
        self,
        function: Callable[..., Tensor],
        entry: Entry,
        values: Mapping[str, Value],
        ports: Sequence[str],
    ) -> None:
        super().__init__()
        self._function = function
        self._entry = entry
        self._values = values
        self._ports = ports

    @override
    def forward(self, *tensors: Tensor) -> Tensor:
        """Return the loss of tensors in the order of the ports that are bound."""
        arriving = dict(zip(self._ports, tensors, strict=True))
        arguments = call_arguments(self._entry, self._values, arriving)
        positional, keywords = arguments_of(arguments, arriving)
        return self._function(*positional, **keywords)


def custom_loss(
    entry: Entry, settings: Mapping[str, Value], ports: Sequence[str], code: Mapping[str, str]
) -> nn.Module:
    """Return a custom loss, ready to be called with the tensors at ``ports``.

    Raises :class:`DiagnosticError`: U027 for code that nobody has trusted, U012 and U013 with file
    and line for what it raises while it is read in or made.
    """
    values = complete_params(entry, settings, {})
    places: SourceLines = {}
    problem = "U012"
    try:
        loss, places = load_custom_object(code, entry.target)
        problem = "U013"
        if not isinstance(loss, type):
            return CustomLoss(loss, entry, values, ports)
        positional, keywords = arguments_of(constructor_arguments(entry, values), {})
        module = loss(*positional, **keywords)
    except DiagnosticError:
        raise
    except (Exception, SystemExit) as error:
        file, line = error_line(error, code, entry.target, places)
        raise DiagnosticError.of(
            problem,
            detail=custom_traceback(error, places),
            name=entry.label,
            error=type(error).__name__,
            reason=(str(error) or type(error).__name__).splitlines()[0][:300],
            file=file,
            line=line,
        ) from error
    return module

"""Functions with a backward pass of their own. “Check gradients” compares it with the forward."""

import torch
from torch import Tensor


class Exp(torch.autograd.Function):
    """e to the power of x; the result is kept, because it is the derivative too."""

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output: Tensor) -> Tensor:
        (result,) = ctx.saved_tensors
        return grad_output * result


class GradCoeff(torch.autograd.Function):
    """Passes values on as they are and multiplies the gradient; with -1 it turns it round.

    Args:
        coeff: what the gradient is multiplied by.
    """

    @staticmethod
    def forward(ctx, x: Tensor, coeff: float) -> Tensor:
        ctx.coeff = coeff  # no tensor, so it is no matter for save_for_backward
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output: Tensor) -> tuple[Tensor, None]:
        return grad_output * ctx.coeff, None


class LinearFunction(torch.autograd.Function):
    """x times a matrix, plus a bias where there is one; only gradients that are needed are made."""

    @staticmethod
    def forward(ctx, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        ctx.save_for_backward(x, weight)
        result = x.mm(weight.t())
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, grad_output: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(x)
        if len(ctx.needs_input_grad) > 2 and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias

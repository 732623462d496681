"""Whole models as people write them: they come in, compute the same, and keep their lines."""

import random
import sys
import types

import pytest
import torch
from torch import Tensor, nn

from engine.custom.trust import set_trust
from engine.graph.code import MODEL_FILE
from engine.graph.edit.edits import RenameNode, apply
from engine.graph.model import Graph
from engine.model.module import to_module
from tests.engine.graph.builder import add
from tests.engine.reader.test_follow import typed, written

HEAD = '''\
"""Found somewhere."""
import math
import random
from collections import OrderedDict
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


'''
UNET = """
class DoubleConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super(DoubleConv, self).__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(in_channels, out_channels, 3, 1, 1, bias=False),
            nn.ReLU(inplace=True),  # no norm
        )

    def forward(self, x):
        return self.conv(x)


class UNet(nn.Module):
    def __init__(self, channels=1, features=[2, 4]):
        super(UNet, self).__init__()
        self.downs = nn.ModuleList()
        self.ups = nn.ModuleList()
        self.pool = nn.MaxPool2d(2)
        for feature in features:
            self.downs.append(DoubleConv(channels, feature))
            channels = feature
        for feature in reversed(features):
            self.ups.append(nn.ConvTranspose2d(feature * 2, feature, 2, 2))
            self.ups.append(DoubleConv(feature * 2, feature))
        self.bottleneck = DoubleConv(features[-1], features[-1] * 2)
        self.head = nn.Conv2d(features[0], 1, kernel_size=1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottleneck(x)
        skips = skips[::-1]
        for i in range(0, len(self.ups), 2):
            x = self.ups[i](x)
            x = self.ups[i + 1](torch.cat((skips[i // 2], x), dim=1))
        return self.head(x)
"""
VAE = """
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 6)
        self.mu = nn.Linear(6, 2)
        self.logvar = nn.Linear(6, 2)
        self.out = nn.Linear(2, 8)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.mu(h1), self.logvar(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 8))
        z = self.reparameterize(mu, logvar)
        return torch.sigmoid(self.out(z)), mu, logvar
"""
SEQ2SEQ = """
class Seq2Seq(nn.Module):
    def __init__(self, hidden=6):
        super().__init__()
        self.encoder = nn.LSTM(4, hidden)
        self.decoder = nn.LSTMCell(4, hidden)
        self.out = nn.Linear(hidden, 4)  # back to where it came from

    def forward(self, src, teacher_forcing_ratio=0.5):
        _, (h, c) = self.encoder(src)
        h, c = h[-1], c[-1]
        outputs = torch.zeros(src.size(0), src.size(1), 4)
        step = src[0]
        for t in range(1, src.size(0)):
            h, c = self.decoder(step, (h, c))
            step = self.out(h)
            outputs[t] = step
            step = src[t] if random.random() < teacher_forcing_ratio else step
        return outputs
"""
EXPERTS = '''
class MoE(nn.Module):
    """Only the best of the experts are asked."""

    def __init__(self, dim=6, num_experts=3, top_k=2):
        super().__init__()
        self.top_k = top_k
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList([nn.Linear(dim, dim) for _ in range(num_experts)])

    def forward(self, x):
        weights, chosen = torch.topk(F.softmax(self.gate(x), dim=-1), self.top_k)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        found = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == i)
            found.index_add_(0, rows, expert(x[rows]) * weights[rows, place, None])
        return found
'''
TIED = """
@dataclass
class Config:
    vocab_size: int = 12
    n_embd: int = 8
    n_layer: int = 2


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln = nn.LayerNorm(config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)

    def forward(self, x):
        return x + self.c_proj(self.ln(x))


class Tied(nn.Module):
    def __init__(self, config=Config()):
        super().__init__()
        assert config.vocab_size is not None
        self.config = config
        self.transformer = nn.ModuleDict(dict(
            wte = nn.Embedding(config.vocab_size, config.n_embd),
            h = nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
        ))
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, idx, targets=None):
        b, t = idx.size()
        x = self.transformer.wte(idx)
        for block in self.transformer.h:
            x = block(x)
        if targets is not None:
            return self.lm_head(x), F.cross_entropy(x.view(b * t, -1), targets.view(-1))
        return self.lm_head(x), None
"""
DENSE = """
class _Layer(nn.Sequential):
    def __init__(self, width, growth):
        super(_Layer, self).__init__()
        self.add_module('norm1', nn.BatchNorm1d(width)),
        self.add_module('fc1', nn.Linear(width, growth)),

    def forward(self, x):
        return torch.cat([x, super(_Layer, self).forward(x)], 1)


class Dense(nn.Module):
    def __init__(self, growth=2, count=2):
        super(Dense, self).__init__()
        self.features = nn.Sequential(OrderedDict([('fc0', nn.Linear(6, 4))]))
        for i in range(count):
            self.features.add_module('layer%d' % (i + 1), _Layer(4 + i * growth, growth))
        self.classifier = nn.Linear(4 + count * growth, 3)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        return self.classifier(F.relu(self.features(x), inplace=True))
"""
MODELS = {
    "u-net": (UNET, {"x": torch.rand(2, 1, 8, 8)}, "head"),
    "variational autoencoder": (VAE, {"x": torch.rand(3, 8)}, "fc1"),
    "sequence to sequence": (SEQ2SEQ, {"src": torch.rand(5, 2, 4)}, ""),
    "mixture of experts": (EXPERTS, {"x": torch.rand(7, 6)}, ""),
    "tied language model": (TIED, {"idx": torch.arange(8).view(2, 4)}, ""),
    "dense blocks": (DENSE, {"x": torch.rand(4, 6)}, ""),
}


def pasted(text: str, inputs: dict[str, Tensor]) -> Graph:
    graph = Graph()
    for name, value in inputs.items():
        kind = str(value.dtype).removeprefix("torch.")
        graph, _ = add(graph, "Input", name, shape=tuple(value.shape[1:]), dtype=kind)
    return typed(graph, text)


def executed(text: str) -> nn.Module:
    module = types.ModuleType("pasted")
    exec(compile(text, "<pasted>", "exec"), module.__dict__)
    found = [one for one in vars(module).values() if getattr(one, "__module__", "") == "pasted"]
    return found[-1]()


def computed(model: nn.Module, inputs: dict[str, Tensor], *, training: bool) -> list[Tensor]:
    """Return what a model gives, and the gradients of its weights where it is in training."""
    random.seed(0)
    torch.manual_seed(0)
    given = model.train(training)(*inputs.values())
    found = [one for one in (given if isinstance(given, tuple) else (given,)) if one is not None]
    if training:
        sum(one.sum() for one in found).backward()
        found += [one.grad for one in model.parameters() if one.grad is not None]
    return found


@pytest.mark.row("N03")
@pytest.mark.parametrize(("body", "inputs", "node"), MODELS.values(), ids=MODELS)
def test_that_a_pasted_model_stays_as_it_is_and_computes_the_same(
    body: str, inputs: dict[str, Tensor], node: str, monkeypatch
) -> None:
    text = HEAD + body.lstrip("\n")
    monkeypatch.setitem(sys.modules, "pasted", types.ModuleType("pasted"))
    graph = pasted(text, inputs)
    assert graph.code[MODEL_FILE] == written(graph).source == text
    set_trust(graph.code, trusted=True)
    torch.manual_seed(0)
    own = executed(text)
    torch.manual_seed(0)
    model = to_module(graph)
    assert list(model.state_dict()) == list(own.state_dict())
    for training in (False, True):
        both = [computed(one, inputs, training=training) for one in (model, own)]
        assert len(both[0]) == len(both[1])
        assert all(torch.equal(a, b) for a, b in zip(*both, strict=True))
    if node:
        renamed = written(apply(RenameNode(id=node, name="other"), graph)).source
        assert renamed == text.replace(f"self.{node}", "self.other")

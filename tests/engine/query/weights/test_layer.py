"""What of a file fits a single layer of a model."""

from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from engine.diagnostics import DiagnosticError, sentence
from engine.query.ask import answer_for_user
from engine.query.weights.request import LayerMatches, MatchLayer
from tests.tiny_run import chain, iris_graph, node


class Other(nn.Module):
    """A model from elsewhere with three layers of 4 x 8 and one that is called as ours."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4), nn.Linear(4, 8, bias=False))
        self.hidden = nn.Linear(4, 8)


def matches(file: Path, place: str, graph=None) -> LayerMatches:
    found = answer_for_user(MatchLayer(file=str(file), graph=graph or iris_graph(), place=place))
    assert isinstance(found, LayerMatches)
    return found


@pytest.mark.row("S235")
def test_that_layers_of_a_file_are_found_by_names_and_shapes_the_namesake_first(tmp_path: Path):
    torch.save(Other().state_dict(), tmp_path / "other.pth.tar")
    found = matches(tmp_path / "other.pth.tar", "hidden")
    assert [match.name for match in found.matches] == ["hidden", "encoder.0"]
    assert found.matches[1].tensors == {"weight": "encoder.0.weight", "bias": "encoder.0.bias"}
    torch.save(nn.Linear(4, 8).state_dict(), tmp_path / "one.pt")
    (match,) = matches(tmp_path / "one.pt", "hidden").matches
    assert (match.name, match.tensors) == ("", {"weight": "weight", "bias": "bias"})


@pytest.mark.row("S235")
def test_that_parameters_inside_of_a_layer_are_found_too(tmp_path: Path):
    graph = chain(
        node("Input", "words", field="words", shape=(3, 8)),
        node("TransformerEncoderLayer", "attend", d_model=8, nhead=2, dim_feedforward=16),
        node("Output", "out"),
    )
    first, last = graph.edges
    graph = replace(graph, edges=(replace(first, target_port="src"), last))
    theirs = nn.TransformerEncoderLayer(8, 2, 16)
    torch.save({f"layers.0.{k}": v for k, v in theirs.state_dict().items()}, tmp_path / "t.pt")
    (match,) = matches(tmp_path / "t.pt", "attend", graph).matches
    assert match.name == "layers.0"
    assert set(match.tensors) == set(theirs.state_dict())


@pytest.mark.row("S235")
def test_that_a_file_without_such_a_layer_is_told_with_the_shapes(tmp_path: Path):
    torch.save(nn.Linear(8, 4).state_dict(), tmp_path / "turned.pt")
    with pytest.raises(DiagnosticError) as found:
        matches(tmp_path / "turned.pt", "hidden")
    (problem,) = found.value.problems
    assert problem.code == "X034"
    for language in ("en", "zh_CN"):
        told = sentence(problem, language)
        for word in ("turned.pt", "hidden", "weight 8×4", "bias 8"):
            assert word in told

"""The plane that a loss landscape is drawn on, and the functions of the lesson."""

import pytest
import torch
from torch import nn

from engine.query.landscape.plane import principal_plane, put, random_plane, weights_of
from engine.query.race.functions import FUNCTIONS, grid


def generator(seed: int = 1) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def model() -> nn.Module:
    return nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.Flatten(), nn.Linear(12, 2))


def dot(first, second) -> float:
    return sum(float((value * second[name]).sum()) for name, value in first.items())


@pytest.mark.row("N17")
def test_that_each_filter_of_a_random_direction_is_as_long_as_that_of_the_weights():
    origin = weights_of(model())
    plane = random_plane(origin, generator())
    weight, direction = origin["0.weight"], plane.first["0.weight"]
    torch.testing.assert_close(direction.flatten(1).norm(dim=1), weight.flatten(1).norm(dim=1))
    rows = plane.first["3.weight"].norm(dim=1)
    torch.testing.assert_close(rows, origin["3.weight"].norm(dim=1))
    assert not plane.first["0.bias"].any()
    assert not plane.first["1.weight"].any()
    assert dot(plane.first, plane.second) == pytest.approx(0, abs=1e-5)


def test_that_a_model_of_vectors_alone_has_random_directions_too():
    plane = random_plane({"scale": torch.ones(8)}, generator())
    assert plane.first["scale"].any()
    line = principal_plane({"scale": torch.ones(8)}, [{"scale": torch.arange(8.0)}], generator())
    assert line.second["scale"].norm() == pytest.approx(1)


@pytest.mark.row("N17")
def test_that_ways_in_a_plane_are_found_again_with_all_that_they_hold():
    origin = weights_of(model())
    generated = random_plane(origin, generator())
    ways = [generated.weights(a, b) for a, b in ((1.0, 0.2), (0.5, 0.4), (0.1, -0.3), (0.0, 0.0))]
    plane = principal_plane(origin, ways, generator())
    first, second = plane.shares
    assert first + second == pytest.approx(1)
    assert first > second > 0
    for way in ways:
        back = plane.weights(*plane.place(way))
        for name, value in way.items():
            torch.testing.assert_close(back[name], value, atol=1e-5, rtol=1e-4)


def test_that_points_on_a_line_get_a_second_direction_at_right_angles():
    origin = weights_of(model())
    line = random_plane(origin, generator())
    plane = principal_plane(origin, [line.weights(1.0, 0.0)], generator(2))
    assert plane.shares == (pytest.approx(1), 0.0)
    assert dot(plane.first, plane.second) == pytest.approx(0, abs=1e-5)
    assert plane.place(line.weights(1.0, 0.0))[1] == pytest.approx(0, abs=1e-4)


def test_that_points_at_the_origin_leave_the_directions_to_chance():
    origin = weights_of(model())
    assert principal_plane(origin, [origin], generator()).shares == (None, None)


def test_that_weights_that_are_put_into_a_model_are_what_it_holds():
    made = model()
    before = weights_of(made)
    wanted = {name: value + 1 for name, value in before.items()}
    put(made, wanted)
    assert all(torch.equal(before[name] + 1, value) for name, value in wanted.items())
    assert all(torch.equal(value, wanted[name]) for name, value in made.named_parameters())


@pytest.mark.row("N17")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_that_the_known_minima_are_the_least_values_with_no_gradient(name):
    function = FUNCTIONS[name]
    least = float(grid(function, 41).min())
    for minimum in function.minima:
        place = torch.tensor(minimum, dtype=torch.float64, requires_grad=True)
        value = function.value(*place)
        value.backward()
        assert value.item() <= least + 1e-6
        assert float(place.grad.abs().max()) < 1e-3

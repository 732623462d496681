"""Colours: readable, and apart from each other for every eye."""

import itertools

import numpy as np
import pytest

from widgets.common.palette import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
# Machado, Oliveira and Fernandes 2009, severity 1.0: linear RGB as the deficient eye sees it.
DEFICIENT = {
    "normal": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
}


def linear(color):
    rgb = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    light, dark = sorted(
        (float(linear(one) @ [0.2126, 0.7152, 0.0722]) for one in (first, second)), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ) @ np.clip(rgb, 0, 1)
    f = np.cbrt(xyz / [0.9505, 1, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@THEMES
def test_that_text_is_readable_on_every_surface(theme):
    for surface in (theme.window, theme.surface, theme.raised, theme.canvas, theme.accent_soft):
        assert contrast(theme.text, surface) >= 7
    for surface in (theme.window, theme.surface, theme.raised):
        assert contrast(theme.muted, surface) >= 4.5
        assert contrast(theme.faint, surface) >= 3
        for name in ("error", "warning", "hint", "success"):
            assert contrast(theme.severity(name), surface) >= 4.5
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@THEMES
def test_that_curves_stand_out_from_the_surface(theme):
    assert all(contrast(color, theme.surface) >= 3 for color in theme.series)


@THEMES
@pytest.mark.parametrize("eye", DEFICIENT)
def test_that_the_first_curves_differ_for_every_eye(theme, eye):
    seen = [lab(np.array(DEFICIENT[eye]) @ linear(color)) for color in theme.series[:4]]
    for first, second in itertools.combinations(seen, 2):
        assert np.linalg.norm(first - second) >= 15

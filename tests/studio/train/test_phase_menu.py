"""The menu of a phase changes the list of phases, each time as a step of undo."""

import pytest

from engine.spec.phase import phase_list
from studio.session.session import Session
from studio.train.phase_menu import PhaseMenu
from tests.tiny_gan import gan_graph, gan_spec


def names(session: Session) -> list[str]:
    return [rule.name or rule.match for rule in phase_list(session.spec)]


@pytest.mark.parametrize(
    ("field", "action", "after"),
    [
        ("phase.name", "duplicate", ["discriminator", "discriminator", "generator"]),
        ("phases.0.name", "up", ["generator", "discriminator"]),
        ("phase.name", "down", ["generator", "discriminator"]),
        ("phases.0.name", "remove", ["discriminator"]),
    ],
)
def test_that_a_phase_is_changed_and_the_change_undone(qtbot, field, action, after):
    session = Session()
    session.change(gan_graph(), gan_spec(), "open")
    menu = PhaseMenu(session, field, None)
    qtbot.addWidget(menu)
    (found,) = [each for each in menu.actions() if each.objectName() == f"phase.{action}"]
    found.trigger()
    changed = names(session) if action != "remove" else [session.spec.optimizer.type]
    assert changed == (after if action != "remove" else ["Adam"])
    assert len(phase_list(session.spec)) == len(after)
    session.undo()
    assert names(session) == ["discriminator", "generator"]

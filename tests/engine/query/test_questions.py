"""The questions that the host process knows: it refuses what is not among them."""

import pkgutil
from importlib import import_module

import engine.query
from engine.query.questions import QUESTIONS
from engine.query.request import Request


def test_that_every_request_can_be_put_to_the_host():
    for found in pkgutil.walk_packages(engine.query.__path__, "engine.query."):
        if found.name.endswith(".request"):
            import_module(found.name)
    asked = {
        each for each in Request.__subclasses__() if each.__module__.startswith("engine.query")
    }
    assert asked
    assert asked <= {*QUESTIONS}

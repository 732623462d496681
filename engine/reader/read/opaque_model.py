"""Opaque model: its class is one node: what nodes cannot show computes what its text says.

The text stays and runs, so its weights keep their names; the node is a layer of own code that holds
the same class.
"""

import libcst as cst

from engine.catalog.spec import Entry
from engine.reader.interpreter.value import Level, Made, Record, Ref, UnreadError


def opaque_level(definition: cst.ClassDef, entry: Entry) -> Level:
    """Return the level of a model that is one node. Raises :class:`UnreadError` T027 for a class
    whose inputs have no names.
    """
    ports = [port for port in entry.inputs if port.required]
    if not ports:
        raise UnreadError(definition.name, "T027")
    inputs = [Made(type="", params={}, attribute=port.name, at=definition) for port in ports]
    made = Made(type=entry.key, params={}, at=definition)
    made.wires = {port.name: Ref(one, "output") for port, one in zip(ports, inputs, strict=True)}
    return Level(
        source="",  # its inputs are called as on the canvas
        inputs=inputs,
        nodes=[made],
        outputs=[Ref(made, port.name) for port in entry.outputs],
        records=[Record(statement=definition, nodes=[made], before={}, after={})],
        definition=definition,
    )

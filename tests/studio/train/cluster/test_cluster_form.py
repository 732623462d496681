"""Several machines as they are typed in the dialog."""

from dataclasses import replace

import pytest

from engine.diagnostics import DiagnosticError
from engine.spec.run import RunSpec
from studio.train.cluster.presenter import ClusterForm

FORM = ClusterForm(nnodes=3, least=2, nproc=4, address="machine-0:29500")


def test_that_machines_that_reach_each_other_need_no_tunnels():
    cluster = FORM.cluster(RunSpec())
    assert FORM.tunnels() is None
    assert (cluster.host, cluster.port, cluster.size) == ("machine-0", 29500, 12)
    assert (cluster.nnodes, cluster.least, cluster.nproc) == (3, 2, 4)


def test_that_machines_behind_ssh_meet_inside_of_the_tunnels():
    form = replace(FORM, others=("anna@b", "anna@c"), is_tunnelled=True)
    assert form.tunnels() is not None
    cluster = form.cluster(RunSpec())
    assert cluster.host != "machine-0"
    assert cluster.port == 29500


def test_that_an_address_without_a_port_is_refused():
    with pytest.raises(DiagnosticError):
        replace(FORM, address="machine-0:").cluster(RunSpec())

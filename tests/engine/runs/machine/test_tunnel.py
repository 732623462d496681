"""The commands that connect the machines of a run through SSH, and the addresses inside."""

import ipaddress
import shlex
import socket
import subprocess
from ipaddress import IPv4Network
from types import SimpleNamespace

import psutil
import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.machine.cluster import Cluster
from engine.runs.machine.remote import Remote
from engine.runs.machine.tunnel import (
    MachineSetup,
    Tunnels,
    UsedNetwork,
    parse_tunnels,
    plan_tunnels,
    through,
    tunnel_setup,
)

ONE = ("anna@machine-1",)
FIVE = tuple(f"anna@machine-{number}:2222" for number in range(1, 6))
HOSTILE = (
    "anna@-oProxyCommand=id",
    "-oProxyCommand=id@machine",
    "anna@machine;id",
    "anna@$(id)",
    "anna;id@machine",
    "anna@machine\nid",
    "an'na@machine",
    "anna@`id`",
    "anna@machine id",
)


def planned(
    texts: tuple[str, ...], user: str = "otto", taken: tuple[UsedNetwork, ...] = ()
) -> Tunnels:
    return plan_tunnels(parse_tunnels(texts), user, taken)


def commands(setup: MachineSetup) -> tuple[str, ...]:
    return (*setup.as_root, *setup.links)


@pytest.mark.real
@pytest.mark.parametrize("texts", [ONE, FIVE], ids=["one", "five"])
def test_that_every_command_is_one_line_that_a_shell_takes(texts: tuple[str, ...]) -> None:
    for setup in tunnel_setup(planned(texts)):
        for command in commands(setup):
            assert command.isprintable()
            subprocess.run(["bash", "-n", "-c", command], check=True)


@pytest.mark.parametrize("texts", [ONE, FIVE], ids=["one", "five"])
def test_that_all_machines_have_private_addresses_of_one_network_of_their_own(
    texts: tuple[str, ...],
) -> None:
    tunnels = planned(texts)
    network = IPv4Network(tunnels.network)
    addresses = [
        ipaddress.ip_address(tunnels.address(machine)) for machine in range(len(texts) + 1)
    ]
    assert network.is_private
    assert len(set(addresses)) == len(addresses)
    assert set(addresses) <= set(network.hosts())


def test_that_each_link_has_a_device_of_its_own_user_at_both_ends() -> None:
    here, *others = tunnel_setup(planned(("anna@a", "bert@b")))
    for number, (other, user) in enumerate(zip(others, ("anna", "bert"), strict=True)):
        words = shlex.split(here.links[number])
        own, _, there = words[words.index("-w") + 1].partition(":")
        assert words[-1].startswith(f"{user}@")
        assert f"ip tuntap add dev tun{own} mode tun user otto" in here.as_root
        assert f"ip tuntap add dev tun{there} mode tun user {user}" in other.as_root


def test_that_the_link_ends_where_it_cannot_be_and_takes_the_port_that_was_given() -> None:
    words = shlex.split(tunnel_setup(planned(("anna@machine-1:2222",)))[0].links[0])
    assert words[0] == "ssh"
    assert {"-N", "ExitOnForwardFailure=yes", "Tunnel=point-to-point"} <= set(words)
    assert any(word.startswith("ServerAliveInterval=") for word in words)
    assert words[words.index("-p") + 1] == "2222"
    assert words[-2:] == ["--", "anna@machine-1"]


def test_that_only_the_first_machine_passes_on_and_only_where_there_are_others() -> None:
    for texts, passes in ((ONE, False), (FIVE, True)):
        here, *others = tunnel_setup(planned(texts))
        assert any("forwarding" in command for command in here.as_root) is passes
        assert not any("forwarding" in command for each in others for command in each.as_root)


@pytest.mark.parametrize("text", HOSTILE)
def test_that_what_is_no_machine_comes_into_no_command(text: str) -> None:
    with pytest.raises(DiagnosticError) as refusal:
        parse_tunnels([text])
    assert refusal.value.problems[0].code == "R400"


@pytest.mark.parametrize("user", ["an na", "-x", "a;id", "a\nb", "$(id)"])
def test_that_a_user_that_cannot_be_comes_into_no_command(user: str) -> None:
    with pytest.raises(DiagnosticError):
        planned(ONE, user)


def test_that_a_value_that_was_not_read_from_a_text_is_looked_at_too() -> None:
    with pytest.raises(DiagnosticError):
        plan_tunnels([Remote(host="-oProxyCommand=id", user="anna")], "otto", ())


def test_that_a_user_with_a_domain_is_quoted() -> None:
    setup = tunnel_setup(planned(("FIRM\\anna@machine-1",)))
    made = [command for command in setup[1].as_root if "tuntap" in command]
    assert [shlex.split(command)[-1] for command in made] == ["FIRM\\anna"]
    assert shlex.split(setup[0].links[0])[-1] == "FIRM\\anna@machine-1"


@pytest.mark.parametrize(
    ("texts", "code"), [(("machine-1",), "R197"), (("anna@m", "anna@m"), "R198")]
)
def test_that_each_machine_is_named_once_and_with_its_user(
    texts: tuple[str, ...], code: str
) -> None:
    with pytest.raises(DiagnosticError) as refusal:
        parse_tunnels(texts)
    assert refusal.value.problems[0].code == code


def test_that_the_same_machines_have_the_same_tunnels_and_others_have_others() -> None:
    assert planned(ONE) == planned(ONE)
    assert planned(ONE).network != planned(("anna@machine-2",)).network


def test_that_networks_and_devices_of_this_machine_are_left_alone() -> None:
    taken: tuple[UsedNetwork, ...] = ()
    for _ in range(8):  # each time in the way of what would be chosen
        tunnels = planned(ONE, taken=taken)
        network = IPv4Network(tunnels.network)
        assert not any(each.network.overlaps(network) for each in taken)
        assert tunnels.name(1) not in {each.device for each in taken}
        taken += (UsedNetwork("eth0", network.supernet(new_prefix=20)),)
        taken += (UsedNetwork(tunnels.name(1), IPv4Network("198.51.100.0/24")),)


def test_that_a_way_to_all_private_networks_gives_in_to_a_narrower_one() -> None:
    wide = tuple(
        UsedNetwork("vpn0", IPv4Network(text))
        for text in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
    )
    network = IPv4Network(planned(ONE, taken=wide).network)
    near = UsedNetwork("eth0", network.supernet(new_prefix=24))
    again = IPv4Network(planned(ONE, taken=(*wide, near)).network)
    assert not again.overlaps(near.network)


def test_that_tunnels_that_are_set_up_stay_as_they_are() -> None:
    tunnels = planned(ONE)
    own = UsedNetwork(tunnels.name(1), IPv4Network(f"{tunnels.address(0)}/32"))
    peer = UsedNetwork(tunnels.name(1), IPv4Network(f"{tunnels.address(1)}/32"))
    assert planned(ONE, taken=(own, peer)) == tunnels


def test_that_what_this_machine_has_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    network = IPv4Network(planned(ONE).network)
    own = SimpleNamespace(family=socket.AF_INET, address=str(network[1]), netmask="255.255.255.0")
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: {"eth9": [own]})
    found = IPv4Network(plan_tunnels(parse_tunnels(ONE), "otto").network)
    assert not found.overlaps(network.supernet(new_prefix=24))


def test_that_the_run_meets_at_the_first_machine_inside() -> None:
    tunnels = planned(FIVE)
    cluster = through(Cluster(nnodes=6, port=29511), tunnels)
    assert (cluster.host, cluster.port) == (tunnels.address(0), 29511)
    with pytest.raises(DiagnosticError) as refusal:
        through(Cluster(nnodes=2), tunnels)
    assert refusal.value.problems[0].code == "R199"

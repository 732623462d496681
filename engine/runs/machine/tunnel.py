"""SSH tunnels between the machines of a run: what is set up on each, and where they meet.

gloo and NCCL open ports at random in all directions, so forwarding single ports is not enough. The
first machine has a link of IP to each of the others instead (``ssh -w``: a tun device at both
ends), and passes on what the others have for each other. All sockets of the run are at addresses of
these links. Linux only.
"""

import getpass
import hashlib
import ipaddress
import shlex
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

from engine.diagnostics import DiagnosticError
from engine.files import NOTE_BYTES, read_file
from engine.runs.machine.cluster import Cluster
from engine.runs.machine.remote import Remote, parse_remote, require_sound

SERVER_SETTING = "PermitTunnel point-to-point"
"""What the SSH servers of the other machines have to allow (``sshd_config``)."""

_PRIVATE = tuple(map(IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))  # RFC 1918
_CANDIDATES = 64
_DEVICES = range(100, 900)  # numbers of the first device; who has some takes the lowest ones
_ALLOW, _FORBID = 20_000, 20_001  # priorities of rules, before those of the main table
_OPTIONS = {
    "Tunnel": "point-to-point",
    "ExitOnForwardFailure": "yes",
    "ServerAliveInterval": "15",
    "ServerAliveCountMax": "4",
    "ControlPath": "none",  # a connection that is shared with others carries no device
}


class UsedNetwork(NamedTuple):
    """A network to which this machine has a way, and the device of it."""

    device: str
    network: IPv4Network


class Tunnels(msgspec.Struct, frozen=True, kw_only=True):
    """Links from the first machine to the others, in their order. ``network`` holds the addresses
    of all; ``device`` is the number of the first link's tun device, and the others follow it.
    ``user`` trains on the first machine.
    """

    others: tuple[Remote, ...]
    user: str
    network: str
    device: int

    def address(self, machine: int) -> str:
        """Return the address of a machine (from 0) inside the tunnels."""
        return str(IPv4Network(self.network)[machine + 1])

    def name(self, machine: int) -> str:
        """Return the tun device of the link to a machine (from 1), at both ends."""
        return f"tun{self.device + machine - 1}"


class MachineSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What is done on a machine (from 0): ``as_root`` until it is started anew, ``links`` by
    ``user``, each in the way as long as the link is wanted. ``host`` is empty for the first one.
    """

    machine: int
    host: str
    user: str
    as_root: tuple[str, ...]
    links: tuple[str, ...] = ()


def parse_tunnels(texts: Sequence[str]) -> tuple[Remote, ...]:
    """Return the other machines of ``user@host[:port]`` each.

    Raises :class:`DiagnosticError` (R400; R197 without a user, R198 for one that is named twice).
    """
    others = tuple(parse_remote(text) for text in texts)
    for place, other in enumerate(others):
        if not other.user:
            raise DiagnosticError.of("R197", address=other.shown)
        if other in others[:place]:
            raise DiagnosticError.of("R198", address=other.shown)
    return others


def plan_tunnels(
    others: Sequence[Remote], user: str = "", taken: Sequence[UsedNetwork] | None = None
) -> Tunnels:
    """Return links from this machine to others: the same ones for the same machines, so that they
    are set up once for many runs, at private addresses to which this machine has no other way.
    ``user`` is by default the one of this program, ``taken`` what this machine has.

    Raises :class:`DiagnosticError` R400 where a name cannot stand in a command.
    """
    user = user or getpass.getuser()
    for remote in (Remote(host="localhost", user=user), *others):
        require_sound(remote)
    known = _used_networks() if taken is None else taken
    plans = list(islice(_plans(tuple(others), user), _CANDIDATES))
    return min(plans, key=lambda plan: _collision(plan, known))


def through(cluster: Cluster, tunnels: Tunnels) -> Cluster:
    """Return a run on several machines whose processes meet inside tunnels.

    Raises :class:`DiagnosticError` R199 unless there is a link to each of the others.
    """
    if cluster.nnodes != len(tunnels.others) + 1:
        wanted, named = cluster.nnodes - 1, len(tunnels.others)
        raise DiagnosticError.of("R199", machines=cluster.nnodes, wanted=wanted, named=named)
    return msgspec.structs.replace(cluster, host=tunnels.address(0))


def tunnel_setup(tunnels: Tunnels) -> tuple[MachineSetup, ...]:
    """Return what is done on each machine, the first one first, as shell commands."""
    count = len(tunnels.others)
    first = [*_firewall_rules(tunnels, 0)]
    for machine in range(1, count + 1):
        first += _device(tunnels, machine, (0, machine), tunnels.user)
        if count > 1:
            first += _passing_on(tunnels, machine)
    here = MachineSetup(
        machine=0,
        host="",
        user=tunnels.user,
        as_root=tuple(first),
        links=tuple(_link(tunnels, machine) for machine in range(1, count + 1)),
    )
    return here, *(_setup_of(tunnels, machine) for machine in range(1, count + 1))


def _setup_of(tunnels: Tunnels, machine: int) -> MachineSetup:
    """Return what is done on another machine."""
    other = tunnels.others[machine - 1]
    own, name = tunnels.address(machine), tunnels.name(machine)
    commands = [
        *_firewall_rules(tunnels, machine),
        *_device(tunnels, machine, (machine, 0), other.user),
    ]
    if len(tunnels.others) > 1:
        commands.append(f"ip route add {tunnels.network} dev {name} src {own}")
    return MachineSetup(machine=machine, host=other.shown, user=other.user, as_root=tuple(commands))


def _firewall_rules(tunnels: Tunnels, machine: int) -> tuple[str, ...]:
    """Return the commands by which nobody outside of the tunnels is answered: Linux takes what is
    for any of its addresses from all networks.
    """
    own = tunnels.address(machine)
    return (
        f"ip rule add pref {_ALLOW} from {own} to {tunnels.network} lookup main",
        f"ip rule add pref {_FORBID} from {own} prohibit",
    )


def _device(tunnels: Tunnels, link: int, ends: tuple[int, int], user: str) -> tuple[str, ...]:
    """Return the commands that make one end of a link; its ``ends`` are this machine and that."""
    name = tunnels.name(link)
    own, peer = (tunnels.address(machine) for machine in ends)
    return (
        f"ip tuntap add dev {name} mode tun user {shlex.quote(user)}",
        f"ip address add {own} peer {peer} dev {name}",
        f"ip link set {name} up",
    )


def _passing_on(tunnels: Tunnels, link: int) -> tuple[str, ...]:
    """Return the commands by which the first machine passes on what comes out of a link: into the
    other links, and nowhere else.
    """
    name = tunnels.name(link)
    return (
        f"ip rule add pref {_ALLOW} iif {name} to {tunnels.network} lookup main",
        f"ip rule add pref {_FORBID} iif {name} prohibit",
        f"sysctl -q -w net.ipv4.conf.{name}.forwarding=1",
    )


def _link(tunnels: Tunnels, machine: int) -> str:
    """Return the command that connects the first machine to another, and stays."""
    other, number = tunnels.others[machine - 1], tunnels.device + machine - 1
    words = ["ssh", "-N", "-T", "-w", f"{number}:{number}"]
    for name, value in _OPTIONS.items():
        words += ["-o", f"{name}={value}"]
    if other.port:
        words += ["-p", str(other.port)]
    return shlex.join([*words, "--", other.address])


def _plans(others: tuple[Remote, ...], user: str) -> Iterator[Tunnels]:
    """Yield links with ever other addresses and devices, always the same for the same machines."""
    names = "\n".join((user, *(other.shown for other in others)))
    length = 32 - (len(others) + 2).bit_length()  # for all machines, and the two ends of a network
    count = 0
    while True:
        digest = hashlib.sha256(f"{count}\n{names}".encode()).digest()
        number = int.from_bytes(digest[:8], "big")
        room = _PRIVATE[count % len(_PRIVATE)]
        places = 1 << (length - room.prefixlen)
        start = int(room.network_address) + (number % places << (32 - length))
        yield Tunnels(
            others=others,
            user=user,
            network=str(IPv4Network((IPv4Address(start).packed, length))),
            device=_DEVICES[int.from_bytes(digest[8:]) % len(_DEVICES)],
        )
        count += 1


def _collision(plan: Tunnels, taken: Sequence[UsedNetwork]) -> int:
    """Return how narrow a network is that this machine has already where a plan would put its own;
    -1: it has none. What was set up of the very plan does not count.
    """
    network, own = IPv4Network(plan.network), IPv4Address(plan.address(0))
    names = {plan.name(machine) for machine in range(1, len(plan.others) + 1)}
    is_there = any(each.device in names and own in each.network for each in taken)
    foreign = [each for each in taken if not (is_there and each.device in names)]
    if any(each.device in names for each in foreign):
        return 2 * network.max_prefixlen
    found = (each.network.prefixlen for each in foreign if each.network.overlaps(network))
    return max(found, default=-1)


def _used_networks() -> list[UsedNetwork]:
    """Return the networks of this machine: those of its addresses and those it has a route to."""
    taken: list[UsedNetwork] = []
    for device, addresses in psutil.net_if_addrs().items():
        for each in addresses:
            if each.family.name == "AF_INET":
                mask = each.netmask or "255.255.255.255"
                taken.append(
                    UsedNetwork(device, IPv4Network(f"{each.address}/{mask}", strict=False))
                )
    try:
        table = read_file(Path("/proc/net/route"), NOTE_BYTES).decode("ascii")
    except FileNotFoundError:  # not Linux
        return taken
    for line in table.splitlines()[1:]:
        device, target, _, _, _, _, _, mask = line.split()[:8]
        start, length = (bytes.fromhex(word)[::-1] for word in (target, mask))
        network = IPv4Network((start, str(ipaddress.IPv4Address(length))))
        if network.prefixlen:  # the usual way is no network of its own
            taken.append(UsedNetwork(device, network))
    return taken

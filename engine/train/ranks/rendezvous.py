"""Rendezvous of the machines of a run, at a port that strangers may reach.

PyTorch's agents keep the state they agree on as a pickle in a store, and whoever reaches the port
can write there. So each state is sealed with the key of the run (HMAC-SHA256), and one without the
right seal is refused before it is unpickled.
"""

import hmac
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256

import torch.distributed as dist
from torch.distributed.elastic.rendezvous.api import (
    RendezvousConnectionError,
    RendezvousHandler,
    RendezvousParameters,
    RendezvousStateError,
    rendezvous_handler_registry,
)
from torch.distributed.elastic.rendezvous.c10d_rendezvous_backend import C10dRendezvousBackend
from torch.distributed.elastic.rendezvous.dynamic_rendezvous import (
    DynamicRendezvousHandler,
    RendezvousBackend,
    Token,
)
from typing_extensions import override

from engine.diagnostics import Diagnostic, sentence
from engine.runs.machine.cluster import LOOPBACK, SEALED, parse_address
from engine.train.ranks.tcp_store import serve

_PATIENCE = timedelta(seconds=60)
_PURPOSE = b"trellis rendezvous"


class ForgedStateError(RendezvousStateError):
    """A state that no machine of the run has written."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(sentence(problem))
        self.problem = problem


class SealedBackend(RendezvousBackend):
    """PyTorch's own backend, whose states bear a seal: of the run's name and of what they hold."""

    def __init__(self, store: dist.Store, run_id: str, key: bytes, address: str) -> None:  # pyright: ignore[reportPrivateImportUsage]
        self._inner = C10dRendezvousBackend(store, run_id)
        self._run_id = run_id
        self._key = key
        self._address = address

    @property
    @override
    def name(self) -> str:
        return SEALED

    @override
    def get_state(self) -> tuple[bytes, Token] | None:
        """Return the state and its token. Raises :class:`ForgedStateError`."""
        stored = self._inner.get_state()
        return stored and (self._opened(stored[0]), stored[1])

    @override
    def set_state(
        self, state: bytes, token: Token | None = None
    ) -> tuple[bytes, Token, bool] | None:
        """Set the state where it is still that of the token; return it as it is then, and whether
        it was set. Raises :class:`ForgedStateError`.
        """
        stored = self._inner.set_state(self._seal(state) + state, token)
        return stored and (self._opened(stored[0]), stored[1], stored[2])

    def _seal(self, state: bytes) -> bytes:
        parts = (_PURPOSE, self._run_id.encode(), state)
        # With their lengths, so that no two triples give the same message.
        message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return hmac.digest(self._key, message, sha256)

    def _opened(self, sealed: bytes) -> bytes:
        seal, state = sealed[: sha256().digest_size], sealed[sha256().digest_size :]
        if not hmac.compare_digest(seal, self._seal(state)):
            raise ForgedStateError(
                Diagnostic(code="R195", params={"address": self._address, "run": self._run_id})
            )
        return state


class _Handler(DynamicRendezvousHandler):
    """PyTorch's handler; the store that it opens for the processes listens at one address only."""

    @override
    def _create_tcp_store_server(self, master_addr: str, master_port: int) -> dist.TCPStore:  # pyright: ignore[reportPrivateImportUsage]
        return serve(master_addr, master_port, _PATIENCE)


def register(read_key: Callable[[], bytes]) -> None:
    """Make ``--rdzv-backend sealed`` known to PyTorch's agent."""
    rendezvous_handler_registry.register(
        SEALED, lambda parameters: sealed_handler(parameters, read_key())
    )


def sealed_handler(parameters: RendezvousParameters, key: bytes) -> RendezvousHandler:
    """Return the handler by which the agent of this machine meets those that have the key."""
    store = _store(parameters)
    return _Handler.from_backend(
        parameters.run_id,
        store,
        SealedBackend(store, parameters.run_id, key, parameters.endpoint),
        parameters.min_nodes,
        parameters.max_nodes,
        parameters.local_addr,
    )


def _store(parameters: RendezvousParameters) -> dist.Store:  # pyright: ignore[reportPrivateImportUsage]
    """Return the store of all machines. A machine whose endpoint is the loopback opens it, unless
    another agent there has; one with ``is_host`` opens it or fails.
    """
    host, port = parse_address(parameters.endpoint)
    is_host = parameters.get_as_bool("is_host", default=False)
    if is_host or host in LOOPBACK:
        host = parameters.local_addr or host
        try:
            return serve(host, port, _PATIENCE)
        except OSError as error:
            if is_host:
                raise RendezvousConnectionError(str(error)) from error
    return dist.TCPStore(host.strip("[]"), port, is_master=False, timeout=_PATIENCE)  # pyright: ignore[reportPrivateImportUsage]

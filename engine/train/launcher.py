"""The launcher of several processes: ``python -m engine.train.launcher`` takes what ``torchrun``
takes, and has PyTorch's elastic agent open no port to the network where one machine trains alone.
"""

import os
import sys

from torch.distributed import run

OWN_STORES = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"
"""The variable by which PyTorch's agent opens no store for its processes."""


def main(arguments: list[str]) -> None:
    """Start the processes, and start them again where they are lost, until they are done."""
    options = run.parse_args(arguments)
    least, most = run.parse_min_max_nnodes(options.nnodes)
    if most == 1 or least < most:
        # On one machine the processes meet at a file: the agent's store would listen at all
        # addresses for nobody. With a store shared between rounds a machine that joins later waits
        # for ever: the first one keeps what it told in the first round (PyTorch 2.15,
        # DynamicRendezvousHandler.next_rendezvous).
        os.environ[OWN_STORES] = "1"
    run.main(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])

"""What the table of checkpoints says."""

import re
from pathlib import Path

from studio.presenters.run_table import tag_words

RUNNER = Path(__file__).parents[2] / "engine" / "train" / "runner.py"


def test_that_every_reason_to_write_a_checkpoint_has_words():
    source = RUNNER.read_text(encoding="utf-8")
    written = set(re.findall(r'_save\("(\w+)"\)', source))
    assert written >= {"start", "stop", "pause"}
    assert written | {"last", "best", "epoch"} <= set(tag_words())

"""The folders beside checkpoints."""

from engine.runs.record.shard_folder import SUFFIX, checkpoint_sizes


def test_that_the_size_of_a_checkpoint_holds_its_parts_and_leaves_out_what_goes(tmp_path):
    (tmp_path / "kept.ckpt").write_bytes(bytes(3))
    parts = (tmp_path / "kept").with_suffix(SUFFIX)
    parts.mkdir()
    (parts / "0.distcp").write_bytes(bytes(5))
    (tmp_path / "going.ckpt").symlink_to(tmp_path / "gone")
    assert checkpoint_sizes(tmp_path) == {"kept.ckpt": 8}

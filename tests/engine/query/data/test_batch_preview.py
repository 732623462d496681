"""The first samples of a training batch, blended, as the window asks for them."""

import pytest

from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.data.load.part import BatchIndex
from engine.query.ask import ask
from engine.query.data.request import PreviewBatch
from engine.spec.run import DataSpec
from engine.spec.transform import BatchTransformSpec

MIX = BatchTransformSpec(type="MixUp")
CUT = BatchTransformSpec(type="CutMix")


@pytest.mark.row("P14")
def test_that_it_is_the_batch_that_the_run_trains_on():
    data = DataSpec(batch_transforms=(MIX,), batch_size=20)
    shown = ask(PreviewBatch(data=data, draw=3, seed=5))
    part = load_data(data).training
    order = epoch_order(len(part), 5, 3, shuffle=True)[:20]
    batch = part.batch(BatchIndex(5, 3, 0, order))
    assert (shown.batch_size, shown.name, len(shown.samples)) == (20, "MixUp", 8)
    for at, sample in enumerate(shown.samples):
        assert sample.image.high == pytest.approx(float(batch["image"][at].max()))
        shares = dict(sample.shares)
        assert sum(shares.values()) == pytest.approx(1, abs=0.01)
        for name, share in shares.items():
            assert share == pytest.approx(float(batch["label"][at][int(name)]))
    whole = [share for sample in shown.samples for _, share in sample.shares]
    assert any(share == pytest.approx(shown.weight) for share in whole)


def test_that_another_draw_blends_anew_and_the_same_draw_alike():
    data = DataSpec(batch_transforms=(MIX, CUT))
    first = ask(PreviewBatch(data=data, draw=1))
    assert first == ask(PreviewBatch(data=data, draw=1))
    names = {ask(PreviewBatch(data=data, draw=draw)).name for draw in range(12)}
    assert names == {"MixUp", "CutMix"}
    shown = {ask(PreviewBatch(data=data, draw=draw, number=1)).name for draw in range(6)}
    assert shown == {"CutMix"}


def test_that_a_batch_that_is_not_blended_shows_its_labels():
    shown = ask(PreviewBatch(data=DataSpec()))
    assert (shown.name, shown.weight) == ("", 1.0)
    assert all(share == 1.0 for sample in shown.samples for _, share in sample.shares)

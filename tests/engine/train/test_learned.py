"""When training samples are learnt: the definition against a plain loop, and over a resume."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engine.spec.run import CheckpointSpec, DataSpec, WatchSpec
from engine.spec.transform import BatchTransformSpec
from engine.train import learned
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.learned import NEVER, LearnedOutputs, LearnedSteps, learned_steps
from tests.tiny_run import make_run, train, weights

SIZE = 4
PER_EPOCH = 5


def by_hand(presented: list[list[tuple[int, bool]]], samples: int) -> list[int]:
    """Return the step since which each sample is predicted rightly, by the definition; what was
    presented are the samples of each step and whether they were predicted rightly.
    """
    found = []
    for sample in range(samples):
        right: dict[int, bool] = {}
        for step, batch in enumerate(presented, 1):
            for at, is_right in batch:
                if at == sample:
                    right[step] = right.get(step, True) and is_right
        last_wrong = max((step for step, is_right in right.items() if not is_right), default=0)
        found.append(min((step for step in right if step > last_wrong), default=NEVER))
    return found


class Played:
    """Epochs of a sampler that draws some samples twice and others not, with predictions at
    random.
    """

    key = "right"

    def __init__(self, seed: int, epochs: int, samples: int, task: str) -> None:
        random = np.random.default_rng(seed)
        count = PER_EPOCH * SIZE - 2
        self.orders = [torch.from_numpy(random.integers(0, samples, count)) for _ in range(epochs)]
        self.samples, self.task = samples, task
        self.right = [torch.from_numpy(random.random(count) < 0.7) for _ in range(epochs)]
        shown = zip(self.orders, self.right, strict=True)
        self.presented = [
            list(zip(order.tolist(), right.tolist(), strict=True))
            for orders, rights in shown
            for order, right in zip(orders.split(SIZE), rights.split(SIZE), strict=True)
        ]

    def pick(self, _outputs, batch):
        right = batch[self.key]
        if self.task == "binary":
            return torch.where(right, 0.9, 0.1)[:, None], torch.ones(len(right), 1)
        scores = torch.stack([~right, right], dim=1).float()
        return scores, torch.ones(len(right), dtype=torch.int64)

    def prepared(self, predicted, target):
        binary = self.task == "binary"
        return (predicted.flatten(), target.flatten().long()) if binary else (predicted, target)

    def made(self) -> LearnedSteps:
        return LearnedSteps(self, self.samples, SIZE, lambda epoch: self.orders[epoch])

    def play(self, notes: LearnedSteps, epoch: int, batches: range) -> None:
        notes.epoch_started(epoch)
        parts = self.right[epoch].split(SIZE)
        for batch in batches:
            notes.observe([({}, {"right": parts[batch]})], batch, epoch * PER_EPOCH + batch + 1)


@pytest.mark.parametrize("pending", [1, 12, 1 << 16])
@pytest.mark.parametrize("task", ["classification", "binary"])
def test_that_a_sample_is_learnt_from_where_it_is_right_to_the_end(pending, task, monkeypatch):
    monkeypatch.setattr(learned, "_PENDING", pending)
    for seed in range(5):
        played = Played(seed, epochs=4, samples=12, task=task)
        notes = played.made()
        for epoch in range(4):
            played.play(notes, epoch, range(PER_EPOCH))
        assert learned_steps(notes.state_dict()).tolist() == by_hand(played.presented, 12)


def test_that_a_state_within_an_epoch_goes_on_as_if_nothing_had_been():
    played = Played(7, epochs=3, samples=12, task="classification")
    whole, notes = played.made(), played.made()
    for epoch in range(3):
        played.play(whole, epoch, range(PER_EPOCH))
    played.play(notes, 0, range(PER_EPOCH))
    played.play(notes, 1, range(2))
    resumed = played.made()
    resumed.load_state_dict(notes.state_dict())
    played.play(notes, 2, range(PER_EPOCH))
    notes.state_dict()  # takes up what it saw: what the other goes on with stays its own
    played.play(resumed, 1, range(2, PER_EPOCH))
    played.play(resumed, 2, range(PER_EPOCH))
    assert torch.equal(learned_steps(resumed.state_dict()), learned_steps(whole.state_dict()))


def test_that_each_output_is_noted_for_itself_and_goes_on_for_itself():
    first, other = Played(1, 1, 9, "classification"), Played(2, 1, 9, "binary")
    alone = [each.made() for each in (first, other)]
    for played, notes in zip((first, other), alone, strict=True):
        played.play(notes, 0, range(PER_EPOCH))
    other.key = "other"
    both = LearnedOutputs({"": first.made(), "place": other.made()})
    both.epoch_started(0)
    rights = zip(first.right[0].split(SIZE), other.right[0].split(SIZE), strict=True)
    for batch, (right, another) in enumerate(rights):
        both.observe([({}, {"right": right, "other": another})], batch, batch + 1)
    later = LearnedOutputs({"": first.made(), "place": other.made(), "new": first.made()})
    later.load_state_dict(both.state_dict())
    for notes in (both, later):
        found = [learned_steps(notes.state_dict(), name) for name in ("", "place")]
        assert [each.tolist() for each in found] == [
            learned_steps(each.state_dict()).tolist() for each in alone
        ]
    assert learned_steps(later.state_dict(), "new") is None


@pytest.mark.parametrize("state", [{}, {"since": torch.zeros(11, dtype=torch.int32)}])
def test_that_a_run_that_noted_nothing_before_or_of_other_samples_notes_nothing(state):
    played = Played(1, epochs=1, samples=12, task="classification")
    notes = played.made()
    notes.load_state_dict(state)
    played.play(notes, 0, range(PER_EPOCH))
    assert notes.state_dict() == {}


def test_that_a_foreign_state_is_refused():
    notes = Played(1, epochs=1, samples=12, task="classification").made()
    for since in (torch.zeros(12), [0] * 12):
        with pytest.raises(ValueError, match="learnt"):
            notes.load_state_dict({"since": since})


def steps_of(run) -> list[int] | None:
    since = learned_steps(open_checkpoint(run, "last").learned)
    return None if since is None else since.tolist()


def test_that_a_resume_within_an_epoch_learns_at_the_same_steps(tmp_path: Path) -> None:
    long, short = (make_run(tmp_path, length="steps", steps=n) for n in (22, 11))
    train(long)
    train(short)
    before = steps_of(short)
    train(short, "latest", length=22)
    assert steps_of(short) == steps_of(long) != before
    assert max(steps_of(long)) <= 22
    assert weights(short) == weights(long)


def test_that_looking_changes_nothing_and_is_kept_with_each_checkpoint(tmp_path: Path) -> None:
    looking, blind = (
        make_run(tmp_path, watch=WatchSpec(learned=is_on), checkpoint=CheckpointSpec(every_steps=5))
        for is_on in (True, False)
    )
    train(looking)
    train(blind)
    assert weights(looking) == weights(blind)
    assert steps_of(blind) is None
    assert len(steps_of(looking)) == 105
    assert NEVER < max(steps_of(looking)) <= 12


@pytest.mark.parametrize(
    "data",
    [
        {"batch_transforms": (BatchTransformSpec(type="MixUp"),)},
        {"collate": "data.mine"},
    ],
)
def test_that_what_is_not_itself_in_a_batch_is_not_noted(data, tmp_path: Path) -> None:
    spec = SimpleNamespace(watch=WatchSpec(), data=DataSpec(**data))
    comparison = SimpleNamespace(task="classification", boxes=None, is_mask=False, field="label")
    field = SimpleNamespace(shape=())
    loaded = SimpleNamespace(
        info=SimpleNamespace(field=lambda _name: field),
        sampler=SimpleNamespace(batches=None),
        samples=lambda _part: 12,
    )
    assert learned.build_learned(spec, loaded, {"": comparison}, 1) is None
    plain = SimpleNamespace(watch=WatchSpec(), data=DataSpec(), seed=0)
    assert learned.build_learned(plain, loaded, {"": comparison}, 1) is not None
    assert learned.build_learned(plain, loaded, {"": comparison}, 2) is None
    loaded.sampler.batches = object()
    assert learned.build_learned(plain, loaded, {"": comparison}, 1) is None

"""Statistics are recorded in the run, come back whole and follow a resume."""

import sqlite3

import numpy as np
import pytest

from engine.runs.record.journal import Mark, RunJournal
from engine.runs.record.statistic import (
    BINS,
    Kind,
    Sample,
    Statistic,
    StatisticHistory,
    Track,
    on_one_scale,
)
from engine.runs.record.store import RunStore


def sample(value: float, *names: str) -> Sample:
    numbers = np.full((len(names), len(Statistic)), value, np.float32)
    counts = np.zeros((len(names), BINS), np.uint16)
    counts[:, int(value) % BINS] = 65_535
    return Sample(tuple((Kind.WEIGHT, name) for name in names), numbers, counts)


@pytest.fixture
def journal(tmp_path):
    made = RunJournal(tmp_path)
    yield made
    made.close()


def read(tmp_path, history: StatisticHistory) -> bool:
    with RunStore.open(tmp_path) as store:
        return history.update(store)


def test_that_statistics_come_back_bit_by_bit(tmp_path, journal) -> None:
    history = StatisticHistory()
    journal.extend_statistics(1, sample(3, "a", "b"))
    journal.commit()
    assert read(tmp_path, history)
    for step in range(2, 40):
        journal.extend_statistics(step, sample(step, "a", "b", "c"))
    journal.commit()
    assert read(tmp_path, history)
    assert not read(tmp_path, history)
    assert history.steps.tolist() == list(range(1, 40))
    track = history.track((Kind.WEIGHT, "c"))
    assert track.steps.tolist() == list(range(2, 40))
    assert track.numbers[:, Statistic.NORM].tolist() == list(range(2, 40))
    assert track.counts[0, 2] == 65_535
    assert not len(history.track((Kind.GRADIENT, "a")).steps)


def test_that_a_resume_undoes_what_came_after_its_checkpoint(tmp_path, journal) -> None:
    history = StatisticHistory()
    for step in (1, 5, 9):
        journal.extend_statistics(step, sample(step, "a"))
    journal.commit()
    read(tmp_path, history)
    journal.truncate(Mark(), 5)
    journal.extend_statistics(7, sample(70, "a"))
    journal.commit()
    read(tmp_path, history)
    assert history.steps.tolist() == [1, 5, 7]
    fresh = StatisticHistory()
    read(tmp_path, fresh)
    assert fresh.steps.tolist() == [1, 5, 7]


def test_that_a_run_of_an_earlier_version_has_none(tmp_path, journal) -> None:
    journal.commit()
    with sqlite3.connect(tmp_path / "events.db") as connection:
        connection.execute("DROP TABLE samples")
        connection.execute("DROP TABLE layouts")
    connection.close()
    assert not read(tmp_path, StatisticHistory())


def test_that_histograms_of_one_scale_keep_every_element() -> None:
    numbers = np.zeros((3, len(Statistic)), np.float32)
    numbers[:, Statistic.MINIMUM] = (-1, -4, 2)
    numbers[:, Statistic.MAXIMUM] = (1, 4, 2)
    counts = np.full((3, BINS), round(65_535 / BINS), np.uint16)
    counts[2] = 0
    counts[2, 0] = 65_535
    shares, (low, high) = on_one_scale(Track(np.arange(3), numbers, counts), 40)
    assert (low, high) == (-4, 4)
    assert shares.sum(axis=1) == pytest.approx(1, abs=0.01)
    assert shares[0, :14].sum() == 0
    assert (shares[2] > 0).sum() <= 3

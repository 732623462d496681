"""Label errors that were planted, found with predictions of models that had not seen them."""

import numpy as np
import pytest

from engine.data.health.label_error import label_errors

PLANTED = 60


@pytest.fixture(scope="module")
def flipped():
    """Return out-of-fold probabilities of digits with wrong labels, the labels, and where."""
    from sklearn.datasets import load_digits
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.model_selection import cross_val_predict

    pixels, digits = load_digits(return_X_y=True)
    chance = np.random.default_rng(0)
    wrong = chance.choice(len(digits), PLANTED, replace=False)
    labels = digits.copy()
    labels[wrong] = (digits[wrong] + chance.integers(1, 10, PLANTED)) % 10
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)
    probabilities = cross_val_predict(model, pixels, labels, cv=5, method="predict_proba")
    return probabilities, labels, set(wrong.tolist())


@pytest.mark.row("N31")
def test_that_planted_label_errors_are_found_and_come_first(flipped):
    probabilities, labels, wrong = flipped
    found = label_errors(probabilities, labels).tolist()
    hits = len(wrong & set(found))
    assert hits >= 0.75 * PLANTED
    assert len(found) <= 0.1 * len(labels)
    assert len(wrong & set(found[:PLANTED])) >= 0.6 * PLANTED  # by chance: two


def test_that_labels_which_the_models_agree_with_are_left_alone():
    chance = np.random.default_rng(0)
    labels = chance.integers(0, 4, 500)
    sure = np.full((500, 4), 0.05)
    sure[np.arange(500), labels] = 0.85
    assert len(label_errors(sure, labels)) == 0
    assert len(label_errors(np.full((500, 4), 0.25), labels)) == 0


def test_that_a_class_without_samples_is_never_held_for_the_right_one():
    labels = np.array([0, 0, 1, 1])
    probabilities = np.array([[0.1, 0.0, 0.9], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.9, 0.1, 0.0]])
    assert label_errors(probabilities, labels).tolist() == [3]

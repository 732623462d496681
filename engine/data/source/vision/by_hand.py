"""Sets of torchvision that no program can fetch: their publishers want a login or ask a person, or
have ended.
"""

from collections.abc import Mapping

BY_HAND: Mapping[str, str] = {
    "CelebA": "mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
    "FER2013": "www.kaggle.com/c/challenges-in-representation-learning-facial-expression-"
    "recognition-challenge",
    "LFWPairs": "www.kaggle.com/datasets/jessicali9530/lfw-dataset",
    "LFWPeople": "www.kaggle.com/datasets/jessicali9530/lfw-dataset",
    "PCAM": "github.com/basveeling/pcam",
    "StanfordCars": "github.com/pytorch/vision/issues/7545",
}
"""Where the user gets it or is told how, by the name of torchvision's class."""

"""Guide to the loss: those that fit the target, and those for rankings and embeddings."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QWidget

from engine.diagnostics import sentence
from engine.spec.data import DataInfo
from engine.spec.loss_advice import BY_OUTPUTS, LossAdvice, advised_losses, target_of
from engine.spec.run import LossTerm
from studio.i18n import filled, labelled, language_code, translate
from studio.session.session import Session

_NAME = re.compile(r"losses\.(\d+)\.loss")


def is_loss_name(name: str) -> bool:
    """Return whether a field is the loss function of a term."""
    return _NAME.fullmatch(name) is not None


class LossGuide(QMenu):
    """Offers losses with what each is for; what is chosen is bound to the outputs of the model and
    the target of the data, in one step of undo.
    """

    def __init__(self, session: Session, name: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName("loss.guide")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setToolTipsVisible(True)
        self._session = session
        found = _NAME.fullmatch(name)
        self._index = 0 if found is None else int(found[1])
        info = session.findings.data
        assert info is not None  # the button is there once the data are known
        analysis = session.findings.analysis
        advised = advised_losses(session.spec, session.graph, analysis, info)
        by_target = [each for each in advised if each.term.loss.type not in BY_OUTPUTS]
        ready = [each for each in by_target if not each.missing and each.problem is None]
        self._offer(self, target_text(info), ready)
        title = translate("Train", "After a change of the model")
        self._offer(self, title, [each for each in by_target if each not in ready])
        self.addSeparator()
        others = self.addMenu(translate("Train", "Ranking and similarity"))
        others.setToolTipsVisible(True)
        others.setObjectName("loss.guide.others")
        self._offer(others, "", [each for each in advised if each.term.loss.type in BY_OUTPUTS])
        others.setEnabled(bool(others.actions()))

    def _offer(self, menu: QMenu, title: str, advised: Sequence[LossAdvice]) -> None:
        if title and advised:
            menu.addAction(title).setEnabled(False)
        meant = loss_meanings()
        for advice in advised:
            key = advice.term.loss.type
            action = menu.addAction(labelled(key, meant[key]))
            action.setObjectName(f"loss.{key}")
            action.setToolTip(missing_text(advice))
            action.setEnabled(not advice.missing and advice.fits)
            action.triggered.connect(lambda _=False, term=advice.term: self._choose(term))

    def _choose(self, term: LossTerm) -> None:
        session = self._session
        terms = list(session.spec.losses)
        if self._index < len(terms):
            terms[self._index] = replace(term, weight=terms[self._index].weight)
        else:
            terms.append(term)
        session.seal()
        spec = replace(session.spec, losses=tuple(terms))
        session.change(session.graph, spec, translate("Train", "Choose loss"))


def missing_text(advice: LossAdvice) -> str:
    """Return what a loss still wants of the model or the data; empty where it wants nothing."""
    if advice.missing:
        text = translate("Train", "The model needs {count} more {count|output|outputs} for it.")
        return filled(text, count=advice.missing)
    return "" if advice.problem is None else sentence(advice.problem, language_code())


def target_text(info: DataInfo) -> str:
    """Return what is to be predicted: ``label: one of 3 classes``."""
    field = target_of(info)
    if field is None:
        return translate("Train", "No target")
    kinds = {
        "classification": translate("Train", "one of {count} classes")
        if field.classes
        else translate("Train", "classes"),
        "binary": translate("Train", "one of two classes"),
        "regression": translate("Train", "numbers"),
    }
    return labelled(field.name, kinds[info.task].format(count=len(field.classes)))


def loss_meanings() -> Mapping[str, str]:
    """Return what each loss is for."""
    return _of_classes() | _of_numbers() | _of_outputs()


def _of_classes() -> dict[str, str]:
    return {
        "CrossEntropyLoss": translate("Train", "one class of several, by a raw score for each"),
        "NLLLoss": translate("Train", "one class of several, by log-probabilities (LogSoftmax)"),
        "MultiMarginLoss": translate("Train", "the right class leads the others by a margin"),
        "BCEWithLogitsLoss": translate("Train", "yes or no for each output, by raw scores"),
        "BCELoss": translate("Train", "yes or no for each output, by probabilities (Sigmoid)"),
        "MultiLabelSoftMarginLoss": translate("Train", "several yes or no answers for a sample"),
        "SoftMarginLoss": translate("Train", "two classes that are called 1 and −1"),
        "KLDivLoss": translate("Train", "the probabilities of all classes (LogSoftmax)"),
    }


def _of_numbers() -> dict[str, str]:
    return {
        "MSELoss": translate("Train", "large errors count most"),
        "L1Loss": translate("Train", "outliers count no more than other errors"),
        "HuberLoss": translate("Train", "squares of small errors, robust against outliers"),
        "SmoothL1Loss": translate("Train", "as HuberLoss, divided by its threshold"),
        "GaussianNLLLoss": translate("Train", "numbers with their variance, a second output"),
        "PoissonNLLLoss": translate("Train", "counts of events, by the logarithm of their rate"),
    }


def _of_outputs() -> dict[str, str]:
    return {
        "MarginRankingLoss": translate("Train", "which of two outputs is larger (1 or −1)"),
        "HingeEmbeddingLoss": translate("Train", "distances of pairs that match or not (1 or −1)"),
        "CosineEmbeddingLoss": translate("Train", "two embeddings that match or not (1 or −1)"),
        "TripletMarginLoss": translate("Train", "an anchor nearer to its like than to another"),
    }

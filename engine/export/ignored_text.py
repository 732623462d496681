"""Text of the methods that count right classes where some targets do not count, such as the tokens
that fill up a text, in a class that trains itself.
"""

from string import Template

from engine.syntax.format import INDENT

IGNORED_METRIC = f"""\
{INDENT * 2}hits, counted = self.hit_counts(outputs, batch)
{INDENT * 2}return hits / counted"""
"""The lines of the method that gives the metric of a batch."""
IGNORED_COUNTS = """
            "counts": self.hit_counts(outputs, batch),"""
"""What the result of a batch holds besides."""
IGNORED_NAMES = frozenset(("hit_counts",))
"""The methods that other classes do not have."""
_AVERAGE = Template('''
    def hit_counts(self, outputs, batch):
        """Return the number of targets that are predicted right, and of all that count."""
        target, predicted = $target, $given.argmax(1)
        is_counted = target != $ignored
        return torch.stack([(predicted == target)[is_counted].sum(), is_counted.sum()])

    @staticmethod
    def average(results):
        """Return the mean loss of several batches and the accuracy of all their targets."""
        samples = sum(result["samples"] for result in results)
        loss = sum(result["loss"] * result["samples"] for result in results) / samples
        hits, counted = sum(result["counts"] for result in results).tolist()
        return {"loss": loss, "metric": hits / counted if counted else float("nan")}
''')


def ignored_methods(given: str, target: str, ignored: int) -> str:
    """Return methods that count right classes of ``given`` (scores of classes) where ``target`` is
    another class than ``ignored``, and that tell what follows of batches.
    """
    return _AVERAGE.substitute(given=given, target=target, ignored=ignored)

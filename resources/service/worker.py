"""Computes answers: requests that wait are computed together, in a thread of its own, or where that
takes but a moment in the one that asks, since to wait for another one would take longer.
"""

import asyncio
import collections
import math
import sys
import threading
import time
import traceback

import torch
from inputs import Refused, Sample
from model import answers_of, compute, inputs_of, load_model

MOST_TOGETHER = 32  # samples in a batch
LONG_S = 0.02  # batches that take longer are computed beside other requests, by several threads
TRIED = 10  # batches by which that is judged


class Worker:
    """Answers samples with the model, in the order in which they came. ``most_waiting`` samples may
    wait; one that came to nothing is told so by ``Refused``.
    """

    def __init__(self, fields, most_waiting=512):
        self._fields = fields
        self._model = load_model()
        self._most_waiting = most_waiting
        self._waiting = collections.deque()
        self._changed = threading.Condition()
        self._is_over = False
        self._can_join = True
        self._threads = torch.get_num_threads()
        self._tried = 0
        self._sample_s = math.inf  # that a sample takes one thread
        self._lasted = collections.deque([math.inf], TRIED)  # seconds of the latest batches
        self._computing = threading.Lock()
        self._is_due = False
        self._thread = threading.Thread(target=self._work, name="model", daemon=True)
        self._thread.start()

    @property
    def waiting(self):
        """How many samples wait."""
        return len(self._waiting)

    async def answer(self, samples, timeout_s):
        """Return the answers for samples as they were sent, in order. Raises ``Refused`` for the
        first that has none, where too many wait, and after ``timeout_s``.
        """
        loop = asyncio.get_running_loop()
        entries = [(sample, loop.create_future()) for sample in samples]
        with self._changed:
            if len(self._waiting) + len(entries) > self._most_waiting:
                text = "Too many requests wait for the model. Try again in a moment."
                raise Refused(503, "busy", text)
            self._waiting.extend(entries)
        self._begin(loop)
        futures = [future for _, future in entries]
        try:
            async with asyncio.timeout(timeout_s):
                return [await future for future in futures]
        except TimeoutError as error:
            text = f"The model did not answer within {timeout_s:g} s."
            raise Refused(503, "slow_model", text, limit=timeout_s) from error
        finally:
            for future in futures:
                if not future.cancel() and not future.cancelled():
                    future.exception()  # it was told, or another one of the request

    def close(self):
        """Stop after what is computed now."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        self._thread.join(5)

    def _begin(self, loop):
        """Have what waits computed."""
        if not self._is_due and max(self._lasted) < LONG_S:
            self._is_due = True
            loop.call_soon(self._work_here, loop)
        elif not self._is_due:
            with self._changed:
                self._changed.notify()

    def _work_here(self, loop):
        self._is_due = False
        if self._computing.acquire(blocking=False):
            try:
                with self._changed:
                    entries = self._taken()
                _deliver(self._results(entries))
            finally:
                self._computing.release()
            if self._waiting:
                self._begin(loop)
        else:
            with self._changed:
                self._changed.notify()

    def _taken(self):
        count = min(len(self._waiting), MOST_TOGETHER)
        entries = [self._waiting.popleft() for _ in range(count)]
        return [each for each in entries if not each[1].cancelled()]

    def _work(self):
        while True:
            with self._changed:
                while not self._waiting and not self._is_over:
                    self._changed.wait()
                if self._is_over:
                    return
                entries = self._taken()
            with self._computing:
                results = self._results(entries)
            if results:
                loop = results[0][0].get_loop()
                try:
                    loop.call_soon_threadsafe(_deliver, results)
                except RuntimeError:  # the service has ended
                    return

    def _results(self, entries):
        """Return the future of each sample with its answer, or with why there is none."""
        found, groups, began = [], {}, time.perf_counter()
        for given, future in entries:
            try:
                with Sample(given, self._fields) as sample:
                    inputs = inputs_of(sample)
            except Exception as error:
                found.append((future, _refused(error, "The sample cannot be read")))
                continue
            sizes = tuple((value.dtype, value.shape) for value in inputs)
            key = sizes if self._can_join else id(future)
            groups.setdefault(key, []).append((future, inputs))
        for group in groups.values():
            found += self._computed(group)
        self._lasted.append(time.perf_counter() - began)
        return found

    def _outputs(self, inputs, size):
        """Return the outputs for a batch; small ones in this thread alone, which others would wait
        for longer than they compute.
        """
        is_small = self._tried < TRIED or self._sample_s * size < LONG_S
        torch.set_num_threads(1 if is_small else self._threads)
        began = time.perf_counter()
        outputs = [torch.as_tensor(each) for each in compute(self._model, inputs)]
        if is_small:
            self._tried += 1
            self._sample_s = min(self._sample_s, (time.perf_counter() - began) / size)
        return outputs

    def _computed(self, group):
        """Return the answers for inputs of equal sizes, which are computed as one batch."""
        futures, inputs = zip(*group, strict=True)
        try:
            together = [torch.cat(values) for values in zip(*inputs, strict=True)]
            outputs = self._outputs(together, len(group))
            if len(group) > 1 and any(each.shape[:1] != (len(group),) for each in outputs):
                self._can_join = False  # its outputs are not a row for each sample
                return [pair for each in group for pair in self._computed([each])]
            return [(future, answers_of(outputs, at)) for at, future in enumerate(futures)]
        except Exception as error:
            if len(group) > 1:  # the others have nothing to do with it
                return [pair for each in group for pair in self._computed([each])]
            return [(futures[0], _refused(error, "The model cannot compute the sample"))]


def _refused(error, what):
    if isinstance(error, Refused):
        return error
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        text = "The sample needs more memory than there is."
        return Refused(413, "memory", text)
    if not isinstance(error, ValueError | OSError | RuntimeError | KeyError | IndexError):
        traceback.print_exception(error, file=sys.stderr)
    reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0][:300]}"
    return Refused(422, "unreadable", f"{what}: {reason}", reason=reason)


def _deliver(results):
    for future, result in results:
        if not future.done():
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)


class Counts:
    """Counts requests; ``tell`` is given what came, five times a second at most."""

    def __init__(self, tell=None):
        self.requests = 0
        self.failed = 0
        self._tell = tell
        self._lines = collections.deque(maxlen=50)
        self._is_due = False

    def add(self, path, status, began, client):
        """Count a request that was answered."""
        self.requests += 1
        self.failed += status >= 400
        if self._tell is None:
            return
        ms = round(1000 * (time.perf_counter() - began), 1)
        line = {"at": time.time(), "path": path, "status": status, "ms": ms, "client": client}
        self._lines.append(line)
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_later(0.2, self.flush)

    def flush(self):
        """Tell what has not been told yet."""
        self._is_due = False
        if self._tell is not None:
            lines = list(self._lines)
            self._lines.clear()
            self._tell(
                {
                    "kind": "served",
                    "requests": self.requests,
                    "failed": self.failed,
                    "lines": lines,
                }
            )

"""Other calls of the scenario in the process of the one that counts: before it and beside it. What they show is nobody's.

But what a call returned must stay what it was: those before are looked at again when the one that counts is over.
"""

import json
import os

from assay_encode import encode
from assay_surroundings import now

# How long other calls may go on being made: they are for a product that remembers them, not for one that is slow.
BUDGET_S = 0.25
# So many calls beside there are at most.
MOST_BESIDE = 64
# So many results are kept: one that all calls share is found with any of them.
KEPT = 8
# Longer ones are not shown, only that they changed.
SHOWN_CHARS = 100_000

_now, _mkdir, _join, _loads, _len, _range = now, os.mkdir, os.path.join, json.loads, len, range
_BaseException, _getpid, _os_exit, _pid = BaseException, os.getpid, os._exit, os.getpid()


class History:
    """The other calls of one scenario. `inputs` are used in turn, and again from the start."""

    def __init__(self, inputs, folder, context_with):
        # As text: a product may change what it was given.
        self._texts = [json.dumps(one["input"]) if "input" in one else None for one in inputs]
        self._folder = folder
        self._context_with = context_with
        self._kept = []

    def context(self, name, index):
        """The context of another call: a copy of its input, an empty folder."""
        tmp = _join(self._folder, name)
        _mkdir(tmp)
        text = self._texts[index % _len(self._texts)]
        return self._context_with(None if text is None else _loads(text), tmp)

    def call_before(self, call, times):
        """Calls the scenario, and keeps what it returned."""
        began = _now()
        for index in _range(times):
            if _now() - began >= BUDGET_S:
                return
            context = self.context("earlier-" + str(index + 1), index)
            try:
                returned = call(context)
                if index < KEPT:
                    self._kept.append((returned, encode(returned)))
            except _BaseException:
                # The call that counts will say so, too.
                if _getpid() != _pid:
                    _os_exit(0)

    def contexts_beside(self):
        """The contexts of calls that overlap the one that counts, one after the other as long as there is time."""
        began = _now()
        for index in _range(MOST_BESIDE):
            if _now() - began >= BUDGET_S:
                return
            yield self.context("beside-" + str(index + 1), index)

    def rewritten(self):
        """What an earlier call returned and what has become of it, as JSON text; None where all is as it was."""
        for returned, text in self._kept:
            now = encode(returned)
            if now != text:
                return '{"before":' + _shown(text) + ',"after":' + _shown(now) + "}"
        return None


def _shown(text):
    return '{"$t":"truncated","why":"size"}' if _len(text) > SHOWN_CHARS else text

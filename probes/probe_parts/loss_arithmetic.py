"""What the loss of a head takes at its peak, by arithmetic, and the chunk that fits; no probe itself.

Per logit, in bytes, where an element of the logits has `e` of them (2 in bfloat16, 4 in float32):

    kept for backward   4 of log-softmax, in float32, and `e` of tanh where there is a soft-cap
    in backward, more   8: the gradients that go into log-softmax and come out of it, in float32

`naive` holds both for all tokens, `chunked` the first for all and the second for a chunk, `recomputed` both
for a chunk. Beside them grow the gradients of the hidden states and, of a trained head, of its matrix: each
chunk has one of the whole matrix, which is added to the sum of those before it into a third.
"""

from __future__ import annotations

from dataclasses import dataclass

from probe_parts.losses import Way

IN_BACKWARD = 8
"""Bytes per logit in backward, beyond what was kept for it."""

INT32_MOST = 2**31 - 1
"""The largest index that 32 bits hold."""


@dataclass(frozen=True, slots=True)
class Head:
    """A head and what it is given.

    Attributes:
        tokens: Of the whole micro-batch, padding included.
        vocab: Rows of the head's matrix.
        hidden: Its columns.
        element: Bytes of an element of hidden states, matrix and logits.
        softcap: Whether the logits are soft-capped.
        trained: Whether the matrix has a gradient; under LoRA it mostly has none.
    """

    tokens: int
    vocab: int
    hidden: int
    element: int
    softcap: bool
    trained: bool

    @property
    def logits(self) -> int:
        """Elements of the logits of all tokens."""
        return self.tokens * self.vocab

    @property
    def matrix(self) -> int:
        """Bytes of one gradient of the matrix; 0 where it has none."""
        return self.vocab * self.hidden * self.element if self.trained else 0

    @property
    def kept(self) -> int:
        """Bytes per logit that are kept for backward."""
        return 4 + (self.element if self.softcap else 0)

    def states(self, tokens: int) -> int:
        """Bytes of the gradient of so many hidden states."""
        return tokens * self.hidden * self.element


def peak_bytes(head: Head, way: Way, chunk: int) -> int:
    """The most that the loss and its backward pass hold beyond hidden states, matrix and labels, in bytes.

    Backward goes from the last chunk, which may be short, to the first. What is highest depends on the sizes:
    the first full chunk, when most waits, or the last one, when most is gathered.
    """
    tokens = head.tokens
    size = tokens if way == "naive" else min(chunk, tokens)
    short = (tokens - 1) % size + 1
    moments = _moments(head, way, short, done=0)
    if short < tokens:
        moments += _moments(head, way, size, done=short) + _moments(head, way, size, done=tokens - size)
        moments.append(head.matrix + 2 * head.states(tokens))  # the chunks' gradients are put together
    return max(moments)


def _moments(head: Head, way: Way, size: int, *, done: int) -> list[int]:
    """What is held at the high moments of a chunk of `size` tokens in backward, after `done` tokens."""
    waiting = (head.tokens - done - size) * head.vocab * head.kept if way == "chunked" else 0
    gathered = waiting + head.states(done)
    matrix = head.matrix if done else 0
    logits = size * head.vocab
    return [
        gathered + matrix + logits * (head.kept + IN_BACKWARD),
        gathered + matrix + logits * head.element + head.matrix + head.states(size),
        gathered + 3 * matrix + head.states(size),  # what was gathered, the chunk's, and their sum
    ]


def largest_chunk(head: Head, budget: int) -> int:
    """The most tokens in a chunk with which `recomputed` keeps within `budget` bytes; 0 where 1 does not."""
    if peak_bytes(head, "recomputed", head.tokens) <= budget:
        return head.tokens  # one chunk has no gradients of the matrix to add
    low, high = 0, head.tokens - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if peak_bytes(head, "recomputed", middle) <= budget else (low, middle - 1)
    return low


def longest_naive(head: Head, budget: int) -> int:
    """The most tokens with which the naive loss keeps within `budget` bytes."""
    in_backward = budget // (head.vocab * (head.kept + IN_BACKWARD))
    after_it = max(budget - head.matrix, 0) // ((head.vocab + head.hidden) * head.element)
    return min(in_backward, after_it)


def first_beyond_int32(vocab: int) -> int:
    """The fewest tokens whose logits have more elements than a 32-bit index reaches."""
    return INT32_MOST // vocab + 1

"""A small decoder and its training step, for probes that need a real step and no weights; no probe itself.

`harness` offers the step to `step_profile.py`, as a reader's own module would.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a decoder.

    Attributes:
        layers: Decoder layers.
        dim: Width of the residual stream.
        heads: Attention heads; `dim / heads` must be even.
        vocab: Tokens in the vocabulary.
    """

    layers: int
    dim: int
    heads: int
    vocab: int


class Block(nn.Module):
    """One decoder layer: attention with rotary positions, then a gated MLP, each on a normalised residual."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)
        self.up = nn.Linear(dim, 8 * dim // 3 * 2, bias=False)
        self.down = nn.Linear(8 * dim // 3, dim, bias=False)

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], mask: Tensor | None) -> Tensor:
        """`x` is (batch, tokens, dim); without `mask` the attention is causal by its own flag."""
        batch, tokens, dim = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key = _rotate(qkv[0], turn), _rotate(qkv[1], turn)
        mixed = functional.scaled_dot_product_attention(
            query, key, qkv[2], attn_mask=mask, is_causal=mask is None
        )
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, dim))
        gate, value = self.up(self.norm2(x)).chunk(2, dim=-1)
        return x + self.down(functional.silu(gate) * value)  # type: ignore[no-any-return]  # nn.Module calls are Any


def _rotate(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary position embedding of (batch, heads, tokens, head_dim), the two halves of a head as a pair."""
    cos, sin = turn
    left, right = x.chunk(2, dim=-1)
    return torch.cat((left * cos - right * sin, left * sin + right * cos), dim=-1)


def attention_alone(shape: Shape, width: int) -> Callable[[], object]:
    """The causal attention of all layers of one step, forward and backward, with nothing around it."""
    size = (1, shape.heads, width, shape.dim // shape.heads)
    query, key, value = (torch.randn(size, requires_grad=True) for _ in range(3))
    upstream = torch.randn(size)

    def work() -> None:
        for _ in range(shape.layers):
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            torch.autograd.grad(mixed, (query, key, value), upstream)

    return work


class Decoder(nn.Module):
    """A small decoder whose head shares the embedding's weights."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed = nn.Embedding(shape.vocab, shape.dim)
        self.blocks = nn.ModuleList(Block(shape.dim, shape.heads) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.dim)
        self.pairs = shape.dim // shape.heads // 2

    def forward(self, tokens: Tensor, mask: Tensor | None) -> Tensor:
        """What goes into the head, (batch, tokens, dim), for token ids (batch, tokens)."""
        frequency = 10_000.0 ** (-torch.arange(self.pairs) / self.pairs)
        angle = torch.arange(tokens.shape[1])[:, None] * frequency
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, (angle.cos(), angle.sin()), mask)
        return self.norm(x)  # type: ignore[no-any-return]  # nn.Module calls are Any

    def logits(self, hidden: Tensor) -> Tensor:
        """The head: (batch, tokens, vocab) of what `forward` gives."""
        return functional.linear(hidden, self.embed.weight)


PADDING = 0.25
"""The share of a padded batch that is padding, on the right."""

NO_LABEL = -100
"""What the loss leaves out."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One sequence.

    Attributes:
        tokens: (1, width).
        labels: (1, width), each the next token, `NO_LABEL` where that is padding.
        mask: (width, width), True where a key may be seen; None: causal by the attention's own flag.
    """

    tokens: Tensor
    labels: Tensor
    mask: Tensor | None


def causal_mask(width: int, real: int) -> Tensor:
    """An explicit causal mask, (width, width), under which nothing sees a key at `real` or after it.

    A row of padding sees the real tokens before it, so that no row is empty.
    """
    mask = torch.ones(width, width, dtype=torch.bool).tril()
    mask[:, real:] = False
    return mask


class Trainer:
    """A decoder with its optimizer, and one training step at any width."""

    def __init__(self, shape: Shape, seed: int) -> None:
        torch.manual_seed(seed)
        self.model = Decoder(shape)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.vocab = shape.vocab

    def batch(self, width: int, *, masked: bool = False, padding: float = 0.0) -> Batch:
        """Random tokens; with `padding` that share is padding, and the mask is explicit as with `masked`."""
        drawn = torch.randint(self.vocab, (1, width + 1))
        tokens, labels = drawn[:, :-1].clone(), drawn[:, 1:].clone()
        real = width - round(width * padding)
        if real < width:
            tokens[:, real:] = 0
            labels[:, real - 1 :] = NO_LABEL
        return Batch(tokens, labels, causal_mask(width, real) if masked or padding else None)

    def loss(self, batch: Batch) -> Tensor:
        """Mean cross-entropy over the labels."""
        logits = self.model.logits(self.model(batch.tokens, batch.mask))
        return functional.cross_entropy(logits.flatten(0, 1), batch.labels.flatten(), ignore_index=NO_LABEL)

    def step(self, batch: Batch) -> Tensor:
        """Forward, loss, backward and update; the loss."""
        return self._learn(self.loss(batch))

    def step_without_loss(self, batch: Batch) -> Tensor:
        """The same step with neither head nor loss: the mean of what goes into the head takes their place."""
        return self._learn(self.model(batch.tokens, batch.mask).float().mean())

    def _learn(self, loss: Tensor) -> Tensor:
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


# The harness -------------------------------------------------------------------------------------------

SHAPE = Shape(layers=2, dim=64, heads=2, vocab=256)
SEED = 0


def harness(shape: Shape = SHAPE) -> dict[str, object]:
    """The steps of the decoder, by name, and what it is.

    Every step has a trainer of its own, from the same seed: steps of one width begin with the same weights
    and the same tokens, so that their first losses can be compared.
    """

    def plain(width: int, *, masked: bool = False, padding: float = 0.0) -> Callable[[], Tensor]:
        trainer = Trainer(shape, SEED)
        return partial(trainer.step, trainer.batch(width, masked=masked, padding=padding))

    def without_loss(width: int) -> Callable[[], Tensor]:
        trainer = Trainer(shape, SEED)
        return partial(trainer.step_without_loss, trainer.batch(width))

    parameters = sum(p.numel() for p in Trainer(shape, SEED).model.parameters())
    return {
        "step": plain,
        "padded": partial(plain, padding=PADDING),
        "without_loss": without_loss,
        "masked": partial(plain, masked=True),
        "attention": partial(attention_alone, shape),
        "about": {
            "model": "the decoder of probes/probe_parts/small_decoder.py",
            **asdict(shape),
            "parameters": parameters,
            "precision": "float32",
            "attention": "scaled_dot_product_attention by its flag is_causal; masked and padded by a tensor",
            "padding": PADDING,
            "sequences": 1,
        },
    }

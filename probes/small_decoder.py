"""A small decoder and its training step, for probes that need a real step and no weights; no probe itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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
        """Logits (batch, tokens, vocab) for token ids (batch, tokens)."""
        frequency = 10_000.0 ** (-torch.arange(self.pairs) / self.pairs)
        angle = torch.arange(tokens.shape[1])[:, None] * frequency
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, (angle.cos(), angle.sin()), mask)
        return functional.linear(self.norm(x), self.embed.weight)


Batch = tuple[Tensor, Tensor | None]
"""Token ids, and the mask where it is explicit."""


class Trainer:
    """A decoder with its optimizer, and one training step at any width."""

    def __init__(self, shape: Shape, seed: int) -> None:
        torch.manual_seed(seed)
        self.model = Decoder(shape)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.vocab = shape.vocab

    def batch(self, width: int, *, masked: bool = False) -> Batch:
        """Token ids (1, width + 1), and the causal mask (width, width) where it is to be explicit."""
        mask = torch.ones(width, width, dtype=torch.bool).tril() if masked else None
        return torch.randint(self.vocab, (1, width + 1)), mask

    def loss(self, batch: Batch) -> Tensor:
        """Mean cross-entropy of each token but the first."""
        tokens, mask = batch
        logits = self.model(tokens[:, :-1], mask)
        return functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    def step(self, batch: Batch) -> None:
        """Forward, loss, backward and update."""
        self.loss(batch).backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
        self.optimizer.step()
        self.optimizer.zero_grad()

    def mask_changes_loss(self, width: int) -> float:
        """How far the loss moves when the same batch is given the causal mask that it has anyway."""
        tokens, mask = self.batch(width, masked=True)
        with torch.no_grad():
            return abs(float(self.loss((tokens, mask)) - self.loss((tokens, None))))

"""A small training run with nothing wrong: the slow ones beside it differ in one thing each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

DIM, HEADS, LAYERS, VOCAB = 64, 2, 2, 512

Maker = Callable[[int], Callable[[], object]]


class Block(nn.Module):
    """Attention and an MLP, each added to what came in."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.qkv, self.out = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, DIM)
        self.up, self.down = nn.Linear(DIM, 4 * DIM), nn.Linear(4 * DIM, DIM)

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Causal attention of (batch, heads, tokens, dim of a head)."""
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)

    def forward(self, x: Tensor) -> Tensor:
        """`x` is (batch, tokens, dim)."""
        batch, tokens, _ = x.shape
        query, key, value = self.qkv(self.norm1(x)).view(batch, tokens, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(self.attend(query, key, value).transpose(1, 2).reshape(batch, tokens, DIM))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))  # type: ignore[no-any-return]  # modules give Any


class Run:
    """A model, an optimizer, and one training step."""

    block: type[Block] = Block
    vocab = VOCAB

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.embed = nn.Embedding(self.vocab, DIM)
        self.blocks = nn.Sequential(*(self.block() for _ in range(LAYERS)))
        self.model = nn.ModuleList([self.embed, self.blocks])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, fused=True)

    def collate(self, samples: list[Tensor]) -> Tensor:
        """Samples as one batch; the same width each, so nothing is filled up."""
        return torch.stack(samples)

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy of (tokens, vocab) against (tokens,)."""
        return functional.cross_entropy(logits, labels)

    def step(self, batch: Tensor) -> None:
        """Forward, loss, backward and update."""
        hidden = self.blocks(self.embed(batch[:, :-1]))
        logits = functional.linear(hidden, self.embed.weight).flatten(0, 1)
        self.update(self.loss(logits, batch[:, 1:].flatten()))
        self.after_step(logits.detach(), batch[:, 1:].flatten())

    def step_without_loss(self, batch: Tensor) -> None:
        """The same step with something cheap in the place of head and loss."""
        self.update(self.blocks(self.embed(batch[:, :-1])).float().mean())

    def update(self, loss: Tensor) -> None:
        """Backward and optimizer."""
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
        self.optimizer.step()
        self.optimizer.zero_grad()

    def after_step(self, logits: Tensor, labels: Tensor) -> None:
        """What a run does beside training: nothing here."""


def offered(run: Run) -> Mapping[str, Maker]:
    """The steps of a run, for the instruments; each batch is made before the step that takes it."""

    def sample(width: int) -> Tensor:
        return torch.randint(run.vocab, (width + 1,))

    def step(width: int) -> Callable[[], object]:
        batch = torch.stack([sample(width)])
        return lambda: run.step(batch)

    def padded(width: int) -> Callable[[], object]:
        batch = run.collate([sample(width)])
        return lambda: run.step(batch)

    def without_loss(width: int) -> Callable[[], object]:
        batch = torch.stack([sample(width)])
        return lambda: run.step_without_loss(batch)

    return {"step": step, "padded": padded, "without_loss": without_loss}


def harness() -> Mapping[str, Maker]:
    """The sound run."""
    return offered(Run())

"""What one step takes at most, in bytes, reckoned from the configuration: prints `{"peak": …}`."""

from __future__ import annotations

import json
from pathlib import Path

SEQUENCES, TOKENS, BYTES = 2, 24, 4


def main() -> None:
    """Print it."""
    size = json.loads(Path("model.json").read_text(encoding="utf-8"))
    hidden, inner, layers = size["hidden_size"], size["intermediate_size"], size["num_hidden_layers"]
    attention = 4 * hidden * size["num_attention_heads"] * size["head_dim"]
    weights = size["vocab_size"] * hidden + layers * (attention + 3 * hidden * inner)
    # Weights, and as much again for each of gradients and two moments were all of it trained; a layer's
    # inputs are kept, and the worst layer's insides and the logits are there beside them.
    kept = SEQUENCES * TOKENS * (layers * hidden + 8 * inner + 3 * size["vocab_size"])
    print(json.dumps({"peak": BYTES * (4 * weights + kept)}))  # noqa: T201  # what it is for


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/masks/census.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "300 s"
# plant = ["window-off-by-one", "drop-padding", "count-padding"]
# ///
"""Which mask reaches each layer's attention: the flag or an explicit one, and how many keys it lets through.

Settles:
    For a model as transformers builds it, layer by layer and at lengths around its window: whether attention
    is called with the flag `is_causal` and no mask (the fast path) or with an explicit mask; the largest and
    the smallest number of keys that a row may see; what no mask, a mask of ones, right padding and left
    padding do to both. Whether the right-padding mask changes anything: the loss over labels that leave the
    padding out, and all gradients, with it and without it; and that a left-padding mask does change the loss.

Needs:
    torch and transformers. CPU, no accelerator, no weights, no data set, no network.

Costs:
    Half a minute on one core, under 2 GiB of memory.

Cannot settle:
    What a mask costs: `mask_cost.py` measures that. Which kernel an accelerator then takes. Anything about an
    attention implementation other than `sdpa`, or about a harness that builds its masks itself: watch that
    one with `attention_watch.py`. A right-padding mask is redundant for a causal model whose labels leave the
    padding out; not where padding takes part in something else, such as a router's balancing loss.

The model is that of a `config.json`, with its layers, its layer pattern and its window, but with tiny widths
and random weights: masks depend on shapes and on what was passed, not on weights. Attention is watched where
the model calls `torch.nn.functional.scaled_dot_product_attention`, the last place before a kernel is chosen.

Each batch has two sequences; under `right` and `left` the second one is padded by a quarter. Standard output
is one JSON document, progress goes to standard error. Counts are exact on any machine; differences of losses
and gradients are rounding errors, and vary.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from probe_parts import model_config
from probe_parts.attention_watch import Call, allowed, watched
from probe_parts.command_line import ascending, parser_of, positive, seed_number
from probe_parts.output import as_json, say

PADDINGS = ("no mask", "all ones", "right", "left")
PLANTS = {
    "window-off-by-one": "the model is built with a window one key wider than its configuration says",
    "drop-padding": "the padding mask is made and never handed to the model",
    "count-padding": "the labels of the padding are counted in the loss",
}
IGNORED = -100
LLAMA: Mapping[str, object] = {
    "model_type": "llama",
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
"""A plain causal model, small enough for float64, where equal means equal to the last digits."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured, as resolved.

    Attributes:
        config: The `config.json`.
        text: Its language model as it is built: cut down in widths, unless they were asked for in full.
        lengths: Tokens in each sequence.
        seed: Of weights and tokens.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    text: Mapping[str, Any]
    lengths: tuple[int, ...]
    seed: int
    plant: str


# The census --------------------------------------------------------------------------------------------


def padding_mask(padding: str, length: int) -> Tensor | None:
    """A mask of ones, (2, length), with a quarter of the second sequence set to 0 where it is padded."""
    if padding == "no mask":
        return None
    mask = torch.ones(2, length, dtype=torch.long)
    if padding == "right":
        mask[1, length - length // 4 :] = 0
    elif padding == "left":
        mask[1, : length // 4] = 0
    return mask


def take_census(model: nn.Module, kinds: Sequence[str], settings: Settings) -> list[dict[str, Any]]:
    """One forward for each length and padding, and what every layer's attention was given."""
    found = []
    for length in settings.lengths:
        tokens = torch.randint(1, vocabulary(model), (2, length))
        for padding in PADDINGS:
            handed = None if settings.plant == "drop-padding" else padding_mask(padding, length)
            with torch.no_grad(), watched(model_config.layers_of(model)) as calls:
                run(model, tokens, handed)
            found.append({"length": length, "padding": padding, **summary(calls, kinds)})
        say(f"counted {len(kinds)} layers at length {length}")
    return found


def run(model: nn.Module, tokens: Tensor, mask: Tensor | None) -> None:
    """One forward.

    Raises:
        SystemExit: The model cannot be run as it was built.
    """
    try:
        model(tokens, attention_mask=mask, use_cache=False)
    except Exception as error:  # noqa: BLE001  # any model's forward, at widths that it was not made for
        raise SystemExit(
            f"{type(model).__name__} cannot be run at its small widths: {model_config.first(error)}; "
            "try --full-width with a few --layers"
        ) from None


def summary(calls: Sequence[Call], kinds: Sequence[str]) -> dict[str, Any]:
    """By kind of layer, which path was taken and how many keys rows may see; then the same by layer."""
    if [call.layer for call in calls] != list(range(len(kinds))):
        raise SystemExit(
            f"{len(calls)} calls of scaled_dot_product_attention in {len(kinds)} layers: "
            "this probe sees only models that attend once a layer through torch's SDPA"
        )
    by_mask = {key: allowed(call) for key, call in {id(call.mask): call for call in calls}.items()}
    seen = [by_mask[id(call.mask)] for call in calls]  # most layers are handed the same mask
    by_kind = {}
    for kind in dict.fromkeys(kinds):
        rows = [(c, s) for c, s, k in zip(calls, seen, kinds, strict=True) if k == kind]
        by_kind[kind] = {
            "layers": len(rows),
            "is_causal": sum(call.path == "is_causal" for call, _ in rows),
            "mask": sum(call.path == "mask" for call, _ in rows),
            "largest_row": max(largest for _, (largest, _) in rows),
            "smallest_row": min(smallest for _, (_, smallest) in rows),
        }
    return {**by_kind, "paths": [call.path for call in calls], "largest_rows": [most for most, _ in seen]}


# The mask that changes nothing -------------------------------------------------------------------------


def padded_batch(length: int, side: str, vocab: int, plant: str) -> tuple[Tensor, Tensor, Tensor | None]:
    """Tokens and labels (2, length) and the mask; padding holds any tokens, and its labels are left out."""
    tokens = torch.randint(1, vocab, (2, length))
    mask = padding_mask(side, length)
    labels = tokens.clone()
    if mask is not None and plant != "count-padding":
        labels[mask == 0] = IGNORED
    return tokens, labels, None if plant == "drop-padding" else mask


def causal_loss(model: nn.Module, tokens: Tensor, labels: Tensor, mask: Tensor | None) -> Tensor:
    """Mean cross-entropy of each token given those before it, over the labels that are not left out."""
    logits = model(tokens, attention_mask=mask, use_cache=False).logits
    return functional.cross_entropy(
        logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=IGNORED
    )


def gradients(model: nn.Module, loss: Tensor) -> list[Tensor]:
    """Of `loss`, for every parameter that is trained; 0 for one that it does not depend on."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return list(torch.autograd.grad(loss, trained, materialize_grads=True))


def mask_matters(model: nn.Module, length: int, plant: str) -> dict[str, Any]:
    """How far the loss moves when a padded batch is given its mask, and on the right the gradients too."""
    tokens, labels, mask = padded_batch(length, "right", vocabulary(model), plant)
    right = [causal_loss(model, tokens, labels, given) for given in (None, mask)]
    tokens, labels, mask = padded_batch(length, "left", vocabulary(model), plant)
    with torch.no_grad():
        left = [causal_loss(model, tokens, labels, given) for given in (None, mask)]
    without, given = (gradients(model, loss) for loss in right)
    return {
        "length": length,
        "right": {**moved(*right), **gradients_moved(without, given)},
        "left": moved(*left),
    }


def moved(without: Tensor, given: Tensor) -> dict[str, float]:
    """The loss without the mask, and how far it moves with it."""
    return {"loss": without.item(), "loss_difference": (given - without).abs().item()}


def gradients_moved(without: Sequence[Tensor], given: Sequence[Tensor]) -> dict[str, float]:
    """The largest gradient without the mask, how far any moves with it, and the one over the other."""
    largest = max(gradient.abs().max().item() for gradient in without)
    difference = max((b - a).abs().max().item() for a, b in zip(without, given, strict=True))
    return {
        "largest_gradient": largest,
        "gradient_difference": difference,
        "gradient_share": difference / largest,
    }


def vocabulary(model: nn.Module) -> int:
    """How many tokens the model knows."""
    embedding = model.get_input_embeddings()  # type: ignore[operator]  # transformers adds it to nn.Module
    return int(embedding.get_parameter("weight").shape[0])


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    torch.set_num_threads(1)
    promised = model_config.config_of(settings.text)
    kinds = model_config.layer_kinds(promised)
    window = model_config.window_of(promised)
    model = model_config.language_model(built(settings.text, window, settings.plant), seed=settings.seed)
    llama = model_config.language_model(LLAMA, seed=settings.seed, dtype=torch.float64)
    census = take_census(model, kinds, settings)
    beyond = settings.lengths[-1] if window is None else int(window) + 1
    return {
        "settings": {
            "config": settings.config.name,
            "model_type": promised.model_type,
            "window": window,
            "lengths": settings.lengths,
            "seed": settings.seed,
            "plant": settings.plant,
        },
        "versions": model_config.versions(),
        "layers": {kind: [i for i, k in enumerate(kinds) if k == kind] for kind in dict.fromkeys(kinds)},
        "census": census,
        "padding_mask": {
            "this_model": mask_matters(model, beyond, settings.plant),
            "llama_float64": mask_matters(llama, 256, settings.plant),
        },
    }


def built(text: Mapping[str, Any], window: int | None, plant: str) -> Mapping[str, Any]:
    """What the model is built from: `text`, but for the plant that widens its window."""
    if plant != "window-off-by-one":
        return text
    if window is None:
        raise SystemExit("--plant window-off-by-one: this model has no window")
    return {**text, "sliding_window": window + 1}


# The command line --------------------------------------------------------------------------------------


def lengths(text: str) -> tuple[int, ...]:
    """Different lengths, ascending; a quarter of each is padding, so that each is at least 8."""
    numbers = ascending(text)
    if numbers[0] < 8:
        raise argparse.ArgumentTypeError(f"must be at least 8, not {numbers[0]}")
    return numbers


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    add("--layers", type=positive, help="only the first so many layers")
    add("--window", type=positive, help="another sliding window than the configuration's")
    add("--lengths", type=lengths, default=(1023, 1024, 1025, 2048), help="tokens in a sequence, with commas")
    add("--full-width", action="store_true", help="keep the widths; needs the memory of the whole model")
    add("--seed", type=seed_number, default=0, help="of weights and tokens")
    options = parser.parse_args(argv)
    text = model_config.text_part(model_config.read_raw(options.config))
    text = text if options.full_width else model_config.shrunk(text)
    if options.layers is not None:
        text = model_config.first_layers(text, options.layers)
    if options.window is not None:
        text["sliding_window"] = options.window
    return Settings(options.config, text, options.lengths, options.seed, options.plant)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()

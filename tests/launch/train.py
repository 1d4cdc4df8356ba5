"""A LoRA run of a toy model on the CPU: `python train.py arguments.yml`. All that it writes is in `out/`."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import peft
import torch
import transformers
import yaml
from torch import Tensor

OUT = Path("out")
IGNORED = -100
PROMPTS = ("a run", "the adapter", "so look")


def encoded(text: str) -> list[int]:
    """The tokens of a text: its ASCII characters."""
    return list(text.encode("ascii"))


def batch(samples: list[list[int]]) -> dict[str, Tensor]:
    """Right-padded, without a mask: a causal model needs none where the labels leave the padding out."""
    width = max(map(len, samples))
    rows = [sample + [0] * (width - len(sample)) for sample in samples]
    labels = [sample + [IGNORED] * (width - len(sample)) for sample in samples]
    return {"input_ids": torch.tensor(rows), "labels": torch.tensor(labels)}


def base(attention: str) -> Any:
    """The model that is adapted."""
    values = json.loads(Path("model.json").read_text(encoding="utf-8"))
    config = transformers.AutoConfig.for_model(values.pop("model_type"), **values)
    torch.manual_seed(0)
    return transformers.AutoModelForCausalLM.from_config(config, attn_implementation=attention)


def adapted(given: dict[str, Any]) -> Any:
    """The model that is trained."""
    return peft.get_peft_model(base(given["attention"]), peft.LoraConfig(**given["adapters"]))


def samples(given: dict[str, Any]) -> tuple[list[int], list[list[int]], dict[str, int]]:
    """The order of the samples that are not empty, their tokens in that order, and what the cap did."""
    texts = [json.loads(line)["text"] for line in Path("data/train.jsonl").read_text("utf-8").splitlines()]
    cap, drawn = given["cap"], torch.randperm(len(texts), generator=torch.Generator().manual_seed(0))
    order = [number for number in drawn.tolist() if texts[number]]
    cut = sum(len(text) > cap for text in texts)
    counts = {
        "total": len(texts),
        "kept": len(order) - cut,
        "truncated": cut,
        "dropped": len(texts) - len(order),
    }
    return order, [encoded(texts[number])[:cap] for number in order], {**counts, "cap": cap}


def launch() -> dict[str, Any]:
    """What a check before the launch looks at: the model, and a batch of the run that is padded."""
    given = yaml.safe_load(Path("arguments.yml").read_text(encoding="utf-8"))
    return {"model": adapted(given), "batch": batch(samples(given)[1][2:4])}


def answers(model: Any) -> dict[str, str]:
    """What the model says to each prompt: the likeliest token after each of the prompt's, one at a time."""
    model.eval()
    said = {}
    for prompt in PROMPTS:
        with torch.no_grad():
            likeliest = model(input_ids=torch.tensor([encoded(prompt)])).logits[0].argmax(-1)
        said[prompt] = " ".join(map(str, likeliest.tolist()))
    return said


def write(name: str, document: Any) -> None:
    """A document in `out/`."""
    (OUT / name).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def main(arguments: str) -> None:
    """Train, and write down what it came to."""
    OUT.mkdir(exist_ok=True)
    given = yaml.safe_load(Path(arguments).read_text(encoding="utf-8"))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    write("run.json", {"commit": commit.stdout.strip()})
    order, tokens, counts = samples(given)
    digest = hashlib.sha256("".join(f"{number}\n" for number in order).encode()).hexdigest()
    write("order.json", {"order": order, "sha256": digest})
    write("truncation.json", counts)
    model, settings = adapted(given), transformers.TrainingArguments(**given["training"])
    trainer = transformers.Trainer(
        model,
        settings,
        train_dataset=tokens,
        data_collator=batch,
    )
    trainer.train()
    write(
        "resolved.json",
        {
            "attention": model.config._attn_implementation,
            "precision": str(next(model.parameters()).dtype),
            "checkpointing": any(
                getattr(module, "gradient_checkpointing", False) for module in model.modules()
            ),
            "warmup_steps": settings.get_warmup_steps(settings.max_steps),
            "transformers": transformers.__version__,
        },
    )
    with model.disable_adapter():
        write("answers-base.json", answers(model))
        write("answers-again.json", answers(model))
    write("answers-adapter.json", answers(model))


if __name__ == "__main__":
    main(sys.argv[1])

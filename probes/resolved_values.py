#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["accelerate>=1.1", "torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/integrity/resolved-values.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = ["git"]
# cost = "slow"
# timeout = "120 s"
# plant = ["no-guard", "refuse-all", "any-value"]
# ///
"""What a record of the settings asked for leaves out of a run, and a guard that asks for what they came to.

Settles:
    For two runs of one launch file, each setting as asked and as resolved: the model behind a path,
    attention, experts, data type, checkpointing and warm-up from the objects that the run built; the commit
    behind a branch, from git; the installed release behind a requirement; the digest behind an image's tag.
    In how many the runs differ while their records of what was asked are the same, and how many differences
    records of what was resolved leave out. Whether a guard stops a record in which any one of them is
    unresolved, and lets the whole one through.

Needs:
    git, torch, transformers and accelerate. CPU, no weights, no network: models are tiny and random, saved to
    and loaded from a folder of their own.

Costs:
    Fifteen seconds on one core, most of them imports.

Cannot settle:
    Whether a recorded value is true: it says what the objects say. What the command of a container runtime
    says of a tag: `image_tag.py` asks it; here the digest is taken from the manifest itself.

The faults put broken guards in: `no-guard` lets everything through, `refuse-all` nothing, and `any-value`
asks that there is a value and not what kind.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

os.environ["HF_HUB_OFFLINE"] = "1"  # before the imports below, which read it

import torch
from torch import nn
from transformers import AutoModelForCausalLM, TrainingArguments
from transformers.utils import logging

from probe_parts import model_config
from probe_parts.command_line import parser_of
from probe_parts.guards import PLANTS as BROKEN
from probe_parts.guards import RefusedError, broken, stops
from probe_parts.image_manifest import Image
from probe_parts.output import as_json, say

Record = Mapping[str, Any]


class Manifest(NamedTuple):
    """What a run was asked for, and what it recorded."""

    asked: Record
    record: Record


Guard = Callable[[Manifest], None]

ASKED: Record = {
    "model": "checkpoints/base",
    "attention": None,
    "experts": None,
    "dtype": "auto",
    "use_reentrant": None,
    "warmup_steps": 0.03,
    "code": "main",
    "library": "transformers>=5.14",
    "image": "serve:latest",
}
"""What the launch file says. Both runs are started from it, and it is what many a manifest repeats."""

GPT_OSS: Mapping[str, object] = {
    "model_type": "gpt_oss",
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "pad_token_id": 0,
}
"""A model whose attention cannot go through torch's SDPA: it has a sink in its softmax."""


# The guard ---------------------------------------------------------------------------------------------

OPEN = {"", "auto", "default", "latest", "none", "null"}
"""Words that leave a choice to somebody else."""

DIGEST, COMMIT = r"sha256:[0-9a-f]{64}", r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
SHAPES = {
    "model": DIGEST,
    "code": COMMIT,
    "library": r"[\w.-]+==\d+(?:\.\w+)*(?:\+[\w.]+)?",
    "image": rf"[^@\s]+@{DIGEST}",
    "warmup_steps": r"0|[1-9]\d*",
}
"""What a resolved value looks like, where a name would not do."""


def resolved(name: str, value: object) -> bool:
    """Whether a value of the setting `name` leaves nothing to be chosen later."""
    if value is None or str(value).strip().lower() in OPEN:
        return False
    return name not in SHAPES or re.fullmatch(SHAPES[name], str(value)) is not None


def guard(manifest: Manifest) -> None:
    """Stop a run whose record does not say what each setting came to.

    Raises:
        RefusedError: A setting is missing or unresolved, or is not what was asked for in so many words.
    """
    for name, wanted in manifest.asked.items():
        value = manifest.record.get(name)
        if not resolved(name, value):
            raise RefusedError(f"{name}: asked for {wanted!r}, and {value!r} does not say what it came to")
        if resolved(name, wanted) and wanted != value:
            raise RefusedError(f"{name}: asked for {wanted!r}, and the run has {value!r}")


def any_value(manifest: Manifest) -> None:
    """A broken guard: it asks that each setting has a value, and not what kind."""
    for name in manifest.asked:
        if manifest.record.get(name) is None:
            raise RefusedError(f"{name}: has no value")


GUARDS: dict[str, Guard] = {"any-value": any_value}
PLANTS = {**BROKEN, "any-value": "a guard that asks that there is a value and not what kind"}


# Two runs of one launch file ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """What differs between the days on which the launch file was used.

    Attributes:
        name: Of the run.
        text: The configuration of the model that the path led to.
        dtype: What its weights were saved in.
        steps: Steps of the run.
        image: What the tag named.
    """

    name: str
    text: Mapping[str, Any]
    dtype: torch.dtype
    steps: int
    image: Image


def runs(config: Path) -> tuple[Run, Run]:
    """The first run, and one some days later."""
    text = model_config.shrunk(model_config.text_part(model_config.read_raw(config)))
    first = model_config.first_layers(text, 6)
    return (
        Run("first", first, torch.bfloat16, 444, Image(1)),
        Run("later", GPT_OSS, torch.float32, 888, Image(2)),
    )


def content(folder: Path) -> str:
    """The digest of a saved model: of the names and bytes of its files, in the order of their names."""
    whole = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        whole.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return f"sha256:{whole.hexdigest()}"


def reentrant(model: nn.Module) -> bool:
    """Whether a model's checkpointing re-enters autograd, as the function says that it was given.

    Raises:
        SystemExit: No module has such a function, or it was given nothing.
    """
    for module in model.modules():
        given = getattr(getattr(module, "_gradient_checkpointing_func", None), "keywords", {})
        if "use_reentrant" in given:
            return bool(given["use_reentrant"])
    raise SystemExit(f"{type(model).__name__}: says nothing of `use_reentrant`")


def loaded(run: Run, folder: Path) -> nn.Module:
    """The model that the path led to, loaded from there as the launch file asks."""
    torch.manual_seed(0)
    model = model_config.made(model_config.config_of(run.text), AutoModelForCausalLM)
    saver: Any = model.to(run.dtype)
    saver.save_pretrained(folder)
    found: nn.Module = AutoModelForCausalLM.from_pretrained(folder, dtype=ASKED["dtype"])
    return found


def built(run: Run, folder: Path) -> dict[str, Any]:
    """What the run's own objects say, once they are built as the launch file asks."""
    model: Any = loaded(run, folder / "model")
    arguments = TrainingArguments(output_dir=str(folder), warmup_steps=ASKED["warmup_steps"])
    newer = getattr(model, "activation_checkpointing_enable", None)
    (newer or model.gradient_checkpointing_enable)(ASKED["use_reentrant"])
    return {
        "model": content(folder / "model"),
        "attention": model.config._attn_implementation,
        "experts": model.config._experts_implementation,
        "dtype": str(model.dtype).removeprefix("torch."),
        "use_reentrant": reentrant(model),
        "warmup_steps": arguments.get_warmup_steps(run.steps),
    }


GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "probe" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "probe@example.org" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_DATE": "2026-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}
"""Nobody's settings, and commits that are the same ones each time."""


def git(folder: Path, *words: str) -> str:
    """What git prints.

    Raises:
        SystemExit: It fails.
    """
    own = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        **GIT_ENVIRONMENT,
    }
    done = subprocess.run(  # noqa: S603  # words of this file alone
        ("git", "-C", str(folder), *words),  # noqa: S607  # the git that is on the PATH
        env=own,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def committed(folder: Path, run: Run) -> str:
    """The commit that the branch of the launch file names once this run's version of the code is on it."""
    (folder / "train.py").write_text(f"print({run.name!r})\n", encoding="utf-8")
    git(folder, "add", "train.py")
    git(folder, "commit", "--quiet", "--message", run.name)
    return git(folder, "rev-parse", "--verify", f"{ASKED['code']}^{{commit}}")


def records(config: Path, folder: Path) -> list[dict[str, Any]]:
    """What each of the two runs resolved to."""
    code = folder / "code"
    code.mkdir()
    git(code, "init", "--quiet", f"--initial-branch={ASKED['code']}", "--object-format=sha1")
    found = []
    for run in runs(config):
        say(f"{run.name} run: {run.text['model_type']}")
        own = folder / run.name
        own.mkdir()
        objects = built(run, own)
        found.append(
            {
                **objects,
                "code": committed(code, run),
                "library": f"transformers=={metadata.version('transformers')}",
                "image": f"{ASKED['image'].partition(':')[0]}@{run.image.digest}",
            }
        )
    return found


# The whole ---------------------------------------------------------------------------------------------


def hidden(shown: Sequence[Record], real: Sequence[Record]) -> list[str]:
    """Settings in which two runs differ, and their records do not."""
    return [name for name in ASKED if real[0][name] != real[1][name] and shown[0][name] == shown[1][name]]


def tried(guarded: Guard, real: Sequence[Record]) -> dict[str, Any]:
    """What a guard says to the request as a record, to each setting alone left as asked, to whole records."""
    alone = {name: stops(guarded, Manifest(ASKED, {**real[0], name: asked})) for name, asked in ASKED.items()}
    other = {"attention": "flash_attention_2", "warmup_steps": 20}
    unheard = [stops(guarded, Manifest({**ASKED, name: wanted}, real[0])) for name, wanted in other.items()]
    stopped = [stops(guarded, Manifest(ASKED, ASKED)), *alone.values(), *unheard]
    return {
        "alone": alone,
        "unheard": all(unheard),
        "stops": all(stopped),
        "passes": not any(stops(guarded, Manifest(ASKED, one)) for one in real),
    }


def measure(guarded: Guard, config: Path) -> dict[str, Any]:
    """Everything that goes to standard output."""
    logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as folder:
        real = records(config, Path(folder))
    first, later = real
    rows = [
        {
            "setting": name,
            "asked": asked,
            "first": first[name],
            "later": later[name],
            "differ": first[name] != later[name],
        }
        for name, asked in ASKED.items()
    ]
    asked_only, whole = hidden((ASKED, ASKED), real), hidden(real, real)
    return {
        "versions": model_config.versions(),
        "settings": rows,
        "unresolved_as_asked": sum(not resolved(name, value) for name, value in ASKED.items()),
        "trap": {"hidden": len(asked_only), "settings": asked_only},
        "sound": {"hidden": len(whole), "settings": whole},
        "guard": tried(guarded, real),
    }


def parse(argv: Sequence[str] | None = None) -> tuple[Guard, Path]:
    """The guard, and the first run's configuration."""
    parser = parser_of(__doc__, PLANTS)
    parser.add_argument("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    options = parser.parse_args(argv)
    return broken(GUARDS.get(options.plant, guard), options.plant), options.config


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the document."""
    print(as_json(measure(*parse(argv))))


if __name__ == "__main__":
    main()

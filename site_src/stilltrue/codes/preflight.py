"""Codes of the check before a launch: what its settings and its programs can be at fault with."""

from __future__ import annotations

from stilltrue.codes.code import Code

PREFLIGHT: dict[str, Code] = {
    "preflight-settings": Code(
        "The settings of `stilltrue preflight` name an unknown check or key, leave out a key that must be there, or hold "
        "a value of the wrong kind. Nothing was looked at.",
        "Mend the named line; [its page](preflight.md) lists the checks and their keys.",
    ),
    "preflight-outside": Code(
        "A check that `preflight.checks` of the configuration names is not installed, would be imported from a checkout, "
        "or cannot be imported.",
        "Install the package that holds it, not in editable mode, beside stilltrue.",
    ),
    "not-safetensors": Code(
        "The adapters of a checkpoint are no whole file in the safetensors format, or hold numbers of another format than "
        "F16, BF16, F32 and F64.",
        "Save them again with peft's `save_pretrained`; a file that is cut short was written while the run was ended.",
    ),
    "launch-failed": Code(
        "A program that a check before a launch started could not be started, failed, took too long, or gave no answer.",
        "Run it by hand; name the launch's own interpreter under `python` of the settings.",
    ),
}

"""What the source of a vLLM release says of LoRA adapters on a model with experts; no probe itself.

Each finder looks for one shape of code and says so when the shape is not there: what moved to another
function must not read as what is gone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from probe_parts.release_facts import function, written
from probe_parts.wheels import MissingError, Wheel, opened, text_of

LORA = "vllm/lora/utils.py"
LOOKUP = "vllm/model_executor/utils.py"
MODELS = "vllm/model_executor/models/"
LAYER = "vllm/model_executor/layers/fused_moe/routed_experts.py"
WORD = "get_expert_mapping"
"""The method that the refusal asks for."""

CLASSES = {"gemma4.py": "Gemma4ForCausalLM", "gemma4_mm.py": "Gemma4ForConditionalGeneration"}
OTHERS = ("deepseek_v2.py", "glm4_moe.py", "ernie45_moe.py")
"""Models of which it was reported that they have the method."""

WALKS = {
    "children": "children",
    "named_children": "children",
    "modules": "modules",
    "named_modules": "modules",
}
"""How far a method of torch goes down: to the modules right below, or to all."""


def refusal(wheel: Wheel) -> dict[str, Any]:
    """Whether a model with experts is refused where adapters are prepared: conditions and words.

    Raises:
        MissingError: There is no such function.
    """
    prepared = function(wheel.module(LORA), "process_packed_modules_mapping")
    raised = [(node, path) for node, path in inside(prepared) if isinstance(node, ast.Raise)]
    asking = [(said(node), path) for node, path in raised if WORD in said(node)]
    words, conditions = asking[0] if asking else ("", ())
    return {
        "refuses": bool(asking),
        "says": words or None,
        "conditions": list(conditions),
        "about_quantisation": sum("quant" in name.lower() for name in names_in(prepared)),
    }


def inside(node: ast.AST, path: tuple[str, ...] = ()) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """All nodes below one, each with the conditions that it stands under; `not` before those of an `else`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If):
            test = written(child.test)
            for part, condition in ((child.body, test), (child.orelse, f"not {test}")):
                for line in part:
                    yield line, (*path, condition)
                    yield from inside(as_block(line), (*path, condition))
        else:
            yield child, path
            yield from inside(child, path)


def as_block(line: ast.stmt) -> ast.AST:
    """A statement such that its own condition is seen as one, too."""
    return ast.Module([line], []) if isinstance(line, ast.If) else line


def said(node: ast.AST) -> str:
    """The words that an exception is raised with."""
    return "".join(
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def names_in(node: ast.AST) -> set[str]:
    """Names and attributes that code uses."""
    plain = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return plain | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


def lookup(wheel: Wheel) -> dict[str, Any]:
    """How far the method is looked for, and what happens where no module has it.

    Raises:
        MissingError: There is no such function, or it goes through modules in no known way.
    """
    looking = function(wheel.module(LOOKUP), "get_moe_expert_mapping")
    walks = {WALKS[name] for name in names_in(looking) if name in WALKS}
    if len(walks) != 1:
        raise MissingError(f"`get_moe_expert_mapping` goes through modules in {len(walks)} known ways")
    raises = any(isinstance(node, ast.Raise) for node in ast.walk(looking))
    return {"through": walks.pop(), "without": "raises" if raises else "an empty list"}


def mentions(wheel: Wheel) -> dict[str, int]:
    """How often files name the method: all of Gemma 4 together, the models reported to have it, the layer."""
    with opened(wheel.path) as archive:
        every = archive.namelist()
        gemma = [name for name in every if re.fullmatch(rf"{MODELS}gemma4\w*\.py", name)]
        if not gemma:
            raise MissingError("there is no model of Gemma 4")
        groups = {"gemma4": gemma, **{name: [MODELS + name] for name in OTHERS}, "layer": [LAYER]}
        return {
            "gemma4_files": len(gemma),
            **{
                group.removesuffix(".py"): sum(
                    text_of(archive, name, wheel.path).count(WORD) for name in files if name in every
                )
                for group, files in groups.items()
            },
        }


def declared(wheel: Wheel) -> dict[str, bool]:
    """Whether the classes of Gemma 4 say that they support adapters.

    Raises:
        MissingError: One of them is not there.
    """
    return {
        name: "SupportsLoRA" in bases(wheel.module(MODELS + file), name) for file, name in CLASSES.items()
    }


def bases(tree: ast.Module, name: str) -> set[str]:
    """What a class of a module inherits from.

    Raises:
        MissingError: There is no such class.
    """
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    if len(found) != 1:
        raise MissingError(f"there are {len(found)} classes `{name}`")
    return {written(base) for base in found[0].bases}


def built(wheel: Wheel) -> str:
    """The day that the archive gives for the wheel's metadata: that of its build, not of its publication."""
    with opened(wheel.path) as archive:
        (member,) = (one for one in archive.infolist() if one.filename.endswith(".dist-info/METADATA"))
        return date(*member.date_time[:3]).isoformat()


FACTS: Mapping[str, Any] = {
    "refusal": refusal,
    "lookup": lookup,
    "mentions": mentions,
    "declared": declared,
    "built": built,
}
"""What is read from each release."""

"""Adapters of a checkpoint, read without torch: the file's numbers, and what the check says of them."""

from __future__ import annotations

import json
import signal
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from preflight_found import assert_refused, said
from preflight_support import launch_of
from recording_support import write
from stilltrue.errors import InputError
from stilltrue.preflight.checks import adapters
from stilltrue.preflight.safetensors import WIDTHS, opened

SETTINGS = "adapters: {checkpoint: out/checkpoint-10, modules: 4}\n"
CONFIG = {"peft_type": "LORA", "target_modules": ["q_proj", "down_proj"], "init_lora_weights": True}
MODULES = [f"model.layers.{n}.{name}" for n in range(2) for name in ("self_attn.q_proj", "mlp.down_proj")]
LAST = MODULES[-1]
CODES = {"F16": "e", "F32": "f", "F64": "d"}

Tensors = dict[str, tuple[str, bytes]]


def packed(dtype: str, numbers: Sequence[float]) -> bytes:
    """Numbers as a file holds them; a BF16 is the upper half of an F32."""
    if dtype == "BF16":
        return b"".join(struct.pack("<f", number)[2:] for number in numbers)
    return struct.pack(f"<{len(numbers)}{CODES[dtype]}", *numbers)


def file_of(tensors: Mapping[str, tuple[str, bytes]], more: Mapping[str, Any] | None = None) -> bytes:
    """A safetensors file, written by its description."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}, **(more or {})}
    data = b""
    for name, (dtype, content) in tensors.items():
        offsets = [len(data), len(data) + len(content)]
        shape = [len(content) // WIDTHS.get(dtype, 1)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        data += content
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def learned(modules: Sequence[str] = MODULES, dtype: str = "F32") -> Tensors:
    """Adapters that are all other than 0."""
    return {
        f"base_model.model.{module}.lora_{part}.weight": (dtype, packed(dtype, [0.0, 0.5, -0.25]))
        for module in modules
        for part in "AB"
    }


def checkpoint(root: Path, tensors: Tensors, config: Mapping[str, Any] = CONFIG, name: str = "10") -> Path:
    folder = root / f"out/checkpoint-{name}"
    folder.mkdir(parents=True)
    (folder / "adapter_model.safetensors").write_bytes(file_of(tensors))
    (folder / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    return root


def told(
    root: Path, tensors: Tensors, config: Mapping[str, Any] = CONFIG, settings: str = SETTINGS
) -> dict[str, str]:
    return said(launch_of(checkpoint(root, tensors, config), settings))


def failed(found: dict[str, str]) -> dict[str, str]:
    return {what: text.removeprefix("FAIL ") for what, text in found.items() if text.startswith("FAIL ")}


def with_part(tensors: Tensors, module: str, part: str, dtype: str, numbers: Sequence[float]) -> Tensors:
    return {**tensors, f"base_model.model.{module}.{part}.weight": (dtype, packed(dtype, numbers))}


@pytest.mark.parametrize("dtype", ["F16", "BF16", "F32", "F64"])
def test_adapters_that_all_learn_pass(dtype: str, tmp_path: Path) -> None:
    assert told(tmp_path, learned(dtype=dtype)) == {
        "modules": "ok 4 modules with an adapter",
        "targets": "ok each of 2 targets got an adapter somewhere",
        "adapters": "ok both matrices of all 4 are other than 0",
    }


@pytest.mark.parametrize("dtype", ["F16", "BF16", "F32", "F64"])
@pytest.mark.parametrize("part", ["lora_A", "lora_B"])
def test_one_that_is_still_zero_is_named(part: str, dtype: str, tmp_path: Path) -> None:
    tensors = with_part(learned(dtype=dtype), LAST, part, dtype, [0.0, -0.0])
    assert failed(told(tmp_path, tensors)) == {"adapters": f"1 of 4 (`{LAST}`) are as they began, at 0"}


def test_one_that_lost_a_matrix_adds_nothing(tmp_path: Path) -> None:
    tensors = learned()
    del tensors[f"base_model.model.{LAST}.lora_B.weight"]
    assert failed(told(tmp_path, tensors)) == {"adapters": f"1 of 4 (`{LAST}`) are as they began, at 0"}


@pytest.mark.parametrize("dtype", ["F16", "BF16", "F32", "F64"])
@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_number_that_is_none_is_no_learning(dtype: str, number: str, tmp_path: Path) -> None:
    tensors = with_part(learned(dtype=dtype), LAST, "lora_B", dtype, [0.5, float(number)])
    assert failed(told(tmp_path, tensors)) == {"numbers": f"1 of 4 (`{LAST}`) hold what is no finite number"}


def test_another_number_of_modules_than_stated_fails(tmp_path: Path) -> None:
    assert failed(told(tmp_path, learned(MODULES[:3]))) == {
        "modules": "3 modules with an adapter; 4 were stated"
    }


def test_a_checkpoint_without_adapters_has_not_passed(tmp_path: Path) -> None:
    settings = SETTINGS.replace("4}", "0}")
    found = told(tmp_path, {"lm_head.weight": ("F32", packed("F32", [1.0]))}, settings=settings)
    assert failed(found)["modules"] == "0 modules with an adapter; 0 were stated"


def test_a_target_that_matched_nothing_is_named(tmp_path: Path) -> None:
    config = {**CONFIG, "target_modules": ["q_proj", "down_proj", "v_proj", "proj"]}
    assert failed(told(tmp_path, learned(), config)) == {
        "targets": "`v_proj`, `proj` of 4 targets got no adapter in any module"
    }


PATTERNS = {
    "all-of-the-name": (r".*\.(q|down)_proj", []),
    "the-end-alone": ("q_proj", ["targets"]),
    "none-at-all": ("(", ["targets"]),
    "too-deep": ("(" * 9_999 + ")" * 9_999, ["targets"]),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_of_targets_is_matched_as_peft_does(name: str, tmp_path: Path) -> None:
    pattern, wrong = PATTERNS[name]
    assert list(failed(told(tmp_path, learned(), {**CONFIG, "target_modules": pattern}))) == wrong


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")
def test_a_pattern_that_takes_for_ever_fails_in_time_and_the_rest_is_told(tmp_path: Path) -> None:
    launch_of(checkpoint(tmp_path, learned(["a" * 60]), {**CONFIG, "target_modules": "(a+)+b"}), SETTINGS)
    write(tmp_path, {"stilltrue.toml": "limits = {seconds = 0.2}\n"})
    found = said(tmp_path)
    assert "takes longer than 0.2 s" in failed(found)["targets"]
    assert found["adapters"] == "ok both matrices of all 1 are other than 0"


@pytest.mark.parametrize("config", [{}, {"target_modules": None}, [], {"target_modules": []}])
def test_a_configuration_without_targets_fails(config: Any, tmp_path: Path) -> None:
    assert failed(told(tmp_path, learned(), config))["targets"] == "the configuration names none"


BESIDE = ["lm_head.weight", "q_proj.lora_magnitude_vector", "q_proj.lora_B.bias", "trainable_tokens_delta"]
"""What peft saves beside the adapters, by the ends of its names."""


@pytest.mark.parametrize("name", BESIDE)
def test_a_number_that_is_none_is_seen_beside_the_adapters_too(name: str, tmp_path: Path) -> None:
    tensors = {**learned(), f"base_model.model.{name}": ("BF16", packed("BF16", [1.0, float("nan")]))}
    assert failed(told(tmp_path, tensors)) == {
        "other numbers": f"1 of 1 tensor beside the adapters (`{name}`) hold what is no finite number"
    }


def test_a_frozen_weight_that_is_saved_for_its_adapter_is_not_judged(tmp_path: Path) -> None:
    name = "base_model.model.embed_tokens.base_layer.weight"
    assert not failed(told(tmp_path, {**learned(), name: ("F32", packed("F32", [float("nan")]))}))


def test_each_module_that_is_trained_whole_must_be_saved(tmp_path: Path) -> None:
    tensors = {**learned(), "base_model.model.lm_head.weight": ("F32", packed("F32", [1.0]))}
    config = {**CONFIG, "modules_to_save": ["lm_head", "lm_heed"]}
    assert failed(told(tmp_path / "misspelt", tensors, config)) == {
        "modules_to_save": "`lm_heed` of 2 modules have no weights here"
    }
    # What peft names of a classifier by itself: the model has one of the two.
    head = {**learned(), "base_model.model.score.weight": ("F32", packed("F32", [1.0]))}
    added = told(tmp_path / "added", head, {**CONFIG, "modules_to_save": ["classifier", "score"]})
    assert added["modules_to_save"] == "ok weights of 1 module are there"


def test_a_module_that_is_trained_whole_must_move(tmp_path: Path) -> None:
    config = {**CONFIG, "modules_to_save": ["lm_head"]}
    head = {"base_model.model.lm_head.weight": ("F32", packed("F32", [1.0]))}
    before = {name: (dtype, data[::-1]) for name, (dtype, data) in learned().items()}
    checkpoint(tmp_path, {**before, **head}, config, name="0")
    settings = SETTINGS.replace("}", ", before: out/checkpoint-0}")
    found = failed(told(tmp_path, {**learned(), **head}, config, settings))
    assert found == {"adapters since": "1 of 5 (`lm_head`) have not moved"}


def test_an_adapter_of_adalora_adds_nothing_while_its_middle_is_zero(tmp_path: Path) -> None:
    for name, middle in {"began": 0.5, "still": 0.0}.items():
        tensors = learned()
        for module in MODULES:
            tensors = with_part(tensors, module, "lora_E", "F32", [0.5 if module != LAST else middle])
        found = failed(told(tmp_path / name, tensors, {**CONFIG, "peft_type": "ADALORA"}))
        assert found == ({} if middle else {"adapters": f"1 of 4 (`{LAST}`) are as they began, at 0"})


EXPERTS = [
    f"model.layers.{number}.mlp.experts{wrapped}" for number in range(2) for wrapped in ("", ".base_layer")
]
"""As peft names the adapters of two parameters of one module."""


def test_parameters_of_experts_are_targets_too(tmp_path: Path) -> None:
    targets = {"target_modules": None, "target_parameters": ["experts.gate_up_proj", "experts.down_proj"]}
    assert not failed(told(tmp_path / "both", learned(EXPERTS), {**CONFIG, **targets}))
    one = told(tmp_path / "one", learned(EXPERTS[::2]), {**CONFIG, **targets})
    assert "`experts.gate_up_proj`, `experts.down_proj` of 2 targets" in failed(one)["targets"]


BEGINNINGS = {"pissa": True, "olora": True, False: True, True: False, "gaussian": False, "eva": False}


@pytest.mark.parametrize("begins", BEGINNINGS, ids=str)
def test_adapters_that_begin_other_than_zero_need_a_comparison(begins: bool | str, tmp_path: Path) -> None:
    wrong = failed(told(tmp_path, learned(), {**CONFIG, "init_lora_weights": begins}))
    assert ("adapters since" in wrong) is BEGINNINGS[begins]


def test_each_adapter_is_compared_with_the_one_before(tmp_path: Path) -> None:
    config, settings = (
        {**CONFIG, "init_lora_weights": "pissa"},
        SETTINGS.replace("}", ", before: out/checkpoint-0}"),
    )
    for name, moved, saw in [
        ("all", MODULES, "ok all 4 have moved"),
        ("three", MODULES[:3], f"FAIL 1 of 4 (`{LAST}`) have not moved"),
    ]:
        later = learned()
        for module in moved:
            later = with_part(later, module, "lora_A", "F32", [9.0])
        checkpoint(tmp_path / name, learned(), config, name="0")
        assert told(tmp_path / name, later, config, settings)["adapters since"] == saw
    checkpoint(tmp_path / "other", learned(MODULES[:2]), config, name="0")
    other = failed(told(tmp_path / "other", learned(), config, settings))
    assert other["adapters since"].startswith("only one of the two has `model.layers.1")


def entry_of(shape: list[int], offsets: list[int], a: list[int] | None = None) -> bytes:
    """A file with four bytes of data that says this of a tensor `b`, and where another one, `a`, lies."""
    header = {"b": {"dtype": "F32", "shape": shape, "data_offsets": offsets}}
    if a is not None:
        header["a"] = {"dtype": "F32", "shape": [1], "data_offsets": a}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + bytes(4)


def twice() -> bytes:
    """A file whose header has one name twice: the second time the numbers may be another's."""
    text = b'{"a": 1, "a": 2}'
    return len(text).to_bytes(8, "little") + text


BROKEN = {
    "empty": (b"", "it is empty"),
    "no-header": (b"abc", "its header is longer than the file"),
    "cut-header": (file_of(learned())[:40], "its header is longer than the file"),
    "cut-data": (file_of(learned())[:-1], "it ends before `base_model.model.model.layers.1"),
    "no-json": (b"\2" + bytes(7) + b"{]" + bytes(9), "its header is no JSON"),
    "no-mapping": (b"\2" + bytes(7) + b"[]" + bytes(9), "its header is no mapping"),
    "another-format": (file_of({"a.lora_B.weight": ("I8", b"ab")}), "`a.lora_B.weight` holds I8"),
    "half-a-number": (file_of({"a.lora_B.weight": ("F32", b"abc")}), "not as many numbers as its shape says"),
    "another-shape": (entry_of([2], [0, 4]), "not as many numbers as its shape says"),
    "no-shape": (entry_of([-1, -1], [0, 4]), "`b` has no shape"),
    "endless": (entry_of([2**62], [0, 2**64]), "it ends before `b` does"),
    "backwards": (entry_of([0], [8, 8]), "`b` does not begin where the one before it ends"),
    "shared": (entry_of([1], [0, 4], a=[0, 4]), "`b` does not begin where the one before it ends"),
    "gap": (entry_of([0], [4, 4], a=[8, 12]), "`b` does not begin where the one before it ends"),
    "bytes-left": (entry_of([1], [0, 4]) + b"ab", "2 bytes at its end belong to none"),
    "twice": (twice(), "its header is no JSON, or names a tensor twice"),
    "no-offsets": (file_of({}, {"a": {"dtype": "F32"}}), "says nothing of where `a` lies"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_not_whole_says_so(name: str, tmp_path: Path) -> None:
    content, why = BROKEN[name]
    checkpoint(tmp_path, learned())
    (tmp_path / "out/checkpoint-10/adapter_model.safetensors").write_bytes(content)
    text = failed(said(launch_of(tmp_path, SETTINGS)))["adapters"]
    assert "is no whole safetensors file" in text
    assert why in text


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "adapter_config.json"])
def test_a_file_that_is_not_there_fails(name: str, tmp_path: Path) -> None:
    checkpoint(tmp_path, learned())
    (tmp_path / "out/checkpoint-10" / name).unlink()
    assert (
        f"there is no file `out/checkpoint-10/{name}`"
        in failed(said(launch_of(tmp_path, SETTINGS)))["adapters"]
    )


def test_settings_without_the_number_of_modules_are_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path, "adapters: {checkpoint: out}\n", 1, "`modules` is missing")


def test_a_gate_over_all_of_them_would_have_let_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule decides, module by module: without it the adapter that never learned is not seen."""
    tensors = with_part(learned(), LAST, "lora_B", "F32", [0.0])
    assert failed(told(tmp_path / "each", tensors))
    monkeypatch.setattr(adapters, "inert", lambda _parts: False)
    assert not failed(told(tmp_path / "none", tensors))


FINITE = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=8)


@examples(max_examples=40, deadline=None)
@given(numbers=FINITE, odd=st.lists(st.sampled_from([float("inf"), float("-inf"), float("nan")]), max_size=2))
def test_numbers_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, numbers: list[float], odd: list[float]
) -> None:
    file = tmp_path_factory.getbasetemp() / "numbers.safetensors"
    written = {dtype: [*numbers, *odd] for dtype in ("F32", "F64")}
    file.write_bytes(file_of({dtype: (dtype, packed(dtype, all_)) for dtype, all_ in written.items()}))
    with opened(file, "numbers.safetensors") as tensors:
        for tensor in tensors:
            assert tensor.zero is (not odd and not any(numbers))
            assert tensor.finite is (not odd)


@examples(max_examples=60, deadline=None)
@given(content=st.binary(max_size=80))
def test_no_content_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.safetensors"
    file.write_bytes(content)
    try:
        with opened(file, "any.safetensors") as tensors:
            assert not list(tensors)
    except InputError as error:
        assert error.code == "not-safetensors"

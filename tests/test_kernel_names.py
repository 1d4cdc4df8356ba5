from __future__ import annotations

from pathlib import Path

import pytest

kernel_names = pytest.importorskip("probe_parts.kernel_names")


def header(*families: tuple[str, int, str, tuple[tuple[str, int], ...]], letter: str = "F") -> str:
    """A header as torch generates them: (type, architecture, what picks it, (variant, widest head)…)."""
    parts = []
    for dtype, named, _, kernels in families:
        offers = "\n".join(
            f"    cb(Space::AttentionKernel<cutlass::{dtype}, cutlass::arch::Sm{named}, true, 64, 128, "
            f"{widest}, true, true>(), fmha_cutlass{letter}_{dtype}_aligned_64x128_{variant}_sm{named});"
            for variant, widest in kernels
        )
        function = f"dispatch_cutlass{letter}_{dtype}_sm{named}(T cb, int cc)"
        parts.append(f"template <typename T> void {function} {{\n{offers}\n}}\n")
    for dtype, named, picked, _ in families:
        parts.append(
            f"    if (std::is_same_v<DT, cutlass::{dtype}> && {picked}) {{\n"
            f"        dispatch_cutlass{letter}_{dtype}_sm{named}(cb, cc);\n    }}\n"
        )
    return "\n".join(parts)


BOTH = (("rf", 128), ("gmem", 65536))
OLD = ("bf16", 80, "80 <= cc && cc <= 121", BOTH)


def families(*given: tuple[str, int, str, tuple[tuple[str, int], ...]]) -> tuple[object, ...]:
    return tuple(kernel_names.families_in(header(*given), "forward", "cutlassF.h"))


def test_a_family_is_read_with_its_kernels_and_with_what_picks_it() -> None:
    (family,) = families(OLD)
    assert family == kernel_names.Family(
        direction="forward",
        dtype="bf16",
        named=80,
        first=80,
        last=121,
        kernels=(
            kernel_names.Kernel("fmha_cutlassF_bf16_aligned_64x128_rf_sm80", 128),
            kernel_names.Kernel("fmha_cutlassF_bf16_aligned_64x128_gmem_sm80", 65536),
        ),
    )


def test_a_range_with_an_open_end_does_not_hold_it() -> None:
    (family,) = families(("f16", 70, "70 <= cc && cc < 75", BOTH))
    assert (family.first, family.last) == (70, 74)  # type: ignore[attr-defined]  # importorskip gives Any


def test_a_newer_family_beside_the_old_one_changes_what_is_said() -> None:
    alone = kernel_names.said(families(OLD), by_name=False)
    assert (alone["newest_in_a_name"], alone["newest_picked_from"], alone["newest_picked_to"]) == (
        80,
        8.0,
        12.1,
    )
    newer = ("bf16", 90, "90 <= cc && cc <= 121", BOTH)
    both = kernel_names.said(families(("bf16", 80, "80 <= cc && cc <= 89", BOTH), newer), by_name=False)
    assert (both["newest_in_a_name"], both["newest_picked_from"], both["kernels"]) == (90, 9.0, 4)


def test_a_kernel_taken_to_be_for_the_card_in_its_name_is_another_statement() -> None:
    planted = kernel_names.said(families(OLD), by_name=True)
    assert (planted["newest_picked_from"], planted["newest_picked_to"]) == (8.0, 8.0)


def test_families_of_one_name_are_said_to_be_picked_where_all_of_them_are() -> None:
    half = ("f16", 80, "80 <= cc && cc <= 90", BOTH)
    assert kernel_names.said(families(OLD, half), by_name=False)["newest_picked_to"] == 9.0


def test_only_global_memory_takes_what_no_register_kernel_does() -> None:
    said = kernel_names.said(families(OLD), by_name=False)
    assert {line["head"]: line["variants"] for line in said["by_head"]} == {
        64: "rf and gmem",
        128: "rf and gmem",
        256: "gmem",
        512: "gmem",
    }
    wider = (("rf", 256), ("gmem", 65536))
    said = kernel_names.said(families(("bf16", 80, "80 <= cc && cc <= 121", wider)), by_name=False)
    assert said["widest_in_registers"] == 256
    assert [line["variants"] for line in said["by_head"]][2:] == ["rf and gmem", "gmem"]


def test_a_kernel_that_is_neither_is_counted() -> None:
    said = kernel_names.said(families((*OLD[:3], (*BOTH, ("smem", 256)))), by_name=False)
    assert said["neither"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        header(OLD).replace("80 <= cc && cc <= 121", "cc == 80"),
        header(OLD).replace("AttentionKernel<", "Attention("),
        header(OLD) + header(("f16", 90, "90 <= cc && cc <= 121", BOTH)).partition("    if ")[0],
    ],
    ids=["empty", "no range", "no kernels", "a family that nothing picks"],
)
def test_a_header_that_says_it_otherwise_is_refused(text: str) -> None:
    with pytest.raises(SystemExit, match="names no kernels, or not what picks them"):
        kernel_names.families_in(text, "forward", "cutlassF.h")


def test_a_torch_without_headers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="came without its headers"):
        kernel_names.installed(tmp_path)


@pytest.mark.torch
def test_the_installed_headers_are_read_whole() -> None:
    torch = pytest.importorskip("torch")
    folder = Path(torch.__file__).parent
    found = kernel_names.installed(folder)
    for name, direction in kernel_names.DIRECTIONS.items():
        text = (folder / kernel_names.HEADERS / name).read_text(encoding="utf-8")
        kernels = [kernel.name for one in found if one.direction == direction for kernel in one.kernels]
        assert len(set(kernels)) == len(kernels) == text.count("__global__ void")
        assert all(text.count(f"\n{kernel}(") == 1 for kernel in kernels)
    for family in found:
        assert family.first <= family.last
        assert all(kernel.name.endswith(f"_sm{family.named}") for kernel in family.kernels)
        named = {f"_k{kernel.widest}_" in kernel.name for kernel in family.kernels}
        assert named == {family.direction == "backward"}  # only backward names say how wide a head may be

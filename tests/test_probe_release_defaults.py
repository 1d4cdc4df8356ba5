from __future__ import annotations

import hashlib
import inspect
import json
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probe_support import assert_refused, document_of

probe = pytest.importorskip("release_defaults")
release_facts = pytest.importorskip("probe_parts.release_facts")
wheels = pytest.importorskip("probe_parts.wheels")

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "defaults" / "releases.json"

MODELS = """
raise RuntimeError("this module was run")

class PreTrainedModel:
    def get_correct_attn_implementation(self, asked, is_init_check=False):
        chosen = {attention!r} if asked is None else asked
        return "eager" if chosen == "none" else chosen

    def get_correct_experts_implementation(self, asked):
        return {experts!r} if asked is None else asked

    def gradient_checkpointing_enable(self, kwargs=None):
        if kwargs is None:
            kwargs = {{"use_reentrant": {use_reentrant}}}

    @classmethod
    def from_pretrained(cls, path, dtype=None):
        if dtype is None:
            dtype = {dtype!r}
"""
ARGUMENTS = """
@dataclass
class TrainingArguments:
    framework = "pt"
    kinds: ClassVar[list] = []
    output_dir: str = field(default=None)
    warmup_steps: {warmup_steps} = field(default=0)
    _n_gpu: int = field(init=False, repr=False, default=-1)
{more}
"""
SDPA = """
def use_gqa_in_sdpa(attention_mask, key, value):
    if xpu:
        return torch_is_new
    return attention_mask is None and key.shape[-1] == value.shape[-1] <= {widest_grouped_head}
"""
DEFAULTS: Mapping[str, Any] = {
    "attention": "sdpa",
    "experts": "grouped_mm",
    "use_reentrant": False,
    "dtype": "auto",
    "warmup_steps": "float",
    "widest_grouped_head": 256,
    "more": "",
}


def modules(**others: Any) -> dict[str, str]:
    """The three modules of a release with these defaults."""
    values = {**DEFAULTS, **others}
    return {
        release_facts.MODELS: MODELS.format(**values),
        release_facts.ARGUMENTS: ARGUMENTS.format(**values),
        release_facts.SDPA: SDPA.format(**values),
    }


def wheel(
    folder: Path,
    version: str,
    files: Mapping[str, str | bytes] | None = None,
    *,
    project: str = "transformers",
    file_version: str = "",
) -> Path:
    """A wheel of a release, published under the name that it should have."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{project}-{file_version or version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        said = f"Metadata-Version: 2.4\nName: {project}\nVersion: {version}\n"
        archive.writestr(f"{project}-{version}.dist-info/METADATA", said)
        for name, text in (modules() if files is None else files).items():
            archive.writestr(name, text)
    return path


def read(folder: Path, *more: str) -> dict[str, Any]:
    return document_of(probe, ("--wheels", str(folder), *more))


def published(tmp_path: Path, *versions: str) -> tuple[str, str]:
    """The option that names a list as pip prints it."""
    path = tmp_path / "published.txt"
    path.write_text(f"transformers ({versions[-1]})\nAvailable versions: {', '.join(reversed(versions))}\n")
    return "--published", str(path)


# Which release changed it ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "before", "after"),
    [
        ("attention", "eager", "sdpa"),
        ("experts", "eager", "grouped_mm"),
        ("use_reentrant", True, False),
        ("dtype", "float32", "auto"),
        ("warmup_steps", "int", "float"),
        ("widest_grouped_head", 512, 256),
    ],
)
def test_the_release_that_changed_a_default_is_named(
    tmp_path: Path, what: str, before: object, after: object
) -> None:
    folder = tmp_path / "wheels"
    for version, value in (("5.8.0", before), ("5.9.0", before), ("5.10.0", after), ("5.11.0", after)):
        wheel(folder, version, modules(**{what: value}))
    document = read(folder, *published(tmp_path, "5.8.0", "5.9.0", "5.10.0", "5.11.0"))
    assert document["changes"] == [
        {
            "what": what,
            "before": before,
            "after": after,
            "last": "5.9.0",
            "first": "5.10.0",
            "neighbours": True,
            "between": [],
            "not_found": "",
        }
    ]
    assert {line["what"] for line in document["held"]} == set(DEFAULTS) - {"more", what}
    assert [one["facts"][what] for one in document["releases"]] == [before, before, after, after]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_every_change_of_a_series_is_dated_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, series: list[bool]
) -> None:
    folder = tmp_path_factory.mktemp("wheels")
    for minor, value in enumerate(series):
        wheel(folder, f"5.{minor}.0", modules(use_reentrant=value))
    found = [(line["last"], line["first"]) for line in read(folder)["changes"]]
    turns = [minor for minor, (old, new) in enumerate(pairwise(series)) if old != new]
    assert found == [(f"5.{minor}.0", f"5.{minor + 1}.0") for minor in turns]


def test_a_gap_between_the_two_releases_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "wheels"
    wheel(folder, "5.0.0", modules(dtype="float32"))
    wheel(folder, "5.3.0")
    (known,) = read(folder, *published(tmp_path, "4.9.0", "5.0.0", "5.1.0", "5.2.0", "5.3.0", "5.4.0"))[
        "changes"
    ]
    assert (known["neighbours"], known["between"]) == (False, ["5.1.0", "5.2.0"])
    (unknown,) = read(folder)["changes"]
    assert (unknown["neighbours"], unknown["between"]) == (None, None)


def test_published_versions_may_stand_one_on_a_line(tmp_path: Path) -> None:
    folder = tmp_path / "wheels"
    wheel(folder, "5.0.0")
    (tmp_path / "list").write_text("4.0.0\n5.0.0\n")
    document = read(folder, "--published", str(tmp_path / "list"))
    assert document["published"]["versions"] == ["5.0.0"]
    assert document["published"]["sha256"] == hashlib.sha256(b"4.0.0\n5.0.0\n").hexdigest()


# Parameters of TrainingArguments -----------------------------------------------------------------------


def with_parameters(*names: str) -> dict[str, str]:
    return modules(more="".join(f"    {name}: int = 0\n" for name in names))


def test_parameters_that_came_and_went_are_named_with_their_releases(tmp_path: Path) -> None:
    wheel(tmp_path, "5.0.0", with_parameters("warmup_ratio", "seed"))
    wheel(tmp_path, "5.1.0", with_parameters("seed", "new"))
    wheel(tmp_path, "5.2.0", with_parameters("seed", "warmup_ratio"))
    found = read(tmp_path)["training_arguments"]
    assert found["first"] == ["output_dir", "warmup_steps", "warmup_ratio", "seed"]
    assert [(line["name"], line["first"]) for line in found["removed"]] == [
        ("warmup_ratio", "5.1.0"),
        ("new", "5.2.0"),
    ]
    assert [(line["name"], line["first"]) for line in found["added"]] == [
        ("new", "5.1.0"),
        ("warmup_ratio", "5.2.0"),
    ]


def test_a_release_without_the_class_lies_between_those_that_are_compared(tmp_path: Path) -> None:
    folder = tmp_path / "wheels"
    wheel(folder, "5.0.0", with_parameters("seed"))
    elsewhere = "from .moved import TrainingArguments\n"
    wheel(folder, "5.1.0", {**modules(), release_facts.ARGUMENTS: elsewhere})
    wheel(folder, "5.2.0", with_parameters())
    document = read(folder, *published(tmp_path, "5.0.0", "5.1.0", "5.2.0"))
    (removed,) = document["training_arguments"]["removed"]
    assert removed == {
        "name": "seed",
        "last": "5.0.0",
        "first": "5.2.0",
        "neighbours": False,
        "between": ["5.1.0"],
    }
    without = document["releases"][1]
    assert without["missing"]["parameters"] == (
        f"{release_facts.ARGUMENTS}: there are 0 classes `TrainingArguments`"
    )


def test_inherited_parameters_are_not_passed_over(tmp_path: Path) -> None:
    inherits = "@dataclass\nclass TrainingArguments(Base):\n    seed: int = 0\n"
    wheel(tmp_path, "5.0.0", {**modules(), release_facts.ARGUMENTS: inherits})
    assert "inherits from `Base`" in read(tmp_path)["releases"][0]["missing"]["parameters"]


# What a wheel does not hold ----------------------------------------------------------------------------


def test_a_default_that_moved_elsewhere_is_said_to_be_missing(tmp_path: Path) -> None:
    wheel(tmp_path, "5.0.0")
    moved = modules()[release_facts.MODELS].replace("get_correct_experts_implementation", "resolve_experts")
    wheel(tmp_path, "5.1.0", {**modules(), release_facts.MODELS: moved})
    document = read(tmp_path)
    (change,) = document["changes"]
    reason = f"{release_facts.MODELS}: there are 0 functions `get_correct_experts_implementation`"
    assert (change["what"], change["before"], change["after"]) == ("experts", "grouped_mm", None)
    assert change["not_found"] == document["releases"][1]["missing"]["experts"] == reason
    assert document["releases"][0]["missing"] == {}


def test_a_module_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    rest = modules()
    del rest[release_facts.SDPA]
    wheel(tmp_path, "5.0.0", rest)
    (release,) = read(tmp_path)["releases"]
    assert release["missing"] == {
        "widest_grouped_head": f"{release_facts.SDPA}: there is no {release_facts.SDPA}"
    }


def test_a_default_that_is_said_twice_and_differently_is_not_chosen_from(tmp_path: Path) -> None:
    text = modules()[release_facts.MODELS]
    again = "\ndef other(kwargs):\n    if kwargs is None:\n        kwargs = {'use_reentrant': True}\n"
    wheel(tmp_path, "5.0.0", {**modules(), release_facts.MODELS: text + again})
    (release,) = read(tmp_path)["releases"]
    assert release["facts"]["use_reentrant"] is None
    assert release["missing"]["use_reentrant"].endswith("there are 2 values of `use_reentrant` for None")


# Which wheels ------------------------------------------------------------------------------------------


def test_each_wheel_is_named_by_version_file_and_digest(tmp_path: Path) -> None:
    paths = [wheel(tmp_path, version) for version in ("5.10.0", "5.9.0")]
    assert read(tmp_path)["wheels"] == [
        {
            "version": version,
            "file": path.name,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for version, path in zip(("5.9.0", "5.10.0"), reversed(paths), strict=True)
    ]


def test_what_is_no_wheel_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "transformers-5.0.0-py3-none-any.whl").write_bytes(b"<html>not found</html>")
    assert_refused(probe, ("--wheels", str(tmp_path)), "is no wheel that can be read", capsys)


def test_a_damaged_wheel_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = wheel(tmp_path, "5.0.0")
    data = bytearray(path.read_bytes())
    at = data.index(release_facts.MODELS.encode()) + len(release_facts.MODELS) + 40
    data[at : at + 8] = b"\xff" * 8
    path.write_bytes(data)
    assert_refused(probe, ("--wheels", str(tmp_path)), f"{release_facts.MODELS} cannot be read", capsys)


@pytest.mark.parametrize(
    ("project", "version", "file_version", "complaint"),
    [
        ("tokenizers", "5.0.0", "", "is of tokenizers, not of transformers"),
        ("transformers", "5.0.0", "5.1.0", "its metadata say transformers 5.0.0"),
        ("transformers", "newest", "", "Invalid version: 'newest'"),
    ],
    ids=["another project", "another version", "no version"],
)
def test_a_wheel_of_something_else_is_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    project: str,
    version: str,
    file_version: str,
    complaint: str,
) -> None:
    wheel(tmp_path, version, project=project, file_version=file_version)
    assert_refused(probe, ("--wheels", str(tmp_path)), complaint, capsys)


def test_a_wheel_that_was_renamed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel(tmp_path, "5.0.0").rename(tmp_path / "new.whl")
    assert_refused(probe, ("--wheels", str(tmp_path)), "Invalid wheel filename", capsys)


def test_two_wheels_of_one_version_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel(tmp_path, "5.0.0").rename(tmp_path / "transformers-5.0.0-1-py3-none-any.whl")
    wheel(tmp_path, "5.0.0")
    assert_refused(probe, ("--wheels", str(tmp_path)), "are both 5.0.0", capsys)


def test_a_zip_without_metadata_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(tmp_path / "transformers-5.0.0-py3-none-any.whl", "w") as archive:
        archive.writestr(release_facts.MODELS, "")
    assert_refused(probe, ("--wheels", str(tmp_path)), "holds 0 METADATA", capsys)


def test_an_archive_that_asks_for_a_newer_reader_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = wheel(tmp_path, "5.0.0")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 200  # the version that the first entry of the list needs
    path.write_bytes(data)
    assert_refused(
        probe, ("--wheels", str(tmp_path)), "is no wheel that can be read: zip file version", capsys
    )


def test_a_damaged_archive_of_another_compression_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "transformers-5.0.0-py3-none-any.whl"
    member = "transformers-5.0.0.dist-info/METADATA"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(member, "Name: transformers\nVersion: 5.0.0\n" * 99)
    data = bytearray(path.read_bytes())
    at = data.index(member.encode()) + len(member) + 4  # after the header of the compressed stream
    data[at : at + 12] = b"\xff" * 12
    path.write_bytes(data)
    assert_refused(probe, ("--wheels", str(tmp_path)), "METADATA cannot be read", capsys)


def test_a_type_that_is_nested_too_deep_is_missing(tmp_path: Path) -> None:
    deep = modules()[release_facts.ARGUMENTS].replace(
        "warmup_steps: ", "warmup_steps: a" + ".a" * 600 + " | ", 1
    )
    wheel(tmp_path, "5.0.0", {**modules(), release_facts.ARGUMENTS: deep})
    (found,) = read(tmp_path)["releases"]
    assert "nested too deep" in found["missing"]["warmup_steps"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("def f(:\n", "is no Python that can be read"),
        ("x = 1\0", "is no Python that can be read"),
        (b"x = '\xff'", "cannot be read: 'utf-8'"),
        (" " * (wheels.LARGEST + 1), "is larger than 8 MiB"),
    ],
    ids=["syntax", "null byte", "encoding", "size"],
)
def test_a_module_that_cannot_be_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, complaint: str
) -> None:
    wheel(tmp_path, "5.0.0", {**modules(), release_facts.MODELS: text})
    assert_refused(probe, ("--wheels", str(tmp_path)), complaint, capsys)


def test_wheels_that_hold_none_of_it_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel(tmp_path, "5.0.0", {})
    assert_refused(probe, ("--wheels", str(tmp_path)), "no wheel holds anything", capsys)


@pytest.mark.parametrize(("name", "complaint"), [("gone", "is no folder"), (".", "holds no wheel")])
def test_a_folder_without_wheels_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, complaint: str
) -> None:
    assert_refused(probe, ("--wheels", str(tmp_path / name)), complaint, capsys)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [(None, "cannot be read"), ("transformers, all", "Invalid version"), ("4.0.0", "does not name 5.0.0")],
    ids=["gone", "words", "another list"],
)
def test_a_list_of_something_else_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, complaint: str
) -> None:
    wheel(tmp_path, "5.0.0")
    path = tmp_path / "published.txt"
    if text is not None:
        path.write_text(text)
    assert_refused(probe, ("--wheels", str(tmp_path), "--published", str(path)), complaint, capsys)


# The adopted evidence ----------------------------------------------------------------------------------


def adopted() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    return document


def test_the_adopted_document_agrees_with_itself() -> None:
    document = adopted()
    versions = [one["version"] for one in document["releases"]]
    assert versions == [one["version"] for one in document["wheels"]]
    assert set(versions) <= set(document["published"]["versions"])
    for change in document["changes"]:
        at = versions.index(change["first"])
        assert versions[at - 1] == change["last"]
        facts = [document["releases"][i]["facts"][change["what"]] for i in (at - 1, at)]
        assert facts == [change["before"], change["after"]]
    moves = document["training_arguments"]
    names = set(moves["first"])
    for one in document["releases"]:
        names -= {line["name"] for line in moves["removed"] if line["first"] == one["version"]}
        names |= {line["name"] for line in moves["added"] if line["first"] == one["version"]}
        assert len(names) == one["parameters"]


@pytest.mark.torch
def test_the_adopted_names_are_those_that_the_installed_release_takes() -> None:
    transformers = pytest.importorskip("transformers")
    document = adopted()
    if document["wheels"][-1]["version"] != transformers.__version__:
        pytest.skip("another release is installed than the last one that was read")
    moves = document["training_arguments"]
    events = sorted(
        (line["first"], kind, line["name"]) for kind in ("added", "removed") for line in moves[kind]
    )
    came, went = ({name for _, kind, name in events if kind == which} for which in ("added", "removed"))
    assert not came & went, "a name that came and went needs its order"
    taken = set(inspect.signature(transformers.TrainingArguments).parameters)
    assert taken == (set(moves["first"]) | came) - went

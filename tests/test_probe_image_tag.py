from __future__ import annotations

import hashlib
import json
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import document_of

probe = pytest.importorskip("image_tag")
local_registry = pytest.importorskip("probe_parts.local_registry")
image_manifest = pytest.importorskip("probe_parts.image_manifest")

EVIDENCE = Path(__file__).parents[1] / "claims" / "evidence" / "integrity" / "image-tag.json"
FIRST, SECOND = probe.BUILDS

with_docker = pytest.mark.skipif(
    shutil.which("docker") is None or shutil.which("openssl") is None, reason="needs docker and openssl"
)


@cache
def measured(plant: str = "") -> dict[str, Any]:
    return document_of(probe, ("--plant", plant) if plant else ())


@with_docker
def test_the_command_resolves_a_moved_tag_to_another_image_and_a_digest_to_the_same() -> None:
    found = measured()
    assert found["by_tag"] == [f"sha256:{hashlib.sha256(one.manifest).hexdigest()}" for one in probe.BUILDS]
    assert found["by_digest"] == [FIRST.digest, FIRST.digest]
    assert (found["tag_names"], found["digest_names"], found["agrees"]) == (2, 1, True)


@with_docker
def test_a_tag_that_is_not_there_gives_nothing_to_write_down() -> None:
    missing = measured()["missing"]
    assert missing["exit"] != 0
    assert missing["printed"] == 0
    assert "unknown" in missing["says"]


@with_docker
@pytest.mark.parametrize("plant", sorted(probe.PLANTS))
def test_a_planted_fault_is_noticed(plant: str) -> None:
    found = measured(plant)
    assert (found["tag_names"], found["agrees"]) == (1, False)


def test_the_evidence_is_of_the_images_that_the_probe_makes() -> None:
    recorded = json.loads(EVIDENCE.read_bytes())
    assert recorded["kept"] == recorded["by_tag"] == [FIRST.digest, SECOND.digest]
    assert recorded["tool"].startswith("Docker version ")


# The registry ------------------------------------------------------------------------------------------


def shelf() -> Any:
    return local_registry.Shelf("serve", probe.BUILDS, {"latest": SECOND})


def test_a_manifest_points_to_its_configuration_by_digest_and_size() -> None:
    manifest = json.loads(FIRST.manifest)
    assert manifest["config"]["digest"] == f"sha256:{hashlib.sha256(FIRST.config).hexdigest()}"
    assert manifest["config"]["size"] == len(FIRST.config)
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", FIRST.digest)
    assert FIRST.digest != SECOND.digest


def test_an_image_without_a_tag_is_found_by_its_digest() -> None:
    assert shelf().answer("/v2/serve/manifests/latest").known_by == SECOND.digest
    assert shelf().answer(f"/v2/serve/manifests/{FIRST.digest}").body == FIRST.manifest
    config = image_manifest.digest(FIRST.config)
    assert shelf().answer(f"/v2/serve/blobs/{config}").body == FIRST.config


@pytest.mark.parametrize(
    "path", ["/v2/serve/manifests/gone", "/v2/other/manifests/latest", "/v2/serve/blobs/latest", "/"]
)
def test_what_is_not_there_is_unknown(path: str) -> None:
    answer = shelf().answer(path)
    assert answer.status == 404
    assert b"MANIFEST_UNKNOWN" in answer.body


# What can fail -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "[]", '{"Descriptor": {}}', '[{"Descriptor": {"digest": "sha256:0"}}]'])
def test_an_answer_without_one_descriptor_is_refused(text: str) -> None:
    with pytest.raises(SystemExit, match="prints no descriptor of one image"):
        local_registry.said(text)


def test_a_program_that_is_not_there_or_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no-such-program"):
        probe.run(("no-such-program",), tmp_path)
    with pytest.raises(SystemExit, match="false: exit code 1"):
        probe.run(("false",), tmp_path)

"""Which files are pages."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from stilltrue.discover import digest_of, find_files, find_pages

FILES = [
    "README.md",
    "notes.txt",
    "docs/index.md",
    "docs/a/b/deep.md",
    "docs/.hidden/x.md",
    "docs/node_modules/x.md",
    "site/index.md",
    ".venv/lib/x.md",
    "other/x.md",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    base = tmp_path / "project"
    for name in FILES:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text("x", encoding="utf-8")
    return base


def test_the_default_patterns_find_pages_sorted_and_skip_what_is_not_the_authors(root: Path) -> None:
    assert find_pages(root, ("*.md", "docs/**/*.md"), ()) == (
        "README.md",
        "docs/a/b/deep.md",
        "docs/index.md",
    )


def test_excluded_globs_are_left_out(root: Path) -> None:
    assert find_pages(root, ("**/*.md",), ("docs/a/**", "READ*")) == ("docs/index.md", "other/x.md")


def test_one_file_a_folder_and_a_missing_pattern(root: Path) -> None:
    assert find_pages(root, ("./other/x.md", "docs/a/", "missing/*.md"), ()) == (
        "docs/a/b/deep.md",
        "other/x.md",
    )


def test_a_star_stays_in_its_folder_and_classes_match(root: Path) -> None:
    assert find_pages(root, ("docs/*.md", "[a-z]ther/?.md"), ()) == ("docs/index.md", "other/x.md")


def test_links_out_of_the_root_and_links_to_folders_are_not_followed(root: Path) -> None:
    outside = root.parent / "outside.md"
    outside.write_text("x", encoding="utf-8")
    (root / "docs/out.md").symlink_to(outside)
    (root / "docs/in.md").symlink_to(root / "README.md")
    (root / "docs/gone.md").symlink_to(root / "nothing.md")
    (root / "docs/loop").symlink_to(root / "docs", target_is_directory=True)
    assert find_pages(root, ("docs/*.md",), ()) == ("docs/in.md", "docs/index.md")


def test_stars_that_could_match_in_many_ways_are_matched_in_time(tmp_path: Path) -> None:
    (tmp_path / ("a" * 200 + ".md")).touch()
    many = "*a" * 40
    started = time.process_time()
    assert find_pages(tmp_path, (f"{many}b.md", "**/a/" * 40 + "*.md"), (f"{many}b",)) == ()
    assert find_pages(tmp_path, (f"{many}.md",), ()) == ("a" * 200 + ".md",)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("pattern", ["[z-a].md", "[a--b].md", "[a&&b].md", "[.md"])
def test_a_class_that_holds_nothing_is_no_error(pattern: str, root: Path) -> None:
    assert find_pages(root, (pattern, "README.md"), (pattern,)) == ("README.md",)


def test_without_version_control_the_folders_of_an_author_are_walked(tmp_path: Path) -> None:
    names = [*FILES, ".github/ci.yml", ".env", "build/x.txt", "a b/c.txt"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "elsewhere").symlink_to("docs", target_is_directory=True)
    assert find_files(tmp_path) == (
        ".env",
        ".github/ci.yml",
        "README.md",
        "a b/c.txt",
        "docs/a/b/deep.md",
        "docs/index.md",
        "notes.txt",
        "other/x.md",
    )


def test_other_names_have_another_digest() -> None:
    assert len({digest_of(names) for names in ((), ("a",), ("a", "b"), ("ab",), ("a\udcff",))}) == 5

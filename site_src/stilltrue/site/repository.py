"""Where the site's configuration says that its repository is shown."""

from __future__ import annotations

from urllib.parse import urljoin


def browse_url(repo_url: str | None, edit_uri: str | None, docs: str) -> str:
    """What stands before a file's path in the address at which it is shown; empty where nothing says so.

    Args:
        repo_url: `repo_url` of mkdocs.yml.
        edit_uri: `edit_uri` of mkdocs.yml: what leads from there to the docs folder, for editing a page.
        docs: The docs folder from the repository's root with a `/` at its end; empty for the root.
    """
    if not repo_url or not edit_uri or edit_uri.startswith(("?", "#")):
        return ""
    repository = repo_url.rstrip("/") + "/"
    folder = urljoin(repository, edit_uri).rstrip("/") + "/"
    if not folder.startswith(repository) or not folder.endswith(f"/{docs}"):
        return ""
    # Forges show a file at the address at which they would edit it, with this one word changed.
    way = "/" + folder.removeprefix(repository).removesuffix(docs)
    return repository + way.replace("/edit/", "/blob/", 1).removeprefix("/")


_COMMITS = (("-/blob/", "-/commit/"), ("blob/", "commit/"), ("src/", "commits/"))
"""Forges show commits beside files, each under a word of its own."""


def commit_url(repo_url: str | None, browse: str) -> str:
    """What stands before a commit's hash in the address at which it is shown; empty where nothing says so.

    Args:
        repo_url: `repo_url` of mkdocs.yml.
        browse: What stands before a file's path, from `browse_url`.
    """
    repository = (repo_url or "").rstrip("/") + "/"
    way = browse.removeprefix(repository)
    return next((repository + commits for files, commits in _COMMITS if way.startswith(files)), "")

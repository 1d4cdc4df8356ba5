"""Whether a continuous integration runs this: there numbers are judged, and never rewritten."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLES = (
    "CI",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "TF_BUILD",
    "JENKINS_URL",
    "BUILDKITE",
    "TEAMCITY_VERSION",
    "CIRCLECI",
    "TRAVIS",
    "BITBUCKET_BUILD_NUMBER",
    "CODEBUILD_BUILD_ID",
    "DRONE",
)
"""What the known ones set."""

_OFF = frozenset({"", "0", "false", "no", "off"})


def ci_variable(environ: Mapping[str, str]) -> str:
    """The variable that says so; empty where none does.

    Args:
        environ: The environment.
    """
    return next((name for name in VARIABLES if environ.get(name, "").strip().lower() not in _OFF), "")

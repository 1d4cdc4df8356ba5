"""Errors of usage, click's own included, in the form that all messages have."""

from __future__ import annotations

import click

from stilltrue.report import escape, message_lines
from stilltrue.suggest import did_you_mean


def message(place: str, what: str, hint: str, code: str) -> str:
    """Place first, what is wrong, what to do next on its own line, the code last."""
    return "\n".join(message_lines(escape(place), escape(what), escape(hint), code))


def explained(error: click.ClickException) -> str:
    """A click error in our form."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context is not None else "stilltrue"
    near = _near(error, context)
    return message(command, _what(error), near or f"see `{command} --help`", "usage")


def _what(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        return f"there is no option `{error.option_name}`"
    text = error.format_message() if isinstance(error, click.BadParameter) else error.message
    return f"{text[:1].lower()}{text[1:]}".rstrip(".")


def _near(error: click.ClickException, context: click.Context | None) -> str:
    if not isinstance(error, click.NoSuchOption) or context is None:
        return ""
    known = [option for parameter in context.command.get_params(context) for option in parameter.opts]
    return did_you_mean(error.option_name, known)

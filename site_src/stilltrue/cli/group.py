"""Kinds of commands: a group that lists its commands by purpose, a command that hands arguments on."""

from __future__ import annotations

import click

_LONGEST = 80
"""How much of a command's first sentence the list of commands shows."""

PURPOSES = {
    "Start": ("init", "new", "schema"),
    "Judge": ("check", "show", "readings"),
    "Measure": ("record", "adopt", "accept"),
    "Edit": ("bind", "update", "supersede"),
    "Guard": ("coverage", "mutate", "preflight"),
    "Publish": ("pages", "verify-site"),
}
"""The commands by what they are for, in the order of the help."""


class Commands(click.Group):
    """A group that lists its commands by what they are for, and says which was meant."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # as click calls it
        """The commands in the order of the help; one that has no purpose yet comes last."""
        ordered = [name for names in PURPOSES.values() for name in names if name in self.commands]
        return [*ordered, *sorted(self.commands.keys() - set(ordered))]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in one column, each purpose under a heading of its own."""
        known = self.list_commands(ctx)
        width = max(map(len, known))
        purposes = {what: [name for name in names if name in known] for what, names in PURPOSES.items()}
        others = [name for name in known if not any(name in names for names in purposes.values())]
        for heading, names in {**purposes, "Commands": others}.items():
            rows = [(name.ljust(width), self.commands[name].get_short_help_str(_LONGEST)) for name in names]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with.

        Raises:
            click.UsageError: There is none of this name.
            UsageError: There is none, and the hint says which one is near.
        """
        name = args[0]
        unknown = self.get_command(ctx, name) is None and not name.startswith("-")
        if unknown and not ctx.resilient_parsing:  # a shell that completes a line is told nothing
            from stilltrue.errors import UsageError  # noqa: PLC0415  # only a failing run needs these
            from stilltrue.suggest import did_you_mean  # noqa: PLC0415

            known = self.list_commands(ctx)
            raise UsageError(
                f"there is no command `{name}`",
                did_you_mean(name, known) or f"the commands are {', '.join(f'`{each}`' for each in known)}",
            )
        return super().resolve_command(ctx, args)


BEHIND = "stilltrue.behind"
"""Where a context keeps what stood behind `--`; nothing is there without one."""


class WithArguments(click.Command):
    """A command that hands on what stands behind `--`, options and all."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click, for what stands before `--`."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[BEHIND] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)

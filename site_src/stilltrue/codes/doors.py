"""Codes of the site, the commands and the configuration."""

from __future__ import annotations

from stilltrue.codes.code import Code

SITE: dict[str, Code] = {
    "unseen-claim": Code(
        "A rendered page shows a claim or a link of which the check knows nothing: something made it on the "
        "way from the file to the page.",
        "Write the claim in the page's own file; what another plugin makes is not checked.",
    ),
    "site-ignored": Code(
        "No page of the built site shows a card: the generator has left out the plugin, or the extension is not named.",
        "Name `stilltrue` under `markdown_extensions` for Zensical, under `plugins` for MkDocs and ProperDocs.",
    ),
    "card-missing": Code(
        "No page of the built site has the card of a claim.",
        "Build the site anew from nothing; a claim on no page of the site has its card in the list of claims.",
    ),
    "card-old": Code(
        "A card of the built site says something else than the check: its page was kept from an earlier build, or"
        " HTML on the page looks like a card.",
        "Build the site anew from nothing: `zensical build --clean`; `watch` in its configuration prevents it.",
    ),
    "link-old": Code(
        "A bound number of a page is not on the built page, its mark says something else than the check, or no"
        " check made that mark.",
        "Build the site anew from nothing.",
    ),
    "link-unbound": Code(
        "A link of the built site still reads `claim:…` and leads nowhere: nothing has bound it.",
        "Name the extension or the plugin `stilltrue` in the generator's configuration, and build anew.",
    ),
    "link-astray": Code(
        "A bound number or a link of a card on the built site leads to a page or an anchor that is not there.",
        "Write the generated pages before the build: `stilltrue pages`; then build the site anew.",
    ),
    "chart-old": Code(
        "A chart of a page is not on the built page, or is drawn from other numbers than there are now.",
        "Build the site anew from nothing.",
    ),
    "page-missing": Code(
        "A page with claims has not been built, or a generated page or file is not there.",
        "Build the site; `stilltrue pages` makes the generated pages where no plugin does.",
    ),
    "page-old": Code(
        "A generated page or file was made from something else than there is now.",
        "Run `stilltrue pages`, then build the site anew from nothing.",
    ),
    "page-taken": Code(
        "A file of the docs folder has the name of one that `stilltrue pages` would write, and it did not write it.",
        "Nothing was written. Give the file another name, or remove it.",
    ),
    "site-unstyled": Code(
        "Pages with claims do not ask for the style sheet, so cards have no shape and marks no sign.",
        "Name `assets/stilltrue/stilltrue.css` under `extra_css`.",
    ),
}

COMMANDS: dict[str, Code] = {
    "usage": Code(
        "The command line cannot be understood.",
        "See `stilltrue COMMAND --help`.",
    ),
    "config": Code(
        "The configuration has an unknown key, a value of the wrong type, or stands in two files.",
        "Mend the named line of `pyproject.toml` or `stilltrue.toml`.",
    ),
    "tracked-cache": Code(
        "git tracks the cache below `.stilltrue/`, so it came with the project and is not used.",
        "Take it out of the repository: `git rm -r --cached .stilltrue`.",
    ),
    "nothing-to-check": Code(
        "No claim was found, or none that the command line asked for.",
        "Check the ids and tags, and the `pages` globs of the configuration; `stilltrue init` starts a project.",
    ),
    "started": Code(
        "`stilltrue init` was asked to start a project that has claims already.",
        "Nothing was written. `stilltrue check` judges the claims; `stilltrue init --pre-commit` and `--workflow` "
        "still add what is not there.",
    ),
    "not-the-top": Code(
        "`stilltrue init` was called in a folder that lies in a repository, and either may be meant: the commands take "
        "the top of the repository for the project where nothing is configured.",
        "Call it at the top, or with `--here` to make the folder a project of its own: its paths then begin there.",
    ),
    "no-base": Code(
        "`--changed-since` cannot be answered: git is not there, knows no such revision, or this clone does not hold "
        "the commit at which the two histories parted.",
        "Fetch the revision, and the whole history with it: `fetch-depth: 0` for actions/checkout, "
        "`git fetch --unshallow` elsewhere.",
    ),
    "output": Code(
        "The report cannot be written to standard output.",
        "Make room on the disk, or send it elsewhere.",
    ),
    "system": Code(
        "The operating system refused something that the check needs: a folder is gone, a disk is full.",
        "Look at the named file or folder; check that it is there, may be read and has room.",
    ),
    "bug": Code(
        "Something happened that stilltrue does not expect: its own mistake, whatever the input was.",
        "Report it with the traceback; `STILLTRUE_TRACEBACK=1` shows it, a file in the temporary folder keeps it.",
    ),
}

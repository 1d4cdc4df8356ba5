"""What `supersede` and `new` refuse."""

from __future__ import annotations

from stilltrue.codes.code import Code

AUTHORING: dict[str, Code] = {
    "not-superseded": Code(
        "`supersede` was asked for a claim that cannot be superseded so: it is superseded already, its block cannot be "
        "read, it is a cell of a table or one of several claims of one pattern, or its successor does not stand. "
        "Nothing was written.",
        "Do what the message says.",
    ),
    "unplaced": Code(
        "A key cannot be written into a claim's text so that it, and it alone, is read there. Nothing was written.",
        "Write the line that the message gives into the block yourself.",
    ),
    "bad-name": Code(
        "`new` was asked for a name that cannot be a file's, a Python module's and a claim's id at once, or names "
        "something that cannot hold a new claim.",
        "Use lower-case letters, digits and hyphens, beginning with a letter: `stilltrue new landmine lost-tail`.",
    ),
    "taken": Code(
        "A file or an id that `new` was to make is there already. Nothing was written: it never replaces anything.",
        "Choose another name, or remove what is there first.",
    ),
    "not-made": Code(
        "What `new` was about to write does not pass as it should, so nothing was written.",
        "Do what the message says.",
    ),
}
"""What `supersede` and `new` refuse."""

"""A table of claims as a claims file writes it: the table itself stands in another file."""

from __future__ import annotations

from stilltrue.claims import mappings
from stilltrue.claims.blocks import malformed
from stilltrue.claims.claim import Origin, read_id
from stilltrue.claims.elsewhere import read_table_in
from stilltrue.claims.nodes import Mapping
from stilltrue.claims.table_cells import Cells, expand
from stilltrue.claims.table_keys import FILE_TABLE_KEYS
from stilltrue.errors import InputError
from stilltrue.model import Place, Problem, Table
from stilltrue.quantity import Units


class Untabled:
    """A table of claims without its table.

    Attributes:
        id: How the ids of its cells begin.
        table_in: Where the table stands.
        place: The line of `table_in`.
        origin: Where it is written; `./` paths of its claims start at the folder of the table's file.
    """

    def __init__(self, node: Mapping, units: Units, origin: Origin) -> None:
        """Takes a mapping of a claims file.

        Raises:
            InputError: Something is wrong with it whatever its table holds; its line is filled in.
        """
        mappings.check(node, FILE_TABLE_KEYS)
        self.id = read_id(node.entries["id"])
        self.table_in = read_table_in(node.entries["table_in"], origin.folder)
        self.place = Place(origin.block.path, self.table_in.line)
        self.origin = origin._replace(folder=self.table_in.file.rpartition("/")[0])
        self._node = node
        self._units = units

    def read(self, table: Table) -> Cells:
        """The claims of its table.

        Raises:
            Malformed: Nothing can be bound: it does not fit the table.
        """
        origin = self.origin
        try:
            return expand(self.id, self._node, table, self._units, origin, self.table_in)
        except InputError as error:
            raise malformed(origin.raw, error, origin.block.path, origin.block.line, origin.lead) from None

    def unread(self, error: InputError) -> Problem:
        """What is wrong when the table is not there, or its file cannot be read."""
        file = self.table_in.file
        where = "" if f"`{file}`" in error.message else f" ({Place(file, error.line)})"
        message = error.message + where
        return Problem(error.code, self.place, message, error.hint, about=(self.id,), files=(file,))

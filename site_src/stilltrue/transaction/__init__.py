"""Several files written together, or none of them, whatever happens in between.

Every new file is first written whole beside its target and forced to the disk. Then a journal in
`.stilltrue/` says what takes whose place, and the files are renamed, one after the other, with signals held
back. A process that is killed leaves each file whole, old or new: before the journal is final the next
transaction clears the new files away, after that it finishes the renames.
"""

from stilltrue.transaction.locks import held
from stilltrue.transaction.targets import refuse_unwritable
from stilltrue.transaction.writing import recover, unfinished, write_all

__all__ = ["held", "recover", "refuse_unwritable", "unfinished", "write_all"]

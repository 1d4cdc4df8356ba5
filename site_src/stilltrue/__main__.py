"""`python -m stilltrue`: the same as the command `stilltrue`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder, which `-m` puts first: no `click.py` of a stranger's is imported

from stilltrue.cli import main  # not before

sys.exit(main())

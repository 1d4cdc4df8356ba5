"""`python -m stilltrue`: the same as the command `stilltrue`."""

import sys

from stilltrue.cli import main

sys.exit(main())

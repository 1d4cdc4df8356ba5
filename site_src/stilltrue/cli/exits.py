"""The exit codes, all of them."""

OK = 0
"""Nothing failed."""
FAILED = 1
"""A verdict or a problem fails."""
USAGE = 2
"""Usage, configuration, or nothing to check; also what the machine refused."""
BUG = 3
"""A bug of ours."""
INTERRUPTED = 130
"""An interrupt, as shells count it."""

#!/usr/bin/env bash
# Is the run alive? The brackets keep the pattern from matching this very command.
pgrep -f '^python [t]rain\.py arguments\.yml$' > /dev/null

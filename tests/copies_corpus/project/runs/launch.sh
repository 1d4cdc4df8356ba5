#!/bin/sh
# Encoding takes 4.3 hours: keep the node that long.
ENCODE_HOURS=4.3
export ENCODE_TIME_H=4.3
timeout 4.3h python encode.py
echo "this will take 4.3 h"
sleep 4.3h # as measured
BUDGET_USD=103.20
echo "cost: $103.20" # shellcheck disable=SC2016
STEP_MS=22835.8
STEP_MS=22_835.8
--max-hours 4.3
--max-hours=4.3 \
OLD_HOURS=4.3  # stilltrue: keep because the archive is named by it
# stilltrue: keep because the archive is named by it
ARCHIVE=encode-4.3h.tar
tar xf encode-4.3h.tar
pip install encoder==4.3 # hours of work
TIMEOUT_S=4.3
RETRIES=4.3
curl https://example.org/v4.3/hours
PORT=22835
test "$x" -gt 4.3 && echo hours

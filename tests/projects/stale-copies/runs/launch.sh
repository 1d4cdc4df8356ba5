#!/bin/sh
# Encoding takes 4.3h: keep the node until it is done.
ENCODE_HOURS=4.3
# stilltrue: keep because the archive was named then
ARCHIVE="encoded in 4.3 h.tar"
exec python encode.py --hours "$ENCODE_HOURS" --archive "$ARCHIVE"

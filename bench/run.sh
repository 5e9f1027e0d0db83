#!/bin/sh
# make bench: measure everything in one interleaved run; see run.py for options.
exec python3 "$(dirname "$0")/run.py" "$@"

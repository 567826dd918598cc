#!/usr/bin/env bash
# Runs a command while announcing that its files are taken: with-lease.sh FILE COMMAND…
# The lease binds nobody; it is what siblings are shown when they come to the file.
set -euo pipefail
file=$1
shift
lease=$(agentd lock "$file" --ttl 10m --intent "running $1" --quiet)
trap 'agentd unlock "$lease" >/dev/null' EXIT
"$@"

#!/usr/bin/env bash
# Prints each broadcast as one line, by curl alone: hear.sh [SOCKET]
set -euo pipefail
socket=${1:-$(agentd status --quiet)}
principal=$(curl -s --unix-socket "$socket" http://agentd/v1/health | sed 's/.*"principal":"\([^"]*\)".*/\1/')
curl -sN --unix-socket "$socket" "http://agentd/v1/handles/$principal/stream?filter=kind:agent_broadcast" |
  sed -un 's/^data:.*"broadcast_text":"\([^"]*\)".*/\1/p'

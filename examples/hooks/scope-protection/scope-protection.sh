#!/bin/sh
# Asks hookrail whether the agent may write there. The event comes on stdin, the answer goes to stdout.
if ! command -v hookrail >/dev/null 2>&1; then
  echo "scope-protection: hookrail is not installed, so nothing is protected" >&2
  exit 1 # not 2: a missing program is no reason to refuse
fi
exec hookrail hook orchestrator/scope-protection

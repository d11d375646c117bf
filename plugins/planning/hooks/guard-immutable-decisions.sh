#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/guard-immutable-decisions --agent claude --contract spec

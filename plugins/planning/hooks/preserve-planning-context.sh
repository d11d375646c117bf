#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/preserve-planning-context --agent claude --contract spec

#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/setup-planning-env --agent claude --contract spec

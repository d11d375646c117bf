#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/enforce-planning-lock --agent claude --contract spec

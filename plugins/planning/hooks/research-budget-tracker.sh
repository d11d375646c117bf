#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/research-budget-tracker --agent claude --contract spec

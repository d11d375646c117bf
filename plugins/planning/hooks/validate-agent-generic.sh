#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/validate-agent-generic --agent claude --contract spec

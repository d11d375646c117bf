#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/validate-tech-lead-output --agent claude --contract spec

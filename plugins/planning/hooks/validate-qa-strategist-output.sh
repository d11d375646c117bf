#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/validate-qa-strategist-output --agent claude --contract spec

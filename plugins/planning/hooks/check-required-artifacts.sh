#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/check-required-artifacts --agent claude --contract spec

#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/checkpoint-logger --agent claude --contract spec

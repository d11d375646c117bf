#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/check-workflow-completeness --agent claude --contract spec

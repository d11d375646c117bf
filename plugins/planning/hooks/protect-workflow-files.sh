#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/protect-workflow-files --agent claude --contract spec

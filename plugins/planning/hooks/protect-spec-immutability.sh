#!/bin/sh
command -v hookrail >/dev/null || exit 0; exec hookrail hook planning/protect-spec-immutability --agent claude --contract spec

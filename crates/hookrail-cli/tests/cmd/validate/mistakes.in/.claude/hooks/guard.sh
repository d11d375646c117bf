#!/bin/bash
echo "checking $TOOL_INPUT"
if echo "$TOOL_INPUT" | grep -q "rm -rf"; then
  echo "Blocked: no rm -rf"
  exit 1
fi
jq -n '{hookSpecificOutput: {permissionDecision: "deny"}}'

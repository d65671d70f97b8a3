#!/usr/bin/env bash
# Runs a command that runs Swift's tests. Prints what ended, not what began; where something fails, all that failed
# stands once more at the end of the output, with what each test expected, and, after a crash, which tests were running.
set -uo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$@" 2>&1 | tee "$log" | grep --line-buffered -v '^◇'
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] && exit 0

echo
echo "What failed (exit code $status):"
awk '
  /^(✘|◇|✔)/ { shown = /^✘/ }
  shown || /[Ff]atal error|^error:|signal code/
  /^◇ Test .* started\.$/ && !/^◇ Test (case|run) / { sub(/^◇ Test /, ""); sub(/ started\.$/, ""); running[$0] }
  /^(✘|✔) Test .* after .* seconds/ {
    sub(/^(✘|✔) Test /, ""); sub(/( with [0-9]+ test cases?)? (passed|failed) after .*/, ""); delete running[$0]
  }
  END { for (test in running) print "was running: " test }
' "$log" | head -n 300
exit "$status"

#!/usr/bin/env bash
# Runs a command that runs Swift's tests. Prints what ended, not what began; where something fails, all that failed
# stands once more at the end of the output, with what each test expected, and, after a crash, which tests were running.
#
# On Linux, a command that still runs after TEST_LIMIT minutes (45 unless it is set) is ended with all that it has started,
# and fails: then the output also shows which processes there were.
set -uo pipefail
limit=${TEST_LIMIT:-45}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
log=$folder/log
# What follows the command ends when this file is removed.
touch "$log" "$folder/running"

# Shows the log. Not by a pipe: a process that the tests have left behind would keep it open after the command has ended.
follow() {
  local line rest='' is_over=''
  while :; do
    if IFS= read -r line; then
      line=$rest$line rest=''
      case $line in ◇*) ;; *) printf '%s\n' "$line" ;; esac
    else
      # The end of the log, maybe in the midst of a line.
      rest=$rest$line
      if [ -n "$is_over" ]; then
        [ -z "$rest" ] || printf '%s\n' "$rest"
        return
      fi
      if [ -e "$folder/running" ]; then sleep 0.2; else is_over=1; fi
    fi
  done
} <"$log"

# The processes that the command has started, and itself: by a variable in their environment, since one whose parent has ended is no
# child of the command any more.
processes() { grep -lsz "^TEST_RUN=$$\$" /proc/[0-9]*/environ | cut -d / -f 3; }

# Waits so many seconds. Fails if the command ends sooner.
pause() {
  local end=$((SECONDS + $1))
  while [ "$SECONDS" -lt "$end" ]; do
    [ -e "$folder/running" ] || return 1
    sleep 1
  done
}

# Ends the command at the limit. What it has started ends first: then it ends by itself, and writes what it has not written yet.
enforce_limit() {
  pause $((limit * 60)) || return
  # shellcheck disable=SC2046 # One word for each process.
  ps -o pid,ppid,stat,etime,wchan:20,args $(processes) 2>/dev/null | cut -c 1-200 >"$folder/limit"
  local victims signal process
  for victims in started all; do
    for signal in TERM KILL; do
      for process in $(processes); do
        # The command is the child of this script.
        if [ "$victims" = all ] || [ "$(ps -o ppid= -p "$process" | tr -d ' ')" != $$ ]; then
          kill "-$signal" "$process" 2>/dev/null
        fi
      done
      pause 10 || return
    done
  done
}

follow &
follower=$!
enforcer=
if [ -r /proc/self/environ ]; then
  enforce_limit &
  enforcer=$!
fi
env TEST_RUN=$$ "$@" >>"$log" 2>&1
status=$?
rm -f "$folder/running"
# shellcheck disable=SC2086 # There may be none.
wait $follower $enforcer
[ -e "$folder/limit" ] && status=124
[ "$status" -eq 0 ] && exit 0

if [ -e "$folder/limit" ]; then
  echo
  echo "The limit of $limit minutes was reached (TEST_LIMIT). What ran then:"
  cat "$folder/limit"
fi
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

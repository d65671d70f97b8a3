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

# Shows the log. Not by a pipe: a process that the tests have left behind would keep it open after the command has ended. What such a
# process writes after the end is not waited for: it might write for ever.
follow() {
  # In this locale, lengths are numbers of bytes.
  local line rest='' count=0 size='' LC_ALL=C
  while :; do
    if [ -z "$size" ] && [ ! -e "$folder/running" ]; then
      size=$({ wc -c <"$log"; } 2>/dev/null)
      # Without a log, the script has ended.
      size=$((size + 0))
    fi
    if [ -n "$size" ] && [ "$count" -ge "$size" ]; then break; fi
    if IFS= read -r line; then
      count=$((count + ${#line} + 1))
      line=$rest$line rest=''
      case $line in ◇*) ;; *) printf '%s\n' "$line" ;; esac
    else
      # The end of the log, maybe in the midst of a line.
      count=$((count + ${#line}))
      rest=$rest$line
      [ -z "$size" ] || break
      sleep 0.2
    fi
  done
  [ -z "$rest" ] || printf '%s\n' "$rest"
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
head -c "$(($(wc -c <"$log")))" "$log" | awk '
  /^(✘|◇|✔)/ { shown = /^✘/ }
  shown || /[Ff]atal error|^error:|signal code/
  /^◇ Test .* started\.$/ && !/^◇ Test (case|run) / { sub(/^◇ Test /, ""); sub(/ started\.$/, ""); running[$0] }
  /^(✘|✔) Test .* after .* seconds/ {
    sub(/^(✘|✔) Test /, ""); sub(/( with [0-9]+ test cases?)? (passed|failed) after .*/, ""); delete running[$0]
  }
  END { for (test in running) print "was running: " test }
' | head -n 300
exit "$status"

#!/usr/bin/env bash
# Tries the example PostServer over HTTP, with both engines: test-server.sh PROGRAM
set -euo pipefail

source "$(dirname "$0")/temporary-postgres.sh"
program=$1
folder=$(mktemp -d /tmp/dflat-server-XXXXXX)
servers=()
cleanup() {
  [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
  stop_postgres "$folder"
  rm -rf "$folder"
}
trap cleanup EXIT
fail() {
  echo "error: $*" >&2
  for log in "$folder"/*.log; do echo "$log:" >&2; cat "$log" >&2; done
  exit 1
}

# Starts a server with the arguments, and says where it is.
serve() {
  local log=$folder/server${#servers[@]}.log
  : >"$log"
  "$program" --port 0 "$@" >"$folder/out.log" 2>"$log" &
  servers+=($!)
  for _ in {1..600}; do
    address=$(sed -n 's|^Serving posts at \(http://[^/]*\)/posts$|\1|p' "$log")
    [ -n "$address" ] && return
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  fail "the server does not start"
}

# Ends the server that was started last, as a system does, and waits until it has closed its store.
stop() {
  local begun=$SECONDS last=$((${#servers[@]} - 1))
  kill -TERM "${servers[last]}"
  wait "${servers[last]}" || fail "the server does not end as it should"
  # A second, and some for a machine that does other things.
  [ $((SECONDS - begun)) -le 5 ] || fail "the server takes $((SECONDS - begun)) s to end"
  unset "servers[$last]"
}

# Expects the status and the answer of a request: expect STATUS ANSWER CURL-ARGUMENTS...
expect() {
  local answer status=$1 body=$2
  shift 2
  answer=$(curl -sS -m 60 -w '\n%{http_code}' "$@") || fail "no answer: $*"
  [ "${answer##*$'\n'}" = "$status" ] || fail "$*: status ${answer##*$'\n'}, not $status: $answer"
  [[ "${answer%$'\n'*}" == *"$body"* ]] || fail "$*: $answer, without $body"
}

# Waits until the events of a client have a line that matches.
shows() {
  for _ in {1..600}; do grep -q -- "$1" "$folder/events.txt" && return; sleep 0.1; done
  cat "$folder/events.txt" >&2
  fail "the events do not show: $1"
}

put() { expect "$1" '' -X PUT "$2/posts/$3" -d "$4"; }

# What every server does that is at $1, with one beside it at $2 that uses the same store.
try() {
  local first=$1 second=$2
  expect 200 '[]' "$first/posts"
  expect 404 'there is no post Hello' "$first/posts/Hello"
  put 201 "$first" Hello '{"priority": 3, "color": "green", "text": "World"}'
  put 201 "$second" "Caf%C3%A9" '{"priority": 5, "tag": "drinks", "images": ["a.png", "b.png"]}'
  put 200 "$first" Hello '{"priority": 4, "color": "green", "text": "World"}'
  expect 200 '"priority":4' "$second/posts/Hello"
  expect 200 '"images":["a.png","b.png"]' "$first/posts/Caf%C3%A9"
  expect 200 '"title":"Café"' "$second/posts?tag=drinks"
  expect 200 '[]' "$first/posts?above=5"
  expect 400 'limit is a number' "$first/posts?limit=0"
  expect 400 'the parameters are' "$first/posts?order=title"
  expect 400 'red, green and blue' -X PUT "$first/posts/a" -d '{"color": "mauve"}'
  expect 400 '' -X PUT "$first/posts/a" -d '{"color": '
  expect 400 'not UTF-8' "$first/posts/%ff"

  : >"$folder/events.txt"
  curl -sSN "$first/events?above=3" >"$folder/events.txt" 2>/dev/null & local client=$!
  shows '^event: ready'
  put 201 "$second" New '{"priority": 9}'
  shows '"offset":0,"post":{.*"title":"New"'
  put 200 "$second" Hello '{"priority": 1}'
  shows '^event: remove'
  kill $client && wait $client 2>/dev/null || true
  expect 200 'ok' "$first/health"
  expect 200 'ready' "$second/ready"
  expect 200 'posts_queries_total{access="by key"}' "$first/metrics"
  expect 200 'posts_transactions_total{outcome="committed"} 2' "$first/metrics"
  # It is open when the server at $1 is told to end.
  curl -sSN "$first/events" >"$folder/last-events.txt" 2>/dev/null &
  expect 204 '' -X DELETE "$first/posts/New"
  expect 404 '' -X DELETE "$second/posts/New"
}

echo "The server on SQLite"
unset POSTS_DATABASE
serve --file "$folder/posts.sqlite3"
first=$address
serve --file "$folder/posts.sqlite3"
try "$first" "$address"
stop
stop

echo "The server on PostgreSQL"
start_postgres "$folder"
export POSTS_DATABASE=$database
serve
first=$address
serve
try "$first" "$address"
expect 204 '' -X DELETE "$first/posts/Hello"
expect 204 '' -X DELETE "$first/posts/Caf%C3%A9"

echo "The file, moved to PostgreSQL"
"$program" copy "$folder/posts.sqlite3" >"$folder/copy.txt" 2>&1 || fail "the file is not copied: $(cat "$folder/copy.txt")"
grep -q '^post: 2 new, 0 replaced, 0 there already, 0 damaged' "$folder/copy.txt" || fail "a copy does not say what it did: $(cat "$folder/copy.txt")"
expect 200 '"images":["a.png","b.png"]' "$first/posts/Caf%C3%A9"
"$program" copy "$folder/posts.sqlite3" | grep -q '^post: 0 new, 0 replaced, 2 there already' || fail "a second copy writes something"
status=0
"$program" copy "$folder/nothing.sqlite3" 2>"$folder/copy.txt" || status=$?
[ "$status" = 64 ] && grep -q "There is no file" "$folder/copy.txt" || fail "a file that is not there is not said to be"
stop
stop

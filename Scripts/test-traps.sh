#!/usr/bin/env bash
# Makes each mistake that ends a program, in a release build, and fails unless the program says what it was and what to write instead.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/temporary-postgres.sh

packages=$PWD/.build-packages  # As in the Makefile.
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

folder=$(mktemp -d /tmp/dflat-traps-XXXXXX)
trap 'stop_postgres "$folder"; rm -rf "$folder"' EXIT

.build/debug/dflatc compile -o Quality/Traps/Sources/Traps/Generated Quality/Traps/Sources/Traps/*.fbs
rm -f "$packages/release.yaml"  # As for `make run`.
swift build --quiet -c release --package-path Quality/Traps --scratch-path "$packages"
start_postgres "$folder"
export TRAPS_DATABASE=$database
count=0
while IFS='|' read -r -a line; do
  status=0
  output=$("$packages/release/Traps" "${line[0]}" 2>&1 </dev/null) || status=$?
  [ "$status" -gt 128 ] || fail "${line[0]} does not end a program: $output"
  for part in "${line[@]:1}"; do
    [[ $output == *"$part"* ]] || fail "${line[0]} does not print in a release build: $part: $output"
  done
  count=$((count + 1))
done < <("$packages/release/Traps")
[ "$count" -ge 70 ] || fail "only $count mistakes were made"
echo "$count mistakes end a release build with a message."

#!/usr/bin/env bash
# Makes each mistake that ends a program, in a release build, and fails unless the program says what it was and what to write instead.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$PWD/.build-packages  # As in the Makefile.
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

.build/debug/dflatc compile -o Quality/Traps/Sources/Traps/Generated Quality/Traps/Sources/Traps/traps.fbs
rm -f "$packages/release.yaml"  # As for `make run`.
swift build --quiet -c release --package-path Quality/Traps --scratch-path "$packages"
count=0
while IFS='|' read -r -a line; do
  status=0
  output=$("$packages/release/Traps" "${line[0]}" 2>&1) || status=$?
  [ "$status" -gt 128 ] || fail "${line[0]} does not end a program: $output"
  for part in "${line[@]:1}"; do
    [[ $output == *"$part"* ]] || fail "${line[0]} does not print in a release build: $part"
  done
  count=$((count + 1))
done < <("$packages/release/Traps")
[ "$count" -ge 9 ] || fail "only $count mistakes were made"
echo "$count mistakes end a release build with a message."

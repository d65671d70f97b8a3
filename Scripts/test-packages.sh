#!/usr/bin/env bash
# Builds and runs, as their users would, the packages that depend on this one: the example, whose schema `dflatc compile`
# compiles, and the benchmarks, whose schema the plug-in compiles.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say() { printf '%s\n' "$*"; }
fail() { say "error: $*" >&2; exit 1; }

say "The example, twice on one file"
make --no-print-directory run STORE="$folder/posts.sqlite3" >"$folder/first.txt"
make --no-print-directory run STORE="$folder/posts.sqlite3" >"$folder/second.txt"
grep -q '^What the last run left: 0 found' "$folder/first.txt" || fail "the first run found posts of another"
grep -q '^What the last run left: 4 found' "$folder/second.txt" || fail "the second run does not find the first one's posts"
grep -q '^Updated Alpha: 1 found' "$folder/second.txt" || fail "the example does not find what it updated"

say "The benchmarks, one round"
rm -f Benchmarks/.build/debug.yaml  # As for `make run`.
Scripts/benchmark-header.sh
swift build --quiet --package-path Benchmarks
Benchmarks/.build/debug/Benchmarks store wire --rounds 1 >"$folder/benchmarks.txt" || fail "the benchmarks do not run"
for figure in 'fetch all' 'read every field'; do
  grep -q "$figure" "$folder/benchmarks.txt" || fail "the benchmarks do not print: $figure"
done
say "Both packages build and run."

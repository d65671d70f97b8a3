#!/usr/bin/env bash
# Fails when the compiler has a warning about any source of the package. A build that is up to date says nothing: so what the build
# from nothing has said is read, if build-tests.sh has kept it and no source is newer, and otherwise one is made in a folder of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

log=.build/whole-build.log
if [ ! -f $log ] || [ -n "$(find Package.swift Sources Tests Plugins -newer $log -type f | head -n 1)" ]; then
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  rm -rf .build-lint/*/debug/*.build
  if ! "${SWIFT:-swift}" build --build-tests --scratch-path .build-lint >"$log" 2>&1; then
    cat "$log"
    exit 1
  fi
fi
# An app as it was written for Dflat 0.6 casts what `submit` gives, which is no longer needed.
former="(SourceCompatibilityTests/.*'as' test is always true|conditional cast from 'Post' to 'Post' always succeeds)"
if grep -aE '(^|[^a-z])warning: ' "$log" | grep -vE '/\.build(-lint)?/checkouts/' | grep -avE "$former" | sort -u | grep .; then
  echo "error: the compiler has warnings (above)" >&2
  exit 1
fi
echo "No warnings."

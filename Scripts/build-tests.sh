#!/usr/bin/env bash
# Builds the package and its tests. What the compiler says of a build from nothing is kept for check-warnings.sh: of what is
# up to date, a later build says nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -d .build/debug ]; then
  exec "${SWIFT:-swift}" build --build-tests
fi
began=$(mktemp)
log=$(mktemp)
trap 'rm -f "$began" "$log"' EXIT
"${SWIFT:-swift}" build --build-tests 2>&1 | tee "$log"
# Sources that were changed during the build are newer.
touch -r "$began" "$log"
mv "$log" .build/whole-build.log

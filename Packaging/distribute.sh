#!/usr/bin/env bash
# Writes packages with dflatc for people without Swift.
#   distribute.sh wheel | npm
# The environment: BINARY (a dflatc that is built already), DIST (the folder to write to: dist).
set -euo pipefail
cd "$(dirname "$0")/.."

command -v python3 >/dev/null || { echo "error: python3 is needed to write the packages" >&2; exit 1; }
dflatc=${BINARY:-$(Scripts/build-release.sh)}
if [ "$(uname)" = Linux ]; then
  # What is on every Linux.
  others=$(ldd "$dflatc" | awk '{ print $1 }' | grep -vE '^(linux-vdso|/lib|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libgcc_s\.)' || true)
  if [ -n "$others" ]; then
    echo "note: this dflatc needs libraries that other systems may lack:" $others >&2
  fi
fi
python3 Packaging/packages.py "$1" "$dflatc" "${DIST:-dist}"

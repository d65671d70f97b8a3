#!/usr/bin/env bash
# Builds dflatc to be installed, and prints its path: optimized, with its commit, and on Linux without the need for other libraries
# than those of C, so that it runs on any Linux whose C library is as new as that of this system. In a folder of its own, since these options would have all of a usual release build compiled anew.
# The environment:
#   DFLAT_COMMIT         the commit, where the sources are not in git
#   SWIFT_BUILD_OPTIONS  more options of `swift build`, with blanks between them
set -euo pipefail
cd "$(dirname "$0")/.."

# The commit of this repository; a copy of the sources within another one has none.
if [ -z "${DFLAT_COMMIT-}" ] && [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ]; then
  DFLAT_COMMIT=$(git describe --always --dirty --exclude='*')
fi
export DFLAT_COMMIT=${DFLAT_COMMIT-}
case $DFLAT_COMMIT in
  *[!A-Za-z0-9._-]*) echo "error: DFLAT_COMMIT takes letters, digits and ._- only" >&2; exit 2 ;;
esac

options=(-c release --product dflatc --scratch-path .build-install)
# Not quoted: each word is an option.
options+=(${SWIFT_BUILD_OPTIONS-})
if [ "$(uname)" = Linux ]; then
  options+=(--static-swift-stdlib -Xlinker -s -Xlinker --gc-sections)
  # A folder with nothing but archives, which is searched first: the linker prefers a shared library to an archive beside it.
  mkdir -p .build-install/archives
  for library in sqlite3 stdc++; do
    archive=$(${CC:-clang} -print-file-name="lib$library.a" 2>/dev/null || true)
    [ -f "$archive" ] && ln -sf "$archive" .build-install/archives
  done
  options+=(-Xswiftc "-L$PWD/.build-install/archives")
  # What pkg-config says of SQLite comes before other options.
  if [ -f .build-install/archives/libsqlite3.a ]; then
    printf 'Name: SQLite\nDescription: as an archive\nVersion: 3\nLibs: "-L%s" -lsqlite3\n' "$PWD/.build-install/archives" \
      >.build-install/archives/sqlite3.pc
    export PKG_CONFIG_PATH=$PWD/.build-install/archives${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
  fi
fi
"${SWIFT:-swift}" build "${options[@]}" >&2
echo "$("${SWIFT:-swift}" build "${options[@]}" --show-bin-path)/dflatc"

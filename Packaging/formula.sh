#!/usr/bin/env bash
# Prints the formula for Homebrew that installs a release: the one beside this script, with the release in place of the main branch.
#   formula.sh ADDRESS TAG COMMIT
set -euo pipefail

[ $# = 3 ] || { echo "usage: formula.sh ADDRESS TAG COMMIT" >&2; exit 2; }
sed -e '1s|.*|# A formula for Homebrew, in a tap: brew install OWNER/TAP/dflatc|' \
  -e "s|^  homepage .*|  homepage \"$1\"|" \
  -e "s|^  head .*|  url \"$1.git\", tag: \"$2\", revision: \"$3\"|" \
  "$(dirname "$0")/dflatc.rb"

#!/usr/bin/env bash
# Writes Editors/tree-sitter-fbs/src by `tree-sitter generate`, which needs Node.js. TREE_SITTER names another program.
# The tests compare the checksums in src/generated.sha256, so that neither grammar.js nor what it generates changes alone.
set -euo pipefail
source "$(dirname "$0")/portable.sh"
cd "$(dirname "$0")/../Editors/tree-sitter-fbs"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# In a folder of its own, because some versions also write bindings for other languages.
cp grammar.js package.json tree-sitter.json "$folder"
(cd "$folder" && "${TREE_SITTER:-tree-sitter}" generate --abi 14)

mkdir -p src/tree_sitter
cp "$folder"/src/{parser.c,grammar.json,node-types.json} src
# The parser includes this header only; the others are for scanners written by hand.
cp "$folder/src/tree_sitter/parser.h" src/tree_sitter
checksums grammar.js src/parser.c src/grammar.json src/node-types.json src/tree_sitter/parser.h >src/generated.sha256

#!/usr/bin/env bash
# Writes an extension for Zed, which builds it: Editors/zed, the colors of the tree-sitter grammar, and where that grammar is.
#   zed.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?usage: zed.sh FOLDER}

# Zed fetches the grammar from the commit: changes that are not committed stay out of it.
if ! revision=$(git rev-parse HEAD 2>/dev/null) || [ -n "$(git rev-parse --show-prefix)" ]; then
  echo "error: Zed takes the grammar from a git repository, and this folder is not the top of one" >&2
  exit 1
fi

mkdir -p "$folder"
cp -R Editors/zed/. "$folder"
# Editors/zed has no copy of this file, so that there is one to edit.
cp Editors/tree-sitter-fbs/queries/highlights.scm "$folder/languages/fbs"
cp LICENSE "$folder"
sed -e "s|\"REPOSITORY\"|\"file://$PWD\"|" -e "s|\"REVISION\"|\"$revision\"|" Editors/zed/extension.toml >"$folder/extension.toml"

#!/usr/bin/env bash
# Runs `dflatc lsp` with real clients: one of the protocol in Python (pytest-lsp), Neovim and Emacs. Tests the settings for Vim, Helix
# and Sublime Text, the extension of Visual Studio Code beside a stand-in for the editor, and the tree-sitter grammar beside dflatc, in
# Python and in Neovim. Says so where one of these cannot be had.
# DFLATC names the program, or else it is that of the debug build.
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/portable.sh
export DFLATC=${DFLATC:-$PWD/.build/debug/dflatc} PACKAGE=$PWD

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
say() { printf '%s\n' "$*"; }
fail() { say "error: $*" >&2; exit 1; }

python=$PWD/.build/editor-python/bin/python3
if [ -x "$python" ]; then
  say "The language server, with a client in Python, and the tree-sitter grammar"
  "$python" -c 'import tree_sitter' 2>/dev/null ||
    say "Without the Python package tree-sitter, the grammar is not tested beside dflatc." >&2
  "$python" -m pytest -q -p no:cacheprovider -o asyncio_mode=auto Tests/Editors >"$folder/python.txt" 2>&1 ||
    { cat "$folder/python.txt" >&2; fail "the language server or the grammar does not do what the tests in Python expect"; }
  tail -n 1 "$folder/python.txt"
else
  say "Without the Python package pytest-lsp, neither its client tests the language server, nor are the grammar and settings tested." >&2
fi

# The folder in which an editor opens a broken schema, and one that it includes.
work() {
  mkdir "$1"
  printf 'table Other { a: int; }\ntable Base { a: int; }\n' >"$1/base.fbs"
  printf 'include "base.fbs";\n\ntable Holder {\n    base: Base\n  count:int;\n}\n' >"$1/broken.fbs"
}

if command -v nvim >/dev/null; then
  say "The language server, in Neovim"
  work "$folder/neovim"
  (cd "$folder/neovim" &&
    XDG_STATE_HOME=$folder XDG_DATA_HOME=$folder XDG_CACHE_HOME=$folder XDG_CONFIG_HOME=$folder \
      limit 120 nvim --headless -u NONE -i NONE -n -c "luafile $PACKAGE/Tests/Editors/neovim.lua") >"$folder/neovim.txt" 2>&1 ||
    { cat "$folder/neovim.txt" >&2; fail "the language server does not work in Neovim"; }
  grep -q 'neovim: all done' "$folder/neovim.txt" || fail "Neovim did not run the test: $(cat "$folder/neovim.txt")"
  if command -v cc >/dev/null; then
    grammar=$PACKAGE/Editors/tree-sitter-fbs
    cc -shared -fPIC -I "$grammar/src" "$grammar/src/parser.c" -o "$folder/fbs.so"
    GRAMMAR=$grammar LIBRARY=$folder/fbs.so \
      limit 120 nvim --headless -u NONE -i NONE -n -c "luafile Tests/Editors/neovim-grammar.lua" >"$folder/grammar.txt" 2>&1 ||
      { cat "$folder/grammar.txt" >&2; fail "the tree-sitter grammar does not work in Neovim"; }
    grep -q 'tree-sitter: all done' "$folder/grammar.txt" || fail "Neovim did not run the test: $(cat "$folder/grammar.txt")"
  else
    say "Without a C compiler (cc), the tree-sitter grammar is not tested in Neovim." >&2
  fi
else
  say "Without Neovim (nvim), the language server is not tested in it." >&2
fi

if command -v vim >/dev/null && vim --version | grep -q '+eval'; then
  say "The settings for Vim"
  # What stands in for the plug-in asks for servers when Vim loads it: from the vimrc, before other plug-ins, or after them.
  for way in opt start; do
    home=$folder/vim-$way
    plugin=$home/.vim/pack/plugins/$way/lsp/plugin
    mkdir -p "$plugin" "$home/.vim/plugin"
    cp Editors/vim/fbs.vim "$home/.vim/plugin"
    cat >"$plugin/lsp.vim" <<'END'
function! g:LspAddServer(servers)
  call writefile([a:servers[0].path .. ' ' .. join(a:servers[0].args)], $HOME .. '/servers', 'a')
endfunction
if exists('#User#LspSetup')
  doautocmd <nomodeline> User LspSetup
endif
END
    if [ "$way" = opt ]; then echo 'packadd lsp' >"$home/.vimrc"; else : >"$home/.vimrc"; fi
    HOME=$home limit 120 vim -N -es -n -i NONE -u "$home/.vimrc" -c qall </dev/null >"$folder/vim.txt" 2>&1 ||
      { cat "$folder/vim.txt" >&2; fail "Vim does not start with the settings"; }
    [ "$(cat "$home/servers" 2>/dev/null)" = "dflatc lsp" ] || fail "Vim does not run the language server ($way)"
  done
else
  say "Without Vim (vim), its settings are not tested." >&2
fi

if command -v hx >/dev/null; then
  say "The settings for Helix"
  mkdir -p "$folder/helix/config/helix" "$folder/helix/bin"
  cp Editors/helix/languages.toml "$folder/helix/config/helix"
  ln -s "$DFLATC" "$folder/helix/bin/dflatc"
  # Helix says where it finds the program of each server that the settings give the language.
  HOME=$folder/helix XDG_CONFIG_HOME=$folder/helix/config XDG_CACHE_HOME=$folder/helix PATH=$folder/helix/bin:$PATH \
    limit 120 hx --health fbs >"$folder/helix.txt" 2>&1 || { cat "$folder/helix.txt" >&2; fail "Helix does not know the language"; }
  grep -qF "$folder/helix/bin/dflatc" "$folder/helix.txt" ||
    { cat "$folder/helix.txt" >&2; fail "Helix does not run the language server"; }
else
  say "Without Helix (hx), its settings are compared with its documentation only." >&2
fi

# Debian's packages put eglot where only the site's start file finds it.
if command -v emacs >/dev/null && emacs --batch --eval "(require 'eglot)" >/dev/null 2>&1; then
  say "The language server, in Emacs"
  work "$folder/emacs"
  (cd "$folder/emacs" && HOME=$folder limit 120 emacs --batch -l "$PACKAGE/Tests/Editors/emacs.el") >"$folder/emacs.txt" 2>&1 ||
    { cat "$folder/emacs.txt" >&2; fail "the language server does not work in Emacs"; }
  grep -q 'emacs: all done' "$folder/emacs.txt" || fail "Emacs did not run the test: $(cat "$folder/emacs.txt")"
else
  say "Without Emacs (emacs) and its package eglot, the language server is not tested in it." >&2
fi

if command -v zip >/dev/null && command -v unzip >/dev/null; then
  say "The extension of Visual Studio Code, beside a stand-in for the editor"
  Scripts/vscode.sh "$folder/dflat.vsix" >/dev/null
  unzip -q "$folder/dflat.vsix" -d "$folder/vsix"
  for file in '[Content_Types].xml' extension.vsixmanifest extension/{package.json,extension.js,client.js,LICENSE.txt,README.md} \
    extension/{language-configuration.json,syntaxes/fbs.tmLanguage.json}; do
    [ -s "$folder/vsix/$file" ] || fail "the extension lacks $file"
  done
  version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' Editors/vscode/package.json)
  grep -q "Id=\"dflat\" Version=\"$version\" Publisher=\"dflat\"" "$folder/vsix/extension.vsixmanifest" ||
    fail "the manifest of the extension names another version than its package"
  if command -v node >/dev/null; then
    mkdir "$folder/vscode"
    limit 120 node Tests/Editors/vscode.js "$folder/vsix/extension" "$folder/vscode" >"$folder/vscode.txt" 2>&1 ||
      { cat "$folder/vscode.txt" >&2; fail "the extension of Visual Studio Code does not work"; }
    grep -q 'vscode: all done' "$folder/vscode.txt" || fail "Node.js did not run the test: $(cat "$folder/vscode.txt")"
  else
    say "Without Node.js (node), the extension of Visual Studio Code is only unpacked." >&2
  fi
else
  say "Without zip and unzip, the extension of Visual Studio Code is not tested." >&2
fi

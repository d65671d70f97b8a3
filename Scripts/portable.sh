# For scripts that source it: commands that have other names on macOS.

# Prints the checksums of files as sha256sum does: checksums FILE...
checksums() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

# Runs a command, and ends it after so many seconds: limit SECONDS COMMAND...
# macOS has no `timeout`, and Homebrew's coreutils call it `gtimeout`. Without either, there is no limit.
limit() {
  local program
  for program in timeout gtimeout; do
    if command -v "$program" >/dev/null; then
      "$program" "$@"
      return
    fi
  done
  shift
  "$@"
}

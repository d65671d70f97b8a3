#!/usr/bin/env bash
# Writes a package `dflat` whose plug-ins run a dflatc that is built already, and the artifact bundle with that dflatc.
# The environment:
#   BUNDLE      the folder to write to (.build-bundle). A bundle that is there keeps what it has for other systems.
#   BINARY      a dflatc that is built already
#   BUNDLE_URL  where the bundle will be published: the package then names this address, and holds no binary itself
# https://github.com/swiftlang/swift-evolution/blob/main/proposals/0305-swiftpm-binary-target-improvements.md
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
folder=${BUNDLE:-.build-bundle}
dflatc=${BINARY:-$(Scripts/build-release.sh)}
version=$("$dflatc" --version | awk '{ print $2 }')
triple=$("$swift" -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
bundle=$folder/dflatc.artifactbundle
package=$folder/dflat

if [ -f "$bundle/info.json" ] && ! grep -q "\"version\": \"$version\"" "$bundle/info.json"; then
  rm -rf "$bundle"  # Of an older version.
fi
install -d "$bundle/$triple"
install -m 755 "$dflatc" "$bundle/$triple/dflatc"
cp LICENSE "$bundle"
{
  printf '{\n  "schemaVersion": "1.0",\n  "artifacts": {\n    "dflatc": {\n      "type": "executable",\n'
  printf '      "version": "%s",\n      "variants": [' "$version"
  separator=
  for path in "$bundle"/*/dflatc; do
    system=$(basename "$(dirname "$path")")
    printf '%s\n        { "path": "%s/dflatc", "supportedTriples": ["%s"] }' "$separator" "$system" "$system"
    separator=,
  done
  printf '\n      ]\n    }\n  }\n}\n'
} >"$bundle/info.json"
rm -f "$bundle.zip"
checksum=
if command -v zip >/dev/null; then
  (cd "$folder" && zip -q -r -X dflatc.artifactbundle.zip dflatc.artifactbundle)
  checksum=$("$swift" package compute-checksum "$bundle.zip")
elif [ -n "${BUNDLE_URL-}" ]; then
  echo "error: zip is needed to publish the bundle" >&2
  exit 1
fi

# Made aside, so that a package that is used meanwhile is never half there.
rm -rf "$package.new"
install -d "$package.new/Sources"
cp -R Sources/DflatRuntime Sources/CSQLite Sources/CPostgres "$package.new/Sources"
cp -RL Plugins LICENSE "$package.new"
if [ -n "${BUNDLE_URL-}" ]; then
  sed "s|path: \"dflatc.artifactbundle\"|url: \"$BUNDLE_URL\", checksum: \"$checksum\"|" \
    Packaging/bundle/Package.swift >"$package.new/Package.swift"
else
  cp Packaging/bundle/Package.swift "$package.new"
  cp -R "$bundle" "$package.new"
fi
rm -rf "$package"
mv "$package.new" "$package"

echo "The package: $package"
if [ -n "$checksum" ]; then
  echo "The artifact bundle: $bundle.zip, checksum $checksum"
else
  echo "The artifact bundle: $bundle (without zip, there is no zip file of it)"
fi

#!/usr/bin/env bash
# Writes the reference of the runtime's modules, and the pages of the documentation, as a web site made by DocC.
#   reference.sh [FOLDER]     .build/reference, unless told
# It needs a build, and fails when DocC has a warning, such as a link to a symbol that there is not.
set -euo pipefail
cd "$(dirname "$0")/.."

output=${1:-.build/reference}
modules=${MODULES:-.build/debug}  # Where the build put its products.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

target=$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)",.*/\1/p' | head -1)
options=(-I "$modules/Modules" -I Sources/CSQLite -I Sources/CPostgres -Xcc "-I$(pg_config --includedir)")
[ "$(uname)" = Darwin ] && options+=(-sdk "$(xcrun --show-sdk-path)")
# The C module of OpenCombine, where that is used, has its module map among the products.
map=$modules/COpenCombineHelpers.build/module.modulemap
[ -f "$map" ] && options+=(-Xcc "-fmodule-map-file=$map")

mkdir -p "$scratch/symbols" "$scratch/dflat.docc"
modulesWithPages=(FlatBuffersCore Dflat SQLiteDflat PostgresDflat)
# On macOS the publishers are in Dflat, and the module of their name is empty.
[ "$(uname)" = Darwin ] || modulesWithPages+=(DflatPublishers)
# In pages, the name of a type that stands under a topic of its module becomes a link to it; in headings and other links it stays.
printf '%s\n' '/^ *```/,/^ *```$/b' '/^#/b' >"$scratch/links.sed"
for module in "${modulesWithPages[@]}"; do
  swift symbolgraph-extract -module-name "$module" -target "$target" "${options[@]}" -output-dir "$scratch/symbols" \
    -skip-synthesized-members -skip-inherited-docs
  page=Sources/DflatRuntime/$module/$module.docc/$module.md
  sed -E -e 's/\]\((\.\.\/)+Documentation\/([a-z0-9.-]+)\.md\)/](doc:\2)/g' "$page" >"$scratch/dflat.docc/$module.md"
  sed -n 's/^- ``\([A-Za-z0-9]*\)``$/\1/p' "$page" | while read -r type; do
    printf 's,(^|[^`[])`%s`,\\1``/%s/%s``,g\n' "$type" "$module" "$type"
  done >>"$scratch/links.sed"
done
# Comments name pages by their paths, which are links here.
for graph in "$scratch"/symbols/*.json; do
  sed -E -e 's/Documentation\\?\/([a-z0-9.-]+)\.md/<doc:\1>/g' "$graph" >"$scratch/graph"
  mv "$scratch/graph" "$graph"
done

# The pages become articles. DocC knows no info strings but languages, and has its own form of links; those to what is not
# in the site, and to headings, are left out. Two backticks are a link to a symbol there, and not code with backticks in it.
names=()
cp Documentation/*.svg "$scratch/dflat.docc"
for page in Documentation/*.md; do
  name=$(basename "$page" .md)
  [ "$name" = README ] && continue
  names+=("$name")
  sed -E -e '/^<!-- /d' -e 's/^( *```[a-z]+) .*/\1/' \
    -e 's/`` ([^`]*)`([^`]*)` ``/`\1\2`/g' \
    -e 's/\]\(([a-z0-9.-]+)\.md(#[^)]*)?\)/](doc:\1)/g' \
    -e 's/\[([^]]*)\]\((\.\.[^)]*|#[^)]*|[a-z0-9.-]+\.(fbs|json))\)/\1/g' "$page" | sed -E -f "$scratch/links.sed" \
    >"$scratch/dflat.docc/$name.md"
done
{
  printf '# dflat\n\n@Metadata {\n  @TechnologyRoot\n}\n\nA store of objects for Swift: SQLite files of FlatBuffers.\n\n## Topics\n\n'
  printf '### Guides\n\n'
  printf -- '- <doc:%s>\n' "${names[@]}"
  printf '\n### Modules\n\n'
  printf -- '- ``/%s``\n' "${modulesWithPages[@]}"
} >"$scratch/dflat.docc/guides.md"

# On macOS, DocC is a tool of Xcode.
docc=(docc)
command -v docc >/dev/null || docc=(xcrun docc)
# DocC gives its copy of the web site's template the owner that the template has. On Linux only root may do so: where root has
# installed Swift, DocC would fail for everybody else. So it gets a template that belongs to the user.
if [ "$(uname)" = Linux ]; then
  template=$(dirname "$(readlink -f "$(command -v docc)")")/../share/docc/render
  cp -R "$template" "$scratch/template"
  export DOCC_HTML_DIR=$scratch/template
fi
"${docc[@]}" convert "$scratch/dflat.docc" --additional-symbol-graph-dir "$scratch/symbols" --warnings-as-errors \
  --fallback-display-name dflat --fallback-bundle-identifier dflat --fallback-bundle-version 1 \
  --transform-for-static-hosting --output-path "$output"
echo "The site: begin at $output/documentation/guides"

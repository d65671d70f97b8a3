#!/usr/bin/env bash
# Tries the plug-in of Examples/GRPCPlugin: what it writes and what it refuses, and a server and a client made of its output.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$PWD/.build-packages  # As in the Makefile.
example=$PWD/Examples/GRPCPlugin
dflatc=$PWD/.build/debug/dflatc
plugin=$packages/debug/dflatc-gen-grpc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "error: $*" >&2; exit 1; }

rm -f "$packages/debug.yaml"  # As for `make run`.
swift build --quiet --package-path "$example" --scratch-path "$packages" --product dflatc-gen-grpc

echo "What the plug-in writes"
for target in Orders Awkward; do
  "$dflatc" compile -o "$folder/$target" --plugin grpc="$plugin" "$example/Sources/$target"/*.fbs
  for file in "$folder/$target"/*_grpc_generated.swift; do
    diff -u "$example/Sources/$target/Generated/$(basename "$file")" "$file" ||
      fail "the plug-in writes something else than is in git: read the difference, and run make -C Examples grpc"
  done
done
[ ! -e "$folder/Awkward/messages_grpc_generated.swift" ] || fail "a schema without services has a file for them"

echo "Who may use it"
# levels EXPECTED SCHEMA [PARAMETER [OPTIONS...]]: the access level of the import, and of the client.
levels() {
  local expected=$1 schema=$2 parameter=${3-}
  rm -rf "$folder/levels"
  printf '%s\n' "$schema" >"$folder/levels.fbs"
  "$dflatc" compile -o "$folder/levels" --plugin "grpc=$plugin:$parameter" "${@:4}" "$folder/levels.fbs"
  local found
  found=$(sed -n 's/^\([a-z]*\) import GRPCCore$/\1/p; s/^nonisolated \([a-z]*\) struct SClient.*/\1/p' \
    "$folder/levels/levels_grpc_generated.swift" | paste -sd ' ' -)
  [ "$found" = "$expected" ] || fail "the levels of $schema $* are $found, and not $expected"
}
open='table T { x: int; } rpc_service S { Ask(T): T; }'
holder='struct Key (private) { a: int; } table H { key: Key; } table T { h: H; } rpc_service S { Ask(T): T; }'
levels 'public public' "$open"
levels 'package package' "$open" "" --access package
levels 'internal internal' "$open" "" --access internal
levels 'internal internal' "$open" access=internal --access package
levels 'internal internal' "$holder"
levels 'internal internal' "$holder" access=public

if command -v flatc >/dev/null; then
  echo "What flatc calls the methods"
  # Its generator for gRPC knows no other output folder.
  mkdir "$folder/flatc"
  (cd "$folder/flatc" && flatc --python --grpc "$example/Sources/Orders/orders.fbs")
  grep -Eoh 'channel\.[a-z_]*|"/[^"]*"' "$folder"/flatc/Shop/*grpc*.py | tr -d '"' | paste -d ' ' - - >"$folder/flatc.txt"
  grep -Eo '`/[^`]*`|type: \.[A-Za-z]*' "$folder/Orders/orders_grpc_generated.swift" | tr -d '`' | paste -d ' ' - - |
    sed 's/^\(.*\) type: \(.*\)/\2 \1/
      s/^\.unary/channel.unary_unary/; s/^\.clientStreaming/channel.stream_unary/
      s/^\.serverStreaming/channel.unary_stream/; s/^\.bidirectionalStreaming/channel.stream_stream/' |
    diff -u "$folder/flatc.txt" - || fail "the methods have other paths than flatc gives them, or are of other kinds"
fi

echo "What the plug-in refuses"
# refuses MESSAGE SCHEMA [PARAMETER [OPTIONS...]]
refuses() {
  local message=$1 schema=$2 parameter=${3-} status=0
  printf '%s\n' "$schema" >"$folder/refused.fbs"
  "$dflatc" compile -o "$folder/refused" --plugin "grpc=$plugin:$parameter" "${@:4}" "$folder/refused.fbs" \
    2>"$folder/refused.txt" || status=$?
  [ "$status" = 1 ] && [ ! -e "$folder/refused" ] || fail "this is not refused: $schema"
  grep -q D0306 "$folder/refused.txt" && grep -qF -- "$message" "$folder/refused.txt" ||
    fail "it is not said why this is refused: $schema: $(cat "$folder/refused.txt")"
}
service='table T { x: int; } rpc_service S { Ask(T): T; }'
refuses 'A.S.Ask: streaming is "up". It can be: "none", "client", "server", "bidi"' \
  'namespace A; table T { x: int; } rpc_service S { Ask(T): T (streaming: "up"); }'
refuses "there is no option 'acces=public'" "$service" acces=public
refuses "there is no option 'access=open'" "$service" access=internal,access=open
refuses "have the emitters accessors, data-model and mutating beside it" "$service" "" --emit json
refuses 'the schema has a type or namespace `GRPCCore`' "namespace GRPCCore; $service"
# dflatc does not say such things: other programs may.
printf '#!/bin/sh\nhead -c "$COUNT" | %q\n' "$plugin" >"$folder/damaging"
chmod +x "$folder/damaging"
plugin=$folder/damaging
for COUNT in 0 7 100; do
  export COUNT
  refuses 'The request is no CodeGeneratorRequest' "$service"
done

echo "Calls of every kind"
for target in Orders Awkward; do
  mkdir -p "$example/Sources/$target/Generated"
  cp "$folder/$target"/* "$example/Sources/$target/Generated"
done
swift build --quiet --package-path "$example" --scratch-path "$packages"
"$packages/debug/Orders" --check
"$packages/debug/Orders" >"$folder/orders.txt"
diff -u - "$folder/orders.txt" <<'END' || fail "the example shows something else"
number 1, 150 cents
2 orders, 350 cents
3 apple, medium
1 apple, medium
1 melon, large
notFound: There is no article pear.
END

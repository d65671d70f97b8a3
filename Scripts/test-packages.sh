#!/usr/bin/env bash
# Builds and runs, as their users would, the packages that depend on this one: the examples PostExample, whose schema
# `dflatc compile` compiles, LiveList, Notes and PostServer, whose schemas the plug-in compiles, and GRPCPlugin, the package
# Integrations/ServerObservability, packages of dflatc for people without Swift, fresh packages with the plug-ins, an app with Bazel, and the benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/test-distribution.sh

packages=$PWD/.build-packages  # As in the Makefile.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say() { printf '%s\n' "$*"; }
fail() { say "error: $*" >&2; exit 1; }

say "The example, twice on one file"
make --no-print-directory run STORE="$folder/posts.sqlite3" >"$folder/first.txt"
make --no-print-directory run STORE="$folder/posts.sqlite3" >"$folder/second.txt"
grep -q '^What the last run left: 0 found' "$folder/first.txt" || fail "the first run found posts of another"
grep -q '^What the last run left: 4 found' "$folder/second.txt" || fail "the second run does not find the first one's posts"
grep -q '^Updated Alpha: 1 found' "$folder/second.txt" || fail "the example does not find what it updated"

say "The live list, without a terminal"
# It fails by itself if the list that it made from the differences is not what is stored.
for list in "all points" "leaders name"; do
  read -r filter order <<<"$list"
  make --no-print-directory -C Examples live LIVE_STORE="$folder/players.sqlite3" \
    LIVE_OPTIONS="--show $filter --sort $order --updates 60 --every 10" >"$folder/live.txt" ||
    fail "the live list does not follow what is stored"
  for writer in thread process; do
    grep -q "^update .* by .*$writer" "$folder/live.txt" || fail "the live list does not show what the $writer writes"
  done
done
status=0
"$packages/debug/LiveList" --updates 0 2>"$folder/live.txt" || status=$?
[ "$status" = 64 ] || fail "the live list ends with exit code $status, not 64, when its options are wrong"
grep -q 'Error: --updates 0 would print nothing. Give it' "$folder/live.txt" ||
  fail "the live list does not say what to do when its options are wrong"

say "The notes program, on a file of its earlier versions"
rm -f "$packages/debug.yaml"  # As for `make run`.
swift build --quiet --package-path Examples/Notes --scratch-path "$packages"
schemas=(Examples/Notes/Sources/{Version1,Version2,Notes}/note.fbs)
for version in 0 1; do
  .build/debug/dflatc check "${schemas[version]}" "${schemas[version + 1]}" >"$folder/notes.txt" 2>&1 ||
    fail "dflatc refuses the notes program's next version: $(cat "$folder/notes.txt")"
  status=0
  .build/debug/dflatc check "${schemas[version + 1]}" "${schemas[version]}" >"$folder/notes.txt" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "dflatc lets the notes program lose its fields"
done
notes() { "$packages/debug/Notes" "$@" --file "$folder/notes.sqlite3"; }
earlier() { "$packages/debug/EarlierNotes" "$1" "$folder/notes.sqlite3"; }
expect() {
  diff - "$folder/notes.txt" || fail "the notes program prints something else: $1"
}
earlier add || fail "the earlier versions of the notes program store nothing"
notes set --sort due >"$folder/notes.txt" && expect settings <<'END'
sort: due, show done: no
END
notes add "Buy a tree" --tag home --due 2026-12-23 --priority high >"$folder/notes.txt" && expect "the number" <<'END'
Note 5
END
notes add "Write cards" --text "To Ada and Bob" --due 2026-12-01 >/dev/null && notes done 2
notes list >"$folder/notes.txt" && expect "notes of all versions" <<'END'
6 [ ] Write cards, until 2026-12-01
    To Ada and Bob
5 [ ] Buy a tree (high), until 2026-12-23 #home
1 [ ] Buy milk
3 [ ] Buy flour #home
4 [ ] Send the report #work
END
notes --title Buy --tag home >"$folder/notes.txt" && expect "a search" <<'END'
5 [ ] Buy a tree (high), until 2026-12-23 #home
3 [ ] Buy flour #home
END
notes --search "ÁDA" >"$folder/notes.txt" && expect "a search of all texts" <<'END'
6 [ ] Write cards, until 2026-12-01
    To Ada and Bob
END
earlier list >"$folder/notes.txt" && expect "what the earlier versions find" <<'END'
version 1: Buy milk, Call Ada, Buy flour, Send the report, Buy a tree, Write cards
version 2, no tag: Buy milk, Call Ada, Write cards
version 2, home: Buy flour, Buy a tree
version 2, work: Send the report
END
notes live --tag work --updates 2 >"$folder/live.txt" & live=$!
shows() {
  for _ in {1..1200}; do grep -q "^$1" "$folder/live.txt" && return; sleep 0.1; done
  kill $live
  fail "the live notes do not show: $1"
}
# One change at a time: two that are seen at once are one update.
shows now
notes add "Call the office" --tag work >/dev/null && shows "update 1"
notes remove 4 && shows "update 2"
wait $live || fail "the live notes fail"
cp "$folder/live.txt" "$folder/notes.txt" && expect "the live list" <<'END'
now
4 [ ] Send the report #work
update 1: 1 inserted, 0 removed, 0 moved, 0 changed
4 [ ] Send the report #work
7 [ ] Call the office #work
update 2: 0 inserted, 1 removed, 0 moved, 0 changed
7 [ ] Call the office #work
END
status=0
notes remove 4 2>"$folder/notes.txt" || status=$?
[ "$status" = 1 ] && grep -q 'There is no note 4: `Notes list` prints the numbers.' "$folder/notes.txt" ||
  fail "it is not said that there is no such note"

rm -f "$packages/debug.yaml"  # As for `make run`.
swift build --quiet --package-path Examples/PostServer --scratch-path "$packages"
Scripts/test-server.sh "$packages/debug/PostServer"

say "The logs, metrics and traces of a server"
rm -f "$packages/debug.yaml"  # As for `make run`.
swift test --quiet --disable-xctest --package-path Integrations/ServerObservability --scratch-path "$packages" \
  >"$folder/observability.txt" 2>&1 || { cat "$folder/observability.txt"; fail "a store's logs, metrics and traces are not as they should be"; }

say "The plug-in for gRPC"
Scripts/test-grpc.sh

say "The plug-in's options"
generated=$packages/plugins/outputs/livelist/LiveList/destination/DflatPlugin/Dflat
[ -f "$generated/Teams_team_generated.swift" ] || fail "the plug-in does not call outputs by the paths of their schemas"
[ ! -f "$generated/Dflat_namespaces.swift" ] || fail "the plug-in does not read dflatc.json"
# A mistake in the options stops the build, with its place. The right ones are put back, whatever happens.
options=Examples/LiveList/Sources/LiveList/dflatc.json
cp $options "$folder/dflatc.json"
trap 'cp "$folder/dflatc.json" $options; rm -rf "$folder"' EXIT
printf '{\n  "emitt": []\n}\n' >$options
! swift build --package-path Examples/LiveList --scratch-path "$packages" >"$folder/options.txt" 2>&1 || fail "an option that there is not is ignored"
grep -q "$options:2:3" "$folder/options.txt" && grep -q 'there is no option `emitt`' "$folder/options.txt" ||
  fail "a mistake in dflatc.json is not shown with file, line and key"
cp "$folder/dflatc.json" $options

say "The app of the documentation's first steps"
# In the folder of the others, which have built the package already.
DFLAT_SWIFTPM="$packages" swift test --skip-build --disable-xctest --filter GettingStartedTests \
  >"$folder/steps.txt" 2>&1 || { cat "$folder/steps.txt"; fail "an app made as the documentation says does not do what it says"; }

say "Fresh packages with the plug-ins, from the sources and from the bundle"
DFLAT_SWIFTPM="$packages" swift test --skip-build --disable-xctest --filter PackagePluginTests \
  >"$folder/plugins.txt" 2>&1 || { cat "$folder/plugins.txt"; fail "a fresh package is not built as the documentation says"; }

say "An app built by Bazel"
Scripts/test-bazel.sh

say "Two runs of the soak"
swift build --quiet --package-path Quality/Soak
Quality/Soak/.build/debug/Soak --runs 2 --only "full, and has room" --folder "$folder/soak" >"$folder/soak.txt" ||
  { cat "$folder/soak.txt" "$folder"/soak/*; fail "a soak fails"; }
grep -q '| the disk is full, and has room again | 2 runs | 0 |' "$folder/soak.txt" || fail "a soak does not say what it tried"
# A run that fails is told of, with the command that repeats it. These tests are listed as always, and all fail.
tests=$PWD/.build/debug/dflatPackageTests.xctest
[ -d "$tests" ] && tests+=/Contents/MacOS/dflatPackageTests  # As on macOS.
printf '#!/bin/sh\ncase "$*" in *list*) exec %q "$@";; esac\nexit 1\n' "$tests" >"$folder/failing-tests"
chmod +x "$folder/failing-tests"
! Quality/Soak/.build/debug/Soak --runs 1 --only "full, and has room" --tests "$folder/failing-tests" --folder "$folder/soak" >"$folder/soak.txt" || fail "a failure is no failure"
grep -q "repeat: DFLAT_SEED=[0-9]* $folder/failing-tests --testing-library" "$folder/soak.txt" || fail "a soak does not say how to repeat a run"

say "Mutants, named and not made"
swift build --quiet --package-path Quality/Mutation
Quality/Mutation/.build/debug/Mutation --list --mutants 20 --seed 1 --paths Sources/DflatRuntime >"$folder/mutants.txt"
[ "$(grep -c '^Sources/DflatRuntime/.*: .*, `' "$folder/mutants.txt")" = 20 ] || fail "there are not the mutants that were asked for"
# A page without a place for the record is refused before anything is built.
! Quality/Mutation/.build/debug/Mutation --mutants 1 --record README.md >"$folder/record.txt" 2>&1 || fail "a record has no place, and is made"
grep -q 'README.md has no lines <!-- mutation -->' "$folder/record.txt" || fail "mutation does not say why it makes no record"

say "The mistakes that end a program, in a release build"
Scripts/test-traps.sh >"$folder/traps.txt"

say "The benchmarks, one round"
rm -f "$packages/debug.yaml"  # As for `make run`.
Quality/Benchmarks/write-header.sh
swift build --quiet --package-path Quality/Benchmarks --scratch-path "$packages"
"$packages/debug/Benchmarks" store wire dictionary --rounds 1 >"$folder/benchmarks.txt" || fail "the benchmarks do not run"
for figure in 'fetch all' 'read every field' 'read 40,000 Int, known'; do
  grep -q "$figure" "$folder/benchmarks.txt" || fail "the benchmarks do not print: $figure"
done
say "All packages build and run."

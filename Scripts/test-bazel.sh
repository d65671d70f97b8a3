#!/usr/bin/env bash
# Builds an app with Bazel, as its users would: its schemas by the rule `dflatc`, with the runtime and dflatc of this package.
# Nothing is downloaded: what dflat depends on is taken from where SwiftPM has it, and Tests/Bazel stands in for other rules.
set -euo pipefail
cd "$(dirname "$0")/.."

# Newer versions have no WORKSPACE file, and want rules from a registry.
if ! command -v bazel >/dev/null || [ ! -e /usr/share/doc/bazel-bootstrap ]; then
  echo "Bazel's rule is not tested: there is no bazel of Debian's package bazel-bootstrap."
  exit 0
fi

say() { printf '%s\n' "$*"; }
fail() { say "error: $*" >&2; exit 1; }

repository=$PWD
folder=$(mktemp -d)
export HOME=$folder  # Bazel keeps caches there.
bazel() { (cd "$folder/app" && command bazel --output_user_root="$folder/cache" "$@"); }
trap 'bazel shutdown >/dev/null 2>&1; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT

cp -R Tests/Bazel/app "$folder/app"
sed -i.old "s|@DFLAT@|$repository|; s|@RULES_SWIFT@|$repository/Tests/Bazel/repositories/rules_swift|" "$folder/app/WORKSPACE"
options=(--symlink_prefix=/ --nosandbox_debug --color=no --noshow_progress --show_result=0)
for name in rules_cc rules_java; do
  options+=("--override_repository=$name=$repository/Tests/Bazel/repositories/$name")
done
for package in OpenCombine:dflat_open_combine:open-combine \
  swift-argument-parser:dflat_swift_argument_parser:swift-argument-parser; do
  IFS=: read -r checkout name build <<<"$package"
  grep -q "commit = \"$(git -C ".build/checkouts/$checkout" rev-parse HEAD)\"" deps.bzl ||
    fail "deps.bzl has another commit of $checkout than Package.resolved"
  cp -R ".build/checkouts/$checkout" "$folder/$name"
  chmod -R u+w "$folder/$name"
  cp "Scripts/bazel/$build.BUILD" "$folder/$name/BUILD.bazel"
  touch "$folder/$name/WORKSPACE"
  options+=("--override_repository=$name=$folder/$name")
done
build() { bazel build "${options[@]}" "$@" >"$folder/log.txt" 2>&1; }
fail_with_log() { cat "$folder/log.txt"; fail "$*"; }

# The package of the documentation's page.
mkdir "$folder/app/page"
awk '/^```python file=BUILD.bazel/ { on = 1; next } /^```/ { on = 0 } on' Documentation/bazel.md >"$folder/app/page/BUILD.bazel"
cp Fixtures/post/schema.fbs "$folder/app/page/post.fbs"

build //:app //page:Models @dflat//:DflatPublishers || fail_with_log "an app is not built by Bazel"
program=$(bazel info "${options[@]}" bazel-bin 2>/dev/null)/app
! grep -q 'D0310' "$folder/log.txt" || fail_with_log "a schema that \`includes\` names is missed"
"$program" "$folder/posts.sqlite3" >"$folder/output.txt" || fail "the app that Bazel has built does not run"
diff - "$folder/output.txt" <<'END' || fail "the app that Bazel has built does not find what it stored"
First Ada
["news"] ["built"]
END

# An error of one target does not keep others from being built.
mkdir "$folder/app/Drafts"
echo 'table Draft { text: string; }' >"$folder/app/Drafts/tag.fbs"
cat >>"$folder/app/BUILD.bazel" <<'END'
dflatc(name = "drafts", srcs = ["Drafts/tag.fbs"], emit = ["accessors"], namespaces = "none")
dflatc(name = "mixed", srcs = ["Drafts/tag.fbs", "note.fbs"])
dflatc(name = "wrong", srcs = ["note.fbs"], emit = ["json"])
END
build --keep_going //:drafts //:mixed //:wrong && fail "targets that are wrong are built"
[ -f "$(dirname "$program")/drafts/Drafts_tag_generated.swift" ] || fail "a schema in a folder is not called by its path"
for message in 'files of the source tree and files that are built: give each' \
  'There is no emitter "json" of Swift: choose from'; do
  grep -q "$message" "$folder/log.txt" || fail_with_log "it is not said: $message"
done

# With gen_all, one target compiles an entry file and all that leans on it.
mkdir "$folder/app/Project" "$folder/app/Project/parts"
echo 'include "parts/post.fbs"; include "parts/tag.fbs"; table All { post: Post; }' >"$folder/app/Project/all.fbs"
echo 'table Post { tag: Tag; }' >"$folder/app/Project/parts/post.fbs"
echo 'table Tag { name: string; }' >"$folder/app/Project/parts/tag.fbs"
cat >>"$folder/app/BUILD.bazel" <<'END'
dflatc(
    name = "project",
    srcs = ["Project/all.fbs"],
    includes = glob(["Project/parts/*.fbs"]),
    emit = ["accessors"],
    gen_all = True,
)
END
build //:project || fail_with_log "an entry file is not built with all that it includes"
for name in all parts_post parts_tag; do
  [ -f "$(dirname "$program")/project/Project_${name}_generated.swift" ] || fail "gen_all has not compiled $name"
done

# A dflatc that is built already, which says what it is asked to do.
mkdir "$folder/app/tools"
printf '#!/bin/sh\necho "arguments: $*" >&2\nexit 1\n' >"$folder/app/tools/dflatc"
chmod +x "$folder/app/tools/dflatc"
echo 'exports_files(["dflatc"])' >"$folder/app/tools/BUILD.bazel"
build --@dflat//:compiler=//tools:dflatc //:note_schema && fail "the chosen dflatc is not run"
grep -q '^arguments: compile -o .*/note.fbs$' "$folder/log.txt" || fail_with_log "the chosen dflatc is not asked to compile"

# A mistake is shown with its place in the app.
sed -i.old 's/priority: int/priority: itn/' "$folder/app/Schemas/post.fbs"
build //:post_schema && fail "a mistake in a schema does not stop the build"
grep -q '^ --> Schemas/post.fbs:7:13$' "$folder/log.txt" || fail_with_log "a mistake is not shown with its place"

#!/usr/bin/env bash
# Installs the packages for people without Swift as they would, and runs the hooks of pre-commit and the steps of the action.
# The environment: BINARY (a dflatc that is built already: .build/debug/dflatc).
set -euo pipefail
cd "$(dirname "$0")/.."
source Scripts/portable.sh

binary=${BINARY:-$PWD/.build/debug/dflatc}
repository=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
say() { printf '%s\n' "$*"; }
fail() { say "error: $*" >&2; exit 1; }
expect_failure() {
  local status=0
  "$@" >"$folder/output.txt" 2>&1 || status=$?
  [ "$status" = 1 ] || fail "$* ends with $status, not 1: $(cat "$folder/output.txt")"
}

if ! command -v python3 >/dev/null; then
  say "Without python3, the packages of dflatc are not tested."
  exit 0
fi

BINARY=$binary DIST=$folder/dist make --no-print-directory -C Packaging wheel >"$folder/wheel.txt" 2>&1 || fail "$(cat "$folder/wheel.txt")"
first=$(cd "$folder/dist" && checksums ./*.whl)
BINARY=$binary DIST=$folder/dist make --no-print-directory -C Packaging wheel >/dev/null 2>&1
[ "$(cd "$folder/dist" && checksums ./*.whl)" = "$first" ] || fail "the same binary gives another wheel"

# A repository with a schema.
mkdir "$folder/app"
cd "$folder/app"
git init -q
git config user.email ada@example.com
git config user.name Ada
mkdir schemas
printf 'table Post {\n  title: string (primary);\n  likes: int;\n}\nroot_type Post;\n' >schemas/post.fbs
git add . && git commit -q -m "Add posts"

say "The wheel, in a fresh environment"
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check --no-index "$folder"/dist/*.whl
dflatc=$folder/python/bin/dflatc
[ "$("$dflatc" --version)" = "$("$folder/python/bin/python" -m dflatc --version)" ] || fail "python -m dflatc is another one"
"$dflatc" check --against git:HEAD schemas >/dev/null
sed -i.bak 's/likes: int/likes: long/' schemas/post.fbs
expect_failure "$dflatc" check --against git:HEAD schemas
grep -q 'error\[field-type\]' "$folder/output.txt" || fail "the wheel's dflatc does not name the rule"
"$folder/python/bin/pip" show dflatc >"$folder/output.txt" || fail "pip does not know the package"
"$folder/python/bin/pip" check >/dev/null
git checkout -q schemas

if command -v npm >/dev/null; then
  say "The packages for npm"
  BINARY=$binary DIST=$folder/dist make --no-print-directory -C "$repository/Packaging" npm >"$folder/npm.txt" 2>&1 || fail "$(cat "$folder/npm.txt")"
  mkdir "$folder/node"
  # Without the packages of other systems, which are not published.
  (cd "$folder/node" && echo '{}' >package.json &&
    npm install --silent --offline --no-audit --no-fund --omit=optional "$folder"/dist/dflatc-*-*-*.tgz "$folder"/dist/dflatc-[0-9]*.tgz)
  [ "$("$folder/node/node_modules/.bin/dflatc" --version)" = "$("$dflatc" --version)" ] || fail "npm installs another dflatc"
  status=0
  "$folder/node/node_modules/.bin/dflatc" lint "$folder/nothing.fbs" 2>/dev/null || status=$?
  [ "$status" = 3 ] || fail "the package for npm ends with $status for a missing file, and dflatc with 3"
else
  say "Without npm, the packages for it are not tested."
fi

if "$folder/python/bin/pip" install --quiet --disable-pip-version-check --timeout 20 pre-commit 2>/dev/null; then
  say "The hooks, with pre-commit"
  # The hooks as they are here, also before they are committed.
  mkdir "$folder/hooks"
  cp "$repository/.pre-commit-hooks.yaml" "$repository/pyproject.toml" "$folder/hooks"
  (cd "$folder/hooks" && git init -q && git add . && git -c user.email=a@b.c -c user.name=Ada commit -q -m Hooks)
  cat >.pre-commit-config.yaml <<END
repos:
  - repo: $folder/hooks
    rev: $(git -C "$folder/hooks" rev-parse HEAD)
    hooks:
      - id: dflatc-format
      - id: dflatc-lint
      - id: dflatc-check
        args: [schemas]
END
  git add . && git commit -q -m "Add hooks"
  export PIP_FIND_LINKS=$folder/dist PRE_COMMIT_HOME=$folder/pre-commit
  if "$folder/python/bin/pre-commit" install-hooks >"$folder/output.txt" 2>&1; then
    "$folder/python/bin/pre-commit" install >/dev/null
    export PATH=$folder/python/bin:$PATH
    # The sed of macOS writes a letter for `\n`.
    sed -i.bak 's/likes: int;/likes: int;\
  edits: int;/' schemas/post.fbs
    git add schemas/post.fbs
    git commit -q -m "Count edits" >"$folder/output.txt" 2>&1 || fail "the hooks refuse a good change: $(cat "$folder/output.txt")"
    sed -i.bak 's/likes: int/likes: long/' schemas/post.fbs
    git add schemas/post.fbs
    expect_failure git commit -q -m "Widen likes"
    grep -q 'error\[field-type\]' "$folder/output.txt" || fail "the hook does not show what is wrong: $(cat "$folder/output.txt")"
    # Some editors run git like this, and git passes the option on to hooks.
    expect_failure git --literal-pathspecs commit -q -m "Widen likes"
    grep -q 'error\[field-type\]' "$folder/output.txt" || fail "the hook does not see what literal paths name: $(cat "$folder/output.txt")"
    git reset -q --hard
    sed -i.bak 's/likes: int;/likes:   int;/' schemas/post.fbs
    git add schemas/post.fbs
    expect_failure git commit -q -m "Lay out"
    grep -q 'likes: int;' schemas/post.fbs || fail "the hook does not lay the schema out"
    git reset -q --hard
    git rm -q schemas/post.fbs
    expect_failure git commit -q -m "Remove posts"
    grep -q 'error\[type-removed\]' "$folder/output.txt" || fail "the hook does not see what is removed: $(cat "$folder/output.txt")"
    git reset -q --hard
    cp -R "$folder/app" "$folder/first"
    (
      cd "$folder/first"
      git checkout -q --orphan first
      git commit -q -m "The first commit" >"$folder/output.txt" 2>&1
    ) || fail "the hooks refuse a first commit: $(cat "$folder/output.txt")"
  else
    say "pre-commit cannot install the hooks here, which are not tested: $(tail -1 "$folder/output.txt")"
  fi

  say "The steps of the action"
  export RUNNER_TEMP=$folder/runner GITHUB_PATH=$folder/path
  mkdir "$RUNNER_TEMP"
  : >"$GITHUB_PATH"
  steps() {
    "$folder/python/bin/python" - "$repository/action.yml" "$@" <<'END'
import re, subprocess, sys, os, yaml
action = yaml.safe_load(open(sys.argv[1]))
inputs = {name: value["default"] for name, value in action["inputs"].items()}
inputs.update(argument.split("=", 1) for argument in sys.argv[2:])
assert action["runs"]["using"] == "composite"
failed = False
for step in action["runs"]["steps"]:
    environment = dict(os.environ)
    for name, value in step.get("env", {}).items():
        names = re.findall(r"inputs\.(\w+)", value)
        assert names and set(names) <= set(inputs), value
        environment[name] = inputs[names[0]]
    with open(os.environ["GITHUB_PATH"]) as lines:
        environment["PATH"] = ":".join([line.strip() for line in lines] + [environment["PATH"]])
    condition = str(step.get("if", ""))
    if "inputs.format" in condition and inputs["format"] != "true": continue
    if "inputs.lint" in condition and inputs["lint"] != "true": continue
    result = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], env=environment)
    failed = failed or result.returncode != 0
sys.exit(1 if failed else 0)
END
  }
  wheel=$(echo "$folder"/dist/*.whl)
  steps schemas=schemas against=HEAD format=true version="$wheel" >"$folder/output.txt" 2>&1 ||
    fail "the action refuses what is committed: $(cat "$folder/output.txt")"
  sed -i.bak 's/likes: int/likes: long/' schemas/post.fbs
  expect_failure steps schemas=schemas against=HEAD version="$wheel"
  grep -q '^::error file=schemas/post.fbs' "$folder/output.txt" || fail "the action annotates nothing: $(cat "$folder/output.txt")"
else
  say "Without pre-commit, which PyPI has, the hooks and the action are not tested."
fi

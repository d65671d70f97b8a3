#!/usr/bin/env bash
# Runs each fuzz target for a bounded time, starting from the saved corpus.
#   fuzz.sh SECONDS           what is found stays in .build-fuzz/
#   fuzz.sh SECONDS --save    and what reaches code that the saved corpus does not is added to it
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$1
work=.build-fuzz
if [ "$(uname)" != Linux ]; then
  echo "Fuzzing needs libFuzzer, which Swift's toolchain for Linux brings along." >&2
  exit 1
fi

for product in FuzzSchema FuzzWireFormat FuzzCheck; do
  case $product in
    FuzzSchema) target=schema ;;
    FuzzWireFormat) target=wire-format ;;
    FuzzCheck) target=check ;;
  esac
  rm -f Fuzz/.build/release.yaml
  # Every module is instrumented, so the flags are given here.
  swift build --quiet -c release --package-path Fuzz --product "$product" \
    -Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library
  mkdir -p "$work/$target" "$work/crashes"
  echo "$product: $seconds s"
  Fuzz/.build/release/"$product" "$work/$target" "Fuzz/Corpus/$target" -max_total_time="$seconds" -max_len=4096 \
    -timeout=10 -rss_limit_mb=4096 -artifact_prefix="$work/crashes/$target-" -print_final_stats=1 2>"$work/$target.log" || {
    tail -40 "$work/$target.log" >&2
    echo "$product stopped: its input is in $work/crashes, and belongs into Fuzz/Corpus/$target once it is mended." >&2
    exit 1
  }
  grep 'stat::number_of_executed_units' "$work/$target.log"
  if [ "${2:-}" = --save ]; then
    Fuzz/.build/release/"$product" -set_cover_merge=1 -use_counters=0 -max_len=2048 "Fuzz/Corpus/$target" "$work/$target" \
      2>&1 | tail -1
  fi
done

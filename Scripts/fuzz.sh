#!/usr/bin/env bash
# Runs fuzz targets for a bounded time each, starting from the saved corpus, and prints what they reached.
#   fuzz.sh SECONDS [TARGET ...]          what is found stays in .build-fuzz/
#   fuzz.sh SECONDS --save [TARGET ...]   and what reaches code that the saved corpus does not is added to it
set -euo pipefail
cd "$(dirname "$0")/.."

# program, target, the folders of the corpus that it starts from (its own first), longest input
targets='
FuzzSchemas      parser       parser,schema        512
FuzzSchemas      format       format,schema        512
FuzzSchemas      schema       schema               384
FuzzSchemas      diagnostics  diagnostics,schema   256
FuzzSchemas      emission     emission,schema      256
FuzzSchemas      check        check                512
FuzzBuffers      wire-format  wire-format          512
FuzzBuffers      editors      editors              512
FuzzStores       decode       decode               512
FuzzStores       rows         rows,decode          512
FuzzConversions  json         json,wire-format     512
'

seconds=$1
shift
save=
if [ "${1:-}" = --save ]; then
  save=1
  shift
fi
wanted=" ${*:-$(awk 'NF { print $2 }' <<<"$targets" | tr '\n' ' ')} "
work=.build-fuzz
if [ "$(uname)" != Linux ]; then
  echo "Fuzzing needs libFuzzer, which Swift's toolchain for Linux brings along." >&2
  exit 1
fi

# Swift would print a trace of its own when a job stops, by means that the sanitizer takes for a mistake.
export SWIFT_BACKTRACE=enable=no
# Some of Swift's references carry marks in their bits, so that the search for leaks does not see them. Where memory was
# allocated takes time to note for each input: run the one that fails again without these.
export ASAN_OPTIONS=detect_leaks=0:malloc_context_size=1:quarantine_size_mb=16
mkdir -p "$work/crashes" "$work/generated"
flatc --cpp -o "$work/generated" Fuzz/Sources/BufferJobs/everything.fbs

# Builds a program, and says where it is. Every module is instrumented, so the flags are given here. The compiler has next to no
# unsafe code, and makes so many small objects that with AddressSanitizer it would see a third of the inputs.
build() {
  local folder=$work/build sanitizers=fuzzer,address
  if [ "$1" = FuzzSchemas ]; then
    folder=$work/build-of-schemas sanitizers=fuzzer
  fi
  swift build --quiet -c release --package-path Fuzz --scratch-path "$folder" --product "$1" \
    -Xswiftc -sanitize=$sanitizers -Xswiftc -parse-as-library \
    -Xcxx "-I$PWD/$work/generated" -Xcxx -fsanitize=address,fuzzer-no-link >&2 || return
  echo "$folder/release/$1"
}

# Of libFuzzer's last line on $1, the figure called $2.
figure() { grep -ao "$2: [0-9]*" "$1" | tail -n 1 | tr -cd 0-9; }

echo "| target | inputs | a second | edges reached | of |"
echo "|---|---:|---:|---:|---:|"
total=0
while read -r program target folders length; do
  case "$wanted" in *" $target "*) ;; *) continue ;; esac
  program=$(build "$program")
  mkdir -p "$work/corpus/$target"
  seeds=()
  for folder in ${folders//,/ }; do
    [ -d "Fuzz/Corpus/$folder" ] && seeds+=("Fuzz/Corpus/$folder")
  done
  log="$work/$target.log"
  FUZZ_TARGET=$target "$program" "$work/corpus/$target" "${seeds[@]}" -max_total_time="$seconds" \
    -max_len="$length" -timeout=10 -rss_limit_mb=4096 -artifact_prefix="$work/crashes/$target-" \
    -print_final_stats=1 -detect_leaks=0 \
    2>"$log" </dev/null || {
    tail -n 40 "$log" >&2
    echo "$target stopped: its input is in $work/crashes, and belongs into Fuzz/Corpus/$target once it is mended." >&2
    exit 1
  }
  inputs=$(figure "$log" 'stat::number_of_executed_units')
  total=$((total + inputs))
  edges=$(grep -ao '([0-9]* inline 8-bit counters)' "$log" | head -n 1 | tr -cd '0-9 ' | awk '{ print $1 }')
  echo "| $target | $inputs | $((inputs / seconds)) | $(figure "$log" cov) | $edges |"
  if [ -n "$save" ]; then
    mkdir -p "Fuzz/Corpus/$target"
    FUZZ_TARGET=$target "$program" -set_cover_merge=1 -use_counters=0 -max_len="$length" \
      "Fuzz/Corpus/$target" "$work/corpus/$target" 2>&1 </dev/null | tail -n 1 >&2
  fi
done <<<"$(awk NF <<<"$targets")"
echo "$total inputs in all."

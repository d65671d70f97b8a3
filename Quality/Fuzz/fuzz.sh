#!/usr/bin/env bash
# Runs fuzz targets from the saved corpus on, and prints what they reached.
#   fuzz.sh SECONDS [TARGET ...]          each for that long; what is found stays in .build-fuzz/
#   fuzz.sh SECONDS --save [TARGET ...]   and what reaches code that the saved corpus does not is added to it
#   fuzz.sh --record INPUTS [TARGET ...]  in turn, until the record has so many inputs; it is written to Documentation/reliability.md
set -euo pipefail
cd "$(dirname "$0")/../.."

# program, sanitizer if any, target, the folders of the corpus that it starts from (its own first), longest input, inputs in a round
# of the record. Each target takes up to a minute of a round, of two for the verifier, so a round takes about eight. The compiler has
# next to no unsafe code, and makes so many small objects that with AddressSanitizer it would see a third of the inputs.
targets='
FuzzSchemas      -        parser        parser,schema        512   200000
FuzzSchemas      -        format        format,schema        512   200000
FuzzSchemas      -        schema        schema               384    10000
FuzzSchemas      -        diagnostics   diagnostics,schema   192    10000
FuzzSchemas      -        emission      emission,schema      256    10000
FuzzSchemas      -        check         check                512    10000
FuzzLanguageServer -      server-messages server-messages    1024    20000
FuzzLanguageServer -      server-edits  server-edits         384     3000
FuzzBuffers      address  verifier      wire-format          512 10000000
FuzzBuffers      address  wire-format   wire-format          512  3000000
FuzzBuffers      address  editors       editors              512   100000
FuzzStores       address  decode        decode               512   200000
FuzzStores       address  rows          rows,decode          512   100000
FuzzStores       address  tables        tables               192     2000
FuzzConversions  address  json-printer  wire-format          512   300000
FuzzConversions  -        json          json,wire-format     512   100000
'
targets=$(awk NF <<<"$targets")

work=.build-fuzz
page=Documentation/reliability.md
# A line for each run: target, inputs, seconds of processor time, edges reached, of, when, commit.
record=$work/record

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
# The plan of a build does not notice files that are new in a package beside it: so it is made anew.
rm -f "$work"/build*/release.yaml

# Builds program $1 with sanitizer $2, and says where it is. Every module is instrumented, so the flags are given here.
build() {
  local folder=$work/build sanitizers=fuzzer,$2
  if [ "$2" = - ]; then
    folder=$work/build-without-sanitizer sanitizers=fuzzer
  fi
  swift build --quiet -c release --package-path Quality/Fuzz --scratch-path "$folder" --product "$1" \
    -Xswiftc -sanitize=$sanitizers -Xswiftc -parse-as-library \
    -Xcxx "-I$PWD/$work/generated" -Xcxx -fsanitize=address,fuzzer-no-link >&2 || return
  echo "$folder/release/$1"
}

# Of libFuzzer's last line on $1, the figure called $2.
figure() { grep -ao "$2: [0-9]*" "$1" | tail -n 1 | tr -cd 0-9; }

# Runs target $2 of the program at $1, from the corpora $3 on with inputs of up to $4 bytes, until what the other arguments say.
# It sets inputs, seconds (of processor time), edges and of.
run() {
  local program=$1 target=$2 folders=$3 length=$4 log=$work/$2.log folder failure=0
  shift 4
  local seeds=()
  mkdir -p "$work/corpus/$target"
  for folder in ${folders//,/ }; do
    [ -d "Quality/Fuzz/Corpus/$folder" ] && seeds+=("Quality/Fuzz/Corpus/$folder")
  done
  # A limit of a minute, since the machine may be busy with something else.
  {
    TIMEFORMAT='%U %S'
    time FUZZ_TARGET=$target "$program" "$work/corpus/$target" "${seeds[@]}" "$@" \
      -max_len="$length" -timeout=60 -rss_limit_mb=4096 -artifact_prefix="$work/crashes/$target-" \
      -print_final_stats=1 -detect_leaks=0 2>"$log" </dev/null || failure=$?
  } 2>"$work/seconds"
  inputs=$(figure "$log" 'stat::number_of_executed_units')
  seconds=$(awk '{ print $1 + $2 }' "$work/seconds")
  edges=$(figure "$log" cov)
  of=$(grep -ao '([0-9]* inline 8-bit counters)' "$log" | head -n 1 | tr -cd '0-9 ' | awk '{ print $1 }')
  if [ $failure != 0 ]; then
    tail -n 40 "$log" >&2
    echo "$target stopped: its input is in $work/crashes, and belongs into Quality/Fuzz/Corpus/${folders%%,*} once it is mended." >&2
    exit 1
  fi
}

# Writes the table of the record to the page.
write_record() {
  awk -v targets="$(awk '{ print $3 }' <<<"$targets" | tr '\n' ' ')" -v machine="$(uname -sm)" '
    function grouped(number,  text) {
      text = sprintf("%d", number)
      while (match(text, /[0-9][0-9][0-9][0-9](,|$)/)) text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
      return text
    }
    BEGIN { count = split(targets, order, " ") }
    NR == 1 { first = $6; firstCommit = $7 }
    {
      inputs[$1] += $2; seconds[$1] += $3; total += $2; allSeconds += $3; last = $6; lastCommit = $7
      if ($4 > edges[$1]) edges[$1] = $4
      of[$1] = $5
    }
    END {
      printf "%s inputs in %s minutes of processor time, %s%s, commit %s%s, %s.\n\n", grouped(total),
        sprintf("%.1f", allSeconds / 60), first, (last == first ? "" : " to " last), firstCommit,
        (lastCommit == firstCommit ? "" : " to " lastCommit), machine
      print "| target | inputs | a second | edges reached | of |"
      print "|---|---:|---:|---:|---:|"
      for (place = 1; place <= count; place++) {
        target = order[place]
        if (inputs[target]) printf "| `%s` | %s | %s | %s | %s |\n", target, grouped(inputs[target]),
          grouped(inputs[target] / (seconds[target] + 0.01)), grouped(edges[target]), grouped(of[target])
      }
    }' "$record" >"$work/table"
  awk -v table="$work/table" '
    /^<!-- fuzz -->$/ { print; print ""; while ((getline line < table) > 0) print line; print ""; skips = 1 }
    /^<!-- end of fuzz -->$/ { skips = 0 }
    !skips { print }' "$page" >"$page.new"
  mv "$page.new" "$page"
}

# The lines of `targets` that are about the targets $@, or all.
chosen() {
  awk -v chosen=" $* " 'chosen ~ /^ *$/ || index(chosen, " " $3 " ")' <<<"$targets"
}

# Fails unless all of $@ are targets. If none were, nothing would be fed, and a record would never end.
require_targets() {
  local name
  for name in "$@"; do
    if ! awk -v name="$name" '$3 == name { found = 1 } END { exit !found }' <<<"$targets"; then
      echo "error: there is no fuzz target $name. There are: $(awk '{ print $3 }' <<<"$targets" | paste -sd ' ' -)" >&2
      exit 2
    fi
  done
}

flatc --cpp -o "$work/generated" Quality/Fuzz/Sources/BufferJobs/everything.fbs

if [ "$1" = --record ]; then
  wanted=$2
  shift 2
  require_targets "$@"
  commit=$(git describe --always --abbrev=7 --dirty)
  # Copies, which the next build does not change.
  copies=$work/recorded-$commit
  mkdir -p "$copies"
  while read -r program sanitizer; do
    cp "$(build "$program" "$sanitizer" </dev/null)" "$copies/$program$sanitizer"
  done < <(chosen "$@" | awk '{ print $1, $2 }' | sort -u)
  touch "$record"
  # Inputs of code that has changed since say nothing of this one: the record goes on from a recent commit, or begins anew.
  first=$(awk 'NR == 1 { print $7 }' "$record")
  age=$(git rev-list --count "${first%-dirty}..HEAD" 2>/dev/null || echo 1000)
  if [ -n "$first" ] && [ "$age" -gt 100 ]; then
    echo "The record of $first, which is no commit of late, begins anew." >&2
    mv "$record" "$record-$first"
    touch "$record"
  fi
  while [ "$(awk '{ total += $2 } END { printf "%d", total }' "$record")" -lt "$wanted" ]; do
    while read -r program sanitizer target folders length round; do
      run "$copies/$program$sanitizer" "$target" "$folders" "$length" -runs="$round"
      echo "$target $inputs $seconds $edges $of $(date -u +%F) $commit" | tee -a "$record"
    done < <(chosen "$@")
    write_record
  done
  exit
fi

limit=$1
shift
save=
if [ "${1:-}" = --save ]; then
  save=1
  shift
fi
require_targets "$@"
echo "| target | inputs | a second | edges reached | of |"
echo "|---|---:|---:|---:|---:|"
total=0
while read -r program sanitizer target folders length _; do
  program=$(build "$program" "$sanitizer" </dev/null)
  run "$program" "$target" "$folders" "$length" -max_total_time="$limit"
  total=$((total + inputs))
  rate=$(awk -v inputs="$inputs" -v seconds="$seconds" 'BEGIN { printf "%d", inputs / (seconds + 0.01) }')
  echo "| $target | $inputs | $rate | $edges | $of |"
  if [ -n "$save" ]; then
    saved=Quality/Fuzz/Corpus/${folders%%,*}
    mkdir -p "$saved"
    FUZZ_TARGET=$target "$program" -set_cover_merge=1 -use_counters=0 -max_len="$length" \
      "$saved" "$work/corpus/$target" 2>&1 </dev/null | tail -n 1 >&2
  fi
done < <(chosen "$@")
echo "$total inputs in all."

#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS WHAT...: run the fuzzers of a build with SEDGE_FUZZ one after the other, each
# for so long, and print what they did. New inputs and findings stay in BUILD/fuzz/WHAT.
# fuzz.sh BUILD keep WHAT...: put the inputs that reach what the kept corpus does not into corpus/, and
# take out of it what others reach, too; named inputs stay.
#
#   cmake -S . -B build-fuzz -DCMAKE_C_COMPILER=clang-14 -DCMAKE_BUILD_TYPE=Debug -DSEDGE_FUZZ=ON \
#       -DCMAKE_C_FLAGS_DEBUG="-O1 -g"
#   cmake --build build-fuzz && tests/fuzz/fuzz.sh build-fuzz 1800 deck mesh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $# -lt 3 ]]; then
    sed -n 's/^# \{0,1\}//p' "$0" >&2
    exit 1
fi
build=$(cd "$1" && pwd)
seconds=$2
shift 2

# MPI and PETSc keep memory to the end of a process: leaks are looked for by the tests.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OPENBLAS_NUM_THREADS=1

# What a fuzzer begins with beside its corpus.
declare -A seeds=([deck]=$here/../../input [mesh]=$here/../mesh/data)

# Named inputs stay. Of the others, the smallest that reach code which the named ones do not, however
# often, up to 1 KiB: the corpus is for a few seconds.
keep() {
    local folder=$build/fuzz/$1/kept corpus=$here/corpus/$1 hash='.*/[0-9a-f]{40}'
    rm -rf "$folder" && mkdir -p "$folder" "$build/fuzz/$1/inputs"
    find "$corpus" ${seeds[$1]:+"${seeds[$1]}"} -maxdepth 1 -type f -regextype posix-extended ! -regex "$hash" \
        -exec cp --backup=numbered {} "$folder" \;
    "$build/tests/fuzz/fuzz_$1" -merge=1 -use_counters=0 -max_len=16384 "$folder" "$corpus" \
        "$build/fuzz/$1/inputs" >"$build/fuzz/$1/keep.log" 2>&1
    find "$corpus" -regextype posix-extended -regex "$hash" -delete
    find "$folder" -regextype posix-extended -regex "$hash" -size -1025c -exec cp {} "$corpus" \;
    du -sh "$corpus"
}

run() {
    local folder=$build/fuzz/$1 dictionary=()
    mkdir -p "$folder/inputs" "$folder/findings"
    if [[ -e $here/$1.dict ]]; then dictionary=("-dict=$here/$1.dict"); fi
    # What is found does not end it: libFuzzer starts a new process and goes on.
    nice -n 19 "$build/tests/fuzz/fuzz_$1" -fork=1 -ignore_crashes=1 -ignore_timeouts=1 \
        -ignore_ooms=1 -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 \
        "${dictionary[@]}" -artifact_prefix="$folder/findings/" "$folder/inputs" \
        "$here/corpus/$1" ${seeds[$1]:+"${seeds[$1]}"} >"$folder/log" 2>&1 || true
    local last
    last=$(grep -aE '^#[0-9]+: cov:' "$folder/log" | tail -n 1)
    printf '%-12s %s; findings: %s\n' "$1" "$last" "$(find "$folder/findings" -type f ! -name 'slow-*' | wc -l)"
}

for what in "$@"; do
    if [[ $seconds == keep ]]; then keep "$what"; else run "$what"; fi
done

#!/usr/bin/env bash
# Everything in one command on a fresh Debian 12: packages, build, the main job, the tests.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
start_folder=$PWD
logs=$root/build
jobs=${SEDGE_JOBS:-$(nproc)}
tests_at_once=8 # of one processor each: what starts MPI or Slurm, or sleeps, leaves the cores idle
sanitized_at_once=4 # beside them

usage() {
    cat <<'END'
./sedge.sh run [DECK] [OPTIONS]   install, build, run DECK (input/sphere.yaml), make its picture
./sedge.sh build                  install and build the program: build/src/sedge
./sedge.sh test                   install, build with -Werror, format, clang-tidy, sanitizers, tests
./sedge.sh check                  the quick half of test, nothing is installed: format, build, unit tests
./sedge.sh format                 put braces and white space right, in place, after a build
./sedge.sh help                   this text

OPTIONS go to `sedge run`: ./sedge.sh run input/cavity.yaml --set order=6
Environment: SEDGE_RANKS   MPI ranks of the run, default 2
             SEDGE_JOBS    processes for compiling and checking, default the number of cores
Missing packages are installed by apt-get, as root or through sudo. Logs: build/*.log.
END
}

packages_build=(gcc libc6-dev make cmake ninja-build pkg-config openmpi-bin libopenmpi-dev
    libpetsc-real-dev libhdf5-openmpi-dev libyaml-dev libjansson-dev libmd-dev zlib1g-dev)
packages_run=(python3 python3-h5py python3-matplotlib)
packages_test=(clang-format-14 clang-tidy-14 pocl-opencl-icd ocl-icd-libopencl1 shellcheck
    slurmctld slurmd slurm-client munge)

fail() {
    printf 'sedge.sh: %s\n' "$*" >&2
    exit 1
}

# attempt NAME TEXT COMMAND...: run with the output in build/NAME.log; on failure show its end.
attempt() {
    local log=$logs/$1.log text=$2 start=$SECONDS
    shift 2
    mkdir -p "$logs"
    printf '%-42s ' "$text"
    if "$@" >"$log" 2>&1; then
        printf '%4d s\n' $((SECONDS - start))
        return
    fi
    printf 'failed after %d s\n' $((SECONDS - start))
    tail -n 40 "$log" >&2
    printf 'sedge.sh: %s: failed; the whole log: %s\n' "$text" "$log" >&2
    return 1
}

# step NAME TEXT COMMAND...: the same; a failure ends the script.
step() {
    attempt "$@" || exit 1
}

# part NAME TEXT COMMAND...: the same; a failure is remembered, and the next parts run all the same.
failed_parts=()
part() {
    if attempt "$@"; then return; fi
    failed_parts+=("$2")
    return 1
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

apt_get() {
    as_root env -u TMPDIR DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 \
        -o Acquire::Retries=3 "$@"
}

# An unreachable list is no reason to stop: the installation that follows decides.
update_lists() {
    apt_get update || printf 'apt-get update failed; going on with the lists there are\n'
}

# The packages among the arguments that are not installed.
missing_packages() {
    local installed package
    installed=$(dpkg-query -W -f='${db:Status-Abbrev}:${Package}\n' "$@" 2>/dev/null) || true
    for package in "$@"; do
        [[ $'\n'$installed$'\n' == *$'\nii :'$package$'\n'* ]] || printf '%s\n' "$package"
    done
}

lists_updated=no
install_packages() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        printf 'no Debian packages here; taken to be installed: %s\n' "$*"
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [[ ${#missing[@]} -eq 0 ]]; then return; fi
    if [[ $(id -u) -ne 0 ]] && ! command -v sudo >/dev/null; then
        fail "packages are missing, and installing them needs root or sudo: ${missing[*]}"
    fi
    if [[ $lists_updated != yes ]]; then
        step apt-update "package lists" update_lists
        lists_updated=yes
    fi
    step apt-install "install ${#missing[@]} packages (with what they need)" \
        apt_get install --no-install-recommends "${missing[@]}"
}

# One node, also as root and in containers: shared memory only, no binding, ranks may share cores.
mpi_environment() {
    if [[ $(id -u) -eq 0 ]]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
    export OMPI_MCA_hwloc_base_binding_policy="${OMPI_MCA_hwloc_base_binding_policy:-none}"
    export OMPI_MCA_pml="${OMPI_MCA_pml:-ob1}" OMPI_MCA_btl="${OMPI_MCA_btl:-self,vader}"
    export OMPI_MCA_btl_vader_single_copy_mechanism="${OMPI_MCA_btl_vader_single_copy_mechanism:-none}"
    export OPENBLAS_NUM_THREADS="${OPENBLAS_NUM_THREADS:-1}"
    export HWLOC_COMPONENTS="${HWLOC_COMPONENTS:--opencl,-gl}" # mpirun loads no drivers of devices
}

build_program() {
    step configure "configure (build/)" \
        cmake -S "$root" -B "$root/build" -G Ninja -DCMAKE_BUILD_TYPE=Release
    step compile "compile build/src/sedge" cmake --build "$root/build" -j "$jobs" --target sedge
}

# $1: ON to build the tests, too, that test_sanitized runs in the other build.
configure_tests() {
    cmake -S "$root" -B "$root/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSEDGE_WERROR=ON \
        -DSEDGE_TESTS_SANITIZED="$1"
}

# Kernels are compiled by the same compiler in both builds, one cache for both, and without sanitizers
# but in the examples and the tests kernels_*. -Og takes three quarters of the compiler's time that -O1
# takes, and tests run as fast; with -O0 they run two to three times as long.
configure_sanitized() {
    cmake -S "$root" -B "$root/build-sanitize" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG="-Og -g1" -DSEDGE_SANITIZE=address,undefined \
        -DSEDGE_TEST_CACHE="$root/build/test-cache"
}

# One after the other they leave a core without work. If the second fails, build_sanitized tells.
configure_both() {
    local sanitized status=0
    configure_sanitized &
    sanitized=$!
    configure_tests OFF || status=$?
    wait "$sanitized" || rm -f "$root/build-sanitize/build.ninja"
    return "$status"
}

# Tests and compilers write and remove many small files, which a file system can be slow at. So they get a folder in
# memory, if there is room for it and programs may run in it. The user's TMPDIR is left alone.
scratch=
make_scratch() {
    local room=0 memory=0
    if [[ -n ${TMPDIR:-} || ! -d /dev/shm ]]; then return; fi
    room=$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')
    memory=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
    if ((room < 2 << 20 || memory < 4 << 20)); then return; fi # KiB; the tests' files take less than 1 GiB
    scratch=$(mktemp -d /dev/shm/sedge-test.XXXXXX) || return 0
    if printf '#!/bin/sh\n' >"$scratch/trial" && chmod 755 "$scratch" "$scratch/trial" && "$scratch/trial"; then
        export TMPDIR=$scratch SEDGE_TEST_SCRATCH=$scratch
    fi
}

# What is at work in the background ends with the script: an interrupt does not reach it.
background=
end_work() {
    if [[ -n $background ]]; then kill "$background" 2>/dev/null || true; fi
    if [[ -n $scratch ]]; then rm -rf "$scratch"; fi
}

# The program needs none of the packages that only tests need. A failure here is told by configure_both, build_tests or
# build_sanitized.
compile_ahead() {
    configure_tests OFF && cmake --build "$root/build" -j "$jobs" --target sedge
    configure_sanitized && cmake --build "$root/build-sanitize" -j "$jobs" --target sedge
}

# What compiles is made, also behind a file that does not.
build_tests() {
    cmake --build "$root/build" -j "$jobs" -- -k 0
}

# The C files of the current folder, NUL-separated: git's list less what is deleted, or all files.
list_sources() {
    if [[ -e .git ]] && git ls-files >/dev/null 2>&1; then
        comm -z -23 <(git ls-files -z -- '*.c' '*.h' | sort -z) <(git ls-files -zd | sort -z)
    else
        find . -path './build*' -prune -o -name '*.[ch]' -print0
    fi
}

check_format() {
    cd "$root" && list_sources | xargs -0 -n 32 -P "$jobs" clang-format-14 --dry-run -Werror
}

# Sources in build/compile_commands.json, largest first, so that no core idles at the end.
list_compiled() {
    sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$root/build/compile_commands.json" |
        grep -vF "$root/build/" | sort -u | xargs -rd '\n' ls -S
}

# build/compile_commands.json less the repetitions of a file with the same -D, for which clang-tidy would
# read it again: files of several programs.
list_commands_once() {
    awk '/^\{/ { entry = ""; defines = "" }
        /^\{/, /^\}/ { entry = entry $0 "\n" }
        /^ *"command":/ { for (i = 1; i <= NF; i++) if ($i ~ /^-D/) defines = defines " " $i }
        /^ *"file":/ { file = $2 }
        /^\}/ && !known[file defines]++ { sub(/,\n$/, "\n", entry); printf "%s%s", separator, entry; separator = "," }
        BEGIN { print "[" }
        END { print "]" }' "$root/build/compile_commands.json"
}

check_tidy() {
    mkdir -p "$root/build/tidy" && list_commands_once >"$root/build/tidy/compile_commands.json" &&
        cd "$root" && list_compiled |
        xargs -d '\n' -n 8 -P "$jobs" clang-tidy-14 -quiet -p build/tidy 2>&1 |
        sed '/ warnings\{0,1\} generated\.$/d'
}

format_in_place() {
    cd "$root" && list_compiled | xargs -d '\n' clang-tidy-14 -quiet -p build -fix \
        -checks='-*,readability-braces-around-statements' && list_sources | xargs -0 clang-format-14 -i
}

build_sanitized() {
    if [[ ! -e $root/build-sanitize/build.ninja ]]; then configure_sanitized || return; fi # says why
    cmake --build "$root/build-sanitize" -j "$jobs"
}

# Leaks are looked for where the sanitizer may look (containers can forbid it), and in tests without
# MPI and OpenCL, which themselves keep memory to the end. Which tests run here: tests/CMakeLists.txt.
test_sanitized() {
    local probe=$root/build-sanitize/probe leaks=1
    printf 'int main(void) { return 0; }\n' | cc -fsanitize=address -x c -o "$probe" - || return
    ASAN_OPTIONS=detect_leaks=1 "$probe" || leaks=0
    printf 'leaks are looked for: %s\n' "$leaks"
    ASAN_OPTIONS=detect_leaks=$leaks UBSAN_OPTIONS=print_stacktrace=1 \
        ctest --test-dir "$root/build-sanitize" -L "sanitized|twice" --no-tests=error --output-on-failure \
        --schedule-random -j "$sanitized_at_once"
}

# Make the picture of a run and say what there is to open. $1: the run's log, which names the folder.
show_results() {
    local results picture
    results=$(sed -n 's/^ *results  *//p' "$1" | tail -n 1)
    if [[ -z $results ]]; then
        printf 'the run named no results: no picture\n'
        return
    fi
    step plot "picture" src/run/sedge-plot "$results"
    printf '\nIn %s:\n' "$root"
    for picture in "$results"/*.png; do
        if [[ -e $picture ]]; then printf '  %-40s the picture\n' "$picture"; fi
    done
    if [[ -e $results/fields.hdf.series ]]; then
        printf '  %-40s the fields, for ParaView\n' "$results/fields.hdf.series"
    fi
    printf '  %-40s times, speed, errors\n' "$results/report.json"
}

run_job() {
    local deck=input/sphere.yaml status=0
    if [[ $# -gt 0 && $1 != -* ]]; then
        deck=$1
        shift
        if [[ -e $start_folder/$deck ]]; then deck=$start_folder/$deck; fi
    fi
    install_packages "${packages_build[@]}" "${packages_run[@]}"
    build_program
    cd "$root"
    mpi_environment
    printf 'mpirun -n %s build/src/sedge run %s\n' "${SEDGE_RANKS:-2}" "$deck${*:+ $*}"
    mpirun -n "${SEDGE_RANKS:-2}" build/src/sedge run "$deck" "$@" 2>&1 | tee build/run.log ||
        status=$?
    if [[ $status -ne 0 ]]; then exit "$status"; fi
    show_results build/run.log
}

# Not in random order, as the sanitized ones are: ctest then forgets which take long (COST). Without
# what test_sanitized alone runs. First come those that run alone, which ctest would run last.
test_all() {
    local words=(--test-dir "$root/build" --no-tests=error --output-on-failure) without="gpu|paraview|exhaustive|sanitized"
    local status=0
    ctest "${words[@]}" -L clock -LE "$without" 2>&1 | tee "$logs/test-clock.log" || status=$?
    ctest "${words[@]}" -LE "$without|clock" -j "$tests_at_once" 2>&1 | tee "$logs/test.log" || status=$?
    return "$status"
}

# The tests of both builds at once, so that the cores have work where one build waits for its last
# tests. $1: yes where the programs with sanitizers were made.
run_both_tests() {
    local log=$logs/sanitize-test.log
    if [[ $1 != yes ]]; then
        test_all || failed_parts+=("tests")
        return
    fi
    printf 'tests, and those with sanitizers beside them (%s)\n' "$log"
    test_sanitized >"$log" 2>&1 &
    background=$!
    test_all || failed_parts+=("tests")
    if wait "$background"; then
        printf '\nWith sanitizers:\n'
        tail -n 40 "$log" | sed -n '/tests passed/,$p'
    else
        tail -n 40 "$log" >&2
        failed_parts+=("tests with sanitizers")
    fi
    background=
}

# All parts run, so that one failure does not hide another; only what a failed part was to make is
# missed: no build without a configuration, and of tests those whose programs were not made fail.
run_tests() {
    trap end_work EXIT
    install_packages "${packages_build[@]}"
    mkdir -p "$logs"
    make_scratch
    compile_ahead >"$logs/compile-ahead.log" 2>&1 &
    background=$!
    install_packages "${packages_run[@]}" "${packages_test[@]}"
    mpi_environment
    part format "clang-format" check_format || true
    wait "$background" || true
    background=
    if part configure "configure (build/, build-sanitize/)" configure_both; then
        part compile "compile program and tests" build_tests || true
        part tidy "clang-tidy" check_tidy || true
        local sanitized=no
        if part sanitize-compile "compile with sanitizers (build-sanitize/)" build_sanitized; then
            sanitized=yes
        fi
        run_both_tests "$sanitized"
    fi
    if [[ ${#failed_parts[@]} -eq 0 ]]; then return; fi
    if [[ -n $scratch ]]; then # what tests that failed have written
        rm -rf "$logs/scratch"
        cp -r "$scratch" "$logs/scratch" || true
    fi
    printf '\nFailed parts, each with its log in build/:\n'
    printf '  %s\n' "${failed_parts[@]}"
    exit 1
}

run_check() {
    mpi_environment
    step format "clang-format" check_format
    step configure "configure (build/, warnings are errors)" configure_tests ON
    step compile "compile program and tests" build_tests
    step unit "unit tests" ctest --test-dir "$root/build" -L unit -LE "gpu|opencl|paraview|slow" \
        --no-tests=error --output-on-failure -j 2
}

command=${1:-help}
if [[ $# -gt 0 ]]; then shift; fi
if [[ $command != run && $# -gt 0 ]]; then fail "'$command' takes no arguments: '$*'"; fi
exec </dev/null
case $command in
run) run_job "$@" ;;
build)
    install_packages "${packages_build[@]}"
    build_program
    ;;
test) run_tests ;;
check) run_check ;;
format) step format "braces and white space" format_in_place ;;
help | --help | -h) usage ;;
*)
    usage >&2
    fail "unknown command '$command'"
    ;;
esac

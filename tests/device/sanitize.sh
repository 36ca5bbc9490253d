#!/usr/bin/env bash
# NVIDIA's compute-sanitizer over every family of kernels, on a machine with a GPU:
#
#   tests/device/sanitize.sh BUILD [PATTERN]
#
# BUILD is a build folder with tests. Each case is a small one, runs once without a tool, so that its
# kernels are in the cache, then under memcheck (addresses) and racecheck (shared memory). One line a
# case and tool; the exit status is 0 where all are clean. PATTERN, an extended regular expression,
# picks families. JOBS cases run at once (default: the cores), each for at most LIMIT seconds (400).
# Messages of what is not clean stay in OUT (default: a new folder). cuSPARSE is left out: racecheck
# finds hazards in its kernels.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:?usage: sanitize.sh BUILD [PATTERN]}
pattern=${2:-.}
jobs=${JOBS:-$(nproc)}
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
tool=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
[[ -x $tool ]] || { echo "compute-sanitizer is not found: neither in PATH nor in /usr/local/cuda" >&2; exit 1; }
export out tool build LIMIT=${LIMIT:-400}
export SEDGE_CUSPARSE=libleft-out.so
export SEDGE_TEST_DEVICE=cuda SEDGE_TUNE=off SEDGE_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader

# family, ranks, program and arguments; long ones first
cases() {
    cat <<END
krylov 1 krylov/test_krylov small persistent
bernstein-shared-sums 1 solver/test_operator_form bernstein 9 fp32 walls
bernstein-shared-sums 1 solver/test_operator_form bernstein 8 fp64 walls
bernstein-shared-sums 1 solver/test_operator_form bernstein 7 fp64 walls
multigrid 1 elliptic/test_multigrid small
sparse 1 codegen/test_sparse few
krylov 1 krylov/test_krylov small standard
krylov 1 krylov/test_krylov small single
krylov 1 krylov/test_krylov small pipelined
elliptic 1 elliptic/test_elliptic_operator
elliptic-curved 1 elliptic/test_elliptic_curved kernels
reduce 1 codegen/test_reduce few
reduce 1 codegen/test_reduce_axes few
scan 1 codegen/test_scan few
array-tune 1 codegen/test_array_tune kernels
matrix 2 ../src/sedge solve $root/tests/fuzz/corpus/matrix/symmetric.mtx --device cuda --preconditioner amg
matrix 2 ../src/sedge solve $root/tests/fuzz/corpus/matrix/symmetric.mtx --device cuda --preconditioner chebyshev
matrix 1 ../src/sedge solve $root/tests/fuzz/corpus/matrix/symmetric.mtx --device cuda --preconditioner block-jacobi --block 2
ceiling 1 codegen/test_ceiling
select 1 codegen/test_select few
random 1 codegen/test_random few
elementwise 1 codegen/test_elementwise few
array 1 codegen/test_array few
expression 1 codegen/test_expression few
fused 1 solver/test_operator_form fused 2 fp32 walls
fused 1 solver/test_operator_form fused 3 fp64 walls
fused 1 solver/test_operator_form fused 2 fp32 burgers
fused 1 solver/test_operator_form fused 1 fp64 advection
fused 1 solver/test_operator_form fused 2 fp64 incident
fused-two-ranks 2 solver/test_operator_form fused 2 fp32 walls
tensor-curl 1 solver/test_operator_form tensor-curl 5 fp64 walls
bernstein-sparse 1 solver/test_operator_form bernstein 1 fp32 walls
bernstein-sparse 1 solver/test_operator_form bernstein 3 fp32 walls
bernstein-sparse 1 solver/test_operator_form bernstein 5 fp64 walls
bernstein-sparse 1 solver/test_operator_form bernstein 7 fp64 walls
bernstein-sparse 1 solver/test_operator_form bernstein 2 fp64 advection
boundary-converting 1 solver/test_operator_form bernstein 2 fp32 incident
boundary-converting 1 solver/test_operator_form bernstein 4 fp64 incident
bernstein-two-ranks 2 solver/test_operator_form bernstein 3 fp64 walls
curved 1 solver/test_operator_form fused 2 fp32 curved
curved 1 solver/test_operator_form tensor-curl 3 fp64 curved
point 2 ../src/sedge run $root/input/dipole-open.yaml --device cuda --set time.steps=3 --output $out/point
transform 1 solver/test_transform
graphs 1 solver/test_operator_graph
examples 1 ../codegen/examples/example_square cuda 1000
examples 1 ../codegen/examples/example_polynomial cuda 1000
examples 1 ../codegen/examples/example_transpose cuda 96
examples 1 ../codegen/examples/example_multiply cuda 192 all
examples 1 ../codegen/examples/example_linear cuda 1000
examples 1 ../codegen/examples/example_dot cuda 1000
examples 1 ../codegen/examples/example_filters cuda 70 all
examples 1 ../codegen/examples/example_neighbours cuda 300
examples 1 ../codegen/examples/example_backprojection cuda 128
examples 1 ../codegen/examples/example_mapreduce cuda 1000
END
}

# family ranks program arguments: without a tool, for the cache
warm() {
    local family=$1 ranks=$2 program=$3
    shift 3
    local launcher=() log="$out/warm-$family-${program##*/}-${*//\//:}"
    ((ranks > 1)) && launcher=(mpirun -n "$ranks")
    timeout "$LIMIT" "${launcher[@]}" "$build/tests/$program" "$@" >"$log" 2>&1 &&
        return
    echo "plain      FAILED  $family: $program $*"
    tail -n 5 "$log"
    return 1
}

# which family ranks program arguments
check() {
    local which=$1 family=$2 ranks=$3 program=$4
    shift 4
    local launcher=() more=(--report-api-errors no) start=$SECONDS
    local log="$out/$which-$family-${program##*/}-${*//\//:}"
    [[ $which == racecheck ]] && more=(--racecheck-report all)
    ((ranks > 1)) && launcher=(mpirun -n "$ranks")
    local status said=clean
    # The tool sometimes loses a process of many, or crashes itself (of a program's crash it would
    # say a word after its heading): then once more.
    for _ in 1 2; do
        timeout "$LIMIT" "${launcher[@]}" "$tool" --tool "$which" "${more[@]}" --error-exitcode 9 \
            --print-limit 20 "$build/tests/$program" "$@" >"$log" 2>&1
        status=$?
        ((status == 139)) && [[ $(grep -c "^=========" "$log") == 1 ]] && continue
        grep -q "couldn't find exit code" "$log" || break
    done
    ((status == 124)) && said="TOO LONG"
    ((status != 0 && status != 124)) && said="FAILED ($status)"
    printf '%-9s  %-8s %3d s  %s: %s %s\n' "$which" "$said" $((SECONDS - start)) "$family" \
        "${program##*/}" "$*"
    ((status == 0)) && rm -f "$log"
    return $((status != 0))
}
export -f warm check

cases | grep -E "^[^ ]*($pattern)" >"$out/cases"
[[ -s $out/cases ]] || { echo "no family is called '$pattern'" >&2; exit 1; }
xargs -P "$jobs" -L 1 bash -c 'warm "$@"' warm <"$out/cases"
status=$?
{
    # The ceilings' kernels have no shared memory, and their arrays are of a GiB.
    grep -v '^ceiling ' "$out/cases" | sed 's/^/racecheck /'
    sed 's/^/memcheck /' "$out/cases"
} |
    xargs -P "$jobs" -L 1 bash -c 'check "$@"' check || status=1
((status == 0)) && echo "clean: $(wc -l <"$out/cases") cases, both tools" || echo "messages: $out"
exit $((status != 0))

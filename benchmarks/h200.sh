#!/usr/bin/env bash
# All tables of MEASUREMENTS.md that want a GPU, in one call of about nine minutes.
#
#   benchmarks/h200.sh OUT [SEDGE_BENCH [MPIRUN]]
#
# OUT gets a .txt and a .json a table. SEDGE_BENCH: the program (default: $SEDGE_BENCH, else
# sedge-bench in PATH); MPIRUN: for the runs on two ranks (default: $MPIRUN, else mpirun in PATH; the
# word none leaves them out). BIG_MESH: a Gmsh file made from big.geo, for the unstructured table;
# CURVED_MESH: the same with -order 2, whose elements at the round hole are curved, for the curved
# one. Those that are not given are made where gmsh is in PATH; else their tables are left out.
# BUDGET: seconds after which no further table is begun (default 540).
set -euo pipefail

out=${1:?usage: h200.sh OUT [SEDGE_BENCH [MPIRUN]]}
bench=${2:-${SEDGE_BENCH:-sedge-bench}}
mpirun=${3:-${MPIRUN:-mpirun}}
budget=${BUDGET:-540}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export SEDGE_CACHE_DIR=${SEDGE_CACHE_DIR:-$out/cache}

mkdir -p "$out"
failed=0

# table NAME COMMAND...: its output to NAME.txt, with the command, the date and the time it took.
table() {
    local name=$1 start=$SECONDS
    shift
    if ((SECONDS > budget)); then
        echo "$name: left out, $SECONDS s are over" | tee "$out/$name.txt"
        return
    fi
    {
        echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ)  $*"
        "$@" 2>&1 || echo "# exit status $?"
        echo "# $((SECONDS - start)) s"
    } | tee "$out/$name.txt"
    if grep -q '^# exit status' "$out/$name.txt"; then failed=1; fi
}

if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit,ecc.mode.current \
        --format=csv >"$out/gpu.txt" || true
fi
table stage "$bench" --device cuda --output "$out/stage.json"
table small "$bench" --device cuda --elements 6000 --output "$out/small.json"

# mesh FILE OPTIONS...: FILE, or if it is empty what gmsh makes of big.geo; nothing without gmsh.
mesh() {
    local file=$1 made
    shift
    made="$out/big$*.msh"
    made=${made// /}
    if [ -z "$file" ] && command -v gmsh >/dev/null; then
        if gmsh -3 -bin "$@" "$(dirname "$0")/big.geo" -o "$made" >"$made.txt" 2>&1; then
            file=$made
        fi
    fi
    echo "$file"
}

straight=$(mesh "${BIG_MESH:-}")
curved=$(mesh "${CURVED_MESH:-}" -order 2)
if [ -n "$straight" ]; then
    table unstructured "$bench" --device cuda --mesh "$straight" --output "$out/unstructured.json"
else
    echo "unstructured: left out, there is no mesh" | tee "$out/unstructured.txt"
fi
# The same elements, those at the hole curved; beside it, in fp32, the straight ones by the form that
# the rule takes for the others then.
if [ -n "$straight" ] && [ -n "$curved" ]; then
    table curved "$bench" --device cuda --mesh "$curved" --orders 1-6 --output "$out/curved.json"
    table curved-straight "$bench" --device cuda --mesh "$straight" --orders 1-6 --variant fused \
        --precision fp32 --output "$out/curved-straight.json"
else
    echo "curved: left out, there is no mesh" | tee "$out/curved.txt"
fi
# Cost over size; word offsets pass 2^31 at 18 million tetrahedra, which take a minute to make.
table growth "$bench" --device cuda --orders 3,3,3,3,3,3,3,3,3 --precision fp32 \
    --elements 48,384,3072,13182,48000,196608,750000,3072000,6000000 --output "$out/growth.json"
table singly "$bench" --device cuda --orders 3,3,3,3,3,3 --precision fp32 --singly \
    --elements 48,384,3072,13182,48000,196608 --output "$out/singly.json"
for numbering in curve none; do
    table "numbering-$numbering" "$bench" --device cuda --orders 1-4 --numbering "$numbering" \
        --output "$out/numbering-$numbering.json"
done
table boundary "$bench" --device cuda --orders 1-6 --boundary last --output "$out/boundary.json"
# The largest mesh: its state and its tables fill the device.
table largest "$bench" --device cuda --orders 8 --precision fp64 --elements 5300000 --repeats 2 \
    --steps 4 --output "$out/largest.json"
table high "$bench" --device cuda --orders 9-10 --precision fp32 --output "$out/high.json"
table setup "$bench" --device cuda --setup --orders 4 --precision fp32
if [ "$mpirun" != none ]; then
    table two-ranks "$mpirun" -n 2 "$bench" --device cuda --orders 2-4 --precision fp32 \
        --output "$out/two-ranks.json"
    table two-ranks-staged env SEDGE_TRANSPORT=staged "$mpirun" -n 2 "$bench" --device cuda \
        --orders 2-4 --precision fp32 --output "$out/two-ranks-staged.json"
fi
exit $failed

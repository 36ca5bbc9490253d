#!/usr/bin/env bash
# Scaling over the GPUs of one host, in one call: sedge-bench and whole runs on 1, 2, 4, ... GPUs.
#
#   benchmarks/scaling.sh OUT [SEDGE_BENCH [SEDGE [MPIRUN]]]
#
# OUT gets a .txt and a .json a table, the folders of the runs without their fields, and for each kind
# of run NAME-same.txt: whether the fields of several GPUs have the bits of one's. The programs
# default to those in PATH. Tables of fewer GPUs than there are run beside each other, on GPUs of
# their own.
#
# Environment:
#   DEVICE    of both programs (default cuda)
#   GPUS      how many (default: what nvidia-smi lists)
#   SHRINK    all numbers of elements are divided by this (default 1)
#   STEPS     of a repeat (default 60)
#   MESH      a Gmsh file made from meshes/sphere.geo, for the part run: sphere.yaml with straight
#             elements; left out without it
#   JOB_MESH  the same from meshes/sphere-in-box.geo for the part job: sphere.yaml as it stands, with
#             curved elements and a layer
#   INPUT     the folder of sphere.yaml (default ../input)
#   END       when these runs end (default 10)
#   BUDGET    seconds after which nothing is begun (default 540)
#   PARTS     which parts to run (default: all, in this order)
set -euo pipefail

out=${1:?usage: scaling.sh OUT [SEDGE_BENCH [SEDGE [MPIRUN]]]}
bench=${2:-sedge-bench}
sedge=${3:-sedge}
mpirun=${4:-mpirun}
here=$(cd "$(dirname "$0")" && pwd)
device=${DEVICE:-cuda}
gpus=${GPUS:-$(nvidia-smi --list-gpus | wc -l)}
shrink=${SHRINK:-1}
budget=${BUDGET:-540}
steps=${STEPS:-60}
parts=${PARTS:-one two all run job small fp64 staged crowd}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export SEDGE_CACHE_DIR=${SEDGE_CACHE_DIR:-$out/cache}
mkdir -p "$out"

# Boxes of 39, 49, 55, 62 and 87 cells a side.
strong=(355914 998250)
weak_two=705894
weak_four=1429968
large=3951018
tiny=(6000 13182 48000 98304 196608)

# sizes COUNT NUMBER...: each number COUNT times, shrunk, with commas between them.
sizes() {
    local count=$1 list="" i
    shift
    for number; do
        for ((i = 0; i < count; i++)); do list+=,$((number / shrink > 48 ? number / shrink : 48)); done
    done
    echo "${list#,}"
}

# again COUNT LIST: the list COUNT times.
again() {
    local list="" i
    for ((i = 0; i < $1; i++)); do list+=,$2; done
    echo "${list#,}"
}

# table NAME RANKS FIRST LIMIT OPTIONS...: sedge-bench on ranks with GPUs from FIRST on.
table() {
    local name=$1 ranks=$2 first=$3 limit=$4 start=$SECONDS
    shift 4
    local count=$((ranks < gpus ? ranks : gpus)) list="" i
    for ((i = 0; i < count; i++)); do list+=,$((first + i)); done
    local command=("$bench" --device "$device" --steps "$steps" --repeats 3 "$@" --output "$out/$name.json")
    if ((ranks > 1)); then command=("$mpirun" -n "$ranks" "${command[@]}"); fi
    if ((SECONDS > budget)); then
        echo "$name: left out, $SECONDS s are over" | tee "$out/$name.txt"
        return
    fi
    {
        echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ)  GPUs ${list#,}: ${command[*]}"
        CUDA_VISIBLE_DEVICES=${list#,} timeout "$limit" "${command[@]}" 2>&1 || echo "# exit status $?"
        echo "# $((SECONDS - start)) s"
    } >"$out/$name.txt"
}

# One run of the deck sphere.yaml on a finer mesh, with all of its output.
whole() {
    local name=$1 ranks=$2 limit=$3 start=$SECONDS
    shift 3
    local command=("$sedge" run "${INPUT:-$here/../input}/sphere.yaml" --device "$device" --output "$out/$name" \
        --set time.stop.energy=1e-30 --set "time.end=${END:-10}" --set output.snapshots=12 "$@")
    if ((ranks > 1)); then command=("$mpirun" -n "$ranks" "${command[@]}"); fi
    if ((SECONDS > budget)); then
        echo "$name: left out, $SECONDS s are over" | tee "$out/$name.txt"
        return
    fi
    {
        echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ)  ${command[*]}"
        timeout "$limit" "${command[@]}" 2>&1 || echo "# exit status $?"
        echo "# $((SECONDS - start)) s"
    } >"$out/$name.txt"
}

part_one() {
    table one-a 1 0 60 --orders 3,4,2,6 --precision fp32 --elements "$(sizes 4 "${strong[0]}")" &
    table one-b 1 $((gpus > 1)) 60 --orders 3,4,2,6 --precision fp32 --elements "$(sizes 4 "${strong[1]}")" &
    table one-c 1 $((gpus > 2 ? 2 : 0)) 60 --orders 3 --precision fp32 --elements "$(sizes 1 $large)" &
    table one-small 1 $((gpus > 3 ? 3 : 0)) 60 --orders "$(again 5 3)" --precision fp32 \
        --elements "$(sizes 1 "${tiny[@]}")" &
    wait
}

part_two() {
    local first=$((gpus >= 4 ? 2 : 0))
    table two-a 2 0 60 --orders "$(again 2 3,4,2,6)" --precision fp32 \
        --elements "$(sizes 4 "${strong[0]}" $weak_two)" &
    if ((first == 0)); then wait; fi
    table two-b 2 $first 60 --orders 3,4,2,6,3 --precision fp32 \
        --elements "$(sizes 4 "${strong[1]}"),$(sizes 1 $large)" &
    wait
}

part_all() {
    table all-a "$gpus" 0 60 --orders "$(again 2 3,4,2,6)" --precision fp32 \
        --elements "$(sizes 4 "${strong[0]}" $weak_four)"
    table all-b "$gpus" 0 60 --orders 3,4,2,6,3 --precision fp32 \
        --elements "$(sizes 4 "${strong[1]}"),$(sizes 1 $large)"
}

# whole_by_ranks NAME MESH OPTIONS...: the run on 1, 2, 4, ... GPUs, and the comparison.
whole_by_ranks() {
    local name=$1 mesh=$2 ranks names=()
    shift 2
    if [ -z "$mesh" ]; then
        echo "$name: left out, there is no mesh" | tee "$out/$name.txt"
        return
    fi
    for ((ranks = 1; ranks <= gpus; ranks *= 2)); do
        whole "$name-$ranks" $ranks 60 --set "mesh.file=$mesh" "$@"
        names+=("$out/$name-$ranks")
    done
    python3 "$here/same.py" "${names[@]}" >"$out/$name-same.txt" 2>&1 ||
        echo "# exit status $?" >>"$out/$name-same.txt"
    rm -f "$out/$name"-*/*.hdf
}

part_run() {
    whole_by_ranks run "${MESH:-}" --set "boundaries.outer={type: absorbing}" --set time.integrator=lsrk45
}

part_job() {
    whole_by_ranks job "${JOB_MESH:-}"
}

part_small() {
    table two-small 2 0 60 --orders "$(again 5 3)" --precision fp32 --elements "$(sizes 1 "${tiny[@]}")" &
    if ((gpus < 6)); then wait; fi
    table all-small "$gpus" $((gpus < 6 ? 0 : 2)) 60 --orders "$(again 5 3)" --precision fp32 \
        --elements "$(sizes 1 "${tiny[@]}")" &
    wait
}

part_fp64() {
    local list
    list=$(sizes 2 "${strong[@]}")
    table one-fp64 1 0 60 --orders 3,4,3,4 --precision fp64 --elements "$list" &
    if ((gpus < 4)); then wait; fi
    table two-fp64 2 $((gpus < 4 ? 0 : 2)) 60 --orders 3,4,3,4 --precision fp64 --elements "$list" &
    wait
    table all-fp64 "$gpus" 0 60 --orders 3,4,3,4 --precision fp64 --elements "$list"
}

part_staged() {
    local list
    list=$(sizes 1 "${strong[@]}")
    SEDGE_TRANSPORT=staged table two-staged 2 0 60 --orders 3,3 --precision fp32 --elements "$list" &
    if ((gpus < 4)); then wait; fi
    wait
    SEDGE_TRANSPORT=staged table all-staged "$gpus" 0 60 --orders 3,3 --precision fp32 --elements "$list"
}

part_crowd() {
    table crowd $((2 * gpus)) 0 60 --orders 3,3 --precision fp32 --elements "$(sizes 1 "${strong[@]}")"
}

if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,power.limit,ecc.mode.current \
        --format=csv >"$out/gpu.txt" || true
    nvidia-smi topo -m >>"$out/gpu.txt" 2>&1 || true
fi
for part in $parts; do
    "part_$part"
    echo "$part: $SECONDS s"
done
! grep -l '^# exit status' "$out"/*.txt

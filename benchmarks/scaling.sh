#!/usr/bin/env bash
# Scaling over the GPUs of one host, in one call: sedge-bench and whole runs on 1, 2, 4, ... GPUs.
#
#   benchmarks/scaling.sh OUT [SEDGE_BENCH [SEDGE [MPIRUN]]]
#
# OUT gets a .txt and a .json a table, the folders of the runs without their fields, and for each kind
# of run NAME-same.txt: whether the fields of several GPUs have the bits of one's. The programs
# default to those in PATH. Tables run beside each other, each on GPUs of its own; whole runs run alone.
#
# Environment:
#   DEVICE      of both programs (default cuda)
#   GPUS        how many (default: what nvidia-smi lists)
#   SHRINK      all numbers of elements are divided by this (default 1)
#   STEPS       of a repeat (default 60)
#   MESH        a Gmsh file made from meshes/sphere.geo, for the part run: sphere.yaml with straight
#               elements; left out without it
#   JOB_MESH    the same from meshes/sphere-in-box.geo for the part job: sphere.yaml as it stands, with
#               curved elements and a layer
#   LEVEL_MESH  the same from meshes/aircraft.geo for the part levels: aircraft.yaml with local time steps
#   JOBS        for the part jobs: words NAME:RANKS:END:SNAPSHOTS:FILE, sphere.yaml on a mesh made from
#               meshes/sphere-in-box.geo (refine.py), until END with so many snapshots and a pulse that is
#               there from the start; RANKS: all, or numbers with commas
#   SCHEMES     the integrators of the part jobs (default: ader ndblsrk144)
#   OPTIONS     more options of its runs, such as "--set order=6 --set precision=fp64", which their names have, too:
#               NAME-ader-order=6-precision=fp64-2
#   INPUT       the folder of sphere.yaml (default ../input)
#   END         when the parts run and job end (default 10)
#   LEVEL_END   when the part levels ends (default 4.5e-10)
#   LIMIT       seconds after which a table or run is stopped (default 90)
#   BUDGET      seconds after which nothing is begun (default 540)
#   PARTS       which parts to run (default: tables levels run job crowd)
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
limit=${LIMIT:-90}
steps=${STEPS:-60}
parts=${PARTS:-tables levels run job crowd}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export SEDGE_CACHE_DIR=${SEDGE_CACHE_DIR:-$out/cache}
mkdir -p "$out"

counts=()
for ((i = 1; i <= gpus; i *= 2)); do counts+=("$i"); done

# Tets of boxes of 39, 55 and 87 cells a side; those for one GPU's part when the mesh grows with the
# number of GPUs, and small ones.
strong=(355914 998250)
large=3951018
tiny=(6000 13182 48000 98304 196608)
declare -A weak=([1]=355914 [2]=705894 [4]=1429968 [8]=2847312)

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

# The GPUs that nobody uses, and who uses which: process -> its GPUs.
mapfile -t free < <(seq 0 $((gpus - 1)))
declare -A used

# Waits until one of the tables is done, and takes its GPUs back.
reclaim() {
    local done_one i
    wait -n -p done_one || true
    for i in ${used[$done_one]}; do free+=("$i"); done
    unset "used[$done_one]"
}

# table NAME RANKS OPTIONS...: sedge-bench in the background, on GPUs that are free, one a rank where
# there are enough.
table() {
    local name=$1 ranks=$2
    shift 2
    local count=$((ranks < gpus ? ranks : gpus))
    while ((${#free[@]} < count)); do reclaim; done
    if ((SECONDS > budget)); then
        echo "$name: left out, $SECONDS s are over" | tee "$out/$name.txt"
        return
    fi
    mapfile -t free < <(printf '%s\n' "${free[@]}" | sort -n)
    local mine=("${free[@]:0:count}")
    free=("${free[@]:count}")
    local list
    list=$(IFS=, && echo "${mine[*]}")
    local command=("$bench" --device "$device" --steps "$steps" --repeats 3 "$@" --output "$out/$name.json")
    if ((ranks > 1)); then command=("$mpirun" -n "$ranks" "${command[@]}"); fi
    {
        start=$SECONDS
        echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ)  GPUs $list: ${command[*]}"
        CUDA_VISIBLE_DEVICES=$list timeout "$limit" "${command[@]}" 2>&1 || echo "# exit status $?"
        echo "# $((SECONDS - start)) s"
    } >"$out/$name.txt" &
    used[$!]="${mine[*]}"
}

# Waits for all tables.
settle() {
    while ((${#used[@]})); do reclaim; done
}

# whole DECK NAME RANKS OPTIONS...: one run with all of its output, alone on the machine.
whole() {
    local deck=$1 name=$2 ranks=$3 start=$SECONDS
    shift 3
    local command=("$sedge" run "$deck" --device "$device" --output "$out/$name" "$@")
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

# whole_by_ranks NAME DECK MESH OPTIONS...: the run on 1, 2, 4, ... GPUs, and the comparison.
whole_by_ranks() {
    local name=$1 deck=$2 mesh=$3 ranks names=()
    shift 3
    if [ -z "$mesh" ]; then
        echo "$name: left out, there is no mesh" | tee "$out/$name.txt"
        return
    fi
    for ranks in "${counts[@]}"; do
        whole "$deck" "$name-$ranks" "$ranks" --set "mesh.file=$mesh" "$@"
        names+=("$out/$name-$ranks")
    done
    python3 "$here/same.py" "${names[@]}" >"$out/$name-same.txt" 2>&1 ||
        echo "# exit status $?" >>"$out/$name-same.txt"
    rm -f "$out/$name"-*/*.hdf
}

part_tables() {
    local n i
    # Those that need most GPUs first: the others fill what they leave.
    for ((i = ${#counts[@]} - 1; i >= 0; i--)); do
        n=${counts[i]}
        table "strong-$n" "$n" --orders "$(again 2 3,4,2,6)" --precision fp32 --elements "$(sizes 4 "${strong[@]}")"
        table "large-$n" "$n" --orders 3,4,2,6 --precision fp32 --elements "$(sizes 4 $large)"
        if ((n > 1)) && [ "${weak[$n]:-}" ]; then
            table "weak-$n" "$n" --orders 3,4,2,6 --precision fp32 --elements "$(sizes 4 "${weak[$n]}")"
        fi
        table "small-$n" "$n" --orders "$(again 5 3)" --precision fp32 --elements "$(sizes 1 "${tiny[@]}")"
        table "fp64-$n" "$n" --orders "$(again 2 3,4,2,6)" --precision fp64 --elements "$(sizes 4 "${strong[@]}")"
        table "large64-$n" "$n" --orders 3,4,2,6 --precision fp64 --steps 20 --elements "$(sizes 4 $large)"
        if ((n > 1)) && [ "${weak[$n]:-}" ]; then
            table "weak64-$n" "$n" --orders 3,4,2,6 --precision fp64 --elements "$(sizes 4 "${weak[$n]}")"
        fi
        if ((n > 1)); then
            SEDGE_TRANSPORT=staged table "staged-$n" "$n" --orders "$(again 2 3,4)" --precision fp32 \
                --elements "$(sizes 2 "${strong[@]}")"
        fi
    done
    settle
}

part_run() {
    whole_by_ranks run "${INPUT:-$here/../input}/sphere.yaml" "${MESH:-}" --set time.stop.energy=1e-30 \
        --set "time.end=${END:-10}" --set output.snapshots=12 \
        --set "boundaries.outer={type: absorbing}" --set time.integrator=lsrk45
}

part_job() {
    whole_by_ranks job "${INPUT:-$here/../input}/sphere.yaml" "${JOB_MESH:-}" --set time.stop.energy=1e-30 \
        --set "time.end=${END:-10}" --set output.snapshots=12
}

# Each mesh by each scheme.
part_jobs() {
    local job name ranks end snapshots file scheme count names kind words
    words=$(sed 's/--set[= ]*//g; s/[^[:alnum:].=]\+/-/g; s/^-//; s/-$//' <<<"${OPTIONS:-}")
    for scheme in ${SCHEMES:-ader ndblsrk144}; do
        for job in ${JOBS:-}; do
            IFS=: read -r name ranks end snapshots file <<<"$job"
            [ "$ranks" = all ] && ranks=$(IFS=, && echo "${counts[*]}")
            kind=$name-$scheme${words:+-$words}
            names=()
            for count in ${ranks//,/ }; do
                whole "${INPUT:-$here/../input}/sphere.yaml" "$kind-$count" "$count" --set "mesh.file=$file" \
                    --set "time.end=$end" --set "output.snapshots=$snapshots" --set "time.integrator=$scheme" \
                    --set time.stop.energy=1e-30 --set sources.0.signal.delay=0 ${OPTIONS:-}
                names+=("$out/$kind-$count")
            done
            ((${#names[@]} == 1)) || python3 "$here/same.py" "${names[@]}" >"$out/$kind-same.txt" 2>&1 ||
                echo "# exit status $?" >>"$out/$kind-same.txt"
            rm -f "$out/$kind"-*/*.hdf
        done
    done
}

part_levels() {
    local order
    for order in 3 4; do
        whole_by_ranks "levels-$order" "$here/aircraft.yaml" "${LEVEL_MESH:-}" --set "order=$order" \
            --set "time.end=${LEVEL_END:-4.5e-10}" --set output.snapshots=1
        whole_by_ranks "one-step-$order" "$here/aircraft.yaml" "${LEVEL_MESH:-}" --set "order=$order" \
            --set "time.end=${LEVEL_END:-4.5e-10}" --set output.snapshots=1 --set time.integrator=ndblsrk144
    done
}

part_crowd() {
    table crowd $((2 * gpus)) --orders 3,3 --precision fp32 --elements "$(sizes 1 "${strong[@]}")"
    settle
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

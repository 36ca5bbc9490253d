#!/usr/bin/env bash
# A run of any length in jobs of limited time: sbatch resubmit.sh DECK [OPTIONS of sedge run]
#
# Before the limit Slurm signals this script, which passes it on; the program writes a checkpoint and
# ends with exit code 5. Then the script submits itself again, and the next job goes on from there.
# It does so until the run is done (0), fails (any other code), is cancelled, or a job has got no
# further.
#
# Change the lines that begin with #SBATCH to what your cluster has, or take those of the other
# scripts here. Options of the first sbatch's command line are not repeated: write them here.
#SBATCH --job-name=sedge
#SBATCH --nodes=1
#SBATCH --ntasks=8
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@180     # seconds before the limit: one checkpoint and a minute, at least
#SBATCH --requeue               # after a node has failed, the same job goes on elsewhere
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.out
set -u

# mpirun, or: launch=(srun --mpi=pmix)
launch=(mpirun -n "$SLURM_NTASKS")

# Where a job says how far it came.
report=$PWD/$SLURM_JOB_NAME-$SLURM_JOB_ID.json

# mpirun and srun hand SIGUSR2 on to the ranks. SIGUSR1 is not sure to get through mpirun, and after
# a SIGTERM mpirun kills the ranks within a second.
signalled=0
cancelled=0
pass_on() {
    signalled=1
    kill -USR2 "$run" 2>/dev/null
}
trap pass_on USR1 USR2
trap 'cancelled=1; pass_on' TERM # scancel JOB, or preemption: whoever sends it has other plans

"${launch[@]}" "${SEDGE:-sedge}" run "$@" --restart auto --report "$report" &
run=$!
while :; do # a signal ends the waiting, not the run
    signalled=0
    wait "$run"
    code=$?
    [[ $signalled -eq 1 ]] || break
done

if [[ $code -ne 5 ]]; then
    printf '%s: job %s ended with exit code %s\n' "$SLURM_JOB_NAME" "$SLURM_JOB_ID" "$code"
    exit "$code"
fi
if [[ $cancelled -eq 1 ]]; then
    printf '%s: job %s was cancelled; not submitted again\n' "$SLURM_JOB_NAME" "$SLURM_JOB_ID"
    exit "$code"
fi
steps=$(sed -n 's/^ *"steps": \([0-9]*\),*$/\1/p' "$report")
if [[ ${steps:-0} -le ${SEDGE_STEPS:-0} ]]; then
    printf '%s: no step since job %s: the time limit is too short; not submitted again\n' \
        "$SLURM_JOB_NAME" "${SEDGE_JOB:-$SLURM_JOB_ID}"
    exit 5
fi
export SEDGE_STEPS=$steps SEDGE_JOB=$SLURM_JOB_ID
next=$(sbatch --parsable "$0" "$@") || exit 5
printf '%s: job %s came to step %s; job %s goes on\n' \
    "$SLURM_JOB_NAME" "$SLURM_JOB_ID" "$steps" "$next"

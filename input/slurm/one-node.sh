#!/usr/bin/env bash
# One node, one job: sbatch one-node.sh DECK [OPTIONS of sedge run]
# Change the lines that begin with #SBATCH to what your cluster has.
#SBATCH --job-name=sedge
#SBATCH --nodes=1
#SBATCH --ntasks=8              # ranks; a rank a NUMA domain is a good start
#SBATCH --cpus-per-task=4       # threads a rank
#SBATCH --time=01:00:00
#SBATCH --output=%x-%j.out

# The program stops before this time with a checkpoint and exit code 5; to go on, submit again.
# Slurm before 23.02 does not tell it to the job.
SLURM_JOB_END_TIME=${SLURM_JOB_END_TIME:-$(date -d "$(squeue -h -j "$SLURM_JOB_ID" -o %e)" +%s)}
export SLURM_JOB_END_TIME

export SEDGE_THREADS=$SLURM_CPUS_PER_TASK

# A signal to this script goes on to the ranks as SIGUSR2, which mpirun hands on: they stop with a
# checkpoint and exit code 5. Without this the script would end, and Slurm would kill them.
trap 'signalled=1; kill -USR2 "$run" 2>/dev/null' USR1 USR2 TERM

mpirun --map-by "slot:PE=$SLURM_CPUS_PER_TASK" "${SEDGE:-sedge}" run "$@" --restart auto &
run=$!
while :; do # a signal ends the waiting, not the run
    signalled=0
    wait "$run"
    code=$?
    [[ $signalled -eq 1 ]] || break
done
exit "$code"
